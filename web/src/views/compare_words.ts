// What the comparison of two profiles says in words. Pure.
import type { PartnerAnswer } from "../api/protocol";
import { bytes, duration, percent, readable, withPageUnits } from "../model/format";
import type { RankPair, SideName } from "../model/two_axes";

/** "+12.0 us" */
export const signed = (ns: number): string => (ns > 0 ? "+" : ns < 0 ? "\u2212" : "") + duration(Math.abs(ns));

/** The change from A to B: "+30.0 %", "\u221225.0 %"; from twice on "2.50 times"; "the same". */
export function ratioText(a: number, b: number): string {
  if (a === b) return "the same";
  if (a <= 0) return "";
  if (b >= 2 * a) return `${(b / a).toPrecision(3)} times`;
  return `${b > a ? "+" : "\u2212"}${percent(Math.abs((100 * b) / a - 100))}`;
}

/** A sentence of the server about a change, as the page writes it. */
export const withArrows = (text: string): string =>
  withPageUnits(text)
    .replace(/ -> /g, " \u2192 ")
    .replace(/(^|[ (])-(?=\d)/g, "$1\u2212");

/** The first line of the words, which says the change. */
export const headline = (words: string): string => withArrows(words.split("\n", 1)[0]!);

/** A figure of both runs that is shown beside the headline. */
export interface Chip {
  name: string;
  a: string;
  b: string;
  change: string;
  /** Whether B has less of what one wants to have little of, or more; null where that says nothing. */
  isBetter: boolean | null;
}

/** Busy and idle time and the peak of memory, as far as both runs have them. */
export function chips(figures: { name: string; a: number | null; b: number | null }[]): Chip[] {
  const shown: [string, string, (value: number) => string, boolean][] = [
    ["busy_ns", "busy", duration, false],
    ["idle_ns", "idle", duration, true],
    ["peak_memory_bytes", "memory", bytes, true],
  ];
  return shown.flatMap(([column, name, format, lessIsBetter]) => {
    const figure = figures.find((each) => each.name === column);
    if (!figure || figure.a === null || figure.b === null) return [];
    const [a, b] = [figure.a, figure.b];
    const isBetter = !lessIsBetter || a === b ? null : b < a;
    return [{ name, a: format(a), b: format(b), change: ratioText(a, b), isBetter }];
  });
}

/** "compare_call_tree": "Call tree" */
export function tabTitle(table: string): string {
  const text = readable(table.replace(/^compare_/, ""));
  return text[0]!.toUpperCase() + text.slice(1);
}

/** "3"; where the ranks that are compared have unlike numbers "3 in A, 0 in B". */
export const ranksText = ({ a, b }: RankPair): string => (a === b ? String(a) : `${a} in A, ${b} in B`);

/** Why a slice has no partner; "" where it has one. */
export function withoutPartner({ status, partner }: PartnerAnswer, side: SideName): string {
  if (partner) return "";
  switch (status) {
    case null:
      return "no device work that is compared";
    case "both":
      return `nothing like it at the same work in ${side === "a" ? "B" : "A"}`;
    case "only_a":
      return "only A has this work";
    case "only_b":
      return "only B has this work";
    case "orphan":
      return "nothing says which work this belongs to";
  }
}
