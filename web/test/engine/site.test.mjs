// The page with the engine in it, from a file, in Chromium with the network cut: what is dropped or chosen is opened, and says
// what the program says of it.
//   CGPU_NSYS_REPORT   another report of Nsight Systems to open
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { newTab, newWindow, ROOT, scratch, settled, startBrowser, stateOf, tables } from "../browser/support.mjs";
import { nsysReport, SITE, skipEngine } from "./support.mjs";

const skip = skipEngine || (existsSync(SITE) ? false : `no page at ${SITE}: scripts/build-web-site makes it`);
const EXAMPLES = join(ROOT, "examples");
const TRAINING = join(EXAMPLES, "generated_training.json.gz");
const RANKS = join(EXAMPLES, "h100_ranks/ring");
const report = skip ? "" : nsysReport(scratch());

describe("the page with the engine in it", { skip }, () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  /** The page on its own, without a network. `action` gets it. */
  async function onPage(action) {
    const context = await newWindow(browser, { offline: true });
    const own = pathToFileURL(SITE).href;
    const page = await newTab(context, own);
    const requests = [];
    page.on("request", (request) => requests.push(request.url()));
    try {
      await action(page);
      assert.deepEqual(page.complaints, []);
      assert.deepEqual(
        requests.filter((url) => !/^(blob|data):/.test(url) && url !== own),
        [],
        "nothing was asked of anybody",
      );
    } finally {
      await context.close();
    }
  }
  const place = (page, title) => page.getByRole("region", { name: title });
  const chooser = (page, title, kind) => place(page, title).getByLabel(kind);
  const bar = (page, name) => page.locator("nav.tabs").getByRole("button", { name, exact: true });

  /** Drops files or folders of the disk, as the user does. */
  const drop = async (page, title, ...files) => {
    const { x, y, width } = await place(page, title).boundingBox();
    const cdp = await page.context().newCDPSession(page);
    const data = { items: [], files, dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"])
      await cdp.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + 5, data });
    await cdp.detach();
  };

  async function query(page, statement) {
    await page.keyboard.press("Escape");
    await bar(page, "SQL").click();
    await page.getByLabel("Statement of SQL").fill(statement);
    await page.keyboard.press("Control+Enter");
    const row = page.locator("#view-sql .table-row").first();
    await row.waitFor();
    return row.locator("[role=gridcell]").evaluateAll((all) => all.map((cell) => cell.title));
  }

  test("a trace that is dropped: verdict, finding, timeline, SQL", () =>
    onPage(async (page) => {
      const { findings, kernels } = { ...(await tables(TRAINING, "findings")), ...(await tables(TRAINING, "kernels")) };
      const cell = (table, column) => table.rows[0][table.columns.findIndex(({ name }) => name === column)];
      await drop(page, "Open a profile", TRAINING);
      await page.waitForFunction(() => window.cgpu);
      await page.getByRole("region", { name: "Verdict" }).waitFor();
      await bar(page, "Findings").click();
      await page.locator("#view-findings").getByText(cell(findings, "title").replace("%", " %")).first().waitFor();
      await bar(page, "Timeline").click();
      await settled(page);
      const { tracks } = await stateOf(page);
      assert.ok(tracks !== 0, "the timeline has tracks");
      const [name] = await query(page, "SELECT name FROM kernels ORDER BY total_ns DESC LIMIT 1");
      assert.equal(name, cell(kernels, "name"));
    }));

  for (const how of ["dropped", "chosen"])
    test(`a folder of ranks that is ${how}`, () =>
      onPage(async (page) => {
        if (how === "dropped") await drop(page, "Open a profile", RANKS);
        else await chooser(page, "Open a profile", "A folder").setInputFiles(RANKS);
        await page.waitForFunction(() => window.cgpu);
        const [count] = await query(page, "SELECT count(DISTINCT rank) FROM gpu_time");
        assert.equal(Number(count), readdirSync(RANKS).length);
        await bar(page, "Ranks").waitFor();
      }));

  test("two runs, side by side", () =>
    onPage(async (page) => {
      const runs = ["cnn_workers0.json.gz", "cnn_workers4.json.gz"].map((name) => join(EXAMPLES, name));
      await drop(page, "Compare: before", runs[0]);
      await drop(page, "Compare: after", runs[1]);
      await page.waitForFunction(() => window.cgpu);
      await bar(page, "Compare").click();
      await page
        .locator("#view-compare")
        .getByText(/aten::as_strided/)
        .first()
        .waitFor();
    }));

  test("a report of Nsight Systems that is dropped: verdict, timeline, SQL", () =>
    onPage(async (page) => {
      const { kernels } = await tables(report, "kernels");
      await drop(page, "Open a profile", report);
      await page.waitForFunction(() => window.cgpu);
      await page.getByRole("region", { name: "Verdict" }).waitFor();
      await bar(page, "Timeline").click();
      await settled(page);
      const [count] = await query(page, "SELECT count(*) FROM kernels");
      assert.equal(Number(count), kernels.rows.length);
    }));

  test("what is no profile is refused with the program's words, and another can be opened", () =>
    onPage(async (page) => {
      await chooser(page, "Open a profile", "Files").setInputFiles(join(ROOT, "README.md"));
      await page.getByText("This profile cannot be shown").waitFor();
      await page.getByRole("button", { name: "Open another file" }).click();
      await place(page, "Open a profile").waitFor();
    }));

  test("the licences of the libraries in it", async () => {
    const beside = readFileSync(join(SITE, "../licences.txt"), "utf8");
    const libraries = readFileSync(join(ROOT, "cmake/web_engine/libraries.cmake"), "utf8");
    for (const [, name] of libraries.matchAll(/CGPU_WEB_CACHE\}\/([\w-]+)/g))
      assert.match(beside, new RegExp(`^${name}\\b.*:$`, "im"));
    await onPage(async (page) => {
      await page.getByText("Licences of the libraries").click();
      await page.getByText("The RE2 Authors").waitFor();
      assert.equal((await page.locator("details pre").textContent()).trim(), beside.trim());
    });
  });

  test("an example of the page; nothing can be sent from it", () =>
    onPage(async (page) => {
      await page.getByRole("button", { name: /Two runs compared/ }).click();
      await page.waitForFunction(() => window.cgpu);
      await bar(page, "Compare").waitFor();
      const blocked = await page.evaluate(() =>
        fetch("http://127.0.0.1:9/").then(
          () => "sent",
          (error) => error.message,
        ),
      );
      assert.match(blocked, /Failed to fetch/);
      assert.ok(
        page.complaints.splice(0).some((text) => text.includes("connect-src")),
        "by the page's policy",
      );
    }));
});
