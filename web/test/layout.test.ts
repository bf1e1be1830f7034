import assert from "node:assert/strict";
import { test } from "node:test";
import type { Track } from "../src/api/protocol";
import { foldedAtFirst, groupId, layout, moveTrack, rowAt, type TrackSettings } from "../src/model/layout";

const track = (id: number, group: string[], name: string, lanes = 1, kind: Track["kind"] = "thread"): Track => ({
  id,
  run: 0,
  rank: 0,
  kind,
  group,
  name,
  sort: id,
  slices: 10,
  lanes,
  pinned: false,
});
const TRACKS = [
  track(0, ["rank 0", "GPU 0"], "busy", 1, "busy"),
  track(1, ["rank 0", "GPU 0"], "stream 7", 2, "stream"),
  track(2, ["rank 0", "python"], "main", 5),
  track(3, ["rank 0", "python"], "autograd", 30),
  track(4, ["rank 1", "GPU 0"], "stream 7", 1, "stream"),
  track(5, ["rank 1", "python"], "main", 3),
];
const PLAIN: TrackSettings = { pinned: [], folded: new Set(), order: [], filter: "" };
const names = (settings: Partial<TrackSettings>) =>
  layout(TRACKS, { ...PLAIN, ...settings }).main.map((row) =>
    row.kind === "group" ? `${"#".repeat(row.depth + 1)} ${row.title}` : `${row.track.id}`,
  );

test("tracks stand under their headings", () => {
  assert.deepEqual(names({}), [
    "# rank 0",
    "## GPU 0",
    "0",
    "1",
    "## python",
    "2",
    "3",
    "# rank 1",
    "## GPU 0",
    "4",
    "## python",
    "5",
  ]);
});

test("rows follow each other without overlap, and a point finds its row", () => {
  const { main, mainHeight } = layout(TRACKS, PLAIN);
  main.forEach((row, i) => {
    if (i > 0) assert.ok(row.top >= main[i - 1]!.top + main[i - 1]!.height);
    assert.equal(rowAt(main, row.top), i);
    assert.equal(rowAt(main, row.top + row.height - 1), i);
  });
  assert.equal(rowAt(main, mainHeight + 100), main.length);
});

test("a folded group hides its tracks, a folded track gets low", () => {
  const first = layout(TRACKS, PLAIN);
  const rank = first.main[0]!;
  assert.equal(rank.kind, "group");
  const folded = names({ folded: new Set([rank.kind === "group" ? rank.id : -1]) });
  assert.deepEqual(folded, ["# rank 0", "# rank 1", "## GPU 0", "4", "## python", "5"]);
  const low = layout(TRACKS, { ...PLAIN, folded: new Set([3]) }).main.find(
    (row) => row.kind === "track" && row.track.id === 3,
  )!;
  assert.equal(low.height, 20);
});

test("tracks of many lanes begin folded, but for the busiest thread", () => {
  const busy = { ...track(6, ["g"], "main", 40), slices: 99 };
  assert.deepEqual([...foldedAtFirst([...TRACKS, busy])], [3]);
  const runs = [0, 1, 2].flatMap((run) => [
    { ...busy, id: 2 * run, run, group: [`rank ${run}`, "python"] },
    { ...TRACKS[1]!, id: 2 * run + 1, run, group: [`rank ${run}`, "GPU 0"] },
  ]);
  assert.deepEqual([...foldedAtFirst(runs)], [0, 2, 4, groupId(2, 1), groupId(4, 1)]);
});

test("the filter takes words from headings and names and opens folded groups", () => {
  assert.deepEqual(names({ filter: "rank python MAIN" }), ["# rank 0", "## python", "2", "# rank 1", "## python", "5"]);
  assert.deepEqual(names({ filter: "nothing" }), []);
});

test("pinned tracks stand at the top in the order of pinning; unknown ids do not", () => {
  const { pinned, pinnedHeight } = layout(TRACKS, { ...PLAIN, pinned: [5, 99, 0] });
  assert.deepEqual(
    pinned.map((row) => row.track.id),
    [5, 0],
  );
  assert.equal(pinnedHeight, pinned[1]!.top + pinned[1]!.height + 4);
});

test("a track moves among its neighbours only", () => {
  const order = moveTrack(TRACKS, PLAIN, 3, -1);
  assert.deepEqual(names({ order }).slice(4, 7), ["## python", "3", "2"]);
  assert.deepEqual(names({ order: moveTrack(TRACKS, { ...PLAIN, order }, 3, 10) }).slice(4, 7), [
    "## python",
    "2",
    "3",
  ]);
  assert.deepEqual(moveTrack(TRACKS, PLAIN, 77, 1), []);
});
