// Counter tracks: the values that hold within each pixel, as an area of steps.
import { BUCKETS, type CounterTile } from "../api/tiles";
import type { PixelBuckets } from "./raster";

/** By pixel; NaN where there is no value yet. `last`: the value at the end of the pixel. */
export interface CounterRaster {
  readonly minimum: Float64Array;
  readonly maximum: Float64Array;
  readonly last: Float64Array;
}

export function newCounterRaster(pixels: number): CounterRaster {
  const empty = () => new Float64Array(pixels).fill(NaN);
  return { minimum: empty(), maximum: empty(), last: empty() };
}

/** Adds tiles in order of time: a value holds until the next sample. */
export function addCounter(
  raster: CounterRaster,
  tile: CounterTile,
  buckets: PixelBuckets,
  firstPixel = 0,
  lastPixel = raster.last.length,
): void {
  const base = tile.index * BUCKETS;
  const end = base + BUCKETS;
  let entry = 0;
  let held = NaN;
  for (let p = firstPixel; p < lastPixel; ++p) {
    const from = buckets.from[p]!;
    const to = buckets.to[p]!;
    if (to <= base) continue;
    if (from >= end) return;
    while (entry < tile.bucket.length && base + tile.bucket[entry]! < from) held = tile.last[entry++]!;
    let minimum = held;
    let maximum = held;
    // The first sample of a bucket says what held before it, too; a value from before the bucket is not shown twice.
    if (entry < tile.bucket.length && base + tile.bucket[entry]! === Math.max(from, base)) minimum = maximum = NaN;
    while (entry < tile.bucket.length && base + tile.bucket[entry]! < to) {
      minimum = least(minimum, tile.minimum[entry]!);
      maximum = most(maximum, tile.maximum[entry]!);
      held = tile.last[entry++]!;
    }
    if (Number.isNaN(held)) continue;
    raster.minimum[p] = least(raster.minimum[p]!, minimum);
    raster.maximum[p] = most(raster.maximum[p]!, maximum);
    raster.last[p] = held;
  }
}

const least = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b));
const most = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b));

export interface CounterRange {
  low: number;
  high: number;
}

/** The least and the greatest value in sight; null where there is none. */
export function valuesInSight(raster: CounterRaster): CounterRange | null {
  const low = raster.minimum.reduce(least, NaN);
  return Number.isNaN(low) ? null : { low, high: raster.maximum.reduce(most, NaN) };
}

/** The values between which the track is drawn: those in sight, on demand with 0. A constant is above 0. */
export function counterScale(raster: CounterRaster, fromZero: boolean): CounterRange {
  const { low, high } = valuesInSight(raster) ?? { low: 0, high: 1 };
  if (!fromZero && high > low) return { low, high };
  const wide = { low: Math.min(0, low), high: Math.max(0, high) };
  return wide.high > wide.low ? wide : { low: 0, high: 1 };
}

export interface CounterColours {
  area: number;
  line: number;
}

/** The area under the least value, and a line from the least to the greatest. */
export function paintCounter(
  pixels: Uint32Array,
  stride: number,
  rows: number,
  raster: CounterRaster,
  top: number,
  height: number,
  colours: CounterColours,
  { low, high }: CounterRange,
): void {
  const row = (value: number) => top + Math.round((1 - (value - low) / (high - low)) * (height - 1));
  const zero = row(Math.min(Math.max(0, low), high));
  let before = NaN;
  for (let p = 0; p < raster.last.length; ++p) {
    if (Number.isNaN(raster.maximum[p]!)) continue;
    const lineTop = row(most(raster.maximum[p]!, before));
    const lineBottom = row(least(raster.minimum[p]!, before));
    before = raster.last[p]!;
    const from = Math.min(lineTop, zero);
    const to = Math.max(lineBottom, zero);
    for (let y = Math.max(0, from); y <= to && y < rows; ++y) {
      pixels[y * stride + p] = y >= lineTop && y <= lineBottom ? colours.line : colours.area;
    }
  }
}
