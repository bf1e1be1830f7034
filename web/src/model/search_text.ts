// What is typed into the search: a part of a name, or `key = value` (`key ~ part`) for an argument of slices. Around
// the sign are blanks: a name like "x=1" stays one. Pure.
import type { Session } from "../api/protocol";

export interface SearchText {
  /** A part of the name, or the value of the argument. */
  q: string;
  argument?: string;
  /** The value is q as a whole. */
  equal?: boolean;
}

export function readSearch(text: string): SearchText {
  const found = /^(\S.*?)\s+([=~])(?:\s+(.*))?$/.exec(text.trim());
  if (!found) return { q: text.trim() };
  const [, argument = "", sign, q = ""] = found;
  return { q, argument, equal: sign === "=" && q !== "" };
}

/** A name as a search may write it: causes also with `_`, as tables have them. */
export function spellings(name: string, { causes }: Pick<Session, "causes">): string[] {
  const written = name.replace(/ /g, "_");
  return causes.includes(written) ? [name, written] : [name];
}
