import assert from "node:assert/strict";
import { test } from "node:test";
import type { Track } from "../src/api/protocol";
import { layout, SHARED_LANE_HEIGHT } from "../src/model/layout";
import { pairedTracks } from "../src/model/paired_tracks";
import { mockTrack } from "./mock/track";

const track = (id: number, kind: string, group: string[], name: string, lanes = 1): Track =>
  mockTrack(id, kind, group, name, { lanes });

test("tracks of two runs by their names, whatever the device and the process are called", () => {
  const a = [
    track(0, "busy", ["GPU 0: NVIDIA H100"], "busy"),
    track(1, "stream", ["GPU 0: NVIDIA H100"], "stream 7"),
    track(2, "stream", ["GPU 0: NVIDIA H100"], "stream 20"),
    track(3, "stream", ["GPU 1: NVIDIA H100"], "stream 7"),
    track(4, "thread", ["python (17)"], "thread 17"),
    track(5, "thread", ["python (17)"], "thread 19"),
  ];
  const b = [
    track(0, "thread", ["python (42)"], "thread 42"),
    track(1, "busy", ["GPU 0: AMD MI300X"], "busy"),
    track(2, "stream", ["GPU 0: AMD MI300X"], "stream 3"),
    track(3, "stream", ["GPU 0: AMD MI300X"], "stream 7"),
    track(4, "stream", ["GPU 0: AMD MI300X"], "stream 9"),
  ];
  const pairs = pairedTracks(a, b);
  assert.deepEqual(
    [...pairs].sort(([x], [y]) => x - y),
    [
      [0, 1],
      [1, 3], // of the same name
      [2, 2], // what is left, in order
      [3, 4], // of another device
      [4, 0],
    ],
  );
  const alone = pairedTracks(
    [track(3, "stream", ["GPU 1: X"], "stream 7")],
    [track(8, "stream", ["GPU 4: X"], "stream 9")],
  );
  assert.deepEqual([...alone], [[3, 8]], "the only device of each");
  const back = pairedTracks(b, a);
  for (const [one, other] of pairs) assert.equal(back.get(other), one);
});

test("a track is paired with itself", () => {
  const tracks = [0, 1, 2].map((id) => track(id, "stream", ["GPU 0: X"], `stream ${id}`));
  assert.deepEqual(pairedTracks(tracks, tracks), new Map(tracks.map(({ id }) => [id, id])));
  assert.deepEqual(pairedTracks(tracks, []), new Map());
});

test("lanes that two runs share are higher", () => {
  const settings = {
    pinned: [],
    folded: new Set<number>(),
    order: [],
    hidden: new Set<number>(),
    heights: new Map<number, number>(),
    filter: "",
  };
  const { main } = layout([track(0, "stream", ["GPU 0"], "stream 7", 3)], settings, SHARED_LANE_HEIGHT);
  const row = main.find(({ kind }) => kind === "track")!;
  assert.equal(row.height, 3 * SHARED_LANE_HEIGHT);
});
