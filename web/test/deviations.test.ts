// What devices take more or less time for than the median one, without a screen.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cell, Table } from "../src/api/protocol";
import { deviationBands, deviationsOf, keyOf } from "../src/views/deviations";
import { randomNumbers } from "./mock/profile.mjs";

function table(names: string[], rows: Cell[][]): Table {
  const columns = names.map((name) => ({ name, type: "int", unit: "", about: "", role: "measure" }));
  return { columns, rows } as unknown as Table;
}
const busy = (rows: Cell[][]) =>
  table(["rank", "device", "compute_ns", "exposed_comm_ns", "exposed_memory_ns", "idle_ns"], rows);
const idle = (rows: Cell[][]) => table(["rank", "device", "cause", "total_ns"], rows);

test("the largest deviation comes first, and what nobody deviates in is left out", () => {
  const gpuTime = busy([0, 1, 2, 3].map((rank) => [rank, 0, 100 + (rank === 2 ? 30 : 0), 50, 7, 20]));
  const causes = idle([
    [0, 0, "host_code", 20],
    [1, 0, "host_code", 20],
    [2, 0, "data_loading", 500],
    [3, 0, "host_code", 12],
  ]);
  const found = deviationsOf(gpuTime, causes);
  assert.deepEqual(
    found.map(({ name, usual, largest }) => [name, usual, largest]),
    [
      ["data loading", 0, 500],
      ["compute", 100, 30],
      ["host code", 12, 12],
    ],
  );
  assert.deepEqual([...found[2]!.of.values()], [8, 8, -12, 0]);
  // Without the causes idle time is one thing.
  assert.deepEqual(
    deviationsOf(gpuTime, null).map(({ name }) => name),
    ["compute"],
  );
});

test("of devices that share a row the one that deviates most stands for them, of each thing another", () => {
  const random = randomNumbers(7);
  const devices = Array.from({ length: 1000 }, (_, rank) => ({ rank, device: 0 }));
  const rows = devices.map(({ rank }) => [rank, 0, Math.floor(random() * 1000), Math.floor(random() * 1000), 5, 0]);
  const deviations = deviationsOf(busy(rows), null);
  assert.equal(deviations.length, 2);
  const bands = deviationBands(devices, deviations, 128);
  assert.ok(bands.length <= 128);
  assert.equal(bands[bands.length - 1]!.last, 1000);
  for (const { first, last, drawn } of bands) {
    deviations.forEach(({ of }, column) => {
      const sizes = devices.slice(first, last).map((device) => Math.abs(of.get(keyOf(device))!));
      assert.equal(Math.abs(of.get(keyOf(devices[drawn[column]!]!))!), Math.max(...sizes));
    });
  }
});
