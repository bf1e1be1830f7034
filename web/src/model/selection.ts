// What is selected: a slice, and an area of the timeline. The area's time is also what the other views are limited to.
import type { Range } from "./viewport";

/** A slice and where it is, so that it can be drawn and jumped to before its details have come. */
export interface SliceRef {
  track: number;
  slice: number;
  lane: number;
  start: number;
  duration: number;
}

/** A part of the timeline. tracks: null for all. */
export interface Area extends Range {
  tracks: readonly number[] | null;
}

/** A flag on the time axis; with an end, a span. The texts are the user's. */
export interface Mark {
  start: number;
  end: number | null;
  name: string;
  note: string;
}

export const byTime = (marks: readonly Mark[]): Mark[] => [...marks].sort((a, b) => a.start - b.start);

/** What a mark is called: its name, else its number by time. */
export const markTitle = (mark: Mark, marks: readonly Mark[]): string =>
  mark.name || `mark ${byTime(marks).indexOf(mark) + 1}`;

export function sameSlice(a: SliceRef | null, b: SliceRef | null): boolean {
  return a === b || (a !== null && b !== null && a.track === b.track && a.slice === b.slice);
}

export function rangeOf(slice: { start: number; duration: number }): Range {
  return { start: slice.start, end: slice.start + slice.duration };
}

/** The area between two moments, whole ns inside the session, never empty. */
export function areaBetween(a: number, b: number, span: number, tracks: readonly number[] | null): Area {
  const start = Math.min(Math.max(Math.floor(Math.min(a, b)), 0), Math.max(span - 1, 0));
  const end = Math.max(Math.min(Math.ceil(Math.max(a, b)), Math.max(span, 1)), start + 1);
  return { start, end, tracks };
}
