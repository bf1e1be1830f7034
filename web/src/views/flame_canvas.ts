// Draws a flame graph: a canvas as large as what is seen of it, that stands still while the place it is in scrolls.
import type { FlameGraph } from "../api/protocol";
import { SLICE_TEXT } from "../timeline/colours";
import { hatch } from "../timeline/hatch";
import { labelOf, TextMeasure, type Label } from "../timeline/text";
import { nameText } from "./view";
import { frameAt, type FlameLayout, type Frame } from "./flame_layout";

export const ROW = 20; // CSS pixels
const LEAST = 0.4; // narrower frames are not drawn
const TEXT_FROM = 22; // narrower frames have no name
const PADDING = 5;
const EMPTY = 0.25; // how strongly the part of a frame is drawn that no run has

/** Shares of a frame's width; `both` is never more than `any`. */
export interface FrameShares {
  both: number;
  any: number;
}

export interface FlamePicture {
  graph: FlameGraph;
  layout: FlameLayout;
  /** The first row at the bottom, the others above it. */
  upwards: boolean;
  colour: (node: number) => string;
  /** Where a frame is of two runs, how much of its width both have, and how much one of them has; all, where it is of
   * one run. */
  shares?: (node: number) => FrameShares;
  /** Whether a name is among those looked for; null: nothing is looked for. */
  matches: ((name: number) => boolean) | null;
  /** The frame with the cursor, and the one under the pointer. */
  cursor: number;
  hover: number;
  ink: string;
  paper: string;
}

export class FlameCanvas {
  #context: CanvasRenderingContext2D;
  #measure: TextMeasure;
  #font: string;
  #width = 1;
  #height = 1;
  #labels = new Map<string, Label>();

  constructor(readonly canvas: HTMLCanvasElement) {
    this.#context = canvas.getContext("2d")!;
    this.#font = `12px ${getComputedStyle(document.body).fontFamily}`;
    this.#measure = new TextMeasure(this.#context, this.#font);
  }

  /** In CSS pixels. */
  resize(width: number, height: number): void {
    const ratio = window.devicePixelRatio || 1;
    this.#width = width;
    this.#height = height;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** `scroll`: how far the place is scrolled. */
  draw(picture: FlamePicture, scroll: number): void {
    const context = this.#context;
    context.fillStyle = picture.paper;
    context.fillRect(0, 0, this.#width, this.#height);
    context.font = this.#font;
    context.textBaseline = "middle";
    const count = picture.layout.rows.length;
    picture.layout.rows.forEach((frames, row) => {
      const y = this.rowTop(picture, row, count) - scroll;
      if (y + ROW < 0 || y > this.#height) return;
      let drawnTo = -1; // of frames that are less than a pixel, one a pixel is drawn
      for (const frame of frames) {
        const left = frame.left * this.#width;
        const width = (frame.right - frame.left) * this.#width;
        if (width < LEAST && left + width < drawnTo) continue;
        this.#frame(picture, frame, left, Math.max(width - 1, LEAST), y);
        drawnTo = Math.floor(left + width) + 1;
      }
    });
  }

  rowTop(picture: { upwards: boolean }, row: number, count: number): number {
    return (picture.upwards ? Math.max(count, Math.floor(this.#height / ROW)) - 1 - row : row) * ROW;
  }

  /** The frame at a point of the canvas, CSS pixels. */
  at(picture: FlamePicture, x: number, y: number, scroll: number): Frame | null {
    const count = picture.layout.rows.length;
    const line = Math.floor((y + scroll) / ROW);
    const row = picture.upwards ? Math.max(count, Math.floor(this.#height / ROW)) - 1 - line : line;
    return frameAt(picture.layout, row, x / this.#width);
  }

  #frame(picture: FlamePicture, { node }: Frame, left: number, width: number, y: number): void {
    const context = this.#context;
    const name = picture.graph.nodes.name[node]!;
    const dim = picture.matches !== null && !picture.matches(name);
    const { both, any } = picture.shares?.(node) ?? { both: 1, any: 1 };
    context.fillStyle = picture.colour(node);
    if (any < 1) {
      context.globalAlpha = EMPTY;
      context.fillRect(left, y, width, ROW - 1);
    }
    context.globalAlpha = dim ? 0.28 : 1;
    context.fillRect(left, y, any * width, ROW - 1);
    if (both < any) hatch(context, left + both * width, y, (any - both) * width, ROW - 1, SLICE_TEXT);
    context.globalAlpha = 1;
    if (node === picture.hover || node === picture.cursor) {
      context.strokeStyle = picture.ink;
      context.lineWidth = node === picture.cursor ? 2 : 1;
      const inset = context.lineWidth / 2;
      context.strokeRect(left + inset, y + inset, Math.max(width - 2 * inset, 0.5), ROW - 1 - 2 * inset);
    }
    if (width < TEXT_FROM) return;
    const label = this.#label(picture.graph.names[name] ?? "", picture.graph.short[name]);
    const room = width - 2 * PADDING;
    const text = this.#measure.fitting(label.forms, room);
    context.fillStyle = dim ? picture.ink : SLICE_TEXT;
    context.globalAlpha = dim ? 0.5 : 1;
    context.fillText(text, left + PADDING, y + (ROW - 1) / 2 + 0.5);
    context.globalAlpha = 1;
  }

  #label(name: string, short: string | null | undefined): Label {
    let label = this.#labels.get(name);
    if (!label) this.#labels.set(name, (label = labelOf(nameText(name, 256), short)));
    return label;
  }
}
