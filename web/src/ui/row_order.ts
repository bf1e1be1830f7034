// Which rows of a table are shown, and in which order. Pure.
import type { Cell } from "../api/protocol";

export interface Sort {
  column: number;
  descending: boolean;
}

function compare(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Indices of the rows that contain every word of the filter, sorted; absent values come last either way. */
export function orderRows(rows: readonly (readonly Cell[])[], sort: Sort | null, filter: string): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const kept: number[] = [];
  for (let i = 0; i < rows.length; ++i) {
    const text = words.length
      ? rows[i]!.map((cell) => (cell === null ? "" : String(cell)))
          .join("\n")
          .toLowerCase()
      : "";
    if (words.every((word) => text.includes(word))) kept.push(i);
  }
  if (!sort) return kept;
  const direction = sort.descending ? -1 : 1;
  return kept.sort((i, j) => {
    const a = rows[i]![sort.column] ?? null;
    const b = rows[j]![sort.column] ?? null;
    if (a === null || b === null) return a === b ? i - j : a === null ? 1 : -1;
    return direction * compare(a, b) || i - j;
  });
}

/** The first of the columns by which the rows stand in order as they came; null where there is none. */
export function orderFound(rows: readonly (readonly Cell[])[], columns: readonly number[]): Sort | null {
  for (const column of columns) {
    let [rises, falls] = [false, false];
    for (let i = 1; i < rows.length && !(rises && falls); ++i) {
      const [a, b] = [rows[i - 1]![column], rows[i]![column]];
      if (typeof a !== "number" || typeof b !== "number") rises = falls = true;
      else if (a < b) rises = true;
      else if (a > b) falls = true;
    }
    if (rises !== falls) return { column, descending: falls };
  }
  return null;
}
