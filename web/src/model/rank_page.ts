// The page of the timelines of ranks of a summary: `/?ranks=17,20-23&at=START~END`, with the fragment of any page behind
// it. It is a page of its own, so that a link can lead to it, also in another tab, and the browser's way back from it.
import { parseTimes, timeText } from "./url_state";
import type { Range } from "./viewport";

/** That the server opens together. */
export const MOST_RANKS = 32;

/** "17, 20-23" as numbers, ascending, each once; null for anything else, and for too many. */
export function parseRanks(text: string): number[] | null {
  const ranks = new Set<number>();
  for (const part of text.split(",")) {
    const range = /^\s*(\d{1,9})(?:\s*[-\u2013]\s*(\d{1,9}))?\s*$/.exec(part);
    if (!range) return null;
    const [first, last] = [Number(range[1]), Number(range[2] ?? range[1])];
    if (last < first || last - first >= MOST_RANKS) return null;
    for (let rank = first; rank <= last; ++rank) ranks.add(rank);
    if (ranks.size > MOST_RANKS) return null;
  }
  return [...ranks].sort((a, b) => a - b);
}

/** "17,20-23", of ascending ones. */
export function ranksText(ranks: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < ranks.length;) {
    const first = i++;
    while (i < ranks.length && ranks[i] === ranks[i - 1]! + 1) ++i;
    parts.push(i - first > 1 ? `${ranks[first]}-${ranks[i - 1]}` : `${ranks[first]}`);
  }
  return parts.join(",");
}

/** "rank 17", "ranks 17, 20-23" */
export const ranksWords = (ranks: readonly number[]): string =>
  `${ranks.length === 1 ? "rank" : "ranks"} ${ranksText(ranks).replace(/,/g, ", ")}`;

export interface RankPage {
  /** null where the address names none. */
  ranks: number[] | null;
  /** The part to show first, in the time of the summary. */
  at: Range | null;
}

/** What the query of an address says; null where it is not that of such a page. */
export function readRankPage(search: string): RankPage | null {
  const query = new URLSearchParams(search);
  const ranks = query.get("ranks");
  if (ranks === null) return null;
  const at = parseTimes(query.get("at") ?? undefined);
  return { ranks: parseRanks(ranks), at: at && { start: at[0], end: at[1] } };
}

/** The address of the page, for a link on that of the summary. */
export const rankPageAddress = (ranks: readonly number[], at: Range | null): string =>
  `?ranks=${ranksText(ranks)}${at ? `&at=${timeText(at.start)}~${timeText(at.end)}` : ""}`;
