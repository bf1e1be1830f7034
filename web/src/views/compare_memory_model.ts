// The counters of two runs over one axis. Pure.
import type { Track } from "../api/protocol";
import type { Range } from "../model/viewport";
import { newCounterRaster, type CounterRaster } from "../timeline/counters";

/** What is drawn in one chart: the counters of one name, of the same device in the order of the devices. */
export interface CounterPair {
  a: Track | null;
  b: Track | null;
}

/** Counters by the place of their group among those of their side, and by their names. */
export function counterPairs(a: readonly Track[], b: readonly Track[]): CounterPair[] {
  const pairs = new Map<string, CounterPair>();
  for (const [side, tracks] of [["a", a] as const, ["b", b] as const]) {
    const groups = [...new Set(tracks.map((track) => track.group.join(", ")))];
    for (const track of tracks) {
      const group = track.group.join(", ");
      const key = `${groups.indexOf(group)} ${track.name}`;
      pairs.set(key, { ...(pairs.get(key) ?? { a: null, b: null }), [side]: track });
    }
  }
  return [...pairs.values()];
}

/** Both groups, where they are called differently. */
export function titleOf({ a, b }: CounterPair): string {
  const groups = [a, b].flatMap((track) => (track ? [track.group.join(", ")] : []));
  return `${[...new Set(groups)].join(" \u2192 ")}: ${(a ?? b)!.name}`;
}

/** What a raster over `range` shows at the moments that `across` gives for the points of another range. */
export function resampled(
  raster: CounterRaster,
  range: Range,
  target: Range,
  across: (moment: number) => number,
): CounterRaster {
  const points = raster.last.length;
  const out = newCounterRaster(points);
  const pointAt = (moment: number) => ((moment - range.start) / (range.end - range.start)) * points;
  for (let p = 0; p < points; ++p) {
    const moment = (share: number) => target.start + share * (target.end - target.start);
    const from = Math.floor(pointAt(across(moment(p / points))));
    const to = Math.max(from + 1, Math.ceil(pointAt(across(moment((p + 1) / points)))));
    for (let i = Math.max(0, from); i < Math.min(points, to); ++i) {
      if (Number.isNaN(raster.last[i]!)) continue;
      out.last[p] = raster.last[i]!;
      out.minimum[p] = least(out.minimum[p]!, raster.minimum[i]!);
      out.maximum[p] = -least(-out.maximum[p]!, -raster.maximum[i]!);
    }
  }
  return out;
}

const least = (a: number, b: number): number => (Number.isNaN(a) ? b : Math.min(a, b));
