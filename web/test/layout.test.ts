import assert from "node:assert/strict";
import { test } from "node:test";
import type { Track } from "../src/api/protocol";
import { busyBeside, foldedAtFirst, groupId, outermost, summaryOf } from "../src/model/groups";
import { headingsOf, layout, moveTrack, rowAt, SUMMARY_HEIGHT, type TrackSettings } from "../src/model/layout";
import { mockTrack } from "./mock/track";

const track = (id: number, group: string[], name: string, lanes = 1, kind = "thread"): Track =>
  mockTrack(id, kind, group, name, { lanes });
const TRACKS = [
  track(0, ["rank 0", "GPU 0"], "busy", 1, "busy"),
  track(1, ["rank 0", "GPU 0"], "stream 7", 2, "stream"),
  track(2, ["rank 0", "python"], "main", 5),
  track(3, ["rank 0", "python"], "autograd", 30),
  track(4, ["rank 1", "GPU 0"], "stream 7", 1, "stream"),
  track(5, ["rank 1", "python"], "main", 3),
];
const PLAIN: TrackSettings = {
  pinned: [],
  folded: new Set(),
  order: [],
  hidden: new Set<number>(),
  heights: new Map<number, number>(),
  filter: "",
};
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
  const ranks = [1, 3, 5].map((first) => groupId(first, 0));
  assert.deepEqual(
    foldedAtFirst(runs),
    new Set([0, 2, 4, ...ranks, groupId(2, 1), groupId(4, 1)]),
    "each rank is a row; unfolded, the first shows its threads",
  );
  assert.deepEqual(outermost(runs), ranks);
});

test("the critical path begins folded, so that it is computed only when somebody unfolds it", () => {
  const path = track(6, ["Critical path"], "critical path", 1, "critical_path");
  const folded = foldedAtFirst([path, ...TRACKS.slice(0, 3)]);
  assert.deepEqual(folded, new Set([groupId(6, 0)]));
  const layers = track(6, ["Layers"], "layers", 2, "layers");
  assert.deepEqual(foldedAtFirst([layers, ...TRACKS.slice(0, 3)]), new Set([groupId(6, 0)]));
  const rows = layout([path], { ...PLAIN, folded }).main;
  assert.ok(rows.length === 1 && rows[0]!.kind === "group" && rows[0]!.summary.length === 0);
});

test("the call path of the busiest thread begins open, and one goes where its thread goes", () => {
  const thread = (id: number, slices: number) => ({ ...track(2 * id, ["g"], `thread ${id}`), slices });
  const path = (id: number) => ({
    ...track(2 * id + 1, ["g"], `thread ${id} call path`, 30, "call_path"),
    samples: 2 * id,
  });
  const few = [thread(0, 5), path(0), thread(1, 9), path(1)];
  assert.deepEqual(foldedAtFirst(few), new Set([1]));
  const many = Array.from({ length: 20 }, (_, id) => [thread(id, id < 5 ? 1000 : 1), path(id)]).flat();
  const rows = layout(many, PLAIN).main;
  const gathered = rows.findIndex((row) => row.kind === "group" && row.title === "With few slices");
  assert.equal(rows.slice(0, gathered).filter((row) => row.kind === "track").length, 10);
  assert.equal(rows.slice(gathered).filter((row) => row.kind === "track").length, 30);
});

test("many ranks are a row each, with what kept their devices busy", () => {
  const ranks = Array.from({ length: 8 }, (_, rank) => [
    { ...track(4 * rank, [`rank ${rank}`, "GPU 0"], "busy", 1, "busy"), run: rank },
    { ...track(4 * rank + 1, [`rank ${rank}`, "GPU 0"], "stream 7", 1, "stream"), run: rank },
    { ...track(4 * rank + 2, [`rank ${rank}`, "GPU 1"], "busy", 1, "busy"), run: rank },
    { ...track(4 * rank + 3, [`rank ${rank}`, "python"], "main", 3), run: rank },
  ]).flat();
  const folded = foldedAtFirst(ranks);
  const { main, mainHeight } = layout(ranks, { ...PLAIN, folded });
  assert.equal(mainHeight, 8 * SUMMARY_HEIGHT);
  main.forEach((row, rank) => {
    assert.ok(row.kind === "group" && row.folded);
    assert.deepEqual(
      row.summary.map((each) => each.id),
      [4 * rank, 4 * rank + 2],
    );
  });
  assert.ok(layout(ranks, PLAIN).main.every((row) => row.kind === "track" || row.summary.length === 0));
  const open = layout(ranks, { ...PLAIN, folded, filter: "rank 3" }).main;
  assert.deepEqual(
    open.flatMap((row) => (row.kind === "track" ? [row.track.id] : [])),
    [12, 13, 14, 15],
  );
});

test("without a device the busiest threads stand for a group", () => {
  const threads = [5, 50, 500, 5000, 2].map((slices, id) => ({ ...track(id, ["g"], `${id}`), slices }));
  assert.deepEqual(
    summaryOf(threads).map((each) => each.id),
    [3, 2, 1, 0],
  );
});

const shape = (tracks: Track[], folded: ReadonlySet<number> = new Set()) =>
  layout(tracks, { ...PLAIN, folded }).main.map((row) =>
    row.kind === "group" ? `${"#".repeat(row.depth + 1)} ${row.title} (${row.tracks})` : row.track.name,
  );

test("many counters of a device are a row that can be unfolded", () => {
  const tracks = [
    track(0, ["NPU 0"], "busy", 1, "busy"),
    ...[1, 2, 3, 4, 5].map((id) => track(id, ["NPU 0"], `counter ${id}`, 1, "counter")),
    track(6, ["NPU 0"], "stream 1", 1, "stream"),
  ];
  const folded = foldedAtFirst(tracks);
  assert.deepEqual(shape(tracks, folded), ["# NPU 0 (7)", "busy", "stream 1", "## Counters (5)"]);
  assert.deepEqual(shape(tracks).slice(-5), ["counter 1", "counter 2", "counter 3", "counter 4", "counter 5"]);
  const few = tracks.slice(0, 4);
  assert.deepEqual(shape(few, foldedAtFirst(few)), ["# NPU 0 (4)", "busy", "counter 1", "counter 2", "counter 3"]);
  const only = tracks.slice(1, 6);
  assert.deepEqual(shape(only, foldedAtFirst(only)), ["# NPU 0 (5)"]);
});

test("of many streams those with next to nothing on them are a row; a few stay in any case", () => {
  const streams = (slices: number[]) =>
    slices.map((count, id) => ({ ...track(id, ["GPU 0"], `stream ${id}`, 1, "stream"), slices: count }));
  const many = streams([5000, 1, 1, 400, 25, 26, ...Array(20).fill(1)]);
  const folded = foldedAtFirst(many);
  assert.deepEqual(shape(many, folded), [
    ...["# GPU 0 (26)", "stream 0", "stream 3", "stream 4", "stream 5", "## With few slices (22)"],
  ]);
  assert.equal(shape(many).length, 28, "none is lost");
  const alike = streams(Array(20).fill(1));
  assert.deepEqual(shape(alike, foldedAtFirst(alike)), [
    ...["# GPU 0 (20)", "stream 0", "stream 1", "stream 2", "stream 3", "## With few slices (16)"],
  ]);
  const busy = streams(Array(20).fill(1000));
  assert.equal(shape(busy, foldedAtFirst(busy)).length, 21);
  const twelve = streams(Array(12).fill(1));
  assert.equal(shape(twelve, foldedAtFirst(twelve)).length, 13);
});

test("tracks that are nested in others stand below them, folded where they are many", () => {
  const nested = (count: number) => [
    track(0, ["root"], "root", 1, "other"),
    ...Array.from({ length: count }, (_, i) => ({
      ...track(2 * i + 1, ["root"], `a${i}`, 1, "other"),
      slices: 1000,
    })),
    ...Array.from({ length: count }, (_, i) => track(2 * i + 2, ["root", `a${i}`], `b${i}`, 1, "other")),
  ];
  const few = nested(2);
  assert.deepEqual(shape(few, foldedAtFirst(few)), [
    ...["# root (5)", "root", "a0", "a1", "## a0 (1)", "b0", "## a1 (1)", "b1"],
  ]);
  const many = nested(30);
  const folded = shape(many, foldedAtFirst(many));
  assert.ok(folded.includes("## a29 (1)") && !folded.includes("b29"));
});

test("lanes that mean coverage know the activity of their device", () => {
  const tracks = [
    track(0, ["rank 0", "GPU 0"], "busy", 1, "busy"),
    track(1, ["rank 0", "GPU 0"], "idle", 1, "idle"),
    track(2, ["rank 0", "GPU 1"], "busy", 1, "busy"),
    track(3, ["rank 0", "GPU 1"], "exposed communication", 1, "exposed"),
    track(4, ["rank 0", "GPU 2"], "idle", 1, "idle"),
    track(5, ["rank 0", "GPU 1"], "stream 7", 1, "stream"),
  ];
  assert.deepEqual(
    [...busyBeside(tracks)],
    [
      [1, 0],
      [3, 2],
    ],
  );
});

test("a number in the filter is a whole number, and belongs to the word before it", () => {
  const tracks = [
    track(0, ["rank 0", "GPU 0"], "stream 13", 1, "stream"),
    track(1, ["rank 0", "python"], "thread 3"),
    track(2, ["rank 3", "GPU 0: B200"], "stream 7", 1, "stream"),
    track(3, ["rank 13", "python"], "main (3)"),
    track(4, ["rank 30", "python"], "pt_autograd_0 [a.*b"),
  ];
  const found = (filter: string) =>
    layout(tracks, { ...PLAIN, filter }).main.flatMap((row) => (row.kind === "track" ? [row.track.id] : []));
  assert.deepEqual(found("rank 3"), [2]);
  assert.deepEqual(found("RANK 0 stream"), [0]);
  assert.deepEqual(found("stream rank 3"), [2]);
  assert.deepEqual(found("3"), [1, 2, 3]);
  assert.deepEqual(found("main 3"), [3]);
  assert.deepEqual(found("autograd"), [4]);
  assert.deepEqual(found("b200"), [2]);
  assert.deepEqual(found("[a.*b"), [4]);
  assert.deepEqual(found("  "), [0, 1, 2, 3, 4]);
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

test("the filter finds headings, also those that the page made", () => {
  const tracks = [
    track(0, ["python"], "main"),
    ...Array.from({ length: 5 }, (_, i) => track(i + 1, ["python"], `clock ${i}`, 1, "counter")),
  ];
  const found = (filter: string) =>
    layout(tracks, { ...PLAIN, filter }).main.map((row) => (row.kind === "group" ? row.title : row.track.name));
  assert.deepEqual(found("counters 3"), []);
  assert.deepEqual(found("counters clock 3"), ["python", "Counters", "clock 3"]);
  assert.equal(found("counters").length, 7);
});

test("the headings of a row, as they are said once they are scrolled out", () => {
  const { main } = layout(TRACKS, PLAIN);
  const at = (i: number) => headingsOf(main, i).map((row) => row.title);
  assert.deepEqual(at(0), ["rank 0"]);
  assert.deepEqual(at(3), ["rank 0", "GPU 0"]);
  assert.deepEqual(at(6), ["rank 0", "python"]);
  assert.deepEqual(at(10), ["rank 1", "python"]);
  assert.deepEqual(at(11), ["rank 1", "python"]);
});
