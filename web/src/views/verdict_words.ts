// The run in one line: how busy its devices were, what the rest of their time went to, and its steps. Pure.
import type { Session, Table } from "../api/protocol";
import { counted, duration, percent, readable } from "../model/format";
import { Records, totals } from "./records";

const LEAST_SHARE = 0.05; // %
const DIFFERS = 5; // points

/** "GPUs 47.3 % busy", "12.1 % exposed communication", "40.6 % idle, most of it data loading (22.0 %)", "3 steps, 155 ms on average".
 * `word`: what the devices are called; `whyUnknown`: why it is not known how busy they were (whyUtilizationIsUnknown). */
export function verdictParts(
  word: string,
  whyUnknown: string,
  gpuTime: Table | null | undefined,
  idle: Table | null | undefined,
  steps: Table | null | undefined,
): string[] {
  const complete = completeSteps(steps);
  return [
    ...(gpuTime?.rows.length ? ofDevices(word, whyUnknown, new Records(gpuTime), idle, complete) : []),
    ...(complete ? ofSteps(complete) : []),
  ];
}

/** Why the profile does not say how busy the devices were; "" where it does. */
export function whyUtilizationIsUnknown(notes: Session["notes"]): string {
  return notes.find((note) => note.code === "unknown_utilization")?.text ?? "";
}

function ofDevices(
  word: string,
  whyUnknown: string,
  times: Records,
  idle: Table | null | undefined,
  steps: Steps | null,
): string[] {
  const whole = times.sum("span_ns") || 1;
  const share = (column: string) => (100 * times.sum(column)) / whole;
  const several = times.rows.length > 1;
  if (whyUnknown) {
    return [
      `${several ? `${word}s` : word} at least ${percent(share("busy_ns"))} busy`,
      `what ${several ? "they" : "it"} did besides is not known: ${whyUnknown}`,
    ];
  }
  const inSteps = steps && busyInSteps(steps, times);
  const parts = [
    `${several ? `${word}s` : word} ${
      inSteps === null
        ? ""
        : `${percent(inSteps)} busy in steps; from ${several ? "their first ops to their" : "its first op to its"} last `
    }${percent(share("busy_ns"))} busy`,
  ];
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

interface Steps {
  readonly table: Records;
  readonly rows: Records["rows"];
}

/** The complete ones, all where none is. */
function completeSteps(table: Table | null | undefined): Steps | null {
  if (!table?.rows.length) return null;
  const all = new Records(table);
  const rows = all.rows.filter((row) => all.cell(row, "complete") !== 0);
  return { table: all, rows: rows.length > 0 ? rows : all.rows };
}

/** The share of the steps in which devices are busy, in %, where that is not about what they are between their first and last
 * ops; null else, and where a rank has several devices, of which a step does not tell. */
function busyInSteps({ table, rows }: Steps, times: Records): number | null {
  const ranks = times.rows.map((row) => times.cell(row, "rank"));
  if (new Set(ranks).size < ranks.length) return null;
  const sum = (columns: readonly string[]) =>
    rows.reduce((all, row) => columns.reduce((one, column) => one + table.number(row, column), all), 0);
  const whole = sum(["duration_ns"]);
  if (whole <= 0) return null;
  const inSteps = (100 * sum(["kernel_ns", "communication_ns", "memcpy_ns", "memset_ns"])) / whole;
  const ofSpan = (100 * times.sum("busy_ns")) / (times.sum("span_ns") || 1);
  return Math.abs(inSteps - ofSpan) > DIFFERS ? inSteps : null;
}

function ofSteps({ table, rows }: Steps): string[] {
  const rank = table.cell(rows[0]!, "rank");
  const ofRank = rows.filter((row) => table.cell(row, "rank") === rank);
  const total = ofRank.reduce((sum, row) => sum + table.number(row, "duration_ns"), 0);
  return [`${counted(ofRank.length, "step", "steps")}, ${duration(total / ofRank.length)} on average`];
}
