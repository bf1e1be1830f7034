// The pictures of two runs: flame graph, roofline, memory, hatching.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ComparedFlame, Table, Track } from "../src/api/protocol";
import { newCounterRaster } from "../src/timeline/counters";
import { hatchLane, isHatched } from "../src/timeline/hatch";
import { ratioOf, sharesOf, widened } from "../src/views/compare_flame_model";
import { counterPairs, resampled, titleOf } from "../src/views/compare_memory_model";
import { pairsOfLaunches, pairsOfShapes } from "../src/views/compare_roofline_model";
import { layoutFlame } from "../src/views/flame_layout";

/** step: mm of 6 and 2, add of 1 and 4, each by itself; step itself 1 and 0. */
const FLAME: ComparedFlame = {
  unit: "ns",
  metric: "explained_time",
  metrics: ["explained_time"],
  per_iteration: true,
  total: { a: 8, b: 6 },
  nodes: {
    parent: [-1, 0, 0, -1],
    name: [0, 1, 2, 3],
    kind: [0, 0, 0, 0],
    class: [-1, -1, -1, -1],
    a: { name: [0, 1, 2, -1], value: [8, 6, 1, 0], self: [1, 6, 1, 0], count: [1, 3, 1, 0] },
    b: { name: [0, 1, 2, 3], value: [6, 2, 4, 5], self: [0, 2, 4, 5], count: [1, 2, 4, 1] },
  },
  names: ["step", "mm", "add", "new"],
  short: [null, null, null, null],
};

test("frames of two runs: as wide as on one side, or with room for the longer side", () => {
  assert.deepEqual(widened(FLAME, "a").nodes.value, [8, 6, 1, 0]);
  assert.equal(widened(FLAME, "a").total, 8);
  assert.deepEqual(widened(FLAME, "b").nodes.value, [6, 2, 4, 5]);
  const longer = widened(FLAME, "longer");
  assert.deepEqual(longer.nodes.value, [11, 6, 4, 5], "1 by itself, 6 of mm, 4 of add");
  assert.equal(longer.total, 16);
  const { rows } = layoutFlame(longer, null);
  for (const frames of rows) frames.forEach(({ right }, i) => assert.ok(right <= (frames[i + 1]?.left ?? 1) + 1e-12));
  const wide = (node: number) => sharesOf(FLAME, longer, node);
  assert.deepEqual(wide(0), { both: 6 / 11, any: 8 / 11 });
  assert.deepEqual(wide(1), { both: 2 / 6, any: 1 });
  assert.deepEqual(wide(3), { both: 0, any: 1 }, "one side alone has it");
  assert.deepEqual(sharesOf(FLAME, widened(FLAME, "b"), 1), { both: 1, any: 1 });
  assert.deepEqual(sharesOf(FLAME, widened(FLAME, "b"), 2), { both: 0.25, any: 1 });
  assert.deepEqual(
    [0, 1, 2, 3].map((node) => ratioOf(FLAME, node)),
    [6 / 8, 2 / 6, 4, null],
  );
});

const table = (columns: string[], rows: Table["rows"]): Table => ({
  about: "",
  columns: columns.map((name) => ({
    name,
    type: "text",
    unit: "",
    about: "",
    role: "",
  })) as unknown as Table["columns"],
  rows,
});

test("ops of both runs as points of a roofline", () => {
  const columns = ["name", "shapes", "settings", "types_a", "types_b", "flops_a_per_s", "flops_b_per_s"];
  const more = ["bytes_a_per_s", "bytes_b_per_s", "mean_a_ns", "mean_b_ns", "total_a_ns", "total_b_ns"];
  const [both, one, none] = pairsOfShapes(
    table(
      [...columns, ...more],
      [
        ["aten::mm", "[[2, 3]]", null, "fp32", "bf16", 100, 400, 10, 80, 8, 2, 80, 10],
        ["aten::add", "[[2]]", null, "fp32", null, 5, null, 10, null, 3, null, 6, 0],
        ["aten::copy_", "[[2]]", null, "fp32", "fp32", null, null, 10, 10, 3, 3, 6, 6],
      ],
    ),
  );
  assert.deepEqual(both!.a, { intensity: 10, flops: 100, duration: 8 });
  assert.deepEqual(both!.b, { intensity: 5, flops: 400, duration: 2 });
  assert.equal(both!.total, 80);
  assert.match(both!.detail, /\[\[2, 3\]\] fp32 \u2192 bf16/);
  assert.deepEqual([one!.a?.flops, one!.b], [5, null]);
  assert.equal(none, undefined, "nothing is computed");

  const launches = (flops: number) =>
    table(
      ["rank", "id", "device", "kernel", "duration_ns", "intensity", "flops_per_s", "bound"],
      [
        [0, 1, 0, "k", 10, 2, flops, "memory"],
        [0, 2, 0, "k", 10, null, flops, "memory"],
      ],
    );
  const pairs = pairsOfLaunches(
    table(
      ["rank", "id_a", "id_b", "kernel"],
      [
        [0, 1, 1, "k"],
        [0, 2, 2, "k"],
        [0, null, 1, "k"],
      ],
    ),
    { a: launches(7), b: launches(9) },
  );
  assert.deepEqual(
    pairs.map(({ a, b }) => [a?.flops ?? null, b?.flops ?? null]),
    [
      [7, 9],
      [null, 9],
    ],
  );
});

test("counters of both runs over one axis", () => {
  const track = (id: number, group: string, name: string) => ({ id, group: [group], name }) as unknown as Track;
  const pairs = counterPairs(
    [track(1, "GPU 0: H100", "allocated memory"), track(2, "Host", "allocated memory")],
    [track(7, "GPU 0: MI300X", "allocated memory"), track(8, "GPU 0: MI300X", "reserved memory")],
  );
  assert.deepEqual(
    pairs.map(({ a, b }) => [a?.id, b?.id]),
    [
      [1, 7],
      [2, undefined],
      [undefined, 8],
    ],
  );
  assert.equal(titleOf(pairs[0]!), "GPU 0: H100 \u2192 GPU 0: MI300X: allocated memory");
  assert.equal(titleOf(pairs[1]!), "Host: allocated memory");

  const raster = newCounterRaster(4); // values 1, nothing, 3, 4 at 0, 10, 20, 30
  [1, NaN, 3, 4].forEach((value, p) => (raster.last[p] = raster.minimum[p] = raster.maximum[p] = value));
  const range = { start: 0, end: 40 };
  assert.deepEqual([...resampled(raster, range, range, (at) => at).last], [...raster.last]);
  assert.deepEqual([...resampled(raster, range, { start: -20, end: 20 }, (at) => at).last], [NaN, NaN, 1, NaN]);
  const squeezed = resampled(raster, range, { start: 0, end: 80 }, (at) => at);
  assert.deepEqual(
    [[...squeezed.minimum], [...squeezed.maximum], [...squeezed.last]],
    [
      [1, 3, NaN, NaN],
      [1, 4, NaN, NaN],
      [1, 4, NaN, NaN],
    ],
  );
});

test("hatching is drawn over the pixels that are asked for, and hangs together", () => {
  const [width, height, step] = [12, 9, 4];
  const pixels = new Uint32Array(width * height).fill(5);
  hatchLane(
    pixels,
    width,
    height,
    2,
    20,
    step,
    (x) => x >= 4 && x < 9,
    (colour) => colour + 1,
  );
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      const over = y >= 2 && x >= 4 && x < 9 && (x + y) % step === 0;
      assert.equal(pixels[y * width + x], over ? 6 : 5, `${x}, ${y}`);
      assert.equal(isHatched(x, y, step), isHatched(x + 1, y + step - 1, step), "diagonal");
    }
  }
});
