// What leads from one kind of profile, or of view, to another: source, roofline, search over what is derived.
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  builtTrace,
  clickSlice,
  newTab,
  newWindow,
  openTimeline,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  until,
  untilState,
  writtenTrace,
} from "./support.mjs";

const MARKUP = '<img src="x" onerror="window.hacked=1">';

/** A database of HPCToolkit 2: main calls work in line 6, which has a loop in lines 120 to 122. */
function sourceDatabase(folder) {
  const path = join(folder, "hpctoolkit-program-database");
  mkdirSync(join(path, "src"), { recursive: true });
  const lines = Array.from({ length: 300 }, (_, i) => `int line_${i + 1};`);
  lines[119] = `for (;;) ${MARKUP}`;
  writeFileSync(join(path, "src/main.c"), Buffer.concat([Buffer.from(lines.join("\n")), Buffer.from([0x0a, 0xff])]));
  writeFileSync(join(folder, "secret.c"), "secret");
  symlinkSync(join(folder, "secret.c"), join(path, "src/secret.c"));
  const value = (number) => `<M n="2" v="${number}"/>`;
  writeFileSync(
    join(path, "experiment.xml"),
    `<?xml version="1.0"?>
<HPCToolkitExperiment version="2.1"><Header n="program"/><SecCallPathProfile i="0" n="program"><SecHeader>
<MetricTable><Metric i="2" n="CPUTIME (usec):Sum (I)" t="inclusive"/></MetricTable>
<LoadModuleTable><LoadModule i="2" n="/bin/program"/></LoadModuleTable>
<FileTable><File i="3" n="./src/main.c"/><File i="4" n="/elsewhere/other.c"/><File i="5" n="./src/secret.c"/></FileTable>
<ProcedureTable><Procedure i="6" n="main"/><Procedure i="7" n="work"/><Procedure i="8" n="elsewhere"/>
<Procedure i="9" n="secret"/></ProcedureTable>
</SecHeader><SecCallPathProfileData>${value(100)}
<PF i="2" n="6" lm="2" f="3" l="5">${value(100)}
  <C i="3" l="6">${value(80)}<PF i="4" n="7" lm="2" f="3" l="110">${value(80)}
    <L i="5" l="120">${value(80)}<S i="6" l="121">${value(50)}</S><S i="7" l="122">${value(30)}</S></L></PF></C>
  <C i="8" l="7">${value(15)}<PF i="9" n="8" lm="2" f="4" l="40">${value(15)}<S i="10" l="41">${value(15)}</S></PF></C>
  <C i="11" l="8">${value(5)}<PF i="12" n="9" lm="2" f="5" l="1">${value(5)}<S i="13" l="1">${value(5)}</S></PF></C>
</PF></SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>`,
  );
  return path;
}

const KERNEL = "void scale<4>(float*, int)";

/** A trace with two launch shapes of a kernel, and what Nsight Compute measured of the second. */
function measuredKernel(folder) {
  const kernel = (name, ts, blocks) => {
    const args = { device: 0, stream: 7, grid: [blocks, 1, 1], block: [128, 1, 1] };
    return { ph: "X", cat: "kernel", name, pid: 0, tid: 7, ts, dur: 20, args };
  };
  const trace = writtenTrace(folder, "trace.json", [
    kernel(KERNEL, 100, 8),
    kernel(KERNEL, 200, 16),
    kernel("void other(float*)", 300, 16),
  ]);
  const rows = [
    ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size"],
    Array(9).fill(""),
    ["5", "1", "app", "node", "void scale<4>(float *, int)", "1", "7", "(128, 1, 1)", "(16, 1, 1)"],
  ];
  const metrics = [
    ["gpu__time_duration.sum", "nsecond", "2000"],
    ["sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "12"],
    ["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "80"],
    ["dram__bytes.sum.per_second", "byte/second", "1000000000"],
    ["smsp__cycles_elapsed.avg.per_second", "cycle/second", "1000000000"],
    ["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed", "inst/cycle", "2"],
    ["smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed", "inst/cycle", "0"],
    ["derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", "inst", "0"],
  ];
  for (const metric of metrics) rows.forEach((row, i) => row.push(metric[i]));
  const report = join(folder, "kernels.csv");
  writeFileSync(report, rows.map((row) => row.map((cell) => `"${cell}"`).join(",") + "\n").join(""));
  return [trace, report];
}

describe("from one to the other", { skip }, () => {
  const folder = skip ? "" : scratch();
  let browser;

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser?.close());

  async function using(inputs, hash, action) {
    const server = await Server.start(...inputs);
    const context = await newWindow(browser);
    try {
      const page = await newTab(context, `${server.url}#${hash}`);
      await page.locator(".tabs button.on").waitFor();
      await action(page, server);
      assert.deepEqual(page.complaints, [], "the console has nothing to complain of");
    } finally {
      await context.close();
      await server.end();
    }
  }

  test("a place in the call tree shows its source", () =>
    using([sourceDatabase(folder)], "view=call_tree", async (page) => {
      const row = (name) => page.locator(".tree-name b").getByText(name, { exact: true });
      const pane = page.locator(".source-pane");
      await page.getByRole("button", { name: "Show the hot path" }).click();
      await row("loop at main.c:120").click();
      const chosen = pane.locator(".source-line.chosen");
      await until(page, "the loop is marked", async () => (await chosen.count()) === 3);
      assert.deepEqual(await chosen.locator("i").allTextContents(), ["120", "121", "122"]);
      const first = chosen.first().locator("code");
      assert.equal(await first.textContent(), `for (;;) ${MARKUP}`);
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      const [box, around] = [await first.boundingBox(), await pane.locator(".source-scroll").boundingBox()];
      assert.ok(box.y > around.y && box.y + box.height < around.y + around.height, "it is in sight");
      await pane.getByText("It is not UTF-8").waitFor();
      const costOf = (line) =>
        pane.locator(".source-line", { has: page.locator("i", { hasText: new RegExp(`^${line}$`) }) }).locator("b");
      assert.deepEqual(await costOf(121).allTextContents(), ["50.0 \u00b5s", "50.0 \u00b5s"]);
      assert.deepEqual(await costOf(120).allTextContents(), ["80.0 \u00b5s", ""]);
      await pane.locator(".source-scroll").evaluate((element) => (element.scrollTop = 0));
      await until(page, "the call is there", async () => (await costOf(6).count()) > 0);
      assert.deepEqual(await costOf(6).allTextContents(), ["80.0 \u00b5s", ""]);
      await pane.getByRole("button", { name: "Hottest line" }).click();
      await until(page, "it is there again", async () => (await costOf(121).count()) > 0);

      await row("main").click();
      await row("main").click();
      await row("elsewhere").click();
      await pane.getByText("/elsewhere/other.c:40").waitFor();
      await pane.getByText("does not hold that file").waitFor();
      await row("secret").click();
      await pane.getByText("./src/secret.c:1").waitFor();
      assert.equal(await pane.getByText("does not hold that file").count(), 1, "no link is followed");
      await page.getByRole("button", { name: "Source", exact: true }).click();
      assert.equal(await pane.count(), 0);
    }));

  test("a kernel leads to its point in the roofline, and back", () =>
    using(measuredKernel(folder), "view=timeline", async (page, server) => {
      await settled(page);
      const { matches } = await server.json("/api/p/0/search?q=scale");
      assert.equal(matches.length, 2);
      await clickSlice(page, matches[1]);
      const details = page.locator(".details section", { hasText: "In the roofline" });
      await details.getByText("2.00 GFLOP/s").first().waitFor();
      await details.getByText("2 FLOP/byte").waitFor();
      await details.getByText("memory", { exact: true }).waitFor();
      await details.getByRole("button", { name: "Measured launch 5" }).click();
      const roofline = page.locator("#view-roofline");
      await roofline.locator(".told-line b").getByText("5: scale").waitFor();
      assert.equal(await roofline.locator("circle.dot.on").count(), 1);
      await roofline.getByRole("button", { name: "Show in the timeline" }).click();
      const { selection } = await untilState(page, (state) => state.selection?.slice === matches[1].slice);
      assert.equal(selection.start, matches[1].start, "that of the same shape");

      const { matches: others } = await server.json("/api/p/0/search?q=other");
      await clickSlice(page, others[0]);
      await page.locator(".slice-name").getByText("void other(float*)").waitFor();
      assert.equal(await details.count(), 0, "nothing was measured of this one");
    }));

  test("search goes through what is derived, in the order of time", async () => {
    const options = ["--model", "llm", "--steps", 3, "--seed", 7, "--idle", "synchronization,data_loading"];
    const trace = await builtTrace(folder, "derived.json", ...options);
    const server = await Server.start(trace);
    const page = await openTimeline(await newWindow(browser), server.url);
    try {
      const { tracks } = await server.json("/api/p/0/session");
      const kindOf = (track) => tracks.find(({ id }) => id === track).kind;
      const { matches } = await server.json("/api/p/0/search?q=data%20loading&limit=5");
      assert.ok(matches.length >= 2 && matches.every((match) => kindOf(match.track) === "idle"));
      await page.locator(".search-input").fill("Data loading");
      const isAt = (match) =>
        untilState(page, ({ selection }) => selection?.slice === match.slice && selection.track === match.track);
      for (const match of matches.slice(0, 2)) {
        await page.locator(".search-input").press("Enter");
        await isAt(match);
      }
      await page.locator(".search-input").press("Shift+Enter");
      await isAt(matches[0]);
      await page.locator(".search-input").press("Shift+Enter"); // on from the other end
      await isAt((await server.json("/api/p/0/search?q=data%20loading&direction=previous&limit=1")).matches[0]);

      const steps = (await server.json("/api/p/0/search?q=step&limit=10000")).matches;
      assert.equal(steps.filter((match) => kindOf(match.track) === "steps").length, 3);
      assert.deepEqual(page.complaints, []);
    } finally {
      await page.context().close();
      await server.end();
    }
  });
});
