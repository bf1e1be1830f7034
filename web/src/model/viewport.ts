// The part of the time axis that is on the screen. All functions are pure. Times are ns and may be fractions of one.

export interface Range {
  readonly start: number;
  readonly end: number;
}

export type Viewport = Range;

/** Where a window may lie: in a session of this length, or at these times. */
export type Bounds = number | Range;

const rangeIn = (bounds: Bounds): Range => (typeof bounds === "number" ? { start: 0, end: bounds } : bounds);

/** The closest zoom: a window of this many ns. */
export const NARROWEST = 16;
/** What may be seen beyond either end of the session, as a share of the window. */
const BEYOND = 0.02;

export const width = (range: Range): number => range.end - range.start;

export function sameRange(a: Range | null, b: Range | null): boolean {
  return a === b || (a !== null && b !== null && a.start === b.start && a.end === b.end);
}

/** The window that shows all of it. */
export function everything(bounds: Bounds): Viewport {
  const { start, end } = rangeIn(bounds);
  const whole = Math.max(end - start, NARROWEST);
  return { start: start - whole * BEYOND, end: start + whole * (1 + BEYOND) };
}

/** What a first picture shows: the whole, or where the slices are. */
export function firstView(session: { span: number; first_window: Range | null }): Viewport {
  return session.first_window ? fit(session.first_window, session.span, BEYOND) : everything(session.span);
}

/** The nearest window to this one that is neither too narrow, nor too wide, nor beside the bounds. */
export function clamp(view: Viewport, bounds: Bounds): Viewport {
  const whole = everything(bounds);
  const { start: first, end: last } = rangeIn(bounds);
  const size = Math.min(Math.max(width(view), NARROWEST), width(whole));
  const middle = (view.start + view.end) / 2;
  const low = Math.max(first - size * BEYOND, whole.start);
  const high = Math.max(low, Math.min(last + size * BEYOND, whole.end) - size);
  const start = Math.min(Math.max(middle - size / 2, low), high);
  return { start, end: start + size };
}

/** Zooms so that the moment stays where it is on the screen. factor > 1 shows more time. */
export function zoomAt(view: Viewport, moment: number, factor: number, bounds: Bounds): Viewport {
  const limit = width(everything(bounds));
  const size = Math.min(Math.max(width(view) * factor, NARROWEST), limit);
  const share = (moment - view.start) / width(view);
  const start = moment - share * size;
  return clamp({ start, end: start + size }, bounds);
}

/** Moves by a share of the window; positive is later. */
export function panBy(view: Viewport, share: number, bounds: Bounds): Viewport {
  const by = share * width(view);
  return clamp({ start: view.start + by, end: view.end + by }, bounds);
}

/** The window that shows the range with some air on both sides. */
export function fit(range: Range, span: number, air = 0.1): Viewport {
  const pad = Math.max(width(range) * air, NARROWEST / 4);
  return clamp({ start: range.start - pad, end: range.end + pad }, span);
}

/** The window, of the same width, that shows the range; the same one where it does already. */
export function reveal(view: Viewport, range: Range, span: number): Viewport {
  if (range.end > view.start && range.start < view.end && width(range) > width(view) / 4) return view;
  const air = width(view) * 0.05;
  if (range.start >= view.start + air && range.end <= view.end - air) return view;
  if (width(range) > width(view) * 0.9) {
    const start = range.start - width(view) * 0.1;
    return clamp({ start, end: start + width(view) }, span);
  }
  const middle = (range.start + range.end) / 2;
  return clamp({ start: middle - width(view) / 2, end: middle + width(view) / 2 }, span);
}

/** A step of the ruler: 1, 2 or 5 times a power of ten, at least this many ns and never under one. */
export function niceStep(atLeast: number): number {
  if (atLeast <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(atLeast));
  for (const factor of [1, 2, 5]) if (factor * power >= atLeast * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

const SECOND = 1e9;
const DAY = 86400 * SECOND;
/** Steps above those of seconds, in seconds. */
const LONG_STEPS = [30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** A step of the axis of time: as niceStep, and where it is long, a round number of minutes, hours or days. */
export function timeStep(atLeast: number): number {
  if (atLeast <= 20 * SECOND) return niceStep(atLeast);
  const found = LONG_STEPS.find((seconds) => seconds * SECOND >= atLeast * (1 - 1e-9));
  return found ? found * SECOND : niceStep(atLeast / DAY) * DAY;
}
