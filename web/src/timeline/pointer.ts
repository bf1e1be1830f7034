// Gestures: wheel, click, double click and drag over the tracks and in the ruler.
import { areaBetween } from "../model/selection";
import { panBy, zoomAt } from "../model/viewport";
import type { Hit, Pane } from "./pane";
import type { TimelineSource } from "./source";

/** What gestures need to know of the timeline that they are made in. */
export interface Stage {
  readonly source: TimelineSource;
  readonly panes: readonly Pane[];
  /** The moment at a place on the screen. */
  momentAt(clientX: number): number;
  hitAt(pane: Pane, event: PointerEvent | MouseEvent): Hit | null;
  click(pane: Pane, event: PointerEvent): void;
  zoomTo(hit: Hit): void;
  hover(pane: Pane | null, event: PointerEvent | null): void;
}

const CLICK_REACH = 4; // CSS pixels that a click may move
const WHEEL_ZOOM = 0.0018;
const WHEEL_LINE = 18;

export function wheel(stage: Stage, event: WheelEvent, cssWidth: number): void {
  const { viewport } = stage.source;
  const bounds = stage.source.bounds();
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : WHEEL_LINE;
  const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
  if (event.ctrlKey || event.metaKey) {
    const steps = Math.max(-240, Math.min(240, dy));
    viewport.update((view) => zoomAt(view, stage.momentAt(event.clientX), Math.exp(steps * WHEEL_ZOOM), bounds));
  } else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
    viewport.update((view) => panBy(view, (event.shiftKey && !dx ? dy : dx) / cssWidth, bounds));
  } else {
    return; // the pane scrolls by itself
  }
  event.preventDefault();
}

/** The pointer belongs to the target until it is let go. Keys are the timeline's again: no field keeps the focus. */
function beginGesture(target: HTMLElement, event: PointerEvent): void {
  target.setPointerCapture(event.pointerId);
  event.preventDefault();
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** The ids of the tracks between two heights on the screen. */
function tracksBetween(panes: readonly Pane[], a: number, b: number): number[] {
  const [top, bottom] = [Math.min(a, b), Math.max(a, b)];
  const ids = new Set<number>();
  for (const pane of panes) {
    const origin = pane.element.getBoundingClientRect().top - pane.scrollTop;
    for (const row of pane.visibleRows()) {
      if (row.kind === "track" && origin + row.top <= bottom && origin + row.top + row.height >= top)
        ids.add(row.track.id);
    }
  }
  return [...ids];
}

/** Follows the pointer from where it went down. `pane` null: in the ruler, the area is of all tracks. */
export function pointerDown(stage: Stage, pane: Pane | null, event: PointerEvent): void {
  if (event.button > 1) return;
  const target = event.currentTarget as HTMLElement;
  const pans = event.shiftKey || event.button === 1;
  const { source } = stage;
  const [startX, startY] = [event.clientX, event.clientY];
  const from = stage.momentAt(startX);
  let lastX = startX;
  let dragging = false;
  beginGesture(target, event);

  const areaAt = (now: PointerEvent) =>
    areaBetween(
      from,
      stage.momentAt(now.clientX),
      source.session.span,
      pane ? tracksBetween(stage.panes, startY, now.clientY) : null,
    );
  const move = (now: PointerEvent) => {
    if (!dragging && Math.hypot(now.clientX - startX, now.clientY - startY) < CLICK_REACH) return;
    dragging = true;
    if (pans) {
      const share = (lastX - now.clientX) / target.clientWidth;
      source.viewport.update((view) => panBy(view, share, source.bounds()));
      lastX = now.clientX;
    } else {
      source.area.set(areaAt(now));
    }
  };
  const end = (now: PointerEvent) => {
    target.removeEventListener("pointermove", move);
    target.removeEventListener("pointerup", end);
    target.removeEventListener("pointercancel", end);
    if (now.type !== "pointerup" || pans) return;
    if (dragging) source.navigate({ area: areaAt(now) });
    else if (pane) stage.click(pane, now);
    else source.navigate({ area: null });
  };
  target.addEventListener("pointermove", move);
  target.addEventListener("pointerup", end);
  target.addEventListener("pointercancel", end);
}

/** In the minimap: moves the window, or chooses one where the press was beside it. */
export function minimapDown(source: TimelineSource, event: PointerEvent, momentAt: (clientX: number) => number): void {
  if (event.button !== 0) return;
  const target = event.currentTarget as HTMLElement;
  const span = source.session.span;
  const from = momentAt(event.clientX);
  const before = source.viewport.get();
  const whole = before.end - before.start >= span * 0.95;
  const inside = from >= before.start && from <= before.end && !whole;
  beginGesture(target, event);
  let moved = false;
  const move = (now: PointerEvent) => {
    const at = momentAt(now.clientX);
    if (Math.abs(now.clientX - event.clientX) >= CLICK_REACH) moved = true;
    if (!moved) return;
    if (inside) {
      source.viewport.set(panBy(before, (at - from) / (before.end - before.start), span));
    } else {
      const { start, end } = areaBetween(from, at, span, null);
      source.viewport.set(zoomAt({ start, end }, (start + end) / 2, 1, span));
    }
  };
  const end = (now: PointerEvent) => {
    target.removeEventListener("pointermove", move);
    target.removeEventListener("pointerup", end);
    target.removeEventListener("pointercancel", end);
    if (moved || now.type !== "pointerup" || inside) return;
    const half = (before.end - before.start) / 2;
    source.viewport.set(panBy({ start: from - half, end: from + half }, 0, span));
  };
  target.addEventListener("pointermove", move);
  target.addEventListener("pointerup", end);
  target.addEventListener("pointercancel", end);
}
