// The devices of all ranks as a table of figures, and which rank holds up the others. Pure.
import type { Cell, Column, Table } from "../api/protocol";
import { duration, percent } from "../model/format";
import { deviationsOf, keyOf } from "./deviations";
import { Records } from "./records";

const ns = (name: string, about: string): Column => ({ name, type: "integer", unit: "ns", about });

const COLUMNS: readonly Column[] = [
  { name: "rank", type: "integer" },
  { name: "device", type: "integer" },
  { name: "busy_pct", type: "real", unit: "%", about: "of its time from the first op to the last" },
  ns("exposed_comm_ns", "communication that nothing overlaps"),
  ns("idle_ns", "without work"),
  ns("holds_up_ns", "time that the others waited in collectives until this one began"),
  ns("waits_ns", "time that it waited in collectives until the last one began"),
  ns("deviation_ns", "time beyond that of the median device, over all that the time goes to"),
];

/** A row a device, who holds up the others most first. The tables gpu_time, idle and stragglers. */
export function rankFigures(gpuTime: Table, idle: Table | null, stragglers: Table | null): Table {
  const times = new Records(gpuTime);
  const late = stragglers && new Records(stragglers);
  const placeOf = (records: Records, row: readonly Cell[]) => ({
    rank: records.number(row, "rank"),
    device: records.number(row, "device"),
  });
  const lateRows = new Map(late?.rows.map((row) => [keyOf(placeOf(late, row)), row]));
  const deviations = deviationsOf(gpuTime, idle);
  const rows = times.rows.map((row): Cell[] => {
    const place = placeOf(times, row);
    const span = times.number(row, "span_ns");
    const its = lateRows.get(keyOf(place));
    const beyond = deviations.reduce((sum, { of }) => sum + Math.max(0, of.get(keyOf(place)) ?? 0), 0);
    return [
      place.rank,
      place.device,
      span > 0 ? (100 * times.number(row, "busy_ns")) / span : null,
      times.number(row, "exposed_comm_ns"),
      times.number(row, "idle_ns"),
      its ? late!.number(its, "caused_ns") : null,
      its ? late!.number(its, "wait_ns") : null,
      deviations.length ? beyond : null,
    ];
  });
  const holdsUp = COLUMNS.findIndex(({ name }) => name === "holds_up_ns");
  rows.sort((a, b) => Number(b[holdsUp] ?? 0) - Number(a[holdsUp] ?? 0));
  const hasRows = (column: number) => rows.some((row) => row[column] !== null);
  const shown = COLUMNS.flatMap((_, i) => (hasRows(i) ? [i] : []));
  return {
    columns: shown.map((i) => COLUMNS[i]!),
    rows: rows.map((row) => shown.map((i) => row[i]!)),
    sorted_by: late ? "-holds_up_ns" : "+rank",
  };
}

/** "The others wait longest for rank 1: 48.8 ms, 100 % of all such waits; it begins 15 of 15 collectives last." "" where nobody is
 * waited for. */
export function whoHoldsUp(stragglers: Table | null | undefined): string {
  if (!stragglers) return "";
  const records = new Records(stragglers);
  const total = records.sum("caused_ns");
  const most = [...records.rows].sort((a, b) => records.number(b, "caused_ns") - records.number(a, "caused_ns"))[0];
  if (!most || total <= 0) return "";
  const caused = records.number(most, "caused_ns");
  return (
    `The others wait longest for rank ${records.number(most, "rank")}: ${duration(caused)}, ` +
    `${percent((100 * caused) / total)} of all such waits; ` +
    `it begins ${records.number(most, "last")} of ${records.number(most, "count")} collectives last.`
  );
}
