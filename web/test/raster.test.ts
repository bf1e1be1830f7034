// The rule of the raster against the slow way: look at every slice for every pixel.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeSliceTile } from "../src/api/tiles";
import { tilesIn } from "../src/api/tile_store";
import { LaneRaster, levelFor, pixelBuckets } from "../src/timeline/raster";
import { encodeTile, randomNumbers, type MockSlice } from "./mock/profile.mjs";

/** Slices of one lane that do not overlap, some of them without duration. */
function randomLane(random: () => number, count: number, scale: number): MockSlice[] {
  const slices: MockSlice[] = [];
  let at = Math.floor(random() * scale);
  for (let i = 0; i < count; ++i) {
    const duration = random() < 0.1 ? 0 : Math.floor(random() ** 4 * scale);
    slices.push([at, duration, i, i % 65536]);
    at += Math.max(duration, 1) + (random() < 0.4 ? 0 : Math.floor(random() ** 3 * scale));
  }
  return slices;
}

/** What a pixel shows, from the words of the rule alone. */
function oracle(slices: MockSlice[], from: number, to: number): number {
  let best = -1;
  slices.forEach(([start, duration], i) => {
    const end = start + Math.max(duration, 1);
    if (start >= to || end <= from) return;
    // The earliest at equal length: the first of the lane.
    if (best < 0 || duration > slices[best]![1]) best = i;
  });
  return best;
}

function draw(slices: MockSlice[], start: number, end: number, pixels: number, level: number): LaneRaster {
  const raster = new LaneRaster(pixels);
  const span = slices[slices.length - 1]![0] + slices[slices.length - 1]![1];
  const { first, last } = tilesIn(start, end, span, level);
  const buckets = pixelBuckets({ start, end }, pixels, level);
  for (let index = last; index >= first; --index) {
    // in the wrong order, on purpose
    raster.add(decodeSliceTile(encodeTile({ laneSlices: [slices] }, level, index), level, index), 0, buckets);
  }
  return raster;
}

test("every pixel of random windows shows what the rule says", () => {
  const random = randomNumbers(7);
  for (let round = 0; round < 150; ++round) {
    const scale = 10 ** (1 + random() * 6);
    const slices = randomLane(random, 5 + Math.floor(random() * 300), scale);
    const span = slices[slices.length - 1]![0] + slices[slices.length - 1]![1] + 1;
    const size = Math.max(16, span * random() ** 3);
    const start = (span - size) * random() - (random() < 0.2 ? size * 0.02 : 0);
    const pixels = 50 + Math.floor(random() * 500);
    const perPixel = size / pixels;
    const level = levelFor(perPixel);
    assert.ok(level === 0 || 2 ** level <= perPixel / 2);
    assert.ok(2 ** (level + 1) > perPixel / 2);
    const raster = draw(slices, start, start + size, pixels, level);
    const bucket = 2 ** level;
    for (let p = 0; p < pixels; ++p) {
      let from = Math.round((start + (p * (start + size - start)) / pixels) / bucket) * bucket;
      let to = Math.round((start + ((p + 1) * (start + size - start)) / pixels) / bucket) * bucket;
      if (bucket > perPixel) {
        // closer than a ns a pixel
        from = Math.floor(start + (p + 0.5) * perPixel);
        to = from + 1;
      }
      const expected = oracle(slices, from, to);
      assert.equal(raster.slice[p], expected, `round ${round} pixel ${p}: [${from}, ${to})`);
      if (expected >= 0) {
        assert.equal(raster.start[p], slices[expected]![0]);
        assert.equal(raster.duration[p], slices[expected]![1]);
        assert.equal(raster.name[p], slices[expected]![2]);
        assert.equal(raster.colour[p], slices[expected]![3]);
      }
    }
  }
});

test("edges of pixels move by at most a quarter of a pixel", () => {
  const random = randomNumbers(3);
  for (let round = 0; round < 200; ++round) {
    const start = random() * 1e12;
    const size = 10 ** (2 + random() * 12);
    const pixels = 100 + Math.floor(random() * 3000);
    const perPixel = size / pixels;
    if (perPixel < 2) continue;
    const level = levelFor(perPixel);
    const { from, to } = pixelBuckets({ start, end: start + size }, pixels, level);
    for (let p = 0; p < pixels; ++p) {
      const off = Math.abs(from[p]! * 2 ** level - (start + p * perPixel));
      assert.ok(off <= perPixel / 4 + 1e-3, `${off} of ${perPixel}`);
      assert.ok(to[p]! > from[p]!);
      if (p > 0) assert.equal(from[p], to[p - 1]);
    }
  }
});

test("a coarser tile in place of a missing one stays inside its pixels", () => {
  const slices: MockSlice[] = [[0, 4096, 1, 1]];
  const tile = decodeSliceTile(encodeTile({ laneSlices: [slices] }, 6, 0), 6, 0);
  const raster = new LaneRaster(100);
  raster.add(tile, 0, pixelBuckets({ start: 0, end: 1000 }, 100, 6), 20, 40);
  assert.equal(raster.slice[19], -1);
  assert.equal(raster.slice[20], 0);
  assert.equal(raster.slice[39], 0);
  assert.equal(raster.slice[40], -1);
});

test("a lane that the tile does not have shows nothing", () => {
  const tile = decodeSliceTile(encodeTile({ laneSlices: [[[0, 10, 1, 1]]] }, 0, 0), 0, 0);
  const raster = new LaneRaster(10);
  raster.add(tile, 3, pixelBuckets({ start: 0, end: 10 }, 10, 0));
  assert.ok(raster.slice.every((slice) => slice === -1));
});
