// The pure parts of the views: flame graphs, trees, rooflines, gaps, steps of a counter.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlameGraph, Session, Table } from "../src/api/protocol";
import type { SliceTile } from "../src/api/tiles";
import { csv } from "../src/ui/csv";
import { edgesOf } from "../src/views/distribution";
import { calleesOf, frameAt, layoutFlame, matchedValue, subtreeEnds } from "../src/views/flame_layout";
import { causeOf, tableOfCommand } from "../src/views/finding_command";
import { causeWords, gainOfAll, savingOf, wholeText } from "../src/views/finding_words";
import { colourByName } from "../src/views/memory";
import { verdictParts, whyUtilizationIsUnknown } from "../src/views/verdict_words";
import { gapsOf, levelOver } from "../src/views/gaps";
import { headline } from "../src/views/headline";
import { hasSlices, rowColumns } from "../src/views/declared";
import { rowCells, rowKey } from "../src/views/matches";
import { cutSteps, exactPattern, isEqual, Records, totals } from "../src/views/records";
import { attainable, domains, launchesOf, peakRates, roofOf } from "../src/views/roofline_model";
import { costsOf, hottestLine, linesOf, splitLines } from "../src/views/source_lines";
import { completions, leadOf, placeOfTrouble } from "../src/views/sql_words";
import { stepPath } from "../src/views/step_path";
import { StepRows } from "../src/views/steps";
import { childrenOf, hotPath, lineage, visibleRows } from "../src/views/tree_rows";
import { nameText } from "../src/views/view";
import { randomNumbers } from "./mock/profile.mjs";

/** A random tree in pre-order, values of children never above that of the parent. */
function randomFlame(seed: number, size: number, names = 12): FlameGraph {
  const random = randomNumbers(seed);
  const nodes: FlameGraph["nodes"] = { parent: [], name: [], value: [], self: [], kind: [], class: [], count: [] };
  const grow = (parent: number, value: number, depth: number) => {
    const at = nodes.parent.push(parent) - 1;
    nodes.name.push(Math.floor(random() * names));
    nodes.value.push(value);
    nodes.kind.push(0);
    nodes.class.push(at % 3 === 0 ? 5 : -1);
    nodes.count.push(1);
    nodes.self.push(0);
    let left = value;
    while (depth < 9 && nodes.parent.length < size && random() < 0.7 && left > 1) {
      const share = Math.ceil(left * random());
      left -= share;
      grow(at, share, depth + 1);
    }
    nodes.self[at] = left;
  };
  while (nodes.parent.length < size) grow(-1, 1000, 0);
  const total = nodes.parent.reduce((sum, parent, i) => sum + (parent < 0 ? nodes.value[i]! : 0), 0);
  const texts = Array.from({ length: names }, (_, i) => `f${i}`);
  return { unit: "ns", metric: "time", metrics: ["time"], total, nodes, names: texts, short: [] };
}

test("frames stand inside their parents, beside their siblings, as wide as their values", () => {
  for (let seed = 1; seed < 20; ++seed) {
    const graph = randomFlame(seed, 200);
    const { parent, value } = graph.nodes;
    const place = new Map(
      layoutFlame(graph, null).rows.flatMap((row, depth) => row.map((frame) => [frame.node, { ...frame, depth }])),
    );
    assert.equal(place.size, parent.length);
    for (const [node, frame] of place) {
      assert.ok(Math.abs(frame.right - frame.left - value[node]! / graph.total) < 1e-9);
      const above = place.get(parent[node]!);
      assert.equal(frame.depth, above ? above.depth + 1 : 0);
      if (above) assert.ok(frame.left >= above.left - 1e-9 && frame.right <= above.right + 1e-9);
    }
    for (const row of layoutFlame(graph, null).rows) {
      for (let i = 1; i < row.length; ++i) assert.ok(row[i]!.left >= row[i - 1]!.right - 1e-9);
    }
  }
});

test("a root has the full width, and only what is above and below it is shown", () => {
  const graph = randomFlame(3, 200);
  const { parent } = graph.nodes;
  const ends = subtreeEnds(parent);
  for (let root = 0; root < parent.length; root += 7) {
    const { rows } = layoutFlame(graph, root);
    const shown = rows.flat();
    const frame = shown.find(({ node }) => node === root)!;
    assert.deepEqual([frame.left, frame.right], [0, 1]);
    const above = lineage(parent, root).length - 1;
    assert.equal(shown.length, ends[root]! - root + above);
    for (const { node, left, right } of shown) {
      const depth = rows.findIndex((row) => row.some((each) => each.node === node));
      if (right > left) assert.equal(frameAt({ rows }, depth, (left + right) / 2)?.node, node);
    }
  }
  assert.equal(frameAt(layoutFlame(graph, null), 99, 0.5), null);
});

test("an empty flame graph has no rows", () => {
  const nodes = { parent: [], name: [], value: [], self: [], kind: [], class: [], count: [] };
  const graph: FlameGraph = { unit: "ns", metric: "m", metrics: ["m"], total: 0, nodes, names: [], short: [] };
  assert.equal(layoutFlame(graph, null).rows.length, 0);
  assert.deepEqual(
    matchedValue(graph, () => true),
    { value: 0, count: 0 },
  );
  assert.equal(calleesOf(graph, "nothing").nodes.parent.length, 0);
});

test("callees of a function add up over its places, recursion counting once", () => {
  for (let seed = 1; seed < 20; ++seed) {
    const graph = randomFlame(seed, 150);
    for (const name of ["f1", "f5"]) {
      const merged = calleesOf(graph, name);
      const expected = matchedValue(graph, (id) => graph.names[id] === name);
      assert.ok(Math.abs(merged.total - expected.value) < 1e-9);
      const { parent, value, self } = merged.nodes;
      parent.forEach((above, i) => assert.ok(above < i));
      const below = value.map(() => 0);
      parent.forEach((above, i) => above >= 0 && (below[above]! += value[i]!));
      value.forEach((all, i) => assert.ok(Math.abs(all - self[i]! - below[i]!) < 1e-9, `${seed} ${name} ${i}`));
    }
  }
});

test("rows of a tree: only what is open, siblings by value", () => {
  const { roots, children } = childrenOf([-1, 0, 0, 1, 1, 2]);
  const value = (node: number) => [10, 3, 7, 1, 2, 7][node]!;
  const nodes = (open: number[]) => visibleRows(roots, children, new Set(open), value).map(({ node }) => node);
  assert.deepEqual(nodes([]), [0]);
  assert.deepEqual(nodes([0]), [0, 2, 1]);
  assert.deepEqual(nodes([0, 1, 2]), [0, 2, 5, 1, 4, 3]);
  assert.deepEqual(nodes([1]), [0]); // open below something closed
  assert.deepEqual(
    visibleRows(roots, children, new Set([0, 1]), value).map(({ depth }) => depth),
    [0, 1, 1, 2, 2],
  );
  assert.deepEqual(hotPath(roots, children, value), [0, 2, 5]);
  assert.deepEqual(hotPath(roots, children, value, 0.8), [0]);
  assert.deepEqual(hotPath([], [], value), []);
  assert.deepEqual(lineage([-1, 0, 0, 1, 1, 2], 4), [4, 1, 0]);
});

const table = (columns: string[], rows: Table["rows"]): Table => ({
  columns: columns.map((name) => ({ name, type: "text" })),
  rows,
});

test("peak rates: units, order, equal ones together, no integers", () => {
  assert.deepEqual(peakRates("fp64 9.7 TFLOP/s, fp16 312 TFLOP/s, bf16 312 TFLOP/s, int8 624 TOP/s"), [
    { label: "fp16, bf16", flops: 312e12 },
    { label: "fp64", flops: 9.7e12 },
  ]);
  assert.deepEqual(peakRates(""), []);
  assert.deepEqual(peakRates("nonsense, fp32 x TFLOP/s"), []);
});

test("a roofline has the launches with both coordinates, inside its axes", () => {
  const launches = launchesOf(
    table(
      ["rank", "id", "device", "kernel", "duration_ns", "intensity", "flops_per_s", "bound"],
      [
        [0, 1, 0, "a", 10, 2, 1e12, "memory"],
        [0, 2, 0, "b", 10, null, 1e12, "memory"],
        [0, 3, 0, "c", 10, 0.01, 5e8, "latency"],
      ],
    ),
  );
  assert.deepEqual(
    launches.map((launch) => launch.id),
    [1, 3],
  );
  const devices = table(
    ["rank", "device", "name", "memory_bandwidth", "peak_flops"],
    [[0, 0, "X", 1.5e12, "fp32 19.5 TFLOP/s"]],
  );
  const roof = roofOf(devices, 0, 0)!;
  assert.equal(attainable(roof, 1, 19.5e12), 1.5e12);
  assert.equal(attainable(roof, 100, 19.5e12), 19.5e12);
  assert.equal(attainable({ ...roof, bandwidth: 0 }, 1, 19.5e12), 19.5e12);
  const { x, y } = domains(launches, [roof]);
  for (const launch of launches) {
    assert.ok(x[0] < launch.intensity && launch.intensity < x[1]);
    assert.ok(y[0] < launch.flops && launch.flops < y[1]);
  }
  assert.ok(x[1] > 13 && y[1] > 19.5e12);
  assert.equal(roofOf(table(["rank", "device"], []), 0, 0), null);
  assert.ok(domains([], []).x[0] > 0);
});

const idleTile = (entries: [slice: number, start: number, duration: number, cause: number][]): SliceTile => ({
  level: 4,
  index: 0,
  lanes: 1,
  laneBegin: Uint32Array.of(0, entries.length),
  start: Float64Array.from(entries, (e) => e[1]),
  duration: Float64Array.from(entries, (e) => e[2]),
  slice: Uint32Array.from(entries, (e) => e[0]),
  name: new Uint32Array(entries.length),
  count: new Uint32Array(entries.length),
  colour: Uint16Array.from(entries, (e) => (15 << 8) | e[3]),
  from: new Uint16Array(entries.length),
  to: new Uint16Array(entries.length),
  bytes: 0,
});

test("gaps: the longest first, each once, none that others could have hidden", () => {
  const tiles = [
    idleTile([
      [0, 0, 100, 3],
      [1, 200, 20, 4],
      [2, 300, 900, 5],
    ]),
    idleTile([
      [2, 300, 900, 5],
      [3, 5000, 64, 1],
    ]),
  ];
  const found = gapsOf(tiles, 7, { start: 0, end: 1e5 }, 4);
  assert.deepEqual(
    found.map((gap) => [gap.slice, gap.cause, gap.track]),
    [
      [2, 5, 7],
      [0, 3, 7],
      [3, 1, 7],
    ],
  );
  assert.equal(gapsOf(tiles, 7, { start: 0, end: 1e5 }, 0).length, 4);
  assert.deepEqual(
    gapsOf(tiles, 7, { start: 1200, end: 5001 }, 4).map((gap) => gap.slice),
    [3],
  );
  assert.equal(levelOver({ start: 0, end: 100 }), 0);
  assert.ok(2 ** levelOver({ start: 0, end: 1e9 }) * 8 * 1024 >= 1e9);
});

test("the line of a counter goes through its extremes; the area is closed at every break", () => {
  const raster = {
    minimum: Float64Array.of(NaN, 1, 2, 2, NaN, 5),
    maximum: Float64Array.of(NaN, 3, 2, 2, NaN, 5),
    last: Float64Array.of(NaN, 2, 2, 2, NaN, 5),
  };
  const { line, area } = stepPath(raster, { left: 0, width: 60, y: (value) => 10 - value });
  assert.equal(line, "M10.0 8.0H10.0V7.0V9.0V8.0H40.0M50.0 5.0H50.0V5.0V5.0V5.0H60.0");
  assert.equal(area.match(/z/g)!.length, 2);
  assert.ok(area.startsWith("M10.0 10.0") && area.endsWith("V10.0H50.0z"));
});

test("rows by column names, sums, conditions", () => {
  const records = new Records(
    table(
      ["cause", "ns"],
      [
        ["a", 3],
        ["b", 5],
        ["a", 4],
        ["c", null],
      ],
    ),
  );
  assert.deepEqual(totals(records, "cause", "ns"), [
    { key: "a", total: 7 },
    { key: "b", total: 5 },
    { key: "c", total: 0 },
  ]);
  assert.equal(records.cell(records.rows[3]!, "ns"), null);
  assert.equal(records.cell(records.rows[0]!, "absent"), null);
  assert.equal(isEqual("id", 3), '"id" = 3');
  assert.equal(isEqual("name", "it's"), "\"name\" = 'it''s'");
  const name = "void f<int, (a)1>(float*) [x+y]? {z|w}^$.";
  assert.ok(new RegExp(exactPattern(name)).test(name));
  assert.ok(!new RegExp(exactPattern(name)).test(name + "x"));
  assert.ok(new RegExp(exactPattern("y".repeat(999))).test("y".repeat(999)));
});

test("the headline names devices once and says what is known", () => {
  const session = {
    span: 2e9,
    start_unix_ns: "1700000000000000000",
    event_step: null,
    first_window: null,
    runs: [
      { rank: 0, format: "kineto", file: "", host: "n1", clock: "unix" },
      { rank: 1, format: "kineto", file: "", host: "n1", clock: "unix" },
    ],
    views: ["overview", "timeline"],
    steps: [],
  } as unknown as Session;
  const devices = table(
    ["name", "used"],
    [
      ["H100", 1],
      ["H100", 1],
      ["H100", 0],
    ],
  );
  const facts = new Map(headline(session, devices, null, null).map(([key, value]) => [key, value]));
  assert.equal(facts.get("Devices"), "2 \u00d7 H100");
  assert.equal(facts.get("Begun"), "2023-11-14 22:13:20 UTC");
  assert.equal(facts.get("Profile"), "kineto");
  assert.equal(facts.get("Ranks"), "2");
  assert.equal(facts.get("Part of the run"), undefined);
});

test("steps that a window cuts", () => {
  const steps = [0, 1, 2, 3].map((step) => ({ rank: 0, step, start: step * 100, duration: 100 }));
  const cut = (start: number, end: number) => [...cutSteps(steps, { start, end })];
  assert.deepEqual(cut(0, 400), []);
  assert.deepEqual(cut(100, 200), []);
  assert.deepEqual(cut(100, 201), ["0/2"]);
  assert.deepEqual(cut(140, 260), ["0/1", "0/2"]);
  assert.deepEqual(cut(110, 120), ["0/1"]);
  assert.deepEqual(cut(400, 500), []);
  assert.deepEqual([...cutSteps(steps, null)], []);
});

test("a loop reaches down to the last line in it, not into what it calls", () => {
  const nodes = {
    kinds: ["function", "loop", "line", "loop", "line", "function", "line", "line", "line"],
    files: ["a.c", "a.c", "a.c", "a.c", "a.c", "a.c", "a.c", "b.h", "a.c"],
    lines: [1, 10, 11, 12, 15, 90, 91, 70, 0],
    relations: ["call", "lexical", "lexical", "lexical", "lexical", "call", "lexical", "lexical", "lexical"],
    callLines: [0, 0, 0, 0, 0, 0, 0, 0, 0],
    children: [[1], [2, 3, 5, 7], [], [4], [], [6], [], [], []],
  };
  assert.deepEqual(linesOf(nodes, 1), { first: 10, last: 15 });
  assert.deepEqual(linesOf({ ...nodes, callLines: [0, 0, 0, 0, 0, 17, 0, 0, 0] }, 1), { first: 10, last: 17 });
  assert.deepEqual(linesOf(nodes, 0), { first: 1, last: 1 });
  assert.deepEqual(linesOf(nodes, 4), { first: 15, last: 15 });
  assert.equal(linesOf(nodes, 8), null);
});

test("source has its lines, and the hottest is where most is spent", () => {
  assert.deepEqual(splitLines("a\r\nb\rc\n\nd"), ["a", "b", "c", "", "d"]);
  assert.deepEqual(splitLines("a\nb\n"), ["a", "b"]);
  assert.deepEqual(splitLines(""), [""]);
  const source = { rank: 0, file: 0, name: "", stored: "", bytes: 0, text: "", shown_bytes: 0, repaired: false };
  const lines = { line: [3, 5, 9], inclusive: [90, 20, 30], exclusive: [0, 20, 10] };
  const costs = costsOf({ ...source, lines });
  assert.deepEqual(costs.get(9), { inclusive: 30, exclusive: 10 });
  assert.equal(hottestLine(costs), 5);
  assert.equal(hottestLine(costsOf({ ...source, lines: { ...lines, exclusive: [0, 0, 0] } })), 3);
  assert.equal(hottestLine(costsOf(source)), null);
});

test("a row is named by the cells that tell it from others, long ones by their beginning", () => {
  const column = (name: string) => ({ name, type: "text" });
  const table: Table = {
    columns: [column("kind"), column("src_memory"), column("dst_memory")],
    rows: [["HtoD", null, "device"]],
  };
  const declared = (name: string, row_key: string[], events = false) => ({ name, row_key, events });
  const session = {
    tables: [
      declared("transfers", ["kind", "src_memory", "dst_memory"]),
      declared("idle", []),
      declared("slices", ["name"], true),
    ],
  } as unknown as Session;
  const key = rowKey(session, "transfers", new Records(table), table.rows[0]!);
  assert.deepEqual(key, ["HtoD", null, "device"]);
  const cells = { kind: "HtoD", dst_memory: "device" };
  assert.deepEqual(rowCells(rowColumns(session, "transfers"), key), { cells, cut: false });
  assert.deepEqual(rowCells(rowColumns(session, "slices"), [""]), { cells: { name: "" }, cut: false });
  const long = rowCells(["name"], ["k".repeat(100_000)]);
  assert.equal(long.cut, true);
  assert.ok(encodeURIComponent(long.cells.name!).length < 6000);
  const wide = rowCells(["name"], ["x" + "\u{1f600}".repeat(10_000)]);
  assert.ok(encodeURIComponent(wide.cells.name!).length < 6100);
  assert.deepEqual(rowCells(["name"], ["k".repeat(5000)]), { cells: { name: "k".repeat(5000) }, cut: false });
  assert.deepEqual(
    ["transfers", "idle", "slices", "kernels"].map((name) => hasSlices(session, name)),
    [true, false, false, false],
  );
});

test("the edges of a histogram reach from the shortest to the longest", () => {
  const distribution = { key: [], count: 3, total: 60, min: 10, max: 30, counts: [1, 0, 1, 1] };
  assert.deepEqual(edgesOf(distribution), [10, 15, 20, 25, 30]);
});

test("a name that would show nothing is named as such", () => {
  assert.equal(nameText("aten::mm"), "aten::mm");
  assert.equal(nameText(""), "(no name)");
  assert.equal(nameText(" \t\u200b\u202e"), "(blank name)");
});

test("the title of steps says how many are cut, and takes the mean of the others", () => {
  const number = (name: string) => ({ name, type: "int" });
  const table: Table = { columns: ["rank", "step", "duration_ns"].map(number), rows: [0, 1, 2].map((i) => [0, i, 10]) };
  table.rows[0]![2] = 4;
  const steps = [0, 1, 2].map((step) => ({ rank: 0, step, start: step * 10, duration: 10 }));
  const title = (start: number, end: number, rows = table.rows) =>
    new StepRows(new Records(table), { steps } as unknown as Session, { start, end }).title(rows);
  assert.equal(title(6, 30), "3 steps, 10 ns on average; 1 cut: only what lies in the chosen time counts");
  assert.equal(title(2, 6, table.rows.slice(0, 1)), "1 step; cut: only what lies in the chosen time counts");
  assert.equal(title(0, 30), "3 steps, 8 ns on average");
});

test("no name becomes a formula of a spreadsheet", () => {
  const rows = [
    ["=1+1", -5],
    ["@sum", 1],
    ["-x", 2],
    ["a=b", 3],
    ['=cmd|"/c"', 4],
  ];
  assert.equal(csv(["n", "v"], rows), `n,v\r\n'=1+1,-5\r\n'@sum,1\r\n'-x,2\r\na=b,3\r\n"'=cmd|""/c""",4\r\n`);
});

test("words of SQL that go on at the cursor: columns of the tables that are named come first", () => {
  const table = (name: string, ...columns: string[]) =>
    ({ name, about: "", columns: columns.map((column) => ({ name: column, unit: "" })) }) as Session["tables"][number];
  const tables = [
    table("kernels", "name", "count", "odd one"),
    table("slices", "name", "slice"),
    table("notes", "code"),
  ];
  const words = (text: string, cursor = text.length) => completions(text, cursor, tables).map(({ word }) => word);
  assert.deepEqual(words("SELECT sl FROM slices", 9), ["slice", "slices"]);
  assert.deepEqual(words("SELECT sl"), ["slices"]);
  assert.deepEqual(words("SELECT c FROM kernels", 8), ["count", "class"]);
  assert.deepEqual(words("SELECT od FROM kernels", 9), ['"odd one"']);
  assert.deepEqual(words("sel"), ["SELECT"]);
  assert.deepEqual(words("SELECT name"), [], "it is whole");
  assert.deepEqual(words("LIMIT 1"), []);
  assert.deepEqual(words("SELECT "), []);
  assert.equal(completions("SELECT * FROM no", 16, tables)[0]!.start, 14);
});

test("a row of a statement leads to its slice, its time or its name", () => {
  const lead = (columns: string[], row: (string | number | null)[]) => {
    const table: Table = {
      columns: columns.map((name) => ({ name, type: "int", unit: "" })) as Table["columns"],
      rows: [row],
    };
    return leadOf(new Records(table), row);
  };
  assert.deepEqual(lead(["name", "slice", "start_ns"], ["op", 7, 5]), { slice: 7 });
  assert.deepEqual(lead(["start_ns", "duration_ns"], [5, 10]), { range: { start: 5, end: 15 } });
  assert.deepEqual(lead(["start_ns", "end_ns"], [5, 25]), { range: { start: 5, end: 25 } });
  assert.deepEqual(lead(["start_ns", "slice"], [5, null]), { range: { start: 5, end: 6 } });
  assert.deepEqual(lead(["name", "start_ns"], ["op", null]), { name: "op" });
  assert.equal(lead(["total_ns"], [5]), null);
  assert.equal(lead(["name"], [""]), null);
});

test("where an error stands in a statement", () => {
  const text = "SELECT name,\n  nam FROM kernels";
  assert.deepEqual(placeOfTrouble(text, "SQL: no such column: nam (line 2, column 3)"), [15, 18]);
  assert.equal(placeOfTrouble(text, "SQL: interrupted"), null);
});

test("a finding names the table that shows more, and the cause of idle time", () => {
  const table = tableOfCommand("cgpu table INPUT idle_hosts --where 'cause = data_loading'");
  assert.deepEqual(table, { name: "idle_hosts", where: "cause = data_loading" });
  assert.equal(causeOf(table), "data_loading");
  const ofRank = tableOfCommand("cgpu table INPUT kernels --rank 3 --where 'class = moe_gemm'");
  assert.deepEqual(ofRank, { name: "kernels", where: "class = moe_gemm and rank = 3" });
  assert.equal(causeOf(ofRank), null);
  assert.equal(tableOfCommand("cgpu diagnose trace_3.json"), null);
});

test("the figures of a finding are of a step, or of the run", () => {
  const names = ["recoverable_ns", "recoverable_low_ns", "recoverable_high_ns", "measured_ns", "steps"];
  const of = (...row: (number | null)[]) =>
    new Records({ columns: names.map((name) => ({ name })), rows: [row] } as unknown as Table);
  const steps = of(20e6, 10e6, 40e6, 400e6, 4);
  assert.equal(wholeText(steps), "Measured over 4 steps without warm-up: 100 ms a step");
  assert.deepEqual(savingOf(steps, steps.rows[0]!), { text: "5.00 ms a step", share: 5, low: 2.5, high: 10 });
  const run = of(20e6, 10e6, 40e6, 400e6, null);
  assert.equal(wholeText(run), "Measured over the whole run: 400 ms");
  assert.equal(savingOf(run, run.rows[0]!)!.text, "20.0 ms");
  const unknown = of(null, null, null, null, null);
  assert.equal(savingOf(unknown, unknown.rows[0]!), null);
  assert.equal(wholeText(unknown), "");
});

test("the run in one line", () => {
  const table = (columns: string[], ...rows: (string | number)[][]): Table => ({
    columns: columns.map((name) => ({ name, type: "int" })),
    rows,
  });
  const times = table(
    ["span_ns", "busy_ns", "exposed_comm_ns", "exposed_memory_ns", "idle_ns"],
    [1000, 600, 100, 0, 400],
    [1000, 400, 100, 0, 600],
  );
  const idle = table(["cause", "total_ns"], ["data_loading", 500], ["host_code", 300], ["data_loading", 200]);
  const steps = table(["rank", "duration_ns"], [0, 3e6], [0, 1e6], [0, 2e6], [1, 9e6]);
  assert.deepEqual(verdictParts("GPU", "", times, idle, steps), [
    "GPUs 50.0 % busy",
    "10.0 % exposed communication",
    "50.0 % idle, most of it data loading (35.0 %)",
    "3 steps, 2.00 ms on average",
  ]);
  assert.deepEqual(verdictParts("GPU", "", null, null, null), []);

  // The host does something before its first op: busy between ops is not busy in steps. A step that was cut does not count.
  const columns = ["rank", "duration_ns", "kernel_ns", "communication_ns", "memcpy_ns", "memset_ns", "complete"];
  const late = table(columns, [0, 2000, 500, 60, 30, 10, 1], [0, 50, 50, 0, 0, 0, 0]);
  const one = table(["rank", "span_ns", "busy_ns", "idle_ns"], [0, 700, 600, 100]);
  assert.deepEqual(verdictParts("GPU", "", one, null, late), [
    "GPU 30.0 % busy in steps; from its first op to its last 85.7 % busy",
    "14.3 % idle",
    "1 step, 2.00 µs on average",
  ]);
  const alike = table(columns, [0, 710, 590, 0, 0, 10, 1]);
  assert.equal(verdictParts("GPU", "", one, null, alike)[0], "GPU 85.7 % busy");

  // Where work was not recorded, the rest is not called idle.
  const note = { code: "unknown_utilization", count: 1, text: "only collectives were recorded" };
  assert.deepEqual(verdictParts("GPU", whyUtilizationIsUnknown([note]), one, idle, null), [
    "GPU at least 85.7 % busy",
    "what it did besides is not known: only collectives were recorded",
  ]);
  assert.equal(whyUtilizationIsUnknown([{ ...note, code: "lost_events" }]), "");
});

test("a kind of memory has one colour, on whatever devices it is", () => {
  const of = (...names: string[]) => colourByName(names.map((name) => ({ name })));
  const colours = of("reserved memory", "allocated memory", "reserved memory", "allocated memory");
  assert.equal(colours.size, 2);
  assert.notEqual(colours.get("reserved memory"), colours.get("allocated memory"));
});

test("the cause of a finding is its rule in words", () => {
  assert.equal(causeWords("exposed_copies"), "Exposed copies");
  assert.equal(causeWords(""), "");
});

test("what all findings give back together is said of two or more that give something back", () => {
  const names = ["severity", "recoverable_ns", "together_ns", "measured_ns", "steps"];
  const sentence = (rows: (string | number | null)[][]) =>
    gainOfAll(new Records({ columns: names.map((name) => ({ name })), rows } as unknown as Table));
  const first = ["critical", 20_000_000, 20_000_000, 400_000_000, 4];
  assert.equal(
    sentence([first, ["warning", 10_000_000, 24_000_000, 400_000_000, 4], ["info", null, null, null, null]]),
    "All of these together: 6.00 ms of 100 ms a step (6.0 %).",
  );
  assert.equal(sentence([first, ["info", 1_000_000, 21_000_000, 400_000_000, 4]]), "", "one alone");
  assert.equal(
    sentence([
      ["critical", 20, 20, 400, 0],
      ["warning", 10, 30, 400, 0],
    ]),
    "All of these together: 30 ns of 400 ns (7.5 %).",
    "no steps",
  );
  assert.equal(
    sentence([
      ["warning", 1, 1, 0, 0],
      ["warning", 1, 2, 0, 0],
    ]),
    "",
    "of no known time",
  );
});
