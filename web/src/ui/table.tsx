// A table of any length: only the rows on the screen are in the page. Sorts, filters, copies as CSV; arrows move the
// current row, Enter opens it.
import { render, type ComponentChild, type JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Cell, Table } from "../api/protocol";
import { grouped, oneLine, withUnit } from "../model/format";
import { copyText } from "./clipboard";
import { csv } from "./csv";
import { useSize } from "./hooks";
import { isNumeric, orderRows, type Sort } from "./row_order";

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
  /** Columns to leave out, by name. They stay in the CSV. */
  hidden?: readonly string[];
  /** By name of the column: how it is headed instead. */
  titles?: Readonly<Record<string, string>>;
  /** By name of the column: how its cells are drawn instead. */
  cells?: Readonly<Record<string, (value: Cell, row: readonly Cell[]) => ComponentChild>>;
  extra?: readonly ExtraColumn[];
  sort?: { column: string; descending: boolean };
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

/** A cell as text for reading. */
export function cellText(value: Cell | undefined, unit?: string): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return withUnit(value, unit);
  return oneLine(String(value));
}

function exactText(value: Cell | undefined, unit?: string): string {
  if (typeof value === "number") return `${grouped(value)}${unit ? ` ${unit}` : ""}`;
  return value === null || value === undefined ? "" : String(value).slice(0, 2000);
}

const LETTER = 7; // CSS pixels, about

/** The columns of the grid, and the least width of all together. Every row is a grid of its own: no width may depend on
 * what is in a row. */
function columnWidths(props: DataTableProps, shown: number[]): { template: string; least: number } {
  const { table } = props;
  const sample = table.rows.slice(0, 200);
  let least = 0;
  let flexible = false;
  const add = (least_: number, share = 0): string => {
    least += least_;
    flexible ||= share > 0;
    return share > 0 ? `minmax(${least_}px, ${share}fr)` : `${least_}px`;
  };
  const widths = shown.map((c) => {
    const column = table.columns[c]!;
    const title = (props.titles?.[column.name] ?? columnTitle(column.name)).length + 2; // and an arrow
    const letters = sample.reduce((most, row) => Math.max(most, cellText(row[c], column.unit).length), title);
    if (isNumeric(column)) return add(Math.min(letters, 18) * LETTER + 24);
    return letters > 24 ? add(220, Math.min(letters, 200)) : add(letters * LETTER + 24);
  });
  for (const extra of props.extra ?? []) widths.push(add(extra.width));
  if (!flexible) widths.push("1fr");
  return { template: widths.join(" "), least };
}

export function DataTable(props: DataTableProps): JSX.Element {
  const { table } = props;
  const { ref, height } = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const [filter, setFilter] = useState("");
  const [chosen, setChosen] = useState<Sort | null>(null);
  const [cursor, setCursor] = useState(-1);
  const [copied, setCopied] = useState(false);

  const shown = useMemo(
    () => table.columns.flatMap((column, i) => (props.hidden?.includes(column.name) ? [] : [i])),
    [table, props.hidden],
  );
  const given = props.sort ? table.columns.findIndex((column) => column.name === props.sort!.column) : -1;
  const sort = chosen ?? (given >= 0 ? { column: given, descending: props.sort!.descending } : null);
  const order = useMemo(() => orderRows(table.rows, sort, filter), [table, sort?.column, sort?.descending, filter]);
  const { template, least } = useMemo(() => columnWidths(props, shown), [table, shown, props.extra]);
  const largest = useMemo(
    () =>
      table.columns.map((column, c) =>
        column.unit === "%" ? Math.max(100, ...table.rows.map((row) => Number(row[c] ?? 0))) : 0,
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
            {order.length === table.rows.length
              ? grouped(table.rows.length)
              : `${grouped(order.length)} of ${grouped(table.rows.length)}`}{" "}
            rows
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
        <div class="table-sheet" style={{ minWidth: `max(100%, ${least}px)` }}>
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
                  >
                    {props.titles?.[column.name] ?? columnTitle(column.name)}
                  </button>
                </span>
              );
            })}
            {props.extra?.map((extra) => (
              <span class="table-extra" title={extra.about}>
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
                  {shown.map((c) => {
                    const column = table.columns[c]!;
                    const value = row[c] ?? null;
                    const own = props.cells?.[column.name];
                    const share = largest[c]! > 0 && typeof value === "number" ? value / largest[c]! : null;
                    return (
                      <span
                        key={c}
                        role="gridcell"
                        class={isNumeric(column) ? "number" : "text"}
                        title={own ? undefined : exactText(value, column.unit)}
                      >
                        {share !== null && <i class="cell-bar" style={{ width: `${Math.max(0, share) * 100}%` }} />}
                        {own ? own(value, row) : <b>{cellText(value, column.unit)}</b>}
                      </span>
                    );
                  })}
                  {props.extra?.map((extra) => (
                    <span class="table-extra">{extra.cell(row, index)}</span>
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

/** For views without preact: shows or updates the table in the host. */
export function mountTable(host: HTMLElement, props: DataTableProps): void {
  render(<DataTable {...props} />, host);
}
