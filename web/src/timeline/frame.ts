// What all tracks have in common while one picture is drawn.
import type { TileStore } from "../api/tile_store";
import type { Viewport } from "../model/viewport";
import { ACTIVITY_PARTS, type ActivityRaster } from "./activity";
import type { ColourMode, Palette } from "./colours";
import { levelFor, pixelBuckets, type PixelBuckets } from "./raster";
import type { SearchHits } from "./search_hits";
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

/** Beside the colours of slices in Frame.seen: causes, and by ACTIVITY_PARTS, what a device's activity consists of. */
export const CAUSE = 0x10000;
export const ACTIVITY = 0x20000;

/** Another run that is drawn in the lower half of each lane. */
export interface FrameUnder {
  readonly frame: Frame;
  readonly trackOf: ReadonlyMap<number, number>;
}

export class Frame {
  readonly level: number;
  /** 1 for colours that were used: kind and class, a cause with CAUSE added, a part of activity with ACTIVITY added. */
  readonly seen = new Uint8Array(ACTIVITY + ACTIVITY_PARTS.length);
  /** By track, of those of kind busy; see activityOf. */
  readonly activities = new Map<number, ActivityRaster>();
  #buckets = new Map<number, PixelBuckets>();

  constructor(
    readonly view: Viewport,
    readonly pixels: number,
    readonly ratio: number,
    readonly span: number,
    readonly tiles: TileStore,
    readonly palette: Palette,
    readonly mode: ColourMode,
    readonly changes: ReadonlyMap<number, number | null> | undefined,
    readonly page: PageColours,
    readonly labels: Labels,
    readonly gridStep: number,
    /** A moment through which a line of the grid goes. */
    readonly gridOrigin: number,
    /** Counters are drawn with 0 among their values. */
    readonly countersFromZero: boolean,
    /** What is looked for; null while nothing is. */
    readonly hits: SearchHits | null,
    /** CSS colour of names that are not looked for. */
    readonly dimText: string,
    /** By the id of a track that means coverage: the one with its device's activity. */
    readonly busyBeside: ReadonlyMap<number, number>,
    readonly under: FrameUnder | null = null,
  ) {
    this.level = levelFor((view.end - view.start) / pixels);
  }

  buckets(level: number): PixelBuckets {
    let found = this.#buckets.get(level);
    if (!found) this.#buckets.set(level, (found = pixelBuckets(this.view, this.pixels, level)));
    return found;
  }

  seeActivity(raster: ActivityRaster): void {
    ACTIVITY_PARTS.forEach((part, i) => {
      if (raster[part].some((share) => share > 0)) this.seen[ACTIVITY + i] = 1;
    });
  }

  /** In device pixels from the left edge, not rounded. */
  xOf(moment: number): number {
    return ((moment - this.view.start) / (this.view.end - this.view.start)) * this.pixels;
  }
}
