// The time axis: round steps, and where they would be long numbers, offsets from a moment that is written at the left.
import { moment } from "../model/format";
import { timeStep, width, type Viewport } from "../model/viewport";

/** The step of the ruler and of the grid: labels stand at least this many CSS pixels apart. */
const LABEL_EVERY = 110;

export function gridStepOf(view: Viewport, cssWidth: number): number {
  return timeStep((width(view) / Math.max(1, cssWidth)) * LABEL_EVERY);
}

/** What labels count from: 0, or a round moment before the window where labels from 0 would have too many digits. */
export function baseOf(view: Viewport, step: number): number {
  const farthest = Math.max(Math.abs(view.start), Math.abs(view.end));
  if (farthest < step * 1e5) return 0;
  const round = timeStep(width(view) * 4);
  return Math.max(0, Math.floor(view.start / round) * round);
}

export interface Tick {
  moment: number;
  label: string;
}

export function ticksOf(view: Viewport, step: number): { base: number; ticks: Tick[] } {
  const base = baseOf(view, step);
  const ticks: Tick[] = [];
  for (let i = Math.ceil((view.start - base) / step); base + i * step <= view.end; ++i) {
    const offset = i * step;
    const label = offset === 0 ? (base ? "+0" : "0") : `${base && offset > 0 ? "+" : ""}${moment(offset, step)}`;
    ticks.push({ moment: base + offset, label });
  }
  return { base, ticks };
}

export interface RulerColours {
  text: string;
  line: string;
  faint: string;
}

/** Draws the axis over the whole canvas. Returns what its labels count from. */
export function drawRuler(
  context: CanvasRenderingContext2D,
  view: Viewport,
  ratio: number,
  colours: RulerColours,
): number {
  const { width: pixels, height } = context.canvas;
  const step = gridStepOf(view, pixels / ratio);
  const { base, ticks } = ticksOf(view, step);
  const xOf = (time: number) => ((time - view.start) / width(view)) * pixels;
  context.clearRect(0, 0, pixels, height);
  context.font = `${11 * ratio}px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
  context.textBaseline = "middle";
  const parts = 5;
  for (const tick of ticks) {
    const x = Math.round(xOf(tick.moment));
    context.fillStyle = colours.line;
    context.fillRect(x, height * 0.45, 1, height);
    context.fillStyle = colours.faint;
    for (let i = 1; i < parts; ++i)
      context.fillRect(Math.round(xOf(tick.moment + (step * i) / parts)), height * 0.8, 1, height);
    const at = x + 4 * ratio;
    if (at + context.measureText(tick.label).width > pixels) continue; // no part of a label says another number
    context.fillStyle = colours.text;
    context.fillText(tick.label, at, height * 0.5);
  }
  return base;
}
