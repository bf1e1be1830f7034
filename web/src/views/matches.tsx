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
  showMatch(context, { title, slices: found.slices, total: found.count, at: 0 }, target);
}

function showMatch(context: ViewContext, matches: Matches, target: Target = {}): void {
  const slice = matches.slices[matches.at];
  if (!slice) return;
  choicesOf(context.state).matches.set(matches);
  const air = Math.max(3 * slice.duration, 500);
  const viewport = { start: slice.start - air, end: slice.start + slice.duration + air };
  context.navigate({ ...target, slice, viewport, search: "" });
}

/** Which of the slices of a row is selected, and the way to the others. Nothing where another slice is selected. */
export function MatchBar({ context }: { context: ViewContext }): JSX.Element | null {
  const { matches: store } = choicesOf(context.state);
  const matches = useStore(store);
  const selected = useStore(context.selection);
  const current = matches?.slices[matches.at];
  if (!matches || !current || !sameSlice(selected, { ...current })) return null;
  const go = (by: number) => showMatch(context, { ...matches, at: matches.at + by });
  const last = matches.slices.length - 1;
  return (
    <span class="match-bar" role="group" aria-label="Slices of one row" title={matches.title.slice(0, 1000)}>
      <span>
        {grouped(matches.at + 1)} of {grouped(matches.total)}
        <span class="soft"> by length, {duration(current.duration)}</span>
      </span>
      <button class="icon" disabled={matches.at === 0} aria-label="The next longer one" onClick={() => go(-1)}>
        {"\u2191"}
      </button>
      <button class="icon" disabled={matches.at === last} aria-label="The next shorter one" onClick={() => go(1)}>
        {"\u2193"}
      </button>
      <button class="icon" aria-label="Close" onClick={() => store.set(null)}>
        {"\u00d7"}
      </button>
    </span>
  );
}
