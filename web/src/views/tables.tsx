// Every table of the profile, with what is known of the row that is chosen.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Cell, SliceAt, SliceDetails, Table } from "../api/protocol";
import { duration, grouped, oneLine } from "../model/format";
import { Histogram } from "../ui/chart";
import { useStore } from "../ui/hooks";
import { cellText, columnTitle, DataTable } from "../ui/table";
import { choicesOf } from "./choices";
import type { ViewContext } from "./context";
import { exactPattern, Records } from "./records";
import { around, latest, panelView, readable, useAsked, within, type ViewProps } from "./view";

/** Rows asked for: of a longer table the rest can be reached by a condition or a shorter time. */
const MOST_ROWS = 20000;

/** Slices of one name among which a row is looked for. */
const MOST_SEARCHED = 10000;

/** Tables whose rows have the name of slices. */
const OF_SLICES = new Set(["kernels", "ops", "api", "os_calls", "ranges", "launches"]);

const TITLES: Record<string, string> = {
  info: "About the profile",
  api: "Calls",
  os_calls: "System calls",
  gpu_time: "Device time",
  idle: "Idle causes",
  idle_streams: "Idle time of streams",
  queue: "Launch queue",
  launch_metrics: "Measured launches",
  launch_rules: "Rules of the launches",
  launch_values: "Values of the launches",
  et_ops: "Ops of the op graph",
  et_shapes: "Shapes of the op graph",
  kernel_grids: "Kernels by grid",
  activities: "Calls and device ops",
  api_trace: "Trace of calls",
  device_trace: "Trace of device ops",
  launch_trace: "Trace of launches",
  range_trace: "Trace of ranges",
  range_kernels: "Kernels by range",
  ascend_overlap: "Overlap as recorded",
  slices: "All slices",
};

const titleOf = (name: string): string => {
  const text = TITLES[name] ?? readable(name);
  return text[0]!.toUpperCase() + text.slice(1);
};

const FIRST = ["kernels", "functions", "launch_metrics", "ops", "call_tree"];

function Tables({ context }: ViewProps): JSX.Element {
  const { session, client } = context;
  const choices = choicesOf(context.state);
  const { name: wanted, where } = useStore(choices.table);
  const window = useStore(context.window);
  const names = session.tables.map((table) => table.name);
  const name =
    (wanted !== null && names.includes(wanted) ? wanted : FIRST.find((first) => names.includes(first))) ?? names[0]!;
  const [base, setBase] = useState(false);
  const loaded = useAsked(
    context,
    async (signal) => ({
      name,
      table: await client.table(
        name,
        { ...within(window), where: where || undefined, top: MOST_ROWS + 1, base_names: base },
        signal,
      ),
    }),
    [name, where, window, base],
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
          <span class="soft about">{session.tables.find((table) => table.name === name)?.about}</span>
          <span class="gap" />
          {name === "kernels" && (
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
          <OneTable key={shown.name} context={context} name={shown.name} table={shown.table} />
        )}
      </div>
    </div>
  );
}

const HIDDEN_FOR_SLICES = ["remark"];

function OneTable({ context, name, table }: { context: ViewContext; name: string; table: Table }): JSX.Element {
  const [chosen, setChosen] = useState<readonly Cell[] | null>(null);
  const cut = useMemo(
    () => (table.rows.length > MOST_ROWS ? { ...table, rows: table.rows.slice(0, MOST_ROWS) } : table),
    [table],
  );
  const records = useMemo(() => new Records(cut), [cut]);
  const timed = context.session.views.includes("timeline");
  const row = chosen && cut.rows.includes(chosen as Cell[]) ? chosen : null;
  const open = (clicked: readonly Cell[]) => {
    if (name === "slices" && timed) {
      // A row is one slice: go to it.
      void findSlice(context, records, clicked).then((slice) => slice && goTo(context, slice));
      return;
    }
    setChosen(clicked === chosen ? null : clicked);
    if (OF_SLICES.has(name)) context.navigate({ search: records.text(clicked, "name").slice(0, 400) });
  };
  return (
    <div class="with-side">
      <DataTable
        table={cut}
        hidden={name === "slices" ? HIDDEN_FOR_SLICES : undefined}
        title={titleOf(name)}
        empty="No rows: nothing of this kind lies in the chosen time, or meets the condition."
        onOpen={open}
        isCurrent={(other) => other === row}
      />
      {row && <Side context={context} name={name} records={records} row={row} onClose={() => setChosen(null)} />}
      {table.rows.length > MOST_ROWS && (
        <p class="cut-note">
          The first {grouped(MOST_ROWS)} rows. A condition or a shorter time shows others; cgpu table {name} --top 0
          writes all.
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
  onClose,
}: {
  context: ViewContext;
  name: string;
  records: Records;
  row: readonly Cell[];
  onClose: () => void;
}): JSX.Element {
  const title = records.text(row, "name") || records.text(row, "kernel");
  return (
    <aside class="side" aria-label="The chosen row">
      <header>
        <b class="text">{oneLine(title || name, 400)}</b>
        <button class="icon" aria-label="Close" onClick={onClose}>
          {"\u00d7"}
        </button>
      </header>
      {OF_SLICES.has(name) && context.session.views.includes("timeline") && (
        <Siblings key={title} context={context} name={title} />
      )}
      <dl class="facts">
        {records.table.columns.map((column, i) => {
          const value = row[i] ?? null;
          if (value === null || column.name === "name") return null;
          return (
            <div>
              <dt title={column.about}>{columnTitle(column.name)}</dt>
              <dd title={typeof value === "number" ? grouped(value) : undefined}>{cellText(value, column.unit)}</dd>
            </div>
          );
        })}
      </dl>
    </aside>
  );
}

function Siblings({ context, name }: { context: ViewContext; name: string }): JSX.Element | null {
  const loaded = useAsked(
    context,
    async (signal): Promise<{ details: SliceDetails; total: number } | null> => {
      const found = await context.client.search(exactPattern(name), { regex: true, limit: 1 }, signal);
      const first = found.matches[0];
      return first && { details: await context.client.slice(first.track, first.slice, signal), total: found.total };
    },
    [name],
  );
  if (loaded.state !== "ready" || !loaded.value) return null;
  const { details } = loaded.value;
  const siblings = details.siblings;
  return (
    <section class="siblings">
      {siblings?.histogram && siblings.histogram.counts.length > 1 && (
        <>
          <h3>Durations of all {grouped(siblings.count)}, in the whole run</h3>
          <Histogram
            edges={siblings.histogram.edges}
            counts={siblings.histogram.counts}
            format={duration}
            height={64}
          />
        </>
      )}
      <button
        onClick={() => context.navigate({ view: "timeline", search: name.slice(0, 400), slice: details })}
        title="Goes to the first, and marks all of this name"
      >
        Show in the timeline
      </button>
    </section>
  );
}

function goTo(context: ViewContext, slice: SliceAt): void {
  const air = Math.max(3 * slice.duration, 500);
  context.navigate({ view: "timeline", slice, viewport: around(slice.start - air, slice.duration + 2 * air) });
}

/** The slice that a row of the table of all slices is about: of those with its name and length the one with the same
 * place in their order, since the table counts time from the first slice that it has. */
async function findSlice(context: ViewContext, records: Records, row: readonly Cell[]): Promise<SliceAt | undefined> {
  const window = context.window.get();
  const name = records.text(row, "name");
  const length = records.number(row, "duration_ns");
  const found = await context.client.search(exactPattern(name), { regex: true, limit: MOST_SEARCHED });
  const inside = found.matches
    .filter(({ start, duration: own }) => !window || (start < window.end && start + own >= window.start))
    .sort((a, b) => a.start - b.start);
  const alike = inside.filter((slice) => slice.duration === length);
  const before = records.rows
    .slice(0, records.rows.indexOf(row as Cell[]))
    .filter((other) => records.number(other, "duration_ns") === length && records.text(other, "name") === name);
  // One that was cut at the border of the window has another length than its slice.
  return alike[before.length] ?? alike[0] ?? inside[0];
}

export const tablesView = panelView("tables", "Tables", "3", Tables);
