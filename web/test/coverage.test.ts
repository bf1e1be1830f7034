// Lanes that mean coverage against the slow way: count every nanosecond of a pixel.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Coverage } from "../src/api/protocol";
import { tilesIn } from "../src/api/tile_store";
import { BUCKETS, decodeSliceTile, type ActivityTile } from "../src/api/tiles";
import { addActivity, newActivityRaster, rowsOf } from "../src/timeline/activity";
import { coverageAt, coverageRows } from "../src/timeline/coverage";
import { LaneRaster, levelFor, pixelBuckets } from "../src/timeline/raster";
import { encodeTile, randomNumbers, type MockSlice } from "./mock/profile.mjs";

const IDLE = 0;
const COMPUTE = 1;
const COMMUNICATION = 2;
const MEMORY = 3;

/** What a device does in each nanosecond; it begins and ends with work. */
function randomDevice(random: () => number, span: number): Uint8Array {
  const does = new Uint8Array(span);
  for (let at = 0; at < span;) {
    const length = 1 + Math.floor(random() ** 6 * 3000);
    does.fill(Math.floor(random() * 4), at, at + length);
    at += length;
  }
  does[0] = does[span - 1] = COMPUTE;
  return does;
}

function slicesOf(does: Uint8Array, what: number): MockSlice[] {
  const slices: MockSlice[] = [];
  for (let at = 0; at < does.length;) {
    let end = at + 1;
    while (end < does.length && does[end] === does[at]) ++end;
    if (does[at] === what) slices.push([at, end - at, slices.length, 0]);
    at = end;
  }
  return slices;
}

function activityTile(does: Uint8Array, level: number, index: number): ActivityTile {
  const share = (what: number) =>
    Float32Array.from({ length: BUCKETS }, (_, bucket) => {
      const size = 2 ** level;
      const begin = (index * BUCKETS + bucket) * size;
      return does.subarray(begin, begin + size).reduce((sum, each) => sum + Number(each === what), 0) / size;
    });
  const [compute, communication, memory] = [share(COMPUTE), share(COMMUNICATION), share(MEMORY)];
  return { level, index, bytes: 0, compute, communication, memory };
}

function check(coverage: Coverage, what: number, height: number): void {
  const random = randomNumbers(coverage === "idle" ? 3 : 4);
  for (let round = 0; round < 12; ++round) {
    const span = 20000 + Math.floor(random() * 200000);
    const does = randomDevice(random, span);
    const pixels = 40 + Math.floor(random() * 200);
    const size = Math.floor(span * (0.05 + 0.9 * random()));
    const start = Math.floor(random() * (span - size));
    const view = { start, end: start + size };
    const level = levelFor(size / pixels);
    const buckets = pixelBuckets(view, pixels, level);
    const lane = new LaneRaster(pixels);
    const activity = newActivityRaster(pixels);
    const { first, last } = tilesIn(view.start, view.end, span, level);
    for (let index = first; index <= last; ++index) {
      lane.add(
        decodeSliceTile(encodeTile({ laneSlices: [slicesOf(does, what)] }, level, index), level, index),
        0,
        buckets,
      );
      addActivity(activity, activityTile(does, level, index), buckets);
    }
    const rows = new Uint16Array(pixels);
    coverageRows(rows, coverage, lane, activity, height);
    for (let p = 0; p < pixels; ++p) {
      const [from, to] = [buckets.from[p]! * 2 ** level, buckets.to[p]! * 2 ** level];
      if (to > span) continue; // beyond the last op of the device
      const held = does.subarray(from, to).reduce((sum, each) => sum + Number(each === what), 0);
      const exact = held / (to - from);
      assert.ok(Math.abs(coverageAt(coverage, activity, p) - exact) < 1e-4, `${coverage}, pixel ${p}`);
      assert.equal(rows[p]! > 0, held > 0, "drawn where there is some of it, however little");
      assert.ok(Math.abs(rows[p]! - exact * height) <= (rows[p] === 1 ? 1 : 0.501), `${rows[p]} of ${exact * height}`);
    }
  }
}

test("the gaps of a device stand as high as their share of the time", () => check("idle", IDLE, 17));

test("so does exposed communication", () => check("communication", COMMUNICATION, 34));

test("what is there but not known how much is one row", () => {
  const lane = new LaneRaster(3);
  lane.slice.set([7, -1, 8]);
  const rows = new Uint16Array(3);
  coverageRows(rows, "idle", lane, newActivityRaster(3), 17);
  assert.deepEqual([...rows], [1, 0, 1]);
  assert.equal(rowsOf(1, 17), 17);
  assert.equal(rowsOf(0.0001, 17), 1);
});
