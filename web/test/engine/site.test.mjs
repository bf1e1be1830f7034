// The page with the engine in it, from a file, in Chromium with the network cut: what is dropped or chosen is opened, and says
// what the program says of it.
//   CGPU_NSYS_REPORT   a report of Nsight Systems to open, too
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { newTab, newWindow, ROOT, settled, startBrowser, stateOf, tables, until } from "../browser/support.mjs";
import { SITE, skipEngine } from "./support.mjs";

const skip = skipEngine || (existsSync(SITE) ? false : `no page at ${SITE}: scripts/build-web-site makes it`);
const EXAMPLES = join(ROOT, "examples");
const TRAINING = join(EXAMPLES, "generated_training.json.gz");
const RANKS = join(EXAMPLES, "h100_ranks/ring");
const report = process.env.CGPU_NSYS_REPORT;

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

  /** A drop as the browser reports it. */
  const drop = async (page, title, path) => {
    const bytes = readFileSync(path).toString("base64");
    const data = await page.evaluateHandle(
      ([text, name]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
        return transfer;
      },
      [bytes, basename(path)],
    );
    await place(page, title).dispatchEvent("drop", { dataTransfer: data });
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

  test("a folder of ranks", () =>
    onPage(async (page) => {
      await chooser(page, "Open a profile", "A folder").setInputFiles(RANKS);
      await page.waitForFunction(() => window.cgpu);
      const [count] = await query(page, "SELECT count(DISTINCT rank) FROM gpu_time");
      assert.equal(Number(count), readdirSync(RANKS).length);
      await bar(page, "Ranks").waitFor();
    }));

  test("two runs, side by side", () =>
    onPage(async (page) => {
      await drop(page, "Compare: before", join(EXAMPLES, "cnn_workers0.json.gz"));
      await chooser(page, "Compare: after", "Files").setInputFiles(join(EXAMPLES, "cnn_workers4.json.gz"));
      await page.waitForFunction(() => window.cgpu);
      await bar(page, "Compare").waitFor();
    }));

  test("a report of Nsight Systems", { skip: report ? false : "name a report in CGPU_NSYS_REPORT" }, () =>
    onPage(async (page) => {
      const { kernels } = await tables(report, "kernels");
      await chooser(page, "Open a profile", "Files").setInputFiles(report);
      await page.waitForFunction(() => window.cgpu);
      const [count] = await query(page, "SELECT count(*) FROM kernels");
      assert.equal(Number(count), kernels.rows.length);
    }),
  );

  test("what is no profile is refused with the program's words, and another can be opened", () =>
    onPage(async (page) => {
      await chooser(page, "Open a profile", "Files").setInputFiles(join(ROOT, "README.md"));
      await page.getByText("This profile cannot be shown").waitFor();
      await page.getByRole("button", { name: "Open another file" }).click();
      await place(page, "Open a profile").waitFor();
    }));

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
