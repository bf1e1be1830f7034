// The run in one line: how busy its devices were, what the rest of their time went to, and its steps. Pure.
import type { Table } from "../api/protocol";
import { counted, duration, percent, readable } from "../model/format";
import { Records, totals } from "./records";

const LEAST_SHARE = 0.05; // %

/** "GPUs 47.3 % busy", "12.1 % exposed communication", "40.6 % idle, most of it data loading (22.0 %)", "3 steps, 155 ms on average".
 * `word`: what the devices are called. */
export function verdictParts(
  word: string,
  gpuTime: Table | null | undefined,
  idle: Table | null | undefined,
  steps: Table | null | undefined,
): string[] {
  return [...(gpuTime?.rows.length ? ofDevices(word, new Records(gpuTime), idle) : []), ...ofSteps(steps)];
}

function ofDevices(word: string, times: Records, idle: Table | null | undefined): string[] {
  const whole = times.sum("span_ns") || 1;
  const share = (column: string) => (100 * times.sum(column)) / whole;
  const parts = [`${word}${times.rows.length > 1 ? "s" : ""} ${percent(share("busy_ns"))} busy`];
  for (const [column, text] of [
    ["exposed_comm_ns", "exposed communication"],
    ["exposed_memory_ns", "exposed copies"],
  ] as const) {
    if (share(column) >= LEAST_SHARE) parts.push(`${percent(share(column))} ${text}`);
  }
  const [cause] = idle ? totals(new Records(idle), "cause", "total_ns") : [];
  const most = cause ? `, most of it ${readable(cause.key)} (${percent((100 * cause.total) / whole)})` : "";
  return [...parts, `${percent(share("idle_ns"))} idle${most}`];
}

function ofSteps(table: Table | null | undefined): string[] {
  if (!table?.rows.length) return [];
  const steps = new Records(table);
  const rank = steps.cell(steps.rows[0]!, "rank");
  const ofRank = steps.rows.filter((row) => steps.cell(row, "rank") === rank);
  const total = ofRank.reduce((sum, row) => sum + steps.number(row, "duration_ns"), 0);
  return [`${counted(ofRank.length, "step", "steps")}, ${duration(total / ofRank.length)} on average`];
}
