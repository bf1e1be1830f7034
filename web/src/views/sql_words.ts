// What the SQL view knows without a screen: which words go on where the cursor is, and where a row of a result leads.
// Pure.
import type { Cell, Session } from "../api/protocol";
import type { Range } from "../model/viewport";
import type { Records } from "./records";

const KEYWORDS = [
  "SELECT",
  "FROM",
  "WHERE",
  "GROUP BY",
  "ORDER BY",
  "LIMIT",
  "JOIN",
  "USING",
  "WITH",
  "HAVING",
  "DISTINCT",
  "DESC",
];
const FUNCTIONS = ["span_union", "percentile", "median", "stddev", "overlap", "class", "demangle", "arguments"];
const MOST_WORDS = 8;

/** A word that could be in the place of what was typed of it, from `start` to the cursor. */
export interface Completion {
  word: string;
  start: number;
  about: string;
}

const plain = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : `"${name.replace(/"/g, '""')}"`);

/** Columns of the tables that the statement names come first, then tables, functions and SQL's own words. */
export function completions(text: string, cursor: number, tables: Session["tables"]): Completion[] {
  const typed = /\w+$/.exec(text.slice(0, cursor))?.[0] ?? "";
  if (!typed || /^\d/.test(typed)) return [];
  const start = cursor - typed.length;
  const named = new Set(text.toLowerCase().match(/\w+/g) ?? []);
  const words = new Map<string, string>();
  const add = (word: string, about: string) => {
    const begins = word.toLowerCase().startsWith(typed.toLowerCase());
    if (begins && word !== typed && !words.has(plain(word))) words.set(plain(word), about);
  };
  for (const table of tables.filter(({ name }) => named.has(name))) {
    for (const column of table.columns) add(column.name, `${table.name}${column.unit && `, ${column.unit}`}`);
  }
  for (const table of tables) add(table.name, table.about);
  for (const name of FUNCTIONS) add(name, "function");
  for (const word of KEYWORDS) add(word, "");
  return [...words].slice(0, MOST_WORDS).map(([word, about]) => ({ word, about, start }));
}

/** Where a row leads: to the slice of that number, to a part of the time, or to the slices of that name. */
export type Lead = { slice: number } | { range: Range } | { name: string } | null;

const isNumber = (value: Cell): value is number => typeof value === "number" && Number.isInteger(value);

export function leadOf(records: Records, row: readonly Cell[]): Lead {
  const [slice, start, duration, end, name] = ["slice", "start_ns", "duration_ns", "end_ns", "name"].map((column) =>
    records.cell(row, column),
  ) as [Cell, Cell, Cell, Cell, Cell];
  if (isNumber(slice)) return { slice };
  if (isNumber(start)) {
    if (isNumber(duration)) return { range: { start, end: start + duration } };
    return { range: { start, end: isNumber(end) && end > start ? end : start + 1 } };
  }
  return typeof name === "string" && name ? { name } : null;
}

/** The word of a statement that an error is about, as from and to; null where the error names no line and column. */
export function placeOfTrouble(text: string, trouble: string): [number, number] | null {
  const told = /\(line (\d+), column (\d+)\)/.exec(trouble);
  if (!told) return null;
  const [line, column] = [Number(told[1]), Number(told[2])];
  const before = text.split("\n").slice(0, line - 1);
  const start = before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
  return [start, start + (/^\w+|^./.exec(text.slice(start))?.[0].length ?? 0)];
}
