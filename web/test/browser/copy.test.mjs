// A copy of the viewer in one file: opened without a server, it draws the same pixels and says the same of a slice, and
// no request leaves it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import {
  builtTrace,
  CGPU,
  clickSlice,
  hashOf,
  newWindow,
  openTimeline,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  until,
} from "./support.mjs";

const run = promisify(execFile);
const WINDOWS = [
  [0, 1],
  [0.37, 0.61],
  [0.5, 0.51],
  [0.5, 0.5003],
]; // shares of the run

describe("a copy in one file", { skip }, () => {
  const folder = skip ? "" : scratch();
  const copy = join(folder, "run.html");
  let browser;
  let trace;
  let said;

  before(async () => {
    browser = await startBrowser();
    trace = await builtTrace(folder, "copied.json", "--seed", 12, "--model", "cnn", "--steps", 2, "--layers", 2);
    said = (await run(CGPU, ["view", trace, "-o", copy])).stderr;
  });
  after(() => browser?.close());

  async function openCopy(context, requests) {
    const page = await context.newPage();
    page.on("request", (request) => requests.push(request.url()));
    page.complaints = [];
    page.on("pageerror", (error) => page.complaints.push(String(error)));
    await page.goto(pathToFileURL(copy).href);
    return page;
  }

  test("the same pixels, details and tables, and no request", async () => {
    const server = await Server.start(trace);
    const context = await newWindow(browser, { viewport: { width: 1280, height: 2400 } });
    try {
      const requests = [];
      const page = await openCopy(context, requests);
      await settled(page);
      const served = await openTimeline(context, server.url);
      const session = await server.json("/api/p/0/session");
      for (const shares of WINDOWS) {
        const window = shares.map((share) => Math.round(share * session.span));
        const hashes = [];
        for (const one of [served, page]) {
          await one.bringToFront();
          await one.evaluate(([from, to]) => globalThis.cgpu.show(from, to), window);
          await settled(one);
          hashes.push(await hashOf(one));
        }
        assert.equal(hashes[1], hashes[0], `from ${window[0]} to ${window[1]} ns`);
      }

      const { matches } = await server.json("/api/p/0/search?q=gemm&limit=1");
      await clickSlice(page, matches[0]);
      const text = await until(page, "the details are there", async () => {
        const all = await page.locator("body").innerText();
        return all.includes("Grid") || all.includes("grid") ? all : "";
      });
      assert.match(text, /gemm/);

      const tabs = page.locator("nav.tabs");
      await tabs.getByText("Tables").click();
      await until(page, "a table is there", async () =>
        (await page.locator("body").innerText()).includes("Copy as CSV"),
      );
      assert.deepEqual(requests, [pathToFileURL(copy).href]);
      assert.deepEqual(page.complaints, []);
    } finally {
      await context.close();
      await server.end();
    }
  });

  test("it searches names, goes through them, and sums an area as the server does", async () => {
    const server = await Server.start(trace);
    const context = await newWindow(browser);
    try {
      const page = await openCopy(context, []);
      await settled(page);
      await openTimeline(await newWindow(browser), server.url);
      const { total, matches } = await server.json("/api/p/0/search?q=gemm&limit=3");
      const count = page.locator(".search-count");
      const said = async () => ((await count.count()) ? (await count.textContent()).replaceAll("\u202f", "") : "");
      await page.getByLabel("Search slices").fill("gemm");
      await until(page, "they are counted", async () => (await said()) === `${total}`);
      for (const i of [0, 1]) {
        await page.getByLabel("Next match").click();
        await until(page, "which of all", async () => (await said()) === `${i + 1} of ${total}`);
        const { selection } = await page.evaluate(() => window.cgpu.state());
        assert.equal(selection.start, matches[i].start);
      }
      await page.getByLabel("Search slices").fill("");

      const { span } = await server.json("/api/p/0/session");
      const [from, to] = [Math.round(span * 0.3), Math.round(span * 0.4)];
      const area = await server.json(`/api/p/0/area?from=${from}&to=${to}`);
      await page.goto(`${pathToFileURL(copy).href}#view=timeline&area=${from}~${to}`);
      await page.reload();
      const panel = page.locator(".area");
      await panel.getByRole("tab", { name: "Kernels", exact: true }).click();
      const { rows, columns } = area.tables.kernels;
      const at = (name) => columns.findIndex((column) => column.name === name);
      const first = panel.locator(".table-row").first();
      await first.waitFor();
      const cells = await first.locator("[role=gridcell]").evaluateAll((all) => all.map((cell) => cell.title));
      assert.equal(cells[0], rows[0][at("name")]);
      assert.equal(cells[2].replaceAll("\u202f", ""), `${rows[0][at("total_ns")]} ns`);
    } finally {
      await context.close();
      await server.end();
    }
  });

  test("what is not in it is said with the command that has it", async () => {
    const context = await newWindow(browser);
    try {
      const page = await openCopy(context, []);
      await settled(page);
      await page.locator("nav.tabs").getByText("Flame graph").click();
      await page.getByLabel("each step apart").check();
      await until(page, "the line is there", async () =>
        (await page.locator("body").innerText()).includes(
          "This is not in this copy. The profile itself has it: cgpu view copied.json",
        ),
      );
    } finally {
      await context.close();
    }
  });

  test("its size is said, and its limits are kept", async () => {
    const megabytes = (statSync(copy).size / 2 ** 20).toFixed(1);
    assert.ok(said.startsWith(`${copy}: ${megabytes} MB: `), said);
    assert.match(said, /the whole timeline, details of (\d+) of \1 slices/);
    const brief = join(folder, "brief.html");
    await run(CGPU, ["view", trace, "-o", brief, "--no-args"]);
    assert.ok(statSync(brief).size < statSync(copy).size);
    const small = join(folder, "small.html");
    const { stderr } = await run(CGPU, ["view", trace, "-o", small, "--size-limit", "1"]);
    assert.ok(statSync(small).size <= 2 ** 20, stderr);
    await assert.rejects(run(CGPU, ["view", trace, "-o", trace]), /page/);
    assert.doesNotMatch(readFileSync(copy, "utf8"), /src="app\.js"|href="app\.css"/);
  });
});
