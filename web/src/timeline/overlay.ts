// What lies over the tracks and changes with the pointer and the selection: the area, the cursor, marks, the outline of
// the selected slice and its arrows. Drawn on a canvas of its own, so that the tracks need not be drawn again.
import type { SliceAt } from "../api/protocol";
import { duration, oneLine } from "../model/format";
import type { Area, Mark, SliceRef } from "../model/selection";
import { width, type Viewport } from "../model/viewport";
import { arrivingTime, drawArrow, leavingTime, type SelectedFlows, type Stand } from "./flows";
import type { LanePart, Pane } from "./pane";

export interface OverlayColours {
  accent: string;
  wash: string;
  ink: string;
  soft: string;
  mark: string;
  paper: string;
  launch: string;
  forward_backward: string;
  wait: string;
}

const COLOUR_OF_FLOW: Record<string, "forward_backward" | "wait"> = {
  forward_backward: "forward_backward",
  wait: "wait",
  held: "wait",
  event: "wait",
};

export interface OverlayState {
  view: Viewport;
  ratio: number;
  area: Area | null;
  cursor: number | null;
  /** In the order of time. */
  marks: readonly Mark[];
  selected: SliceRef | null;
  /** Of another run in the same rows: what is selected there, on the track of this run, and the part of its axis. */
  under: { view: Viewport; selected: SliceRef | null } | null;
  flows: SelectedFlows;
  colours: OverlayColours;
  /** CSS pixels: height of the ruler, which is the top of the first pane. */
  rulerHeight: number;
}

interface Box {
  top: number;
  bottom: number;
}

/** A pane and where it is below the top of the overlay, CSS pixels. */
export interface PlacedPane {
  pane: Pane;
  top: number;
}

export function drawOverlay(
  context: CanvasRenderingContext2D,
  panes: readonly PlacedPane[],
  state: OverlayState,
): void {
  const { canvas } = context;
  const { view, ratio, colours } = state;
  const xOf = (time: number) => ((time - view.start) / width(view)) * canvas.width;
  context.clearRect(0, 0, canvas.width, canvas.height);

  if (state.area) drawArea(context, panes, state, state.area, xOf);
  for (const mark of state.marks) drawMark(context, state, mark, xOf);
  drawMarkTexts(context, state, xOf);
  if (state.cursor !== null) {
    context.fillStyle = colours.soft;
    context.globalAlpha = 0.55;
    context.fillRect(Math.round(xOf(state.cursor)), 0, Math.max(1, Math.round(ratio)), canvas.height);
    context.globalAlpha = 1;
  }
  if (state.selected) {
    for (const flow of state.flows.flows) {
      const from = standOf(panes, state, flow.from, leavingTime(flow.kind, flow.from), xOf);
      const to = standOf(panes, state, flow.to, arrivingTime(flow.kind, flow.to), xOf);
      if (!from || !to || Math.max(from.x, to.x) < 0 || Math.min(from.x, to.x) > canvas.width) continue;
      const colour = colours[COLOUR_OF_FLOW[flow.kind] ?? "launch"];
      context.save();
      context.beginPath();
      context.rect(0, state.rulerHeight * ratio, canvas.width, canvas.height);
      context.clip();
      drawArrow(context, from, to, colour, colours.paper, ratio);
      context.restore();
    }
    drawSelected(context, panes, state, state.selected, state.under ? "upper" : "whole", xOf);
  }
  if (state.under?.selected) {
    const { view: theirs, selected } = state.under;
    const theirX = (time: number) => ((time - theirs.start) / width(theirs)) * canvas.width;
    drawSelected(context, panes, state, selected, "lower", theirX);
  }
}

function drawArea(
  context: CanvasRenderingContext2D,
  panes: readonly PlacedPane[],
  state: OverlayState,
  area: Area,
  xOf: (time: number) => number,
): void {
  const { colours, ratio } = state;
  const left = Math.max(-2, xOf(area.start));
  const right = Math.min(context.canvas.width + 2, xOf(area.end));
  if (right < 0 || left > context.canvas.width) return;
  const size = Math.max(1, right - left);
  context.fillStyle = colours.wash;
  context.fillRect(left, 0, size, state.rulerHeight * ratio);
  for (const { pane, top } of panes) {
    for (const row of pane.visibleRows()) {
      if (area.tracks && (row.kind !== "track" || !area.tracks.includes(row.track.id))) continue;
      const from = Math.max(0, row.top - pane.scrollTop);
      const to = Math.min(pane.height, row.top + row.height + (row.kind === "track" ? 4 : 0) - pane.scrollTop);
      if (to > from) context.fillRect(left, (top + from) * ratio, size, (to - from) * ratio);
    }
  }
  context.fillStyle = colours.accent;
  const line = Math.max(1, Math.round(ratio));
  context.fillRect(Math.round(left), 0, line, context.canvas.height);
  context.fillRect(Math.round(right) - line, 0, line, context.canvas.height);
}

function drawMark(
  context: CanvasRenderingContext2D,
  state: OverlayState,
  mark: Mark,
  xOf: (time: number) => number,
): void {
  const { ratio, colours } = state;
  context.fillStyle = colours.mark;
  const times = mark.end === null ? [mark.start] : [mark.start, mark.end];
  for (const time of times) {
    const x = Math.round(xOf(time));
    context.fillRect(x, 0, Math.max(1, Math.round(ratio)), context.canvas.height);
    context.beginPath();
    const out = time === mark.start ? 7 * ratio : -7 * ratio;
    context.moveTo(x, 0);
    context.lineTo(x + out, 4 * ratio);
    context.lineTo(x, 8 * ratio);
    context.fill();
  }
  if (mark.end !== null) context.fillRect(xOf(mark.start), 0, xOf(mark.end) - xOf(mark.start), 2 * ratio);
}

const MARK_TEXT = 11; // CSS pixels
const LEAST_BETWEEN = 24;

/** Below the ruler: what each mark is called, and the time from it to the next. */
function drawMarkTexts(
  context: CanvasRenderingContext2D,
  { marks, ratio, colours, rulerHeight }: OverlayState,
  xOf: (time: number) => number,
): void {
  const top = (rulerHeight + 2) * ratio;
  const height = (MARK_TEXT + 4) * ratio;
  const middle = top + height / 2;
  context.font = `${MARK_TEXT * ratio}px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
  context.textBaseline = "middle";
  const write = (text: string, x: number, size: number) => {
    context.globalAlpha = 0.88;
    context.fillStyle = colours.paper;
    context.fillRect(x, top, size, height);
    context.globalAlpha = 1;
    context.fillStyle = colours.mark;
    context.fillText(text, x + 3 * ratio, middle);
  };
  marks.forEach((mark, i) => {
    const next = marks[i + 1];
    const x = xOf(mark.start);
    const end = next ? xOf(next.start) : Infinity;
    if (x > context.canvas.width || end < 0) return;
    let left = Math.max(0, x + ratio);
    const room = end - left;
    const name = oneLine(mark.name);
    const size = context.measureText(name).width + 6 * ratio;
    if (name && x >= 0 && size <= room) {
      write(name, left, size);
      left += size;
    }
    if (!next) return;
    const text = duration(next.start - mark.start);
    const wide = context.measureText(text).width + 6 * ratio;
    const right = Math.min(end, context.canvas.width);
    if (right - left < wide + LEAST_BETWEEN * ratio) return;
    context.fillRect(left, Math.round(middle), right - left, Math.max(1, Math.round(ratio)));
    write(text, (left + right - wide) / 2, wide);
  });
}

/** Where a lane can be seen; at the edge of its pane if it is scrolled out; null if its track is not shown. */
function placeOf(panes: readonly PlacedPane[], track: number, lane: number): (Box & { seen: boolean }) | null {
  let hidden: (Box & { seen: boolean }) | null = null;
  for (const { pane, top } of panes) {
    const place = pane.placeOf(track, lane);
    if (!place) continue;
    const seen = place.top + place.height > 0 && place.top < pane.height;
    const clamped = Math.min(Math.max(place.top, -place.height), pane.height);
    const box = { top: top + clamped, bottom: top + clamped + place.height, seen };
    if (seen) return box;
    hidden = box;
  }
  return hidden;
}

function standOf(
  panes: readonly PlacedPane[],
  state: OverlayState,
  slice: SliceAt,
  time: number,
  xOf: (time: number) => number,
): Stand | null {
  const place = placeOf(panes, slice.track, slice.lane);
  return place && { x: xOf(time), top: place.top * state.ratio, bottom: place.bottom * state.ratio };
}

function drawSelected(
  context: CanvasRenderingContext2D,
  panes: readonly PlacedPane[],
  state: OverlayState,
  slice: SliceRef,
  part: LanePart,
  xOf: (time: number) => number,
): void {
  const { ratio } = state;
  const left = Math.max(-8, xOf(slice.start));
  const right = Math.min(context.canvas.width + 8, xOf(slice.start + slice.duration));
  if (right < 0 || left > context.canvas.width) return;
  for (const { pane, top } of panes) {
    const place = pane.placeOf(slice.track, slice.lane, part);
    if (!place || place.top + place.height < 0 || place.top > pane.height) continue;
    context.save();
    context.beginPath();
    context.rect(0, top * ratio, context.canvas.width, pane.height * ratio);
    context.clip();
    context.strokeStyle = state.colours.ink;
    context.lineWidth = 2 * ratio;
    const size = Math.max(right - left, 3 * ratio);
    context.strokeRect(left, (top + place.top) * ratio, size, place.height * ratio);
    context.restore();
  }
}
