// The rule of the raster (docs/viewer-protocol.md): which slice a pixel shows. Pure, and the same for every screen.
//
// A window of W pixels is drawn from tiles whose buckets are at most half a pixel wide. The edges of the pixels are
// moved to the nearest edge of a bucket; a pixel shows the longest slice, the earliest at equal length, of those that
// intersect the time between its edges. Where a bucket is wider than a pixel (1 ns buckets at the closest zoom, or
// coarser tiles that stand in for missing ones) a pixel shows the bucket that its middle lies in.
//
// O(pixels + entries) a lane.
import { BUCKETS, HIGHEST_LEVEL, type SliceTile } from "../api/tiles";
import type { Viewport } from "../model/viewport";

/** The highest level whose buckets are at most half a pixel wide; 0 where there is none. */
export function levelFor(nsPerPixel: number): number {
  if (!(nsPerPixel >= 2)) return 0;
  return Math.min(HIGHEST_LEVEL, Math.floor(Math.log2(nsPerPixel / 2) + 1e-12));
}

/** The buckets of a level that each pixel of a window shows: from[p] .. to[p], half-open, in buckets since 0. */
export interface PixelBuckets {
  readonly level: number;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

export function pixelBuckets(view: Viewport, pixels: number, level: number): PixelBuckets {
  const bucket = 2 ** level;
  const perPixel = (view.end - view.start) / pixels;
  const from = new Float64Array(pixels);
  const to = new Float64Array(pixels);
  if (bucket > perPixel) {
    for (let p = 0; p < pixels; ++p) {
      from[p] = Math.floor((view.start + (p + 0.5) * perPixel) / bucket);
      to[p] = from[p]! + 1;
    }
    return { level, from, to };
  }
  let edge = Math.floor(view.start / bucket + 0.5);
  for (let p = 0; p < pixels; ++p) {
    from[p] = edge;
    edge = Math.floor((view.start + (p + 1) * perPixel) / bucket + 0.5);
    to[p] = edge;
  }
  return { level, from, to };
}

/** What each pixel of one lane shows. slice -1: nothing. */
export class LaneRaster {
  readonly slice: Float64Array; // u32 or -1
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly name: Uint32Array;
  readonly colour: Uint16Array;

  constructor(readonly pixels: number) {
    this.slice = new Float64Array(pixels).fill(-1);
    this.start = new Float64Array(pixels);
    this.duration = new Float64Array(pixels);
    this.name = new Uint32Array(pixels);
    this.colour = new Uint16Array(pixels);
  }

  clear(): void {
    this.slice.fill(-1);
  }

  /**
   * Adds what a tile has of the lane. firstPixel and lastPixel (half-open) limit it, for tiles that stand in for
   * others. Tiles may come in any order.
   */
  add(tile: SliceTile, lane: number, buckets: PixelBuckets, firstPixel = 0, lastPixel = this.pixels): void {
    if (lane >= tile.lanes) return;
    const base = tile.index * BUCKETS;
    const { from, to } = buckets;
    const { slice, start, duration, name, colour } = this;
    const { from: entryFrom, to: entryTo, start: entryStart, duration: entryDuration } = tile;
    let pixel = firstPixel;
    const end = tile.laneBegin[lane + 1]!;
    for (let i = tile.laneBegin[lane]!; i < end; ++i) {
      const first = base + entryFrom[i]!;
      const last = base + entryTo[i]!;
      while (pixel < lastPixel && to[pixel]! <= first) ++pixel;
      if (pixel >= lastPixel) return;
      const long = entryDuration[i]!;
      const begin = entryStart[i]!;
      for (let p = pixel; p < lastPixel && from[p]! < last; ++p) {
        if (slice[p]! >= 0) {
          const longest = duration[p]!;
          if (long < longest || (long === longest && begin >= start[p]!)) continue;
        }
        slice[p] = tile.slice[i]!;
        start[p] = begin;
        duration[p] = long;
        name[p] = tile.name[i]!;
        colour[p] = tile.colour[i]!;
      }
    }
  }
}
