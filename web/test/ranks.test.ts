// The heat map of what many devices did over time, without a screen.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cell, Table } from "../src/api/protocol";
import { ActivityMap, bandsOf, devicesOf, shadeOf, sharesText, STATES } from "../src/views/ranks_model";
import { randomNumbers } from "./mock/profile.mjs";

const NAMES = ["rank", "device", "start_ns", "duration_ns", ...STATES.map(({ column }) => column)];

function activity(rows: Cell[][]): Table {
  const columns = NAMES.map((name) => ({ name, type: "int", unit: "", about: "", role: "measure" }));
  return { columns, rows } as unknown as Table;
}

test("columns keep the time of the buckets, whatever their borders", () => {
  const random = randomNumbers(3);
  const rows: Cell[][] = [];
  for (let rank = 0; rank < 20; ++rank) {
    let at = Math.floor(random() * 500);
    for (let bucket = 0; bucket < 100; ++bucket) {
      const length = bucket === 0 || bucket === 99 ? 1 + Math.floor(random() * 63) : 64;
      const compute = Math.floor(random() * (length + 1));
      rows.push([rank >> 1, rank & 1, at, length, compute, 0, 0, length - compute]);
      at += length;
    }
  }
  const devices = devicesOf(activity(rows));
  assert.deepEqual(
    devices.slice(0, 3).map(({ rank, device, place }) => [rank, device, place]),
    [
      [0, 0, 0],
      [0, 1, 1],
      [1, 0, 0],
    ],
  );
  for (const most of [1, 7, 64, 1000]) {
    const map = new ActivityMap(devices, most);
    assert.ok(map.columns <= most && map.columnLength % 64 === 0);
    devices.forEach((device, index) => {
      const wanted = device.buckets.reduce((sum, { times }) => sum + times[0]!, 0);
      let found = 0;
      for (let column = 0; column < map.columns; ++column) {
        const times = map.at(index, column);
        found += times[0]!;
        assert.ok(times.reduce((sum, time) => sum + time, 0) <= map.columnLength + 1e-6);
      }
      assert.ok(Math.abs(found - wanted) < 1e-6);
    });
  }
});

test("a straggler stands for its neighbours, not those that wait for it", () => {
  const rows: Cell[][] = [];
  for (let rank = 0; rank < 100; ++rank) {
    for (let bucket = 0; bucket < 10; ++bucket) {
      const computes = bucket < 6 || (rank === 57 && bucket === 8);
      const waits = rank === 56 && bucket === 3; // for somebody
      const compute = waits ? 0 : computes ? 100 : 0;
      rows.push([rank, 0, bucket * 100, 100, compute, 100 - compute, 0, 0]);
    }
  }
  const map = new ActivityMap(devicesOf(activity(rows)), 256);
  const bands = bandsOf(map, 20);
  assert.equal(bands.length, 20);
  assert.deepEqual(bands[11], { first: 55, last: 60, drawn: 57 });
  assert.deepEqual(bandsOf(map, 100)[56], { first: 56, last: 57, drawn: 56 });
});

test("the colour is that of what most of the time went to", () => {
  assert.deepEqual(shadeOf([95, 5, 0, 0]), { state: 0, shade: 3 });
  assert.deepEqual(shadeOf([20, 75, 0, 5]), { state: 1, shade: 2 });
  assert.deepEqual(shadeOf([30, 20, 10, 40]), { state: 3, shade: 0 });
  assert.equal(shadeOf([0, 0, 0, 0]), null);
  assert.equal(
    sharesText([25, 0, 0, 75], (value) => `${value}%`),
    "idle 75%, compute 25%",
  );
  assert.equal(new ActivityMap([], 10).columns, 1);
});
