// Every table of the profile, with what is known of the row that is chosen.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Cell, Distribution, SliceAt, Table } from "../api/protocol";
import { duration, grouped } from "../model/format";
import { Histogram } from "../ui/chart";
import { useStore } from "../ui/hooks";
import { writeSort } from "../ui/row_order";
import { cellText, columnTitle, DataTable, exactText } from "../ui/table";
import { choicesOf } from "./choices";
import type { ViewContext } from "./context";
import { distributionColumn, edgesOf, useDistributions } from "./distribution";
import { hasOption, hasSlices, momentColumns, namingColumns, tableInfo, titleOf } from "./declared";
import { MatchBar, rowKey, showLongest } from "./matches";
import { RankLinks } from "./rank_link";
import { exactPattern, Records } from "./records";
import { around, isBlank, latest, nameText, panelView, useAsked, within, type ViewProps } from "./view";

/** Rows asked for: of a longer table the rest can be reached by another order, a condition or a shorter time. */
const MOST_ROWS = 20000;

/** Slices of one name among which a row is looked for. */
const MOST_SEARCHED = 10000;

const FIRST = ["kernels", "functions", "launch_metrics", "ops", "call_tree"];

function Tables({ context }: ViewProps): JSX.Element {
  const { session, client } = context;
  const choices = choicesOf(context.state);
  const { name: wanted, where } = useStore(choices.table);
  const window = useStore(context.window);
  const names = session.tables.map((table) => table.name);
  const name =
    (wanted !== null && names.includes(wanted) ? wanted : FIRST.find((first) => names.includes(first))) ?? names[0]!;
  const hasShortNames = hasOption(session, name, "names");
  const [base, setBase] = useState(false);
  const kernelNames = base && hasShortNames ? ("base" as const) : undefined;
  const [order, setOrder] = useState<{ name: string; sort: string } | null>(null);
  const sort = order?.name === name ? order.sort : undefined;
  const loaded = useAsked(
    context,
    async (signal) => ({
      name,
      table: await client.table(
        name,
        { ...within(window), where: where || undefined, sort, top: MOST_ROWS + 1, names: kernelNames },
        signal,
      ),
      kernelNames,
      sort,
    }),
    [name, where, window, kernelNames, sort],
  );
  const shown = latest(loaded);
  return (
    <div class="panel-view tables-view">
      <nav class="table-list" aria-label="Tables">
        {session.tables.map((table) => (
          <button
            class={table.name === name ? "on" : ""}
            aria-current={table.name === name ? "page" : undefined}
            title={table.about}
            onClick={() => choices.table.set({ name: table.name, where: "" })}
          >
            {titleOf(table.name)}
          </button>
        ))}
      </nav>
      <div class="table-main">
        <form
          class="toolbar"
          onSubmit={(event) => {
            event.preventDefault();
            const field = event.currentTarget.elements.namedItem("where") as HTMLInputElement;
            choices.table.set({ name, where: field.value.trim() });
          }}
        >
          <span class="soft about">{tableInfo(session, name)?.about}</span>
          <span class="gap" />
          {hasShortNames && (
            <label class="soft">
              <input type="checkbox" checked={base} onChange={(event) => setBase(event.currentTarget.checked)} /> short
              names
            </label>
          )}
          <input
            key={`${name} ${where}`}
            name="where"
            class="where"
            type="search"
            placeholder="Where: total_ns > 1ms and name ~ gemm"
            aria-label="Condition on the rows"
            title="COLUMN OP VALUE, joined by and; OP one of = != < <= > >= ~ !~. Enter applies it."
            defaultValue={where}
          />
        </form>
        {loaded.state === "failed" && <p class="empty">{loaded.text}</p>}
        {shown && (loaded.state !== "failed" || shown.name !== name) && (
          <OneTable
            key={shown.name}
            context={context}
            {...shown}
            onSort={(text) => setOrder({ name: shown.name, sort: text })}
          />
        )}
      </div>
    </div>
  );
}

const HIDDEN_FOR_SLICES = ["remark"];

/** A name that would show nothing is named as such. */
const nameCell = (value: Cell) =>
  typeof value === "string" && isBlank(value) ? <i class="soft">{nameText(value)}</i> : null;

interface OneTableProps {
  context: ViewContext;
  name: string;
  table: Table;
  kernelNames: "base" | undefined;
  sort: string | undefined;
  onSort: (sort: string) => void;
}

function OneTable({ context, name, table, kernelNames, sort, onSort }: OneTableProps): JSX.Element {
  const [chosen, setChosen] = useState<readonly Cell[] | null>(null);
  const isCut = table.rows.length > MOST_ROWS;
  const cut = useMemo(() => (isCut ? { ...table, rows: table.rows.slice(0, MOST_ROWS) } : table), [table]);
  const records = useMemo(() => new Records(cut), [cut]);
  const { session } = context;
  const distributionOf = useDistributions(context, name, kernelNames);
  const isOfSlices = hasSlices(session, name) && session.views.includes("timeline");
  const isAllSlices = name === "slices" && session.views.includes("timeline");
  const cells = useMemo(() => Object.fromEntries(namingColumns(session, name).map((key) => [key, nameCell])), [name]);
  const moments = useMemo(() => momentColumns(session, name), [name]);
  const windowed = useStore(context.window) !== null;
  const extra = useMemo(
    () => (isOfSlices ? [distributionColumn(distributionOf, records, windowed)] : undefined),
    [distributionOf, records, windowed],
  );
  const row = chosen && cut.rows.includes(chosen as Cell[]) ? chosen : null;
  const show = (of: readonly Cell[], view?: string) =>
    showLongest(
      context,
      { table: name, key: rowKey(session, name, records, of), names: kernelNames },
      view === undefined ? {} : { view },
    ).catch(() => undefined);
  const open = (clicked: readonly Cell[]) => {
    if (isAllSlices) {
      // A row is one slice: go to it.
      void findSlice(context, records, clicked).then((slice) => slice && goTo(context, slice));
      return;
    }
    setChosen(clicked === chosen ? null : clicked);
    if (clicked !== chosen && isOfSlices) void show(clicked);
  };
  return (
    <div class="with-side">
      <DataTable
        table={cut}
        hidden={name === "slices" ? HIDDEN_FOR_SLICES : undefined}
        title={titleOf(name)}
        empty="No rows: nothing of this kind lies in the chosen time, or meets the condition."
        cells={cells}
        moments={moments}
        extra={extra}
        onOpen={open}
        onSort={(column, descending) => isCut && onSort(writeSort(column, descending))}
        isCurrent={(other) => other === row}
      />
      {row && (
        <Side
          context={context}
          name={name}
          records={records}
          row={row}
          distribution={extra && distributionOf(records, row)}
          onShow={() => void show(row, "timeline")}
          onClose={() => setChosen(null)}
        />
      )}
      {isCut && (
        <p class="cut-note">
          The first {grouped(MOST_ROWS)} rows{sort && ` by ${columnTitle(sort.slice(1))}`}. Another order, a condition
          or a shorter time shows others; cgpu table {name} --top 0 writes all.
        </p>
      )}
    </div>
  );
}

/** All of one row, and how its slices are distributed. */
function Side({
  context,
  name,
  records,
  row,
  distribution,
  onShow,
  onClose,
}: {
  context: ViewContext;
  name: string;
  records: Records;
  row: readonly Cell[];
  distribution: Distribution | undefined;
  onShow: () => void;
  onClose: () => void;
}): JSX.Element {
  const { session } = context;
  const naming = namingColumns(session, name).map((column) => records.text(row, column));
  const title = hasSlices(session, name)
    ? rowKey(session, name, records, row)
        .map((cell) => cell ?? "")
        .join(" ")
    : naming.find(Boolean) || name;
  return (
    <aside class="side" aria-label="The chosen row">
      <header>
        <b class="text">{nameText(title, 400)}</b>
        <button class="icon" aria-label="Close" onClick={onClose}>
          {"\u00d7"}
        </button>
      </header>
      {distribution && (
        <section class="siblings">
          {distribution.min < distribution.max && (
            <>
              <h3>
                Durations of {grouped(distribution.count)}, in the {context.window.get() ? "chosen time" : "whole run"}
              </h3>
              <Histogram edges={edgesOf(distribution)} counts={distribution.counts} format={duration} height={64} />
            </>
          )}
          <button onClick={onShow}>Show the longest in the timeline</button>
          <MatchBar context={context} />
        </section>
      )}
      {session.is_summary && <RankLinks context={context} name={name} records={records} row={row} />}
      <dl class="facts">
        {records.table.columns.map((column, i) => {
          const value = row[i] ?? null;
          if (value === null || column.name === "name") return null;
          return (
            <div>
              <dt title={column.about}>{columnTitle(column.name)}</dt>
              <dd title={typeof value === "number" ? exactText(value, column.unit) : undefined}>
                {cellText(value, column)}
              </dd>
            </div>
          );
        })}
      </dl>
    </aside>
  );
}

function goTo(context: ViewContext, slice: SliceAt): void {
  const air = Math.max(3 * slice.duration, 500);
  context.navigate({ view: "timeline", slice, viewport: around(slice.start - air, slice.duration + 2 * air) });
}

/** The slice that a row of the table of all slices is about. Of a part of the run the table has what lies in it, cut at
 * its borders. */
async function findSlice(context: ViewContext, records: Records, row: readonly Cell[]): Promise<SliceAt | undefined> {
  const window = context.window.get() ?? { start: 0, end: context.session.span };
  const length = records.number(row, "duration_ns");
  const start = records.number(row, "start_ns");
  const pattern = exactPattern(records.text(row, "name"));
  const ask = (options: { at: number; direction?: "previous" }) =>
    context.client.search(pattern, { regex: true, own: true, limit: MOST_SEARCHED, ...options });
  const inside = (slice: SliceAt) =>
    Math.min(slice.start + slice.duration, window.end) - Math.max(slice.start, window.start);
  const later = (await ask({ at: start })).matches.filter((slice) => inside(slice) === length);
  if (later[0]?.start === start) return later[0];
  const cut = (await ask({ at: window.start, direction: "previous" })).matches.find(
    (slice) => inside(slice) === length,
  );
  return start === window.start ? (cut ?? later[0]) : (later[0] ?? cut);
}

export const tablesView = panelView("tables", "Tables", "3", Tables);
