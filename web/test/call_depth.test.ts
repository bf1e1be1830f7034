import assert from "node:assert/strict";
import { test } from "node:test";
import type { Track } from "../src/api/protocol";
import {
  deepest,
  depthBeside,
  depthChoices,
  pathTracks,
  settingsAtDepth,
  tracksAtDepth,
} from "../src/model/call_depth";
import { layout, moveTrack, type TrackSettings } from "../src/model/layout";
import { mockTrack } from "./mock/track";

const track = (id: number, rank: number, kind: string, name: string, more: Partial<Track> = {}): Track =>
  mockTrack(id, kind, [`rank ${rank}`, "program"], name, { run: rank, rank, ...more });
const TRACKS = [
  track(0, 0, "thread", "main"),
  track(1, 0, "call_path", "main call path (outermost 64 of 70 frames)", { samples: 0, lanes: 64 }),
  track(2, 0, "counter", "memory"),
  track(3, 1, "thread", "main"),
  track(4, 1, "call_path", "main call path", { samples: 3, lanes: 5 }),
];
const SETTINGS: TrackSettings = {
  pinned: [],
  folded: new Set([1, 2]),
  order: [],
  hidden: new Set<number>(),
  heights: new Map<number, number>(),
  filter: "",
};

test("all depths are the tracks as they are", () => {
  assert.equal(tracksAtDepth(TRACKS, null), TRACKS);
  assert.equal(settingsAtDepth(SETTINGS, TRACKS, null), SETTINGS);
});

test("at one depth a track of samples is one row, and the headings that tell it apart are in its name", () => {
  const tracks = tracksAtDepth(TRACKS, 3);
  assert.deepEqual(
    tracks.map(({ id, lanes, group, name }) => [id, lanes, group.length, name]),
    [
      [1, 1, 0, "rank 0 \u203a main"],
      [2, 1, 2, "memory"],
      [4, 1, 0, "rank 1 \u203a main"],
    ],
  );
  const settings = settingsAtDepth(SETTINGS, TRACKS, 3);
  assert.deepEqual([...settings.folded], [2]);
  const { main } = layout(tracks, settings);
  assert.deepEqual(
    main.map((row) => (row.kind === "track" ? row.track.id : row.title)),
    [1, 4, "rank 0", "program", 2],
  );
  assert.equal(main[0]!.height, main[1]!.height);
});

test("of processes of one program their numbers are named", () => {
  const names = (...groups: string[][]) =>
    tracksAtDepth(
      groups.map((group, i) => track(i, 0, "call_path", "thread 0", { group, samples: -1 })),
      1,
    ).map(({ name }) => name);
  assert.deepEqual(names(["ring (rank 0)"], ["ring (rank 1)"]), ["rank 0 \u203a thread 0", "rank 1 \u203a thread 0"]);
  assert.deepEqual(names(["ring (rank 0)"], ["GPU 0"]), ["rank 0 \u203a thread 0", "GPU 0 \u203a thread 0"]);
  assert.deepEqual(names(["sh (7)"], ["ls (8)"]), ["sh (7) \u203a thread 0", "ls (8) \u203a thread 0"]);
  assert.deepEqual(names(["ring (rank 0)"], ["ring (rank 0)"]), ["thread 0", "thread 0"]);
});

test("such rows are filtered by their headings, and moved", () => {
  const tracks = tracksAtDepth(TRACKS, 1);
  const shown = (settings: TrackSettings) =>
    layout(tracks, settings).main.flatMap((row) => (row.kind === "track" ? [row.track.id] : []));
  assert.deepEqual(shown({ ...SETTINGS, filter: "rank 1" }), [4]);
  const order = moveTrack(tracks, SETTINGS, 4, -1);
  assert.deepEqual(shown({ ...SETTINGS, order }), [4, 1, 2]);
});

test("depths go from all to that of the longest path", () => {
  assert.equal(deepest(TRACKS), 64);
  assert.equal(deepest([TRACKS[0]!]), 0);
  assert.deepEqual([...pathTracks(TRACKS)], [1, 4]);
  assert.deepEqual(depthChoices(2), ["all", "1", "2"]);
  assert.equal(depthBeside(null, 1, 5), 1);
  assert.equal(depthBeside(1, -1, 5), null);
  assert.equal(depthBeside(null, -1, 5), null);
  assert.equal(depthBeside(5, 1, 5), 5);
});
