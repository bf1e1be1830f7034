// What the comparison of two profiles says in words. Pure.
import type { PartnerAnswer } from "../api/protocol";
import { duration, percent, readable } from "../model/format";
import type { RankPair, SideName } from "../model/two_axes";

/** "+12.0 us" */
export const signed = (ns: number): string => (ns > 0 ? "+" : ns < 0 ? "\u2212" : "") + duration(Math.abs(ns));

/** What is left of a length, or how often it is there: "1.30 times as long", "25 % less", "as long". */
export function ratioText(a: number, b: number): string {
  if (a === b) return "as long";
  if (a <= 0) return "";
  return b > a ? `${(b / a).toPrecision(3)} times as long` : `${percent(100 - (100 * b) / a)} less`;
}

/** What the words begin with, before the lists in them. */
export function headline(words: string): string[] {
  const lines = words.split("\n");
  const list = lines.findIndex((line) => line.endsWith(":"));
  return (list < 0 ? lines : lines.slice(0, list)).filter((line) => line !== "");
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
