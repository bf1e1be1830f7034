// A table of any length: only the rows on the screen are in the page. Sorts, filters, copies as CSV; the edges of the
// headings are dragged; arrows move the current row, Enter opens it.
import { render, type ComponentChild, type JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Cell, Column, Table } from "../api/protocol";
import { counted, grouped, moment, momentStep, oneLine, withUnit } from "../model/format";
import { cutName, cuts } from "../model/names";
import { copyText } from "./clipboard";
import { csv } from "./csv";
import { TextMeasure } from "../timeline/text";
import {
  CELL_PADDING,
  columnNeed,
  columnWidths,
  fittedWidth,
  isNumeric,
  tabularMeasure,
  type Measure,
} from "./column_widths";
import { useSize } from "./hooks";
import { orderRows, readSort, type Sort } from "./row_order";

const ROW = 24; // height in CSS pixels, as in table.css
const SPARE = 6; // rows beyond either edge

export interface ExtraColumn {
  title: string;
  about?: string;
  width: number;
  /** Drawn for the rows on the screen only. */
  cell(row: readonly Cell[], index: number): ComponentChild;
}

export interface DataTableProps {
  table: Table;
  /** Said instead of rows where there are none. */
  empty?: string;
  /** Columns of moments, by name: they have the digits that tell neighbours apart. */
  moments?: readonly string[];
  /** Columns to leave out, by name. They stay in the CSV. */
  hidden?: readonly string[];
  /** By name of the column: how it is headed instead. */
  titles?: Readonly<Record<string, string>>;
  /** By name of the column: how its cells are drawn instead. */
  cells?: Readonly<Record<string, (value: Cell, row: readonly Cell[]) => ComponentChild>>; // null: as usual
  extra?: readonly ExtraColumn[];
  /** Called when the user has chosen an order. */
  onSort?: (column: string, descending: boolean) => void;
  /** Click or Enter on a row. */
  onOpen?: (row: readonly Cell[], index: number) => void;
  /** Marks a row. */
  isCurrent?: (row: readonly Cell[]) => boolean;
  /** Without the field for the filter and the buttons. */
  bare?: boolean;
  /** Stands at the left of the bar. */
  title?: ComponentChild;
}

/** "total_ns" -> "total" */
export function columnTitle(name: string): string {
  if (name === "pct") return "share";
  return name.replace(/_(ns|pct|bytes)$/, "").replace(/_/g, " ");
}

/** A cell as text for reading. Whole numbers without a unit are identifiers, and exact, as are counts. */
export function cellText(value: Cell | undefined, column: Pick<Column, "unit" | "type"> | null = null): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return oneLine(String(value));
  const whole = column?.type === "int" && Number.isInteger(value);
  if (whole && !column.unit) return String(value);
  return whole && column.unit === "count" ? grouped(value) : withUnit(value, column?.unit);
}

/** A cell with every digit. Numbers without a unit are identifiers, which are not grouped. */
export function exactText(value: Cell | undefined, unit?: string): string {
  if (typeof value === "number") return unit ? `${grouped(value)}${unit === "count" ? "" : ` ${unit}`}` : String(value);
  return value === null || value === undefined ? "" : String(value).slice(0, 2000);
}

/** The index of a column; -1 where there is none of this name. */
const columnAt = (table: Table, name: string | undefined): number =>
  name === undefined ? -1 : table.columns.findIndex((column) => column.name === name);

const SCROLL_BAR = 16; // CSS pixels
const KEY_STEP = 16; // CSS pixels that a key widens a column

/** In the font of the page, of that weight as in table.css. */
function measureOf(weight: number): Measure {
  let made: Measure | null = null;
  return (text) => {
    if (!made) {
      const { fontSize, fontFamily } = getComputedStyle(document.body);
      const context = document.createElement("canvas").getContext("2d")!;
      const letters = new TextMeasure(context, `${weight} ${fontSize} ${fontFamily}`);
      made = tabularMeasure((character) => letters.width(character));
    }
    return made(text);
  };
}

const measure = measureOf(400);
const measureHeading = measureOf(600);

export function DataTable(props: DataTableProps): JSX.Element {
  const { table } = props;
  const { ref, height, width } = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const [filter, setFilter] = useState("");
  const [chosen, setChosen] = useState<Sort | null>(null);
  const [cursor, setCursor] = useState(-1);
  const [copied, setCopied] = useState(false);
  const [widths, setWidths] = useState<Readonly<Record<string, number>>>({}); // chosen, by name of the column

  const rowUnits = useMemo(() => table.columns.map(({ unit_of_row: of }) => columnAt(table, of)), [table]);
  const shown = useMemo(
    () =>
      table.columns.flatMap((column, i) => (props.hidden?.includes(column.name) || rowUnits.includes(i) ? [] : [i])),
    [table, props.hidden],
  );
  const sort = chosen ?? readSort(table);
  const order = useMemo(() => orderRows(table.rows, chosen, filter), [table, chosen, filter]);
  const titleOf = (c: number) => {
    const { name } = table.columns[c]!;
    return props.titles?.[name] ?? columnTitle(name);
  };
  const steps = useMemo(
    () =>
      table.columns.map((column, c) =>
        props.moments?.includes(column.name) ? momentStep(table.rows.map((row) => row[c])) : null,
      ),
    [table, props.moments],
  );
  const unitOf = (c: number, row: readonly Cell[]) => {
    const unit = rowUnits[c]! < 0 ? table.columns[c]!.unit : row[rowUnits[c]!];
    return typeof unit === "string" ? unit : undefined;
  };
  const written = (c: number, value: Cell, row: readonly Cell[]) =>
    steps[c] && typeof value === "number"
      ? moment(value, steps[c])
      : cellText(value, { type: table.columns[c]!.type, unit: unitOf(c, row) });
  // What is no number in a column of numbers may be cut as any text.
  const textOf = (c: number) => {
    const { name, type } = table.columns[c]!;
    const own = props.cells?.[name];
    const numeric = isNumeric({ name, type });
    return (row: readonly Cell[]) => {
      const value = row[c] ?? null;
      if (numeric && typeof value !== "number") return "";
      const drawn = own?.(value, row);
      return typeof drawn === "string" ? drawn : written(c, value, row);
    };
  };
  const needs = useMemo(
    () =>
      shown.map((c) =>
        columnNeed(table.rows, textOf(c), isNumeric(table.columns[c]!), measureHeading(titleOf(c)), measure),
      ),
    [table, shown],
  );
  const { widths: placed, total } = useMemo(
    () =>
      columnWidths(
        needs,
        shown.map((c) => widths[table.columns[c]!.name]),
        (props.extra ?? []).map((extra) => extra.width),
        width - SCROLL_BAR,
      ),
    [needs, widths, props.extra, width],
  );
  const template = placed.map((each) => `${each}px`).join(" ");
  const widen = (c: number, width: number) => {
    const { least } = needs[shown.indexOf(c)]!;
    setWidths((old) => ({ ...old, [table.columns[c]!.name]: Math.max(least, Math.round(width)) }));
  };
  const largest = useMemo(
    () =>
      table.columns.map((column, c) =>
        column.unit === "%" ? Math.max(100, ...table.rows.map((row) => Number(row[c] ?? 0))) : 0,
      ),
    [table],
  );

  const cutAt = useMemo(
    () =>
      table.columns.map((column, c) =>
        isNumeric(column) ? null : cuts(table.rows.map((row) => cellText(row[c] ?? null))),
      ),
    [table],
  );

  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(order.length, Math.ceil((top + height) / ROW) + SPARE);

  const sortBy = (column: number) => {
    const descending = sort?.column === column ? !sort.descending : isNumeric(table.columns[column]!);
    setChosen({ column, descending });
    props.onSort?.(table.columns[column]!.name, descending);
  };
  const open = (at: number) => {
    setCursor(at);
    const index = order[at];
    if (index !== undefined) props.onOpen?.(table.rows[index]!, index);
  };
  const moveTo = (at: number) => {
    const target = Math.min(Math.max(at, 0), order.length - 1);
    setCursor(target);
    const box = ref.current;
    if (!box) return;
    if (target * ROW < box.scrollTop) box.scrollTop = target * ROW;
    else if ((target + 2) * ROW > box.scrollTop + box.clientHeight)
      box.scrollTop = (target + 2) * ROW - box.clientHeight;
  };
  const keydown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / ROW) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -order.length,
      End: order.length,
    };
    const step = steps[event.key];
    if (step !== undefined) moveTo(cursor + step);
    else if (event.key === "Enter" && cursor >= 0) open(cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const copy = async () => {
    const text = csv(
      table.columns.map((column) => column.name),
      order.map((i) => table.rows[i]!),
    );
    setCopied(await copyText(text));
    setTimeout(() => setCopied(false), 1500);
  };

  return (
    <div class="table">
      {!props.bare && (
        <div class="table-bar">
          {props.title && <h3>{props.title}</h3>}
          <span class="soft">
            {order.length < table.rows.length && `${grouped(order.length)} of `}
            {counted(table.rows.length, "row", "rows")}
          </span>
          <span class="gap" />
          <input
            type="search"
            placeholder="Filter rows"
            aria-label="Filter rows"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          <button onClick={copy} title="Copy the rows that are shown, all columns">
            {copied ? "Copied" : "Copy as CSV"}
          </button>
        </div>
      )}
      <div
        class="table-scroll"
        ref={ref}
        tabIndex={0}
        role="grid"
        aria-rowcount={order.length}
        onKeyDown={keydown}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div class="table-sheet" style={{ minWidth: `max(100%, ${total}px)` }}>
          <div class="table-head" role="row" style={{ gridTemplateColumns: template }}>
            {shown.map((c) => {
              const column = table.columns[c]!;
              const direction = sort?.column === c ? (sort.descending ? "descending" : "ascending") : "none";
              return (
                <span key={c} role="columnheader" aria-sort={direction}>
                  <button
                    class={isNumeric(column) ? "number" : ""}
                    title={column.about ?? column.name}
                    onClick={() => sortBy(c)}
                    onKeyDown={(event) => {
                      const step = event.shiftKey
                        ? { ArrowRight: KEY_STEP, ArrowLeft: -KEY_STEP }[event.key]
                        : undefined;
                      if (!step) return;
                      widen(c, event.currentTarget.parentElement!.offsetWidth + step);
                      event.stopPropagation();
                    }}
                  >
                    <span>{titleOf(c)}</span>
                    {direction !== "none" && <i>{direction === "descending" ? "\u2193" : "\u2191"}</i>}
                  </button>
                  <i
                    class="column-edge"
                    title="Drag to widen; double click fits the column"
                    onPointerDown={(event) => dragEdge(event, (width) => widen(c, width))}
                    onDblClick={() => widen(c, fittedWidth(table.rows, textOf(c), measure))}
                  />
                </span>
              );
            })}
            {props.extra?.map((extra) => (
              <span role="columnheader" class="table-extra" title={extra.about}>
                {extra.title}
              </span>
            ))}
          </div>
          <div class="table-body" style={{ height: `${order.length * ROW}px` }}>
            {order.slice(first, last).map((index, i) => {
              const at = first + i;
              const row = table.rows[index]!;
              const state = `${at === cursor ? " at-cursor" : ""}${props.isCurrent?.(row) ? " current" : ""}`;
              return (
                <div
                  key={index}
                  role="row"
                  aria-rowindex={at + 1}
                  class={`table-row${state}${props.onOpen ? " opens" : ""}`}
                  style={{ top: `${at * ROW}px`, gridTemplateColumns: template }}
                  onClick={() => open(at)}
                >
                  {shown.map((c, i) => {
                    const column = table.columns[c]!;
                    const value = row[c] ?? null;
                    const own = props.cells?.[column.name];
                    const share = largest[c]! > 0 && typeof value === "number" ? value / largest[c]! : null;
                    return (
                      <span
                        key={c}
                        role="gridcell"
                        class={isNumeric(column) ? "number" : "text"}
                        title={exactText(value, unitOf(c, row))}
                      >
                        {share !== null && <i class="cell-bar" style={{ width: `${Math.max(0, share) * 100}%` }} />}
                        {own?.(value, row) ?? textCell(written(c, value, row), cutAt[c], placed[i]!)}
                      </span>
                    );
                  })}
                  {props.extra?.map((extra) => (
                    <span role="gridcell" class="table-extra">
                      {extra.cell(row, index)}
                    </span>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
        {order.length === 0 && (
          <p class="empty">{table.rows.length ? "No row has all of these words." : (props.empty ?? "Nothing here.")}</p>
        )}
      </div>
    </div>
  );
}

/** A text that is cut, where it does not fit, so that what tells it from the other rows stays. */
function textCell(
  text: string,
  cutAt: ReadonlyMap<string, number> | null | undefined,
  columnWidth: number,
): JSX.Element {
  return <b>{cutAt ? cutName(text, cutAt.get(text) ?? 0, columnWidth - 2 * CELL_PADDING, measure) : text}</b>;
}

/** Follows the pointer from the right edge of a heading; `widen` gets the width of the column. */
function dragEdge(event: PointerEvent, widen: (width: number) => void): void {
  if (event.button !== 0) return;
  const edge = event.currentTarget as HTMLElement;
  const offset = edge.parentElement!.offsetWidth - event.clientX;
  edge.setPointerCapture(event.pointerId);
  event.preventDefault();
  const move = (now: PointerEvent) => widen(now.clientX + offset);
  const end = () => {
    edge.removeEventListener("pointermove", move);
    edge.removeEventListener("pointerup", end);
    edge.removeEventListener("pointercancel", end);
  };
  edge.addEventListener("pointermove", move);
  edge.addEventListener("pointerup", end);
  edge.addEventListener("pointercancel", end);
}

/** For views without preact: shows or updates the table in the host. */
export function mountTable(host: HTMLElement, props: DataTableProps): void {
  render(<DataTable {...props} />, host);
}
