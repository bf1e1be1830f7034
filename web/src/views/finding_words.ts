// The figures of findings in words: each of the whole that it is measured by, a step or the run. Pure.
import type { Cell } from "../api/protocol";
import { counted, duration, oneLine, percent, readable } from "../model/format";
import type { Records } from "./records";

interface Whole {
  /** ns of all steps, or of the run. */
  measured: number;
  /** 0: the run has none. */
  steps: number;
}

function wholeOf(findings: Records): Whole {
  const most = (column: string) => Math.max(0, ...findings.rows.map((row) => findings.number(row, column)));
  return { measured: most("measured_ns"), steps: most("steps") };
}

/** "155 ms a step", "1.21 s". */
const perStep = (ns: number, steps: number): string =>
  `${duration(ns / Math.max(steps, 1))}${steps === 0 ? "" : " a step"}`;

/** What the figures are of, whatever time the other views are limited to; "" where no time is known. */
export function wholeText(findings: Records): string {
  const { measured, steps } = wholeOf(findings);
  if (measured === 0) return "";
  if (steps === 0) return `Measured over the whole run: ${duration(measured)}`;
  return `Measured over ${counted(steps, "step", "steps")} without warm-up: ${perStep(measured, steps)}`;
}

/** "exposed_copies" as "Exposed copies". */
export function causeWords(rule: string): string {
  const words = readable(oneLine(rule));
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

export interface Saving {
  /** "12.3 ms a step" */
  text: string;
  share: number;
  low: number;
  high: number;
}

/** What a finding could save, with shares of the whole; null where that is not known. */
export function savingOf(findings: Records, row: readonly Cell[]): Saving | null {
  const [measured, steps] = [findings.number(row, "measured_ns"), findings.number(row, "steps")];
  if (findings.cell(row, "recoverable_ns") === null || measured === 0) return null;
  const share = (column: string) => (100 * findings.number(row, column)) / measured;
  return {
    text: perStep(findings.number(row, "recoverable_ns"), steps),
    share: share("recoverable_ns"),
    low: share("recoverable_low_ns"),
    high: share("recoverable_high_ns"),
  };
}

/** "All of these together: 12 ms of 155 ms a step (7.7 %)." As the report says it; "" of a single finding, and where
 * the time is not known that they are of. */
export function gainOfAll(findings: Records): string {
  const alarms = findings.rows.filter(
    (row) => findings.cell(row, "recoverable_ns") !== null && findings.text(row, "severity") !== "info",
  );
  const { measured, steps } = wholeOf(findings);
  const together = Math.max(0, ...findings.rows.map((row) => findings.number(row, "together_ns")));
  if (alarms.length < 2 || measured === 0) return "";
  const all = duration(together / Math.max(steps, 1));
  return `All of these together: ${all} of ${perStep(measured, steps)} (${percent((100 * together) / measured)}).`;
}
