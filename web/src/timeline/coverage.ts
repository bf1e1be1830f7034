// Lanes that mean how much of the time something held: the gaps of a device, and exposed communication.
// Where many of their slices share a pixel, the longest says what it was, and how high it is, how much of the
// pixel's time such slices had. The shares are those of the device's activity tiles, so they are exact for a bucket.
import type { Coverage } from "../api/protocol";
import { rowsOf, type ActivityRaster } from "./activity";
import type { LaneRaster } from "./raster";

/** The share of a pixel's time; 0 where it is not known yet. */
export function coverageAt(coverage: Coverage, raster: ActivityRaster, pixel: number): number {
  const communication = raster.communication[pixel]!;
  if (coverage === "communication") return communication;
  return Math.max(0, raster.known[pixel]! - raster.compute[pixel]! - communication - raster.memory[pixel]!);
}

/**
 * How many rows of a lane of some height each pixel fills, into `rows`: at least one where there is a slice, none
 * where there is not.
 */
export function coverageRows(
  rows: Uint16Array,
  coverage: Coverage,
  lane: LaneRaster,
  activity: ActivityRaster,
  height: number,
): void {
  for (let p = 0; p < rows.length; ++p) {
    rows[p] = lane.slice[p]! < 0 ? 0 : Math.max(1, rowsOf(coverageAt(coverage, activity, p), height));
  }
}
