// The time axis as it is drawn: ticks at round moments (model/axis.ts) with their labels.
import { ticksOf, type TimeAxis } from "../model/axis";
import { timeStep, width, type Viewport } from "../model/viewport";

/** The step of the ruler and of the grid: labels are at least this many CSS pixels apart. */
const LABEL_EVERY = 110;

export function gridStepOf(view: Viewport, cssWidth: number): number {
  return timeStep((width(view) / Math.max(1, cssWidth)) * LABEL_EVERY);
}

export interface RulerColours {
  text: string;
  line: string;
  faint: string;
}

/** Draws the axis over the whole canvas. Returns what its labels count from, as text. */
export function drawRuler(
  context: CanvasRenderingContext2D,
  view: Viewport,
  axis: TimeAxis,
  ratio: number,
  colours: RulerColours,
): string {
  const { width: pixels, height } = context.canvas;
  const step = gridStepOf(view, pixels / ratio);
  const { baseText, ticks } = ticksOf(view, step, axis);
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
  return baseText;
}
