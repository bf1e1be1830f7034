// The first page: what the devices did.
import type { JSX } from "preact";
import { bytes, duration, grouped, percent, readable, short, withUnit } from "../model/format";
import { Legend, StackedBar } from "../ui/chart";
import { useStore } from "../ui/hooks";
import { choicesOf } from "./choices";
import { rowKey } from "./matches";
import {
  Card,
  DEVICES,
  devicePlace,
  named,
  ROWS,
  toLongest,
  toTable,
  toView,
  useClassColour,
  useRecords,
} from "./overview_card";
import { Records, totals } from "./records";
import { PARTS, StepRows } from "./steps";
import { whyUtilizationIsUnknown } from "./verdict_words";
import { around, BarList, deviceName, latest, usePalette, useTable, type ViewProps } from "./view";

export function Devices({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "gpu_time");
  if (!records) return null;
  const longest = Math.max(1, ...records.rows.map((row) => records.number(row, "span_ns")));
  const busy = records.sum("busy_ns") / (records.sum("span_ns") || 1);
  const whyUnknown = whyUtilizationIsUnknown(context.session.notes);
  const partsOf = (row: (typeof records.rows)[number]) => [
    { label: "compute", value: records.number(row, "compute_ns"), colour: "c-compute" },
    { label: "exposed communication", value: records.number(row, "exposed_comm_ns"), colour: "c-communication" },
    { label: "exposed copies", value: records.number(row, "exposed_memory_ns"), colour: "c-memory" },
    { label: whyUnknown ? "nothing recorded" : "idle", value: records.number(row, "idle_ns"), colour: "c-idle" },
  ];
  const sums = partsOf(records.rows[0]!).map((part, i) => ({
    ...part,
    value: records.rows.reduce((sum, row) => sum + partsOf(row)[i]!.value, 0),
  }));
  const all = sums.reduce((sum, part) => sum + part.value, 0) || 1;
  return (
    <Card
      title="Device time"
      about={`busy ${whyUnknown ? "at least " : ""}${percent(100 * busy)}${records.rows.length > 1 ? ` on ${records.rows.length} devices` : ""}`}
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

export function Streams({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "streams", { sort: "busy_ns" });
  if (!records || records.rows.length < 2) return null; // one stream is the device
  const several = new Set(records.rows.map((row) => devicePlace(context, records, row))).size > 1;
  return (
    <Card title="Streams" about={`${grouped(records.rows.length)}, busiest first`} onOpen={toTable(context, "streams")}>
      <BarList
        items={records.rows.slice(0, ROWS).map((row) => ({
          label: `${several ? `${devicePlace(context, records, row)}, ` : ""}stream ${records.text(row, "stream")}`,
          value: records.number(row, "busy_ns"),
          text: duration(records.number(row, "busy_ns")),
          note: `${short(records.number(row, "count"))}\u00d7`,
          colour: "var(--compute)",
          onClick: toTable(context, "streams"),
        }))}
      />
    </Card>
  );
}

const STEPS_SHOWN = 2000;

export function Steps({ context }: ViewProps): JSX.Element | null {
  const table = latest(useTable(context, "steps"));
  const window = useStore(context.window);
  if (!table?.rows.length) return null;
  const records = new Records(table);
  const rank = records.number(records.rows[0]!, "rank");
  const rows = records.rows.filter((row) => records.number(row, "rank") === rank).slice(0, STEPS_SHOWN);
  const most = Math.max(1, ...rows.map((row) => records.number(row, "duration_ns")));
  const total = rows.reduce((sum, row) => sum + records.number(row, "duration_ns"), 0);
  return (
    <Card
      title="Steps"
      about={`${context.session.runs.length > 1 ? `rank ${rank}: ` : ""}${new StepRows(records, context.session, window).title(rows)}`}
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
        format={(value) => percent((100 * value) / (total || 1))}
      />
    </Card>
  );
}

export function IdleCauses({ context }: ViewProps): JSX.Element | null {
  const palette = usePalette(context);
  const records = useRecords(context, "idle");
  if (!records) return null;
  const total = records.sum("total_ns");
  const choose = (cause: string) => () => {
    choicesOf(context.state).cause.set(cause);
    context.navigate({ view: "idle" });
  };
  return (
    <Card
      title={`${whyUtilizationIsUnknown(context.session.notes) ? "Time without recorded work" : "Idle time"} by cause`}
      about={duration(total)}
      onOpen={toView(context, "idle")}
    >
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

export function Classes({ context }: ViewProps): JSX.Element | null {
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
          label: key,
          value: total,
          text: duration(total),
          colour: colour(key),
          onClick: toTable(context, "kernels", `class = ${key}`),
        }))}
      />
    </Card>
  );
}

export function Kernels({ context }: ViewProps): JSX.Element | null {
  const colour = useClassColour(context);
  const records = useRecords(context, "kernels", { short: "name" });
  if (!records) return null;
  return (
    <Card
      title="Top kernels"
      about={`${grouped(records.rows.length)} different, ${grouped(records.sum("count"))} in all`}
      onOpen={toTable(context, "kernels")}
    >
      <BarList
        total={records.sum("total_ns")}
        items={named(context, "kernels", records, "total_ns", (row) => ({
          colour: colour(records.text(row, "class")),
        }))}
      />
    </Card>
  );
}

export function Transfers({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "transfers");
  if (!records) return null;
  const about = [duration(records.sum("total_ns"))];
  if (records.sum("bytes") > 0) about.push(bytes(records.sum("bytes")));
  return (
    <Card title="Copies and memsets" about={about.join(", ")} onOpen={toTable(context, "transfers")}>
      <BarList
        total={records.sum("total_ns")}
        items={records.rows.slice(0, ROWS).map((row) => {
          const key = rowKey(context.session, "transfers", records, row);
          const [kind, from, to] = key;
          const rate = records.cell(row, "bandwidth");
          return {
            label: from || to ? `${kind}, ${[from, to].filter(Boolean).join(" \u2192 ")}` : (kind ?? ""),
            value: records.number(row, "total_ns"),
            text: duration(records.number(row, "total_ns")),
            note: rate === null ? `${short(records.number(row, "count"))}\u00d7` : withUnit(Number(rate), "GB/s"),
            colour: "var(--memory)",
            onClick: toLongest(context, { table: "transfers", key }),
          };
        })}
      />
    </Card>
  );
}

export function Collectives({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "collectives", { sort: "total_ns", short: "name" });
  if (!records) return null;
  return (
    <Card title="Communication" about={duration(records.sum("total_ns"))} onOpen={toTable(context, "collectives")}>
      <BarList
        total={records.sum("total_ns")}
        items={named(context, "collectives", records, "total_ns", (row) => ({
          colour: "var(--communication)",
          title: `${records.text(row, "name")} ${records.text(row, "group")}`,
        }))}
      />
    </Card>
  );
}

export function Stragglers({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "stragglers", { sort: "caused_ns" });
  if (!records || records.sum("caused_ns") === 0) return null;
  return (
    <Card title="Who the others waited for" about="in communication" onOpen={toTable(context, "stragglers")}>
      <BarList
        total={records.sum("caused_ns")}
        items={records.rows.slice(0, ROWS).map((row) => ({
          label: devicePlace(context, records, row),
          title: "Time that the others spent in collectives until it began",
          value: records.number(row, "caused_ns"),
          text: duration(records.number(row, "caused_ns")),
          note: `last in ${short(records.number(row, "last"))}`,
          colour: "var(--communication)",
          onClick: toTable(context, "stragglers"),
        }))}
      />
    </Card>
  );
}

export function Queue({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "queue", { sort: "mean" });
  if (!records) return null;
  return (
    <Card title="Work waiting in streams" about="mean length of the queue" onOpen={toTable(context, "queue")}>
      <BarList
        items={records.rows
          .filter((row) => records.number(row, "mean") > 0)
          .slice(0, ROWS)
          .map((row) => ({
            label: `${devicePlace(context, records, row)}, stream ${records.text(row, "stream")}`,
            value: records.number(row, "mean"),
            text: short(records.number(row, "mean")),
            note: `up to ${short(records.number(row, "max"))}`,
            colour: "var(--yellow)",
            onClick: toTable(context, "queue"),
          }))}
      />
    </Card>
  );
}

export function MemoryPeaks({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "memory");
  if (!records) return null;
  const most = (row: (typeof records.rows)[number]) =>
    Math.max(records.number(row, "peak_allocated_bytes"), records.number(row, "peak_reserved_bytes"));
  return (
    <Card title="Peak memory" onOpen={toView(context, "memory")}>
      <BarList
        items={records.rows.slice(0, DEVICES).map((row) => ({
          label: devicePlace(context, records, row),
          title: `${grouped(records.number(row, "allocations"))} allocations`,
          value: most(row),
          text:
            records.cell(row, "peak_allocated_bytes") === null
              ? ""
              : bytes(records.number(row, "peak_allocated_bytes")),
          note:
            records.number(row, "peak_reserved_bytes") === 0
              ? `${short(records.number(row, "allocations"))} allocations`
              : `${bytes(records.number(row, "peak_reserved_bytes"))} reserved`,
          colour: "var(--green)",
          onClick: toView(context, "memory"),
        }))}
      />
    </Card>
  );
}
