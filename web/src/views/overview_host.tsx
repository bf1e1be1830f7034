// The first page: what the host did, and what is in the slices of profiles without devices.
import type { JSX } from "preact";
import { duration, short } from "../model/format";
import { useStore } from "../ui/hooks";
import { Card, named, ROWS, toLongest, toTable, useRecords } from "./overview_card";
import { hasTable } from "./declared";
import { BarList, latest, nameText, useAsked, within, type ViewProps } from "./view";

export function Ops({ context }: ViewProps): JSX.Element | null {
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
      <BarList
        items={named(context, "ops", records, column, () => ({ colour: "var(--sky)" }))}
        total={records.sum(column)}
      />
    </Card>
  );
}

export function Calls({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "api");
  if (!records) return null;
  return (
    <Card title="Calls of the runtime" about={duration(records.sum("total_ns"))} onOpen={toTable(context, "api")}>
      <BarList
        total={records.sum("total_ns")}
        items={named(context, "api", records, "total_ns", () => ({ colour: "var(--yellow)" }))}
      />
    </Card>
  );
}

export function LaunchDelay({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "launches", { short: "name" });
  if (!records) return null;
  return (
    <Card title="From call to device" about="median delay" onOpen={toTable(context, "launches")}>
      <BarList items={named(context, "launches", records, "delay_median_ns", () => ({ colour: "var(--yellow)" }))} />
    </Card>
  );
}

/** Steps have a card of their own. */
const NO_STEPS = "name !~ '^ProfilerStep#'";

export function Ranges({ context }: ViewProps): JSX.Element | null {
  const byDevice = useRecords(context, "ranges", { sort: "device_ns", where: NO_STEPS, top: 200 });
  const byHost = useRecords(context, "ranges", { sort: "total_ns", where: NO_STEPS, top: 200 });
  const records = byDevice && byDevice.sum("device_ns") > 0 ? byDevice : byHost;
  if (!records) return null;
  const column = records === byDevice ? "device_ns" : "total_ns";
  return (
    <Card
      title={column === "device_ns" ? "Top ranges by the device work in them" : "Top ranges"}
      about="they nest"
      onOpen={toTable(context, "ranges")}
    >
      <BarList items={named(context, "ranges", records, column, () => ({ colour: "var(--purple)" }))} />
    </Card>
  );
}

/** Ops of a recorded graph; where it has no times, by how many there are. */
export function GraphOps({ context }: ViewProps): JSX.Element | null {
  const byTime = useRecords(context, "et_ops", { sort: "total_ns", top: 200 });
  const byCount = useRecords(context, "et_ops", { sort: "count", top: 200 });
  if (!byTime || !byCount) return null;
  const timed = byTime.sum("total_ns") > 0;
  const records = timed ? byTime : byCount;
  const column = timed ? "total_ns" : "count";
  return (
    <Card
      title={timed ? "Top ops of the graph" : "Ops of the graph"}
      about={timed ? undefined : "how many there are"}
      onOpen={toTable(context, "et_ops")}
    >
      <BarList
        total={records.sum(column)}
        items={records.rows
          .filter((row) => records.number(row, column) > 0)
          .slice(0, ROWS)
          .map((row) => ({
            label: nameText(records.text(row, "name")),
            title: records.text(row, "name").slice(0, 1000),
            value: records.number(row, column),
            text: timed ? duration(records.number(row, column)) : short(records.number(row, column)),
            note: [records.text(row, "kind"), records.text(row, "collective")].filter(Boolean).join(", "),
            colour: "var(--sky)",
            onClick: toTable(context, "et_ops"),
          }))}
      />
    </Card>
  );
}

/** Of a profile whose slices are of no kind that has a table: the names with the most time. */
export function LongestNames({ context }: ViewProps): JSX.Element | null {
  const window = useStore(context.window);
  const wanted =
    hasTable(context.session, "slices") &&
    !["kernels", "ops", "api", "ranges"].some((table) => hasTable(context.session, table));
  const found = latest(
    useAsked(
      context,
      (signal) =>
        wanted
          ? context.client.distributions("slices", { ...within(window), top: ROWS }, signal)
          : Promise.resolve(null),
      [wanted, window],
    ),
  );
  if (!found?.rows.length) return null;
  return (
    <Card title="Most time by name" about="slices nest, so times do not add up" onOpen={toTable(context, "slices")}>
      <BarList
        items={found.rows.map(({ key, count, total }) => ({
          label: nameText(key[0] ?? ""),
          title: (key[0] ?? "").slice(0, 1000),
          value: total,
          text: duration(total),
          note: `${short(count)}\u00d7`,
          colour: "var(--sky)",
          onClick: toLongest(context, { table: "slices", key }),
        }))}
      />
    </Card>
  );
}
