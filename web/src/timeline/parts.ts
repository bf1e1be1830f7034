// What a track is drawn from: its tiles on the screen, and in place of those that are not here yet, what is.
import type { TileKind } from "../api/client";
import { tilesIn } from "../api/tile_store";
import { addActivity, newActivityRaster, type ActivityRaster } from "./activity";
import type { Frame } from "./frame";
import type { PixelBuckets } from "./raster";

/** A tile, how its buckets lie on the pixels, and the pixels that it may touch. */
export interface Part<T> {
  tile: T;
  buckets: PixelBuckets;
  first: number;
  last: number;
}

export function partsOf<K extends TileKind>(frame: Frame, kind: K, track: number) {
  const { first, last } = tilesIn(frame.view.start, frame.view.end, frame.span, frame.level);
  const parts: Part<NonNullable<ReturnType<typeof frame.tiles.want<K>>>>[] = [];
  const size = 1024 * 2 ** frame.level;
  for (let index = first; index <= last; ++index) {
    const tile = frame.tiles.want(kind, track, frame.level, index);
    if (tile) {
      parts.push({ tile, buckets: frame.buckets(frame.level), first: 0, last: frame.pixels });
      continue;
    }
    const from = Math.max(0, Math.round(frame.xOf(index * size)));
    const to = Math.min(frame.pixels, Math.round(frame.xOf((index + 1) * size)));
    for (const other of frame.tiles.instead(kind, track, frame.level, index)) {
      parts.push({ tile: other, buckets: frame.buckets(other.level), first: from, last: to });
    }
  }
  return parts;
}

/** Several lanes of a device are drawn from it. */
export function activityOf(frame: Frame, track: number): ActivityRaster {
  const known = frame.activities.get(track);
  if (known) return known;
  const raster = newActivityRaster(frame.pixels);
  frame.activities.set(track, raster);
  for (const part of partsOf(frame, "activity", track)) {
    addActivity(raster, part.tile, part.buckets, part.first, part.last);
  }
  return raster;
}
