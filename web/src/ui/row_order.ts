// Which rows of a table are shown, and in which order. Pure.
import type { Cell, Table } from "../api/protocol";

export interface Sort {
  column: number;
  descending: boolean;
}

/** The order that a table names: "-total_ns", "+name". null where it names none. */
export function readSort(table: Pick<Table, "columns" | "sorted_by">): Sort | null {
  const { sorted_by: text = "" } = table;
  const column = table.columns.findIndex(({ name }) => name === text.slice(1));
  return column < 0 ? null : { column, descending: text[0] === "-" };
}

export const writeSort = (column: string, descending: boolean): string => `${descending ? "-" : "+"}${column}`;

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
