// Paints a lane: from what each pixel shows (raster.ts) to a scanline of colours, and the runs to write names in.
import type { LaneRaster } from "./raster";

/** Neighbouring pixels that show the same slice. */
export interface Run {
  from: number;
  to: number;
}

/** Runs of at least this many pixels get an edge, so that neighbours of one colour can be told apart. */
const EDGE_FROM = 3;

export interface LaneColours {
  /** Of the slice that the pixel shows. */
  fill(raster: LaneRaster, pixel: number): number;
  /** The same, darker or lighter, for the first pixel of a slice. */
  edge(fill: number): number;
}

/**
 * Writes the colours into `line` where a slice is; the rest of the line stays. Calls `onRun` for every run of at least
 * `longEnough` pixels.
 */
export function paintLane(
  line: Uint32Array,
  raster: LaneRaster,
  colours: LaneColours,
  longEnough: number,
  onRun: (from: number, to: number) => void,
): void {
  const { slice, pixels } = raster;
  for (let p = 0; p < pixels;) {
    const shown = slice[p]!;
    let end = p + 1;
    while (end < pixels && slice[end] === shown) ++end;
    if (shown >= 0) {
      const fill = colours.fill(raster, p);
      line.fill(fill, p, end);
      if (end - p >= EDGE_FROM && p > 0) line[p] = colours.edge(fill);
      if (end - p >= longEnough) onRun(p, end);
    }
    p = end;
  }
}
