// The slices of a row of a table, the longest first: one click shows the longest in the timeline, and a small bar there
// goes through the others.
import type { JSX } from "preact";
import type { RowCells } from "../api/client";
import type { Cell, Session, SliceAt } from "../api/protocol";
import { duration, grouped } from "../model/format";
import { sameSlice } from "../model/selection";
import { useStore } from "../ui/hooks";
import { choicesOf } from "./choices";
import type { Target, ViewContext } from "./context";
import { rowColumns } from "./declared";
import type { Records } from "./records";
import { within } from "./view";

export interface Matches {
  title: string;
  /** The longest of them. */
  slices: readonly SliceAt[];
  total: number;
  at: number;
}

/** The cells that name a row; also what it is known by among the distributions of its table. */
export function rowKey(session: Session, table: string, records: Records, row: readonly Cell[]): (string | null)[] {
  return rowColumns(session, table).map((column) => {
    const cell = records.cell(row, column);
    return cell === null ? null : String(cell);
  });
}

const LONGEST_CELL = 6000; // bytes in an address, which has an end
const MOST_BYTES = 9; // that a letter takes there

/** What the server is asked for, where the columns have these cells. Exported for tests. */
export function rowCells(columns: readonly string[], key: readonly (string | null)[]): RowCells {
  const cells: Record<string, string> = {};
  let cut = false;
  columns.forEach((column, i) => {
    const text = key[i] ?? null;
    if (text === null) return;
    const fits = encodeURIComponent(text).length <= LONGEST_CELL;
    cells[column] = fits ? text : text.slice(0, LONGEST_CELL / MOST_BYTES).replace(/[\ud800-\udbff]$/, "");
    cut ||= !fits;
  });
  return { cells, cut };
}

export interface RowOf {
  table: string;
  key: readonly (string | null)[];
  names?: "base" | "full";
}

/** Selects the longest slice of a row, of the part in the time window, and zooms to it. */
export async function showLongest(context: ViewContext, row: RowOf, target: Target = { view: "timeline" }) {
  const { table, key, names } = row;
  const cells = rowCells(rowColumns(context.session, table), key);
  const found = await context.client.row(table, cells, { ...within(context.window.get()), names });
  const title = key.filter((cell) => cell !== null).join(", ");
  choicesOf(context.state).matches.set({ title, slices: found.slices, total: found.count, at: 0 });
  selectMatch(context, target);
}

/** Selects the slice at which the matches are. */
export function selectMatch(context: ViewContext, target: Target = {}): void {
  const matches = choicesOf(context.state).matches.get();
  const slice = matches?.slices[matches.at];
  if (!slice) return;
  const air = Math.max(3 * slice.duration, 500);
  const viewport = { start: slice.start - air, end: slice.start + slice.duration + air };
  context.navigate({ viewport, ...target, slice, search: "" });
}

/** The matches, if the slice at which they are is the selected one. */
function currentMatches(context: ViewContext): Matches | null {
  const matches = choicesOf(context.state).matches.get();
  const current = matches?.slices[matches.at];
  return current && sameSlice(context.selection.get(), { ...current }) ? matches : null;
}

/** Goes to the next or previous of the matches; false where there are none, or something is looked for. */
export function stepMatch(context: ViewContext, direction: "next" | "previous"): boolean {
  const matches = currentMatches(context);
  if (!matches || context.state.search.get()) return false;
  const count = matches.slices.length;
  const at = (matches.at + (direction === "next" ? 1 : count - 1)) % count;
  choicesOf(context.state).matches.set({ ...matches, at });
  selectMatch(context);
  return true;
}

/** Which of the slices of a row is selected, and the way to the others. Nothing where another slice is selected. */
export function MatchBar({ context }: { context: ViewContext }): JSX.Element | null {
  const { matches: store } = choicesOf(context.state);
  useStore(store);
  useStore(context.selection);
  const matches = currentMatches(context);
  if (!matches) return null;
  const current = matches.slices[matches.at]!;
  return (
    <span class="match-bar" role="group" aria-label="Slices of one row" title={matches.title.slice(0, 1000)}>
      <span>
        {grouped(matches.at + 1)} of {grouped(matches.total)}
        <span class="soft"> by length, {duration(current.duration)}</span>
      </span>
      <button
        class="icon"
        title="Shift+N"
        aria-label="The next longer one"
        onClick={() => stepMatch(context, "previous")}
      >
        {"\u2191"}
      </button>
      <button class="icon" title="N" aria-label="The next shorter one" onClick={() => stepMatch(context, "next")}>
        {"\u2193"}
      </button>
      <button class="icon" aria-label="Close" onClick={() => store.set(null)}>
        {"\u00d7"}
      </button>
    </span>
  );
}
