// The first page: what was recorded, how busy the devices were, and where the time went. Everything leads on.
import type { ComponentChildren, JSX } from "preact";
import type { Table } from "../api/protocol";
import { duration, grouped, oneLine, percent, short } from "../model/format";
import { cssColour } from "../timeline/colours";
import { shortName } from "../timeline/text";
import { Legend, StackedBar } from "../ui/chart";
import { useStore } from "../ui/hooks";
import { choicesOf } from "./choices";
import type { ViewContext } from "./context";
import { valueText } from "./flame";
import { headline } from "./headline";
import { Records, totals } from "./records";
import { PARTS, useSteps } from "./steps";
import {
  around,
  BarList,
  deviceName,
  latest,
  panelView,
  readable,
  usePalette,
  useTable,
  type BarItem,
  type ViewProps,
} from "./view";

const ROWS = 10;
const DEVICES = 16;
const STEPS_SHOWN = 2000;

function Overview({ context }: ViewProps): JSX.Element {
  return (
    <div class="panel-view scrolls overview">
      <Headline context={context} />
      <div class="cards">
        <Devices context={context} />
        <Steps context={context} />
        <IdleCauses context={context} />
        <Classes context={context} />
        <Kernels context={context} />
        <Ops context={context} />
        <Calls context={context} />
        <Collectives context={context} />
        <HotPath context={context} />
        <Functions context={context} />
        <StallReasons context={context} />
        <Launches context={context} />
        <Findings context={context} />
        <Notes context={context} />
      </div>
    </div>
  );
}

function Headline({ context }: ViewProps): JSX.Element {
  const { session } = context;
  const window = useStore(context.window);
  const devices = latest(useTable(context, "devices"));
  const info = latest(useTable(context, "info"));
  const facts = headline(session, devices ?? null, info ?? null, window);
  return (
    <header class="headline">
      <h1 class="text">{oneLine(session.title, 200)}</h1>
      <ul class="fact-strip">
        {facts.map(([key, value, title]) => (
          <li title={title}>
            <span>{key}</span>
            <b>{value}</b>
          </li>
        ))}
      </ul>
    </header>
  );
}

/** A part of the page; its title leads to where there is more. */
function Card({
  title,
  about,
  wide,
  onOpen,
  children,
}: {
  title: string;
  about?: string;
  wide?: boolean;
  onOpen?: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class={wide ? "card wide" : "card"}>
      <header>
        <h2>{onOpen ? <button onClick={onOpen}>{title}</button> : title}</h2>
        {about && <span class="soft">{about}</span>}
      </header>
      {children}
    </section>
  );
}

/** A card over a table, when it is there and has rows. */
function useRecords(context: ViewContext, name: string, options?: { sort?: string; top?: number }): Records | null {
  const table: Table | null | undefined = latest(useTable(context, name, options));
  return table && table.rows.length ? new Records(table) : null;
}

const toTable =
  (context: ViewContext, name: string, where = "") =>
  () => {
    choicesOf(context.state).table.set({ name, where });
    context.navigate({ view: "tables" });
  };

const toView = (context: ViewContext, view: string) =>
  context.session.views.includes(view) ? () => context.navigate({ view }) : undefined;

const find = (context: ViewContext, name: string) =>
  context.session.views.includes("timeline")
    ? () => context.navigate({ view: "timeline", search: name.slice(0, 400) })
    : undefined;

function Devices({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "gpu_time");
  if (!records) return null;
  const longest = Math.max(1, ...records.rows.map((row) => records.number(row, "span_ns")));
  const busy = records.sum("busy_ns") / (records.sum("span_ns") || 1);
  const partsOf = (row: (typeof records.rows)[number]) => [
    { label: "compute", value: records.number(row, "compute_ns"), colour: "c-compute" },
    { label: "exposed communication", value: records.number(row, "exposed_comm_ns"), colour: "c-communication" },
    { label: "exposed copies", value: records.number(row, "exposed_memory_ns"), colour: "c-memory" },
    { label: "idle", value: records.number(row, "idle_ns"), colour: "c-idle" },
  ];
  const sums = partsOf(records.rows[0]!).map((part, i) => ({
    ...part,
    value: records.rows.reduce((sum, row) => sum + partsOf(row)[i]!.value, 0),
  }));
  const all = sums.reduce((sum, part) => sum + part.value, 0) || 1;
  return (
    <Card
      title="Device time"
      about={`busy ${percent(100 * busy)}${records.rows.length > 1 ? ` on ${records.rows.length} devices` : ""}`}
      wide={records.rows.length > 4}
      onOpen={toTable(context, "gpu_time")}
    >
      <ul class="device-bars">
        {records.rows.slice(0, DEVICES).map((row) => (
          <li>
            <span class="device-name">
              {deviceName(context.session, records.number(row, "rank"), records.number(row, "device"))}
            </span>
            <StackedBar parts={partsOf(row)} total={longest} format={duration} legend={false} />
            <b title="busy">{percent(records.number(row, "busy_pct"))}</b>
          </li>
        ))}
        {records.rows.length > DEVICES && <li class="soft">{records.rows.length - DEVICES} more in the table</li>}
      </ul>
      <Legend parts={sums.filter((part) => part.value > 0)} format={(value) => percent((100 * value) / all)} />
    </Card>
  );
}

function Steps({ context }: ViewProps): JSX.Element | null {
  const table = latest(useSteps(context));
  if (!table?.rows.length) return null;
  const records = new Records(table);
  const rank = records.number(records.rows[0]!, "rank");
  const rows = records.rows.filter((row) => records.number(row, "rank") === rank).slice(0, STEPS_SHOWN);
  const most = Math.max(1, ...rows.map((row) => records.number(row, "duration_ns")));
  const mean = rows.reduce((sum, row) => sum + records.number(row, "duration_ns"), 0) / rows.length;
  return (
    <Card
      title="Steps"
      about={`${rows.length}${context.session.runs.length > 1 ? ` of rank ${rank}` : ""}, ${duration(mean)} on average`}
      onOpen={toView(context, "steps")}
    >
      <div class="spark" role="group" aria-label="Steps">
        {rows.map((row) => {
          const length = records.number(row, "duration_ns");
          const step = context.session.steps.find(
            (each) => each.rank === rank && each.step === records.number(row, "step"),
          );
          return (
            <button
              style={{ height: `${(100 * length) / most}%` }}
              title={`Step ${records.text(row, "step")}: ${duration(length)}`}
              aria-label={`Step ${records.text(row, "step")}, ${duration(length)}`}
              onClick={() =>
                step && context.navigate({ view: "timeline", viewport: around(step.start, step.duration) })
              }
            >
              {PARTS.filter((part) => records.number(row, part.column) > 0)
                .reverse()
                .map((part) => (
                  <i class={part.colour} style={{ flexGrow: records.number(row, part.column) / (length || 1) }} />
                ))}
            </button>
          );
        })}
      </div>
      <Legend
        parts={PARTS.map((part) => ({
          ...part,
          value: rows.reduce((sum, row) => sum + records.number(row, part.column), 0),
        })).filter((part) => part.value > 0)}
        format={(value) => percent((100 * value) / (mean * rows.length || 1))}
      />
    </Card>
  );
}

function IdleCauses({ context }: ViewProps): JSX.Element | null {
  const palette = usePalette(context);
  const records = useRecords(context, "idle");
  if (!records) return null;
  const total = records.sum("total_ns");
  const choose = (cause: string) => () => {
    choicesOf(context.state).cause.set(cause);
    context.navigate({ view: "idle" });
  };
  return (
    <Card title="Why it was idle" about={duration(total)} onOpen={toView(context, "idle")}>
      <BarList
        total={total}
        items={totals(records, "cause", "total_ns")
          .slice(0, ROWS)
          .map(({ key, total: value }) => ({
            label: readable(key),
            value,
            text: duration(value),
            colour: palette.causeCss(key),
            onClick: choose(key),
          }))}
      />
    </Card>
  );
}

function useClassColour(context: ViewContext): (name: string) => string {
  const palette = usePalette(context);
  return (name) => cssColour(palette.classColour(context.session.classes.indexOf(name)));
}

function Classes({ context }: ViewProps): JSX.Element | null {
  const colour = useClassColour(context);
  const records = useRecords(context, "kernel_classes");
  if (!records) return null;
  const items = totals(records, "class", "total_ns").slice(0, ROWS);
  return (
    <Card
      title="Kinds of device work"
      about={duration(records.sum("total_ns"))}
      onOpen={toTable(context, "kernel_classes")}
    >
      <BarList
        total={records.sum("total_ns")}
        items={items.map(({ key, total }) => ({
          label: readable(key),
          value: total,
          text: duration(total),
          colour: colour(key),
          onClick: toTable(context, "kernels", `class = ${key}`),
        }))}
      />
    </Card>
  );
}

/** A named row as a bar that leads to its slices. */
function named(
  context: ViewContext,
  records: Records,
  value: string,
  more: (row: (typeof records.rows)[number]) => Partial<BarItem> = () => ({}),
): BarItem[] {
  return records.rows
    .filter((row) => records.number(row, value) > 0)
    .slice(0, ROWS)
    .map((row) => {
      const name = records.text(row, "name");
      return {
        label: shortName(oneLine(name)),
        title: name.slice(0, 1000),
        value: records.number(row, value),
        text: duration(records.number(row, value)),
        note: `${short(records.number(row, "count"))}\u00d7`,
        onClick: find(context, name),
        ...more(row),
      };
    });
}

function Kernels({ context }: ViewProps): JSX.Element | null {
  const colour = useClassColour(context);
  const records = useRecords(context, "kernels");
  if (!records) return null;
  return (
    <Card
      title="Top kernels"
      about={`${grouped(records.rows.length)} different, ${grouped(records.sum("count"))} in all`}
      onOpen={toTable(context, "kernels")}
    >
      <BarList
        total={records.sum("total_ns")}
        items={named(context, records, "total_ns", (row) => ({ colour: colour(records.text(row, "class")) }))}
      />
    </Card>
  );
}

function Ops({ context }: ViewProps): JSX.Element | null {
  const byDevice = useRecords(context, "ops", { sort: "device_self_ns", top: 200 });
  const byHost = useRecords(context, "ops", { sort: "cpu_self_ns", top: 200 });
  if (!byDevice || !byHost) return null;
  const onDevice = byDevice.sum("device_self_ns") > 0;
  const records = onDevice ? byDevice : byHost;
  const column = onDevice ? "device_self_ns" : "cpu_self_ns";
  return (
    <Card
      title={onDevice ? "Top ops by the device work they launch" : "Top ops by their own time"}
      onOpen={toTable(context, "ops")}
    >
      <BarList items={named(context, records, column, () => ({ colour: "var(--sky)" }))} total={records.sum(column)} />
    </Card>
  );
}

function Calls({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "api");
  if (!records) return null;
  return (
    <Card title="Calls of the runtime" about={duration(records.sum("total_ns"))} onOpen={toTable(context, "api")}>
      <BarList
        total={records.sum("total_ns")}
        items={named(context, records, "total_ns", () => ({ colour: "var(--yellow)" }))}
      />
    </Card>
  );
}

function Collectives({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "collectives", { sort: "total_ns" });
  if (!records) return null;
  return (
    <Card title="Communication" about={duration(records.sum("total_ns"))} onOpen={toTable(context, "collectives")}>
      <BarList
        total={records.sum("total_ns")}
        items={named(context, records, "total_ns", (row) => ({
          colour: "var(--communication)",
          onClick: toTable(context, "collectives"),
          title: `${records.text(row, "name")} ${records.text(row, "group")}`,
        }))}
      />
    </Card>
  );
}

function HotPath({ context }: ViewProps): JSX.Element | null {
  const table = latest(useTable(context, "hot_path"));
  if (!table || table.rows.length < 2) return null;
  const records = new Records(table);
  const unit = table.columns.find((column) => column.name === "value")?.unit ?? "";
  return (
    <Card title="Where the cost goes" about="the hot path" onOpen={toView(context, "call_tree")}>
      <ol class="hot-path">
        {records.rows.slice(-14).map((row) => (
          <li>
            <button onClick={toView(context, "call_tree")} title={records.text(row, "name").slice(0, 1000)}>
              <span style={{ paddingLeft: `${Math.min(records.number(row, "depth"), 20) * 8}px` }}>
                {oneLine(records.text(row, "name"))}
              </span>
              <b>{valueText(records.number(row, "value"), unit)}</b>
              <span class="bar-share">{percent(records.number(row, "pct"))}</span>
            </button>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Functions({ context }: ViewProps): JSX.Element | null {
  const table = latest(useTable(context, "functions", { top: 200 }));
  if (!table?.rows.length) return null;
  const records = new Records(table);
  const column = table.columns.find((each) => each.name.endsWith(".exclusive")) ?? null;
  if (!column) return null;
  const rows = records.rows
    .filter((row) => records.number(row, column.name) > 0)
    .sort((a, b) => records.number(b, column.name) - records.number(a, column.name));
  if (!rows.length) return null;
  return (
    <Card
      title="Top functions"
      about={`by ${column.name.replace(/\.exclusive$/, "")} of their own`}
      onOpen={toTable(context, "functions")}
    >
      <BarList
        total={rows.reduce((sum, row) => sum + records.number(row, column.name), 0)}
        items={rows.slice(0, ROWS).map((row) => ({
          label: oneLine(records.text(row, "name")),
          value: records.number(row, column.name),
          text: valueText(records.number(row, column.name), column.unit ?? ""),
          onClick: toView(context, "flame"),
        }))}
      />
    </Card>
  );
}

function StallReasons({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "stalls");
  if (!records) return null;
  return (
    <Card title="What instructions waited for" onOpen={toView(context, "stalls")}>
      <BarList
        total={records.sum("value")}
        items={totals(records, "reason", "value")
          .slice(0, ROWS)
          .map(({ key, total }) => ({
            label: readable(key),
            value: total,
            text: short(total),
            colour: "var(--vermillion)",
            onClick: toView(context, "stalls"),
          }))}
      />
    </Card>
  );
}

function Launches({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "launch_metrics", { sort: "duration_ns" });
  if (!records) return null;
  const open = (row: (typeof records.rows)[number]) => () => {
    choicesOf(context.state).launch.set({ rank: records.number(row, "rank"), id: records.number(row, "id") });
    context.navigate({ view: "launches" });
  };
  return (
    <Card
      title="Measured launches"
      about={`${grouped(records.rows.length)}, the longest first`}
      onOpen={toView(context, "launches")}
    >
      <BarList
        total={records.sum("duration_ns")}
        items={records.rows.slice(0, ROWS).map((row) => ({
          label: `${records.text(row, "id")}: ${shortName(oneLine(records.text(row, "kernel")))}`,
          title: records.text(row, "kernel").slice(0, 1000),
          value: records.number(row, "duration_ns"),
          text: duration(records.number(row, "duration_ns")),
          note: records.text(row, "bound"),
          onClick: open(row),
        }))}
      />
    </Card>
  );
}

function Findings({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "launch_rules", { sort: "speedup_pct", top: 200 });
  if (!records) return null;
  const rows = records.rows.filter((row) => records.text(row, "severity") !== "information").slice(0, 6);
  if (!rows.length) return null;
  return (
    <Card title="What the profiler's rules found" about="most to gain first" onOpen={toTable(context, "launch_rules")}>
      <ul class="finding-list">
        {rows.map((row) => (
          <li>
            <button
              onClick={() => {
                choicesOf(context.state).launch.set({
                  rank: records.number(row, "rank"),
                  id: records.number(row, "id"),
                });
                context.navigate({ view: "launches" });
              }}
              title={records.text(row, "message").slice(0, 2000)}
            >
              <b>
                {records.cell(row, "speedup_pct") === null
                  ? records.text(row, "severity")
                  : percent(records.number(row, "speedup_pct"))}
              </b>
              <span>
                {readable(records.text(row, "rule"))} in launch {records.text(row, "id")}
              </span>
              <span class="soft">{oneLine(records.text(row, "message"), 200)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Notes({ context }: ViewProps): JSX.Element | null {
  const { notes } = context.session;
  if (!notes.length) return null;
  return (
    <Card title="To mind when reading this" about={`${notes.length}`} onOpen={toTable(context, "notes")}>
      <ul class="note-list">
        {notes.slice(0, 6).map((note) => (
          <li>
            {oneLine(note.text, 400)} <span class="soft">({grouped(note.count)})</span>
          </li>
        ))}
        {notes.length > 6 && <li class="soft">{notes.length - 6} more</li>}
      </ul>
    </Card>
  );
}

export const overviewView = panelView("overview", "Overview", "0", Overview);
