// Arrows between slices that belong together: launch to kernel, forward to backward, waits.
import type { Client } from "../api/client";
import type { Flow, SliceAt } from "../api/protocol";
import type { SliceRef } from "../model/selection";
import type { Readable } from "../model/store";

/** The arrows of the selected slice, as soon as they have come. */
export class SelectedFlows {
  flows: readonly Flow[] = [];
  #stop: AbortController | null = null;

  constructor(
    private readonly client: Client,
    private readonly onChange: () => void,
  ) {}

  follow(selection: Readable<SliceRef | null>): () => void {
    const update = (slice: SliceRef | null) => void this.#load(slice);
    update(selection.get());
    return selection.subscribe(update);
  }

  async #load(slice: SliceRef | null): Promise<void> {
    this.#stop?.abort();
    const stop = (this.#stop = new AbortController());
    this.flows = [];
    this.onChange();
    if (!slice) return;
    try {
      const flows = await this.client.flows(slice.track, slice.slice, stop.signal);
      if (stop.signal.aborted) return;
      this.flows = flows;
      this.onChange();
    } catch {
      // No arrows then; the details say what is linked to what.
    }
  }
}

/** The place of a slice on the screen, between two heights. */
export interface Stand {
  x: number;
  top: number;
  bottom: number;
}

const BEND = 24; // of an arrow in a row
const FARTHEST_BEND = 120;

/**
 * An arrow from one slice to another. It leaves and arrives upright, at the edges that face each other, so that it lies
 * over the names of neither; between slices of one row it goes over them.
 */
export function drawArrow(
  context: CanvasRenderingContext2D,
  from: Stand,
  to: Stand,
  colour: string,
  halo: string,
  ratio: number,
): void {
  const down = to.top >= from.bottom;
  const up = to.bottom <= from.top;
  const begin = { x: from.x, y: down ? from.bottom : from.top };
  const end = { x: to.x, y: up ? to.bottom : to.top };
  const bend = ratio * (down || up ? Math.min(Math.abs(end.y - begin.y) / ratio / 2, FARTHEST_BEND) : BEND);
  const leaves = down ? 1 : -1;
  const arrives = up ? 1 : -1; // from this side
  const line = () => {
    context.beginPath();
    context.moveTo(begin.x, begin.y);
    context.bezierCurveTo(begin.x, begin.y + leaves * bend, end.x, end.y + arrives * bend, end.x, end.y);
    context.stroke();
  };
  context.lineWidth = 3.5 * ratio;
  context.strokeStyle = halo;
  line();
  context.lineWidth = 1.5 * ratio;
  context.strokeStyle = colour;
  line();
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(end.x, end.y);
  context.lineTo(end.x - 4 * ratio, end.y + arrives * 7 * ratio);
  context.lineTo(end.x + 4 * ratio, end.y + arrives * 7 * ratio);
  context.fill();
}

/** Where an arrow reaches a slice: a wait where it ends, anything else where it begins. */
export function arrivingTime(kind: string, slice: SliceAt): number {
  return kind === "wait" ? slice.start + slice.duration : slice.start;
}

/** Where an arrow leaves a slice: a launch leaves the call where it begins, anything else where the slice ends. */
export function leavingTime(kind: string, slice: SliceAt): number {
  return kind === "launch" ? slice.start : slice.start + slice.duration;
}
