// Which track of one run is which of another one. Pure.
import type { Track } from "../api/protocol";

/** "GPU 0: NVIDIA H100" is the same device as "GPU 0: AMD Instinct MI300X", "python (17)" the same process as "python
 * (42)". */
const groupOf = (track: Track): string =>
  track.group.map((part) => part.replace(/:.*/, "").replace(/ \(\d+\)/g, "")).join("/");

const ON_DEVICE = new Set(["stream", "ranges"]);

/** What makes two tracks the same, what says more first: headings and name; headings without what differs from run to
 * run and name; those of one kind under such headings, in their order; those of one name, and of devices of one kind,
 * under any heading: the only device of a run may have another number in the other one. */
const KEYS: ((track: Track) => string | null)[] = [
  (track) => [track.kind, ...track.group, track.name].join("\n"),
  (track) => [track.kind, groupOf(track), track.name].join("\n"),
  (track) => [track.kind, groupOf(track)].join("\n"),
  (track) => [track.kind, track.name].join("\n"),
  (track) => (ON_DEVICE.has(track.kind) ? track.kind : null),
];

/** For tracks of A their tracks of B, by their ids. No track is there twice. */
export function pairedTracks(a: readonly Track[], b: readonly Track[]): Map<number, number> {
  const pairs = new Map<number, number>();
  const taken = new Set<number>();
  const inOrder = (tracks: readonly Track[]) => [...tracks].sort((x, y) => x.sort - y.sort || x.id - y.id);
  for (const keyOf of KEYS) {
    const waiting = new Map<string, number[]>();
    for (const track of inOrder(b)) {
      const key = keyOf(track);
      if (key === null || taken.has(track.id)) continue;
      waiting.set(key, [...(waiting.get(key) ?? []), track.id]);
    }
    for (const track of inOrder(a)) {
      const key = keyOf(track);
      const found = key === null || pairs.has(track.id) ? undefined : waiting.get(key)?.shift();
      if (found === undefined) continue;
      pairs.set(track.id, found);
      taken.add(found);
    }
  }
  return pairs;
}
