// What all tracks have in common while one picture is drawn.
import type { TileStore } from "../api/tile_store";
import type { Viewport } from "../model/viewport";
import type { ColourMode, Palette } from "./colours";
import { levelFor, pixelBuckets, type PixelBuckets } from "./raster";
import type { Labels } from "./text";

/** Colours of the page as pixels. */
export interface PageColours {
  paper: number;
  band: number;
  grid: number;
  compute: number;
  communication: number;
  memory: number;
  counterArea: number;
  counterLine: number;
}

export const CAUSE = 0x10000;

export class Frame {
  readonly level: number;
  /** 1 for colours that were used: kind and class, or the cause with CAUSE added. For the legend. */
  readonly seen = new Uint8Array(2 * CAUSE);
  #buckets = new Map<number, PixelBuckets>();

  constructor(
    readonly view: Viewport,
    readonly pixels: number,
    readonly ratio: number,
    readonly span: number,
    readonly tiles: TileStore,
    readonly palette: Palette,
    readonly mode: ColourMode,
    readonly page: PageColours,
    readonly labels: Labels,
    readonly gridStep: number,
    /** Whether a name is among those looked for; null while nothing is. */
    readonly wanted: ((name: number) => boolean) | null,
    /** CSS colour of names that are not looked for. */
    readonly dimText: string,
  ) {
    this.level = levelFor((view.end - view.start) / pixels);
  }

  buckets(level: number): PixelBuckets {
    let found = this.#buckets.get(level);
    if (!found) this.#buckets.set(level, (found = pixelBuckets(this.view, this.pixels, level)));
    return found;
  }

  /** In device pixels from the left edge, not rounded. */
  xOf(moment: number): number {
    return ((moment - this.view.start) / (this.view.end - this.view.start)) * this.pixels;
  }
}
