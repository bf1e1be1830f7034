// A copy of the viewer with the engine in it (`cgpu view -o`), from a file, in Chromium with the network cut: what the
// program says of the profile, and nothing that was left out or hidden.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import {
  builtTrace,
  CGPU,
  newWindow,
  ROOT,
  scratch,
  Server,
  settled,
  startBrowser,
  until,
  writtenTrace,
} from "../browser/support.mjs";
import { ENGINE_PAGE, skipEngine } from "./support.mjs";

const run = promisify(execFile);
const skip = skipEngine || (existsSync(ENGINE_PAGE) ? false : `no page at ${ENGINE_PAGE}: scripts/build-web-site`);
const TRAINING = join(ROOT, "examples/generated_training.json.gz");
const SECRET = "hf_abcdefghijklmnopqrstuvwxyz01234567";
const ORDINARY = "of-an-argument";

describe("a copy with the engine in it", { skip }, () => {
  const folder = skip ? "" : scratch();
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  /** Writes a copy; where it is, and what the program said. */
  async function copyOf(input, name, ...options) {
    const path = join(folder, name);
    const env = { ...process.env, CGPU_ENGINE_PAGE: ENGINE_PAGE };
    const { stderr } = await run(CGPU, ["view", input, "-o", path, ...options], { env });
    return { path, said: stderr };
  }

  /** `action` gets the page of a copy, on its view Timeline. */
  async function onCopy(path, action) {
    const context = await newWindow(browser, { offline: true });
    try {
      const page = await context.newPage();
      const [requests, complaints] = [[], []];
      page.on("request", (request) => requests.push(request.url()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(pathToFileURL(path).href);
      await settled(page);
      await action(page);
      assert.deepEqual(complaints, []);
      assert.deepEqual(
        requests.filter((url) => !/^(blob|data|file):/.test(url)),
        [],
        "nothing was asked of anybody",
      );
    } finally {
      await context.close();
    }
  }
  const view = (page, name) => page.locator("nav.tabs").getByRole("button", { name, exact: true }).click();

  async function query(page, statement) {
    await view(page, "SQL");
    await page.getByLabel("Statement of SQL").fill(statement);
    await page.keyboard.press("Control+Enter");
    const row = page.locator("#view-sql .table-row").first();
    await row.waitFor();
    return row.locator("[role=gridcell]").evaluateAll((all) => all.map((cell) => cell.title));
  }
  async function asked(input, statement) {
    const { stdout } = await run(CGPU, ["sql", input, statement, "--format", "json"]);
    return JSON.parse(stdout).tables.result.rows[0];
  }

  test("verdict, search, area and SQL are those of the profile", async () => {
    const { path, said } = await copyOf(TRAINING, "training.html");
    assert.match(said, /with the engine: all that the program answers/);
    const server = await Server.start(TRAINING);
    try {
      await onCopy(path, async (page) => {
        await page.getByRole("region", { name: "Verdict" }).waitFor();

        const { total } = await server.json("/api/p/0/search?q=gemm&limit=1");
        assert.ok(total > 0);
        await page.getByLabel("Search slices").fill("gemm");
        const count = page.locator(".search-count");
        await until(
          page,
          "they are counted",
          async () => (await count.count()) && (await count.textContent()).replaceAll("\u202f", "") === `${total}`,
        );
        await page.getByLabel("Search slices").fill("");

        const { span } = await server.json("/api/p/0/session");
        const [from, to] = [Math.round(span * 0.3), Math.round(span * 0.4)];
        const { columns, rows } = (await server.json(`/api/p/0/area?from=${from}&to=${to}`)).tables.kernels;
        const at = (name) => columns.findIndex((column) => column.name === name);
        await page.evaluate((hash) => (location.hash = hash), `view=timeline&area=${from}~${to}`);
        const panel = page.locator(".area");
        await panel.getByRole("tab", { name: "Kernels", exact: true }).click();
        const first = panel.locator(".table-row").first();
        await first.waitFor();
        const cells = await first.locator("[role=gridcell]").evaluateAll((all) => all.map((cell) => cell.title));
        assert.equal(cells[0], rows[0][at("name")]);
        const total_ns = `${rows[0][at("total_ns")]} ns`;
        assert.ok(cells.map((text) => text.replaceAll("\u202f", "")).includes(total_ns), `${total_ns} in ${cells}`);
        await page.keyboard.press("Escape");

        const statement = "SELECT title, recoverable_ns FROM findings ORDER BY id LIMIT 1";
        const [title, saving] = await query(page, statement);
        const expected = await asked(TRAINING, statement);
        assert.equal(title.replaceAll("\u202f", ""), expected[0]);
        assert.equal(saving.replace(/\D/g, ""), String(expected[1]));
      });
    } finally {
      await server.end();
    }
  });

  test("what is hidden or left out is not in the file", async () => {
    const trace = writtenTrace(folder, "secret.json", [
      { ph: "X", cat: "cpu_op", name: "op", pid: 1, tid: 1, ts: 0, dur: 10, args: { token: SECRET, note: ORDINARY } },
      { ph: "X", cat: "kernel", name: "k", pid: 0, tid: 7, ts: 20, dur: 10, args: { device: 0, stream: 7 } },
      { ph: "X", cat: "cpu_op", name: `login --token ${SECRET}`, pid: 1, tid: 1, ts: 50, dur: 10 },
    ]);
    /** All that a copy holds of its profile, uncompressed. */
    const held = (path) => {
      const html = readFileSync(path, "utf8");
      assert.ok(!html.includes(SECRET));
      return gunzipSync(Buffer.from(/id="profile">([^<]*)</.exec(html)[1], "base64")).toString("latin1");
    };
    const whole = held((await copyOf(trace, "secret.html")).path);
    assert.ok(!whole.includes(SECRET));
    assert.ok(whole.includes(ORDINARY));
    const brief = held((await copyOf(trace, "brief.html", "--no-args")).path);
    assert.ok(!brief.includes(ORDINARY));
    const early = held((await copyOf(trace, "early.html", "--to", "30us")).path);
    assert.ok(early.includes("op") && !early.includes("login"));
  });

  test("its size limit cuts the end of the time, and says it", async () => {
    const trace = await builtTrace(folder, "long.json", "--seed", 3, "--model", "cnn", "--steps", 60, "--layers", 12);
    const limit = Math.ceil(statSync(ENGINE_PAGE).size / 2 ** 20) + 1;
    const { path, said } = await copyOf(trace, "long.html", "--size-limit", `${limit}`);
    assert.ok(statSync(path).size <= limit * 2 ** 20);
    assert.match(said, new RegExp(`${limit} MB hold the first .* of .*: allow more with --size-limit`));
    await onCopy(path, async (page) => {
      const [steps] = await query(page, "SELECT count(*) FROM steps");
      assert.ok(Number(steps) > 0 && Number(steps) < 60, steps);
    });
  });
});
