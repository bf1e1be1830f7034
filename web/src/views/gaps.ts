// The longest gaps of a device, from tiles of its idle track, or ops of a stream, from its own. Pure but for asking.
//
// A tile shows the longest slice of each bucket, so that a slice which covers a whole bucket is always shown, and gaps
// of a device do not overlap: every gap of at least two buckets is found. Shorter ones are left out.
import type { Client } from "../api/client";
import { BUCKETS, decodeSliceTile, HIGHEST_LEVEL, type SliceTile } from "../api/tiles";
import type { SliceRef } from "../model/selection";
import type { Range } from "../model/viewport";

export interface Gap extends SliceRef {
  /** Index into the causes of the session. */
  cause: number;
}

const TILES = 8;

/** The level on which a range is covered by about `tiles` tiles. */
export function levelOver(range: Range, tiles = TILES): number {
  const bucket = (range.end - range.start) / (tiles * BUCKETS);
  return Math.min(HIGHEST_LEVEL, Math.max(0, Math.ceil(Math.log2(Math.max(bucket, 1)))));
}

/** Gaps of the tiles that touch the range, each once, the longest first; those that are too short to be sure of all are
 * left out. */
export function gapsOf(tiles: readonly SliceTile[], track: number, range: Range, level: number): Gap[] {
  const found = new Map<number, Gap>();
  const least = level === 0 ? 0 : 2 * 2 ** level;
  for (const tile of tiles) {
    for (let i = 0; i < tile.slice.length; ++i) {
      const start = tile.start[i]!;
      const duration = tile.duration[i]!;
      if (duration < least || start >= range.end || start + duration <= range.start) continue;
      found.set(tile.slice[i]!, {
        track,
        slice: tile.slice[i]!,
        lane: 0,
        start,
        duration,
        cause: tile.colour[i]! & 255,
      });
    }
  }
  return [...found.values()].sort((a, b) => b.duration - a.duration || a.start - b.start);
}

export async function longestGaps(
  client: Pick<Client, "tile">,
  track: number,
  range: Range,
  signal?: AbortSignal,
): Promise<Gap[]> {
  const level = levelOver(range);
  const size = BUCKETS * 2 ** level;
  const indices: number[] = [];
  for (let index = Math.floor(range.start / size); index * size < range.end; ++index) indices.push(index);
  const tiles = await Promise.all(
    indices.map(async (index) => decodeSliceTile(await client.tile("tile", track, level, index, signal), level, index)),
  );
  return gapsOf(tiles, track, range, level);
}
