// Texts, tables, and the areas of counters and activity.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cell } from "../src/api/protocol";
import { decodeActivityTile, type CounterTile } from "../src/api/tiles";
import { decimal, query } from "../src/api/client";
import {
  asWritten,
  bytes,
  duration,
  grouped,
  launchShape,
  moment,
  momentStep,
  oneLine,
  percent,
  withPageUnits,
} from "../src/model/format";
import { addActivity, newActivityRaster } from "../src/timeline/activity";
import { addCounter, counterScale, newCounterRaster } from "../src/timeline/counters";
import { readSearch } from "../src/model/search_text";
import { pixelBuckets } from "../src/timeline/raster";
import { axisMoment, baseOf, markMode, momentIn, ticksOf, timeAxis } from "../src/model/axis";
import { everything, firstView } from "../src/model/viewport";
import { gridStepOf } from "../src/timeline/ruler";
import { apart, cutName, cuts, narrower, trackNameParts } from "../src/model/names";
import { TextMeasure } from "../src/timeline/text";
import { columnNeed, columnWidths, fittedWidth, tabularMeasure } from "../src/ui/column_widths";
import { fits } from "../src/ui/command_palette";
import { csv } from "../src/ui/csv";
import { linearScale, logScale } from "../src/ui/chart";
import { cellText } from "../src/ui/table";
import { orderRows, readSort, writeSort } from "../src/ui/row_order";
import { encodeActivity } from "./mock/profile.mjs";

test("durations and moments", () => {
  assert.equal(duration(0), "0 ns");
  assert.equal(duration(999), "999 ns");
  assert.equal(duration(1500), "1.50 \u00b5s");
  assert.equal(duration(12345678), "12.3 ms");
  assert.equal(duration(90e9), "90.0 s");
  assert.equal(duration(7200e9), "120 min");
  assert.equal(duration(null), "\u2013");
  assert.equal(moment(1234567, 1000), "1.235 ms");
  assert.equal(moment(5e9, 1e9), "5 s");
  assert.equal(moment(599.9e9, 1e8), "599.9 s");
  assert.equal(moment(600e9, 60e9), "10 min");
  assert.equal(moment(80000e9, 1200e9), "22 h 13 min 20 s");
  assert.equal(moment(79200e9, 3600e9), "22 h");
  assert.equal(moment(3600.25e9, 1e7), "1 h 0.25 s");
  assert.equal(moment(7199.9999e9, 1e9), "2 h");
  assert.equal(moment(-660e9, 60e9), "-11 min");
  assert.equal(bytes(1536), "1.50 KiB");
  assert.equal(percent(0.04), "0.04 %");
  assert.equal(grouped(1234567.5), "1\u202f234\u202f567.5");
});

test("a name of any kind becomes one line", () => {
  assert.equal(oneLine("a\nb\u0000\tc\u202ed"), "a b cd");
  assert.equal(oneLine("x".repeat(1000)).length, 301);
});

test("names lose their namespaces as far as the rest says something", () => {
  assert.deepEqual(narrower("at::native::elementwise_kernel"), [
    "at::native::elementwise_kernel",
    "native::elementwise_kernel",
    "elementwise_kernel",
  ]);
  assert.deepEqual(narrower("internal::gemvx::kernel"), ["internal::gemvx::kernel", "gemvx::kernel"]);
  assert.deepEqual(narrower("cudaLaunchKernel"), ["cudaLaunchKernel"]);
});

test("long names are cut in the middle, and what tells those apart that begin alike stays", () => {
  const context = { font: "", measureText: () => ({ width: 1 }) } as unknown as CanvasRenderingContext2D;
  const measure = new TextMeasure(context, "");
  assert.equal(measure.cut("abcdefghij", 10), "abcdefghij");
  assert.equal(measure.cut("abcdefghijklmnopqrst", 11), "abcdef\u2026qrst");
  assert.equal(measure.cut("abcdefghij", 4), "abc\u2026");
  assert.equal(measure.cut("abcdefghij", 2), "");
  assert.equal(measure.fitting(["a long name", "a name"], 7), "a name");

  const names = ["void gemm<float, 4>(int)", "void gemm<float, 8>(int)", "relu", "void gemm<float, 4>(int)"];
  const at = cuts(names);
  assert.ok(names[1]!.slice(at.get(names[1]!)).includes("8>"), "the difference is in what stays");
  assert.equal(at.get("relu"), 0);
  const labels = apart(names.map((full) => ({ full, short: full.replace(/^void |<.*/g, "") })));
  assert.deepEqual(labels, ["gemm \u20264>(int)", "gemm \u20268>(int)", "relu", "gemm \u20264>(int)"]);
});

test("labels of the ruler tell neighbours apart at every zoom", () => {
  for (const start of [0, 123, 1.5e6, 7.77e9, 3.6e12]) {
    for (let size = 20; size < 1e13; size *= 3.7) {
      const view = { start, end: start + size };
      const step = gridStepOf(view, 900);
      const { base, ticks } = ticksOf(view, step);
      assert.equal(base, baseOf(view, step));
      assert.ok(base <= view.start + 1);
      assert.equal(new Set(ticks.map((tick) => tick.label)).size, ticks.length, `${start} ${size}`);
      for (const tick of ticks) assert.ok(tick.label.length <= 20, tick.label);
    }
  }
});

test("where a profile has no times, moments are numbers of events", () => {
  const session = { start_unix_ns: null, event_step: 1000 };
  const axis = timeAxis("utc", [], session);
  assert.equal(axisMoment(axis, 1_234_000), "event 1\u202f234");
  assert.equal(momentIn(session, 2000), "event 2");
  assert.equal(momentIn({ ...session, event_step: null }, 2000, 1000), "2 \u00b5s");
  const { baseText, ticks } = ticksOf({ start: 0, end: 50_000 }, 10_000, axis);
  assert.equal(baseText, "event");
  assert.deepEqual(
    ticks.map(({ label }) => label),
    ["0", "10", "20", "30", "40", "50"],
  );
});

test("a first picture shows where the slices are", () => {
  const span = 3.6e12;
  assert.deepEqual(firstView({ span, first_window: null }), everything(span));
  const view = firstView({ span, first_window: { start: 1e9, end: 2e9 } });
  assert.ok(view.start < 1e9 && view.end > 2e9 && view.end - view.start < 1.5e9);
});

test("the ruler counts from a mark, in UTC and in ns, and tells neighbours apart at every zoom", () => {
  const mark = { start: 5e6, end: null, name: "", note: "" };
  const unix = "1700000012345678901"; // 2023-11-14 22:13:32.345678901
  const axes = [markMode(mark), "utc", "ns"].map((mode) =>
    timeAxis(mode, [mark], { start_unix_ns: unix, event_step: null }),
  );
  assert.deepEqual(
    axes.map(({ kind }) => kind),
    ["mark", "utc", "ns"],
  );
  for (const axis of axes) {
    for (const start of [0, 123, 1.5e6, 7.77e9, 3.6e12]) {
      for (let size = 20; size < 1e13; size *= 3.7) {
        const view = { start, end: start + size };
        const { ticks, baseText } = ticksOf(view, gridStepOf(view, 900), axis);
        assert.ok(ticks.every(({ moment }) => moment >= start - 1 && moment <= view.end + 1));
        assert.equal(new Set(ticks.map((tick) => tick.label)).size, ticks.length, `${axis.kind} ${start} ${size}`);
        for (const { label } of ticks) assert.ok(label.length <= 20, label);
        assert.ok(baseText.length <= 32, baseText);
      }
    }
  }
  const [fromMark, utc, ns] = axes as [(typeof axes)[0], (typeof axes)[0], (typeof axes)[0]];
  assert.equal(axisMoment(fromMark, 7e6, 1e6), "+2 ms");
  assert.equal(axisMoment(fromMark, 4e6, 1e6), "-1 ms");
  assert.equal(axisMoment(utc, 1e9, 1), "22:13:33.345678901");
  assert.equal(axisMoment(utc, 1e9, 1e9), "22:13:33");
  assert.equal(axisMoment(ns, 1234567), "1\u202f234\u202f567 ns");
  const ticks = ticksOf({ start: 0, end: 10e9 }, 2e9, utc);
  assert.equal(ticks.baseText, "2023-11-14");
  assert.equal(ticks.ticks[0]!.label, "22:13:34");
  assert.equal(ticksOf({ start: 0, end: 1000 }, 200, utc).baseText, "2023-11-14 22:13:32 +");
  assert.equal(timeAxis("utc", [], { start_unix_ns: null, event_step: null }).kind, "start");
  assert.equal(timeAxis("mark7", [mark], { start_unix_ns: unix, event_step: null }).kind, "start");
});

test("a counter is drawn between the values in sight, on demand from 0", () => {
  const raster = newCounterRaster(3);
  assert.deepEqual(counterScale(raster, false), { low: 0, high: 1 });
  raster.minimum.set([1000, 1001, 1002]);
  raster.maximum.set([1000, 1001, 1005]);
  assert.deepEqual(counterScale(raster, false), { low: 1000, high: 1005 });
  assert.deepEqual(counterScale(raster, true), { low: 0, high: 1005 });
  raster.minimum.fill(-4);
  raster.maximum.fill(-4);
  assert.deepEqual(counterScale(raster, false), { low: -4, high: 0 });
});

test("CSV quotes what needs it and nothing else", () => {
  const rows: Cell[][] = [
    ["a,b", 1, null],
    ['say "x"', 2.5, "two\nlines"],
  ];
  assert.equal(csv(["name", "n", "t"], rows), 'name,n,t\r\n"a,b",1,\r\n"say ""x""",2.5,"two\nlines"\r\n');
});

test("rows: sorted, absent last both ways, filtered by all words", () => {
  const rows: Cell[][] = [
    ["b", 2],
    ["a", null],
    ["c10", 10],
    ["c9", 2],
  ];
  assert.deepEqual(orderRows(rows, { column: 1, descending: true }, ""), [2, 0, 3, 1]);
  assert.deepEqual(orderRows(rows, { column: 1, descending: false }, ""), [0, 3, 2, 1]);
  assert.deepEqual(orderRows(rows, { column: 0, descending: false }, "C"), [3, 2]);
  assert.deepEqual(orderRows(rows, null, "c 10"), [2]);
});

test("scales go there and back; ticks are inside", () => {
  const linear = linearScale([0, 1234], [50, 650]);
  const log = logScale([0.01, 5e6], [400, 0]);
  for (const value of [0.02, 1, 77, 1200]) {
    assert.ok(Math.abs(linear.invert(linear(value)) - value) < 1e-9);
    assert.ok(Math.abs(log.invert(log(value)) / value - 1) < 1e-9);
  }
  assert.ok(linear.ticks.length > 3 && linear.ticks.every((tick) => tick >= 0 && tick <= 1234));
  assert.ok(log.ticks.length > 3 && log.ticks.every((tick) => tick >= 0.01 && tick <= 5e6));
  assert.ok(linearScale([5, 5], [0, 100]).ticks.every(Number.isFinite));
});

test("commands are found by their words", () => {
  assert.equal(fits("Axis: Zoom in", "zoom"), 1);
  assert.equal(fits("Axis: Zoom in", "in zoom"), 2);
  assert.equal(fits("Axis: Zoom in", "out"), null);
});

test("requests: integers in decimal, absent values left out", () => {
  assert.equal(
    query({ from: 1e21, to: 2 ** 53, step: undefined, where: "name ~ a&b", cut: true, x: false }),
    "?from=1000000000000000000000&to=9007199254740992&where=name%20~%20a%26b&cut=1",
  );
  assert.equal(decimal(1.6), "2");
});

test("activity of a pixel is the mean of its buckets, whatever tile they are in", () => {
  const buckets = pixelBuckets({ start: 0, end: 2048 * 16 }, 400, 4);
  const tiles = [0, 1].map((index) => decodeActivityTile(encodeActivity(4, index), 4, index));
  const raster = newActivityRaster(400);
  for (const tile of tiles) addActivity(raster, tile, buckets);
  for (let p = 0; p < 400; ++p) {
    let sum = 0;
    for (let b = buckets.from[p]!; b < buckets.to[p]!; ++b) sum += tiles[Math.floor(b / 1024)]!.compute[b % 1024]!;
    assert.ok(Math.abs(raster.compute[p]! - sum / (buckets.to[p]! - buckets.from[p]!)) < 1e-5);
  }
});

test("a counter holds its value until the next sample, across tiles", () => {
  const tile = (index: number, samples: [number, number, number, number][]): CounterTile => ({
    level: 0,
    index,
    bytes: 0,
    minimum: Float64Array.from(samples, (s) => s[1]),
    maximum: Float64Array.from(samples, (s) => s[2]),
    last: Float64Array.from(samples, (s) => s[3]),
    bucket: Uint16Array.from(samples, (s) => s[0]),
  });
  const raster = newCounterRaster(2048);
  const buckets = pixelBuckets({ start: 0, end: 2048 }, 2048, 0);
  addCounter(
    raster,
    tile(0, [
      [10, 5, 5, 5],
      [20, 5, 9, 7],
    ]),
    buckets,
  );
  addCounter(
    raster,
    tile(1, [
      [0, 7, 7, 7],
      [100, -1, 7, -1],
    ]),
    buckets,
  );
  assert.ok(Number.isNaN(raster.last[9]!));
  assert.deepEqual([raster.last[10], raster.last[19]], [5, 5]);
  assert.deepEqual([raster.minimum[20], raster.maximum[20], raster.last[20]], [5, 9, 7]);
  assert.deepEqual([raster.minimum[21], raster.maximum[21], raster.last[1023], raster.last[1024]], [7, 7, 7, 7]);
  assert.deepEqual([raster.minimum[1124], raster.maximum[1124], raster.last[2047]], [-1, 7, -1]);
  assert.deepEqual(counterScale(raster, false), { low: -1, high: 9 });
});

test("marks that turn the writing direction are written out", () => {
  assert.equal(asWritten("a\u202eb\u2069c\nd"), "a<U+202E>b<U+2069>c\nd");
});

test("sentences of the server have the page's units", () => {
  assert.equal(withPageUnits("12.5% of 30 us, 3 user calls"), "12.5 % of 30 \u00b5s, 3 user calls");
});

test("the shape of a launch, however the profile writes it", () => {
  const of = (values: Record<string, string>) =>
    launchShape(Object.entries(values).map(([key, value]) => ({ key, value })));
  assert.equal(of({ grid: "[4, 2, 1]", block: "[256,1,1]" }), "4 x 2 x 1 blocks of 256 x 1 x 1 threads");
  const nsys = { gridX: "4", gridY: "2", gridZ: "1", blockX: "256", blockY: "1", blockZ: "1" };
  assert.equal(of(nsys), "4 x 2 x 1 blocks of 256 x 1 x 1 threads");
  assert.equal(of({ ...nsys, blockZ: "" }), undefined);
  assert.equal(of({ grid: "[4, 2]", block: "[256, 1, 1]" }), undefined);
  assert.equal(of({}), undefined);
});

test("columns: a number is whole whatever is chosen, headings and texts share what is left", () => {
  const measure = tabularMeasure((character) => (character === "1" ? 3 : 7));
  assert.equal(measure("111"), 21, "digits are equally wide");
  const rows: Cell[][] = Array.from({ length: 1000 }, (_, i) => [i === 999 ? 123456789 : 1, "x".repeat(i)]);
  const number = columnNeed(rows, (row) => String(row[0]), true, 30, measure);
  assert.ok(number.least >= 9 * 7, "the longest is far down");
  const text = columnNeed(rows, (row) => String(row[1]), false, 30, measure);
  assert.ok(text.whole > text.first && text.whole <= fittedWidth(rows, (row) => String(row[1]), measure));
  assert.deepEqual(columnWidths([number, text], [], [], 0).widths, [number.first, text.first], "no room to spare");
  assert.deepEqual(columnWidths([number, text], [], [], 5000).widths, [number.first, text.whole], "all is whole");
  assert.deepEqual(columnWidths([number, text], [10, 300], [40], 5000), {
    widths: [number.least, 300, 40],
    total: number.least + 340,
  });
  const headed = columnNeed(rows, (row) => String(row[0]), true, 400, measure);
  assert.ok(headed.first < 400, "a long heading is cut where there is no room");
  const { widths, total } = columnWidths([headed, text], [], [], 900);
  assert.ok(widths[0]! > 400 && widths[1]! > text.first && total <= 900, "headings first, then texts");
});

test("the order that a table names is read", () => {
  const columns = ["name", "total_ns"].map((name) => ({ name, type: "int" }));
  assert.deepEqual(readSort({ columns, sorted_by: writeSort("total_ns", true) }), { column: 1, descending: true });
  assert.deepEqual(readSort({ columns, sorted_by: "+name" }), { column: 0, descending: false });
  assert.equal(readSort({ columns, sorted_by: "-gone" }), null);
  assert.equal(readSort({ columns }), null);
});

test("a name is cut only where it does not fit, and without a gap", () => {
  const width = (text: string) => text.length;
  const name = "cudaDeviceSynchronize";
  assert.equal(cutName(name, 9, 21, width), name);
  assert.equal(cutName(name, 9, 18, width), "cudaD\u2026eSynchronize");
  assert.equal(cutName(name, 0, 5, width), name, "nothing tells where: its end is cut");
  assert.equal(cutName(name, 9, 10, width), "cu\u2026eSynchronize", "the beginning keeps its share");
  for (let room = 1; room < 30; ++room) {
    const [head, end] = cutName(name, 9, room, width).split("\u2026");
    assert.ok(end === undefined ? head === name : name.startsWith(head!) && name.endsWith(end), `${room}`);
  }
});

test("a search is a part of a name, or of an argument", () => {
  assert.deepEqual(readSearch(" gemm "), { q: "gemm" });
  assert.deepEqual(readSearch("x=1"), { q: "x=1" });
  assert.deepEqual(readSearch("External id = 12"), { q: "12", argument: "External id", equal: true });
  assert.deepEqual(readSearch("shape ~ [4, = 2]"), { q: "[4, = 2]", argument: "shape", equal: false });
  assert.deepEqual(readSearch("stream ="), { q: "", argument: "stream", equal: false });
  assert.deepEqual(readSearch("= 3"), { q: "= 3" });
});

test("identifiers and counts are whole; moments differ where they differ", () => {
  const int = (unit: string) => ({ type: "int", unit });
  assert.equal(cellText(161234, int("")), "161234");
  assert.equal(cellText(3008683275, int("count")), "3\u202f008\u202f683\u202f275");
  assert.equal(cellText(12345678, int("ns")), "12.3 ms");
  assert.equal(cellText(null, int("")), "");
  assert.equal(cellText(16123.4, { type: "float", unit: "" }), "16.1 k");
  const moments = [12345678, 12345978, 5e9, null];
  const step = momentStep(moments);
  assert.equal(step, 100);
  assert.deepEqual([moment(moments[0]!, step), moment(moments[1]!, step)], ["12.3457 ms", "12.3460 ms"]);
  assert.equal(momentStep([7, 7]), 1);
});

test("the name of a track keeps what tells it apart: of a device index and model, of others the numbers at the end", () => {
  assert.deepEqual(trackNameParts("GPU 0: NVIDIA A100-SXM4-80GB"), ["GPU 0: A100-SXM4-80GB"]);
  assert.deepEqual(trackNameParts("GPU 11: AMD Instinct MI300X"), ["GPU 11: MI300X"]);
  assert.deepEqual(trackNameParts("NPU 3: Ascend 910B4"), ["NPU 3: Ascend 910B4"]);
  assert.deepEqual(trackNameParts("stream 7"), ["stream 7"]);
  assert.deepEqual(trackNameParts("autograd worker thread 140712"), ["autograd worker t", "hread 140712"]);
  for (const name of ["pt_autograd_0 (4711)", "a".repeat(19)]) assert.equal(trackNameParts(name).join(""), name);
});
