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

export interface Point {
  x: number;
  y: number;
}

export interface FlowColours {
  launch: string;
  forward_backward: string;
  flow: string;
  halo: string;
}

/** An arrow from the end of one slice to the start of another. */
export function drawArrow(
  context: CanvasRenderingContext2D,
  from: Point,
  to: Point,
  colour: string,
  halo: string,
  ratio: number,
): void {
  const bend = Math.max(24 * ratio, Math.min(Math.abs(to.x - from.x) * 0.4, 160 * ratio));
  const line = () => {
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y);
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
  context.moveTo(to.x, to.y);
  context.lineTo(to.x - 7 * ratio, to.y - 4 * ratio);
  context.lineTo(to.x - 7 * ratio, to.y + 4 * ratio);
  context.fill();
}

/** Where an arrow leaves a slice: a launch leaves the call where it begins, anything else where the slice ends. */
export function leavingTime(kind: string, slice: SliceAt): number {
  return kind === "launch" ? slice.start : slice.start + slice.duration;
}
