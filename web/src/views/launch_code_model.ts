// The machine instructions of a measured launch and the lines that they come from, with what was sampled there. Pure.
import type { Cell, Table } from "../api/protocol";
import { Records } from "./records";

/** The lines of the source, or of the PTX. */
export type LineKind = "source" | "ptx";
export const KINDS: readonly LineKind[] = ["source", "ptx"];

/** null: not collected. */
interface Figures {
  samples: number | null;
  notIssued: number | null;
  executed: number | null;
  threads: number | null;
  stall: string;
}
export interface CodeLine extends Figures {
  key: string;
  file: string;
  /** null: of the instructions whose line is not known. */
  line: number | null;
  /** Empty where the report does not have it. */
  text: string;
  instructions: number;
}
export interface Instruction extends Figures {
  offset: number;
  operation: string;
  /** The key of its line, of each kind. */
  lines: Record<LineKind, string>;
  file: string;
  line: number | null;
}
export interface LaunchCode {
  /** Those that the report knows. */
  lines: Partial<Record<LineKind, CodeLine[]>>;
  instructions: Instruction[];
}

const numberOr = (value: Cell): number | null => (typeof value === "number" ? value : null);

function figuresOf(records: Records, row: readonly Cell[]): Figures {
  return {
    samples: numberOr(records.cell(row, "samples")),
    notIssued: numberOr(records.cell(row, "not_issued")),
    executed: numberOr(records.cell(row, "executed")),
    threads: numberOr(records.cell(row, "thread_executed")),
    stall: records.text(row, "stall"),
  };
}

const keyOf = (file: string, line: number | null): string => `${file}:${line ?? ""}`;

/** From the tables launch_instructions and launch_lines of one launch. */
export function launchCode(instructions: Table, lines: Table): LaunchCode {
  const code: LaunchCode = { lines: {}, instructions: [] };
  const ofLines = new Records(lines);
  for (const row of ofLines.rows) {
    const kind = ofLines.text(row, "kind") as LineKind;
    const [file, line] = [ofLines.text(row, "file"), numberOr(ofLines.cell(row, "line"))];
    (code.lines[kind] ??= []).push({
      key: keyOf(file, line),
      file,
      line,
      text: ofLines.text(row, "text"),
      instructions: ofLines.number(row, "instructions"),
      ...figuresOf(ofLines, row),
    });
  }
  const records = new Records(instructions);
  code.instructions = records.rows.map((row) => {
    const [file, line] = [records.text(row, "file"), numberOr(records.cell(row, "line"))];
    return {
      offset: records.number(row, "offset"),
      operation: records.text(row, "operation"),
      lines: { source: keyOf(file, line), ptx: keyOf("", numberOr(records.cell(row, "ptx_line"))) },
      file,
      line,
      ...figuresOf(records, row),
    };
  });
  return code;
}

/** What makes a line hot: samples; where none were taken, how often it was executed. */
export const heatOf = (one: Figures, hasSamples: boolean): number => (hasSamples ? one.samples : one.executed) ?? 0;

/** The places of the hottest, the hottest first; those without heat are left out. */
export function hottest(all: readonly Figures[], hasSamples: boolean): number[] {
  return all
    .map((one, i) => ({ i, heat: heatOf(one, hasSamples) }))
    .filter(({ heat }) => heat > 0)
    .sort((a, b) => b.heat - a.heat || a.i - b.i)
    .map(({ i }) => i);
}

/** Samples by reason at these instructions, most first, from the table instruction_counts of the launch. */
export function stallsAt(counts: Table, offsets: ReadonlySet<number>): { stall: string; samples: number }[] {
  const records = new Records(counts);
  const sums = new Map<string, number>();
  for (const row of records.rows) {
    if (!offsets.has(records.number(row, "offset"))) continue;
    const stall = /^smsp__pcsamp_warps_issue_stalled_(.*?)(_not_issued)?$/.exec(records.text(row, "metric"));
    if (!stall || stall[2]) continue;
    sums.set(stall[1]!, (sums.get(stall[1]!) ?? 0) + records.number(row, "value"));
  }
  return [...sums].map(([stall, samples]) => ({ stall, samples })).sort((a, b) => b.samples - a.samples);
}
