// The lane of what keeps a device busy: shares of compute, communication and copies, one on the other.
import { BUCKETS, type ActivityTile } from "../api/tiles";
import type { PixelBuckets } from "./raster";

/** From the bottom. */
export const ACTIVITY_PARTS = ["compute", "communication", "memory"] as const;

/** Shares by pixel, each 0 to 1. */
export interface ActivityRaster {
  /** How much of the pixel's time the tiles so far are about. */
  readonly known: Float32Array;
  readonly compute: Float32Array;
  readonly communication: Float32Array;
  readonly memory: Float32Array;
}

export const newActivityRaster = (pixels: number): ActivityRaster => ({
  known: new Float32Array(pixels),
  compute: new Float32Array(pixels),
  communication: new Float32Array(pixels),
  memory: new Float32Array(pixels),
});

/** The mean of the buckets that a pixel shows and the tile has, weighted so that tiles add up. */
export function addActivity(
  raster: ActivityRaster,
  tile: ActivityTile,
  buckets: PixelBuckets,
  firstPixel = 0,
  lastPixel = raster.compute.length,
): void {
  const base = tile.index * BUCKETS;
  for (let p = firstPixel; p < lastPixel; ++p) {
    const from = buckets.from[p]!;
    const to = buckets.to[p]!;
    const first = Math.max(from, base) - base;
    const last = Math.min(to, base + BUCKETS) - base;
    if (last <= first) {
      if (from >= base + BUCKETS) return;
      continue;
    }
    const weight = 1 / (to - from);
    raster.known[p]! += (last - first) * weight;
    for (let bucket = first; bucket < last; ++bucket) {
      raster.compute[p]! += tile.compute[bucket]! * weight;
      raster.communication[p]! += tile.communication[bucket]! * weight;
      raster.memory[p]! += tile.memory[bucket]! * weight;
    }
  }
}

/** How high a share is; something that was there is never less than one row. */
export function rowsOf(share: number, height: number): number {
  return share <= 0 ? 0 : Math.max(1, Math.round(Math.min(share, 1) * height));
}

export interface ActivityColours {
  compute: number;
  communication: number;
  memory: number;
}

/** Stacks the shares, compute at the bottom, into rows top .. top + height of a picture; what is above stays. */
export function paintActivity(
  pixels: Uint32Array,
  stride: number,
  rows: number,
  raster: ActivityRaster,
  top: number,
  height: number,
  colours: ActivityColours,
): void {
  const bottom = top + height;
  for (let p = 0; p < raster.compute.length; ++p) {
    const compute = raster.compute[p]!;
    const communication = compute + raster.communication[p]!;
    const memory = communication + raster.memory[p]!;
    if (memory <= 0) continue;
    const [a, b, c] = [rowsOf(compute, height), rowsOf(communication, height), rowsOf(memory, height)];
    for (let row = 0; row < c; ++row) {
      const y = bottom - 1 - row;
      if (y < 0 || y >= rows) continue;
      pixels[y * stride + p] = row < a ? colours.compute : row < b ? colours.communication : colours.memory;
    }
  }
}
