// The values of a measured launch beside those of another one, and what a report does not hold. Pure.
import type { Cell, Table } from "../api/protocol";
import { Records } from "./records";

/** The values with two more columns: those of the baseline, and by how much they differ, %. */
export function besideBaseline(values: Table, baseline: Table): Table {
  const [own, other] = [new Records(values), new Records(baseline)];
  const keyOf = (records: Records, row: readonly Cell[]) =>
    `${records.text(row, "section")}\n${records.text(row, "metric")}`;
  const theirs = new Map(other.rows.map((row) => [keyOf(other, row), other.cell(row, "value")]));
  const of = values.columns.find(({ name }) => name === "value")!;
  return {
    ...values,
    columns: [
      ...values.columns,
      { ...of, name: "baseline", about: "the same of the baseline" },
      { name: "change_pct", type: "float", unit: "%", about: "against the baseline" },
    ],
    rows: own.rows.map((row) => {
      const [a, b] = [theirs.get(keyOf(own, row)) ?? null, own.cell(row, "value")];
      const isChange = typeof a === "number" && typeof b === "number" && a !== 0;
      return [...row, a, isChange ? (100 * (b - a)) / Math.abs(a) : null];
    }),
  };
}

/** What Nsight Compute would show and this report has not: "stall reasons". */
export function notHeld(values: Table, stalls: Table | null): string[] {
  const records = new Records(values);
  const has = (pattern: RegExp) => records.rows.some((row) => pattern.test(records.text(row, "metric")));
  return [
    ...(stalls?.rows.length ? [] : ["stall reasons"]),
    ...(has(/dram__|l1tex__|lts__|Throughput/) ? [] : ["the traffic of the memories"]),
  ];
}
