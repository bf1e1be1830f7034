// What all findings could give back together, in a sentence. Pure.
import { duration, percent } from "../model/format";
import type { Records } from "./records";

/** "All of these together: 12 ms of 155 ms a step (7.7 %)." As the report says it; "" of a single finding, and where
 * the time is not known that they are of. */
export function gainOfAll(findings: Records): string {
  const alarms = findings.rows.filter(
    (row) => findings.cell(row, "recoverable_ns") !== null && findings.text(row, "severity") !== "info",
  );
  const most = (column: string) => Math.max(0, ...findings.rows.map((row) => findings.number(row, column)));
  const [together, measured, steps] = [most("together_ns"), most("measured_ns"), most("steps")];
  if (alarms.length < 2 || measured === 0) return "";
  const each = Math.max(steps, 1);
  const of = `${duration(measured / each)}${steps === 0 ? "" : " a step"}`;
  return `All of these together: ${duration(together / each)} of ${of} (${percent((100 * together) / measured)}).`;
}
