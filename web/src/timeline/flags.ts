// Flags on the time axis: where one is set, and which one is at a place.
import { rangeOf, sameSlice, type Mark, type SliceRef } from "../model/selection";
import { width } from "../model/viewport";
import type { TimelineSource } from "./source";

const MARK_REACH = 3; // CSS pixels beside a flag that are the flag
const FLAG_REACH = 8; // CSS pixels that a flag is wide

/**
 * Flags the moment under the pointer; the selected slice, where the pointer is on it (`pointed`) or away from the tracks,
 * and there also the area. The same flag again takes it away. `css`: width of the timeline.
 */
export function toggleMark(source: TimelineSource, pointed: SliceRef | null, moment: number, css: number): void {
  const { marks } = source;
  const slice = source.selection.get();
  const cursor = source.cursor.get();
  const onSlice = slice && (cursor === null || sameSlice(slice, pointed));
  const range = onSlice ? rangeOf(slice) : cursor === null ? source.area.get() : null;
  const times = range ? { start: range.start, end: range.end } : { start: Math.round(moment), end: null };
  const mark: Mark = { ...times, name: "", note: "" };
  const reach = (width(source.viewport.get()) / css) * MARK_REACH;
  const same = (other: Mark) =>
    other.end === mark.end &&
    (mark.end === null ? Math.abs(other.start - mark.start) <= reach : other.start === mark.start);
  const others = marks.get().filter((other) => !same(other));
  marks.set(others.length < marks.get().length ? others : [...others, mark]);
}

/** The flag that is at a moment of the ruler. */
export function flagAt(source: TimelineSource, moment: number, css: number): Mark | undefined {
  const reach = (width(source.viewport.get()) / css) * FLAG_REACH;
  return source.marks.get().find(({ start }) => moment >= start - reach / 4 && moment <= start + reach);
}
