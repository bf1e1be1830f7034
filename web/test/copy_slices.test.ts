import assert from "node:assert/strict";
import { test } from "node:test";
import { CopySlices } from "../src/api/copy_slices";
import type { Session } from "../src/api/protocol";
import { encodeTile, type MockSlice } from "./mock/profile.mjs";

const NAMES = ["gemm", "copy", "data loading"];
const session = {
  kinds: ["kernel", "idle"],
  causes: ["data_loading"],
  tracks: [
    { id: 0, derived: false },
    { id: 1, derived: true },
  ],
} as unknown as Session;
/** Start, length, name, colour: the kind in the high byte. */
const stream: MockSlice[][] = [
  [
    [0, 100, 0, 0],
    [200, 50, 1, 0],
    [300, 100, 0, 0],
  ],
  [[20, 30, 1, 0]],
];
const idle: MockSlice[][] = [[[100, 100, 2, 1 << 8]]];
const tileOf = (track: number, lanes: MockSlice[][], level: number, index: number) => ({
  track,
  level,
  index,
  bytes: encodeTile({ laneSlices: lanes }, level, index),
});
const slices = new CopySlices(
  [tileOf(0, stream, 0, 0), tileOf(0, stream, 1, 0), tileOf(1, idle, 0, 0)],
  session,
  (id) => NAMES[id]!,
);
const ask = (query: string) => new URLSearchParams(query);

test("a copy searches as the server does, each slice once", () => {
  const search = (query: string) =>
    slices.search(ask(query)) as { total: number; first?: number; matches: { start: number }[] };
  const starts = (query: string) => search(query).matches.map(({ start }) => start);
  assert.deepEqual(starts("q=GEMM"), [0, 300]);
  assert.deepEqual(starts("q=data loading"), [100], "causes as the page writes them");
  assert.deepEqual(starts("q=data_loading"), [100], "and as tables do");
  assert.deepEqual(starts("q=data&own=1"), []);
  assert.deepEqual(starts("q=^c.*y$&regex=1&track=0"), [20, 200]);
  assert.deepEqual(starts("q=gemm&past=0,0"), [300]);
  assert.deepEqual(starts("q=m&direction=previous&at=299&limit=1"), [0]);
  assert.equal(search("q=gemm&past=0,0").first, 2);
  assert.equal(search("q=gemm&past=0,0").total, 2);
  assert.equal(search("q=none").first, undefined);
  assert.equal(slices.search(ask("q=7&argument=stream")), null, "arguments are not in the tiles");
});

test("a copy goes to neighbours in a lane and along the nesting", () => {
  const [first, second] = (slices.search(ask("q=copy")) as { matches: { slice: number; start: number }[] }).matches;
  const to = (slice: number, where: string) =>
    (slices.neighbor(ask(`track=0&slice=${slice}&to=${where}`)) as { start?: number } | null)?.start;
  assert.equal(to(0, "next"), 200);
  assert.equal(to(0, "child"), 20);
  assert.equal(to(first!.slice, "parent"), 0);
  assert.equal(to(second!.slice, "previous"), 0);
  assert.equal(to(0, "previous"), undefined);
});

test("a copy sums an area, cut at its borders, and gives the slices of a name by length", () => {
  const { slices: count, tables } = slices.area(ask("from=50&to=350&track=0,1"));
  assert.equal(count, 3, "own slices alone");
  assert.deepEqual(
    tables.kernels!.rows.map((row) => row.slice(0, 3)),
    [
      ["gemm", 2, 100],
      ["copy", 1, 50],
    ],
  );
  const row = slices.row(ask("table=kernels&name=copy")) as {
    count: number;
    total: number;
    slices: { start: number }[];
  };
  assert.deepEqual([row.count, row.total, row.slices.map(({ start }) => start)], [2, 80, [200, 20]]);
  assert.equal(slices.row(ask("table=kernels&name=copy&from=0&to=5")), null, "of a window the server has them");
});
