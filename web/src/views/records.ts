// Rows of a table by the names of their columns, and what several views do with them. Pure.
import type { Cell, StepInfo, Table } from "../api/protocol";
import type { Range } from "../model/viewport";

export class Records {
  readonly #columns = new Map<string, number>();

  constructor(readonly table: Table) {
    table.columns.forEach((column, i) => this.#columns.set(column.name, i));
  }

  get rows(): Cell[][] {
    return this.table.rows;
  }

  has(column: string): boolean {
    return this.#columns.has(column);
  }

  cell(row: readonly Cell[], column: string): Cell {
    const at = this.#columns.get(column);
    return at === undefined ? null : (row[at] ?? null);
  }

  /** A number; 0 where it is absent. */
  number(row: readonly Cell[], column: string): number {
    return Number(this.cell(row, column) ?? 0);
  }

  text(row: readonly Cell[], column: string): string {
    const value = this.cell(row, column);
    return value === null ? "" : String(value);
  }

  /** The short form of the text that the table was asked to have short. */
  short(row: readonly Cell[], column: string): string {
    return this.table.short?.[this.table.rows.indexOf(row as Cell[])] ?? this.text(row, column);
  }

  sum(column: string): number {
    return this.rows.reduce((total, row) => total + this.number(row, column), 0);
  }
}

/** The values of a column added up for each text of another, the largest first. */
export function totals(records: Records, by: string, value: string): { key: string; total: number }[] {
  const sums = new Map<string, number>();
  for (const row of records.rows) {
    const key = records.text(row, by);
    sums.set(key, (sums.get(key) ?? 0) + records.number(row, value));
  }
  return [...sums].map(([key, total]) => ({ key, total })).sort((a, b) => b.total - a.total);
}

/** "rank/step" of the steps that a border of the range cuts: tables have only what of them lies inside. */
export function cutSteps(steps: readonly StepInfo[], range: Range | null): Set<string> {
  const cut = steps.filter(({ start, duration }) => {
    const [inside, end] = [range && start < range.end && start + duration > range.start, start + duration];
    return inside && (start < range!.start || end > range!.end);
  });
  return new Set(cut.map(({ rank, step }) => `${rank}/${step}`));
}

const SEARCHED = 300; // letters of a name that are compared

/** A regular expression that finds slices of just this name; of a very long one, all that begin like it. */
export function exactPattern(name: string): string {
  const cut = name.slice(0, SEARCHED);
  return `^${cut.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}${cut.length < name.length ? "" : "$"}`;
}

/** A condition on one column, as the server reads it. */
export const isEqual = (column: string, value: string | number): string =>
  `"${column}" = ${typeof value === "number" ? value : `'${value.replace(/'/g, "''")}'`}`;
