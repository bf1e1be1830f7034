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

/** "rank/step" of the steps of which at least half lies in the range, or that at least half of the range lies in. */
export function stepsWithin(steps: readonly StepInfo[], range: Range): Set<string> {
  const inside = steps.filter(({ start, duration }) => {
    const common = Math.min(start + duration, range.end) - Math.max(start, range.start);
    return common > 0 && 2 * common >= Math.min(duration, range.end - range.start);
  });
  return new Set(inside.map(({ rank, step }) => `${rank}/${step}`));
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
