// From a summary to the timelines of its ranks, and back.
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  builtSummary,
  newTab,
  newWindow,
  openTimeline,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  stateOf,
  tables,
  until,
} from "./support.mjs";

const RANKS = 7;
const AROUND_ROWS = 50; // pixels of the chart above its rows, 10, and below

/** The rows of a table of `cgpu table`, by the names of the columns. */
async function rowsOf(input, name) {
  const { columns, rows } = (await tables(input, name))[name];
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column.name, row[at]])));
}

describe("timelines of ranks", { skip }, () => {
  let folder, summary, server, browser, context;
  const trace = (rank) => join(folder, "job.cgpu-profile", `rank-${rank}.json`);

  before(async () => {
    folder = scratch();
    summary = await builtSummary(folder, "job.cgpu", "--model", "moe", "--steps", 3, "--seed", 5, "--ranks", RANKS);
    server = await Server.start(summary);
    browser = await startBrowser();
    context = await newWindow(browser);
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  const openRanks = async (fragment = "") => {
    const page = await newTab(context, `${server.url}${fragment}`);
    await page.locator("#view-ranks svg path").first().waitFor();
    return page;
  };
  /** A click on the middle of the row of a rank. */
  const clickRow = async (page, rank, modifiers = []) => {
    const { width, height } = await page.locator("#view-ranks svg").boundingBox();
    const position = { x: width / 2, y: 10 + ((height - AROUND_ROWS) / RANKS) * (rank + 0.5) };
    await page.locator("#view-ranks svg").click({ position, modifiers });
  };
  const link = (page) => page.locator("#view-ranks .rank-chooser a");
  const runsOf = (page) =>
    page.evaluate(async () => {
      const numbers = performance
        .getEntriesByType("resource")
        .map(({ name }) => /\/api\/p\/(\d+)\/session/.exec(name)?.[1])
        .filter(Boolean);
      return (await (await fetch(`/api/p/${numbers.at(-1)}/session`)).json()).runs.map(({ rank }) => rank);
    });

  /** In the page: has a rank opened, and says whether it is. */
  const askedFor = async (rank) => {
    const { profile } = await (await fetch(`/api/p/0/open?rank=${rank}`, { method: "POST" })).json();
    return (await (await fetch(`/api/p/${profile}/status`)).json()).state === "ready";
  };

  test("a click on a row, then the link: the rank at that moment, and the ways back", async () => {
    const page = await openRanks();
    await clickRow(page, 2);
    assert.equal(await link(page).textContent(), "Open the timeline of rank 2");
    await link(page).click();
    await settled(page);
    assert.deepEqual(await runsOf(page), [2]);
    assert.match(await page.title(), /^rank 2 of job\.cgpu/);
    assert.equal(await page.locator(".run-title").textContent(), "rank 2 of job.cgpu");
    const { viewport } = await stateOf(page);
    const buckets = await rowsOf(summary, "rank_activity");
    const first = Math.min(...buckets.map(({ start_ns }) => start_ns));
    const last = Math.max(...buckets.map(({ start_ns, duration_ns }) => start_ns + duration_ns));
    const [own] = await rowsOf(trace(2), "steps");
    const shift = (await rowsOf(summary, "steps")).find(({ rank }) => rank === 2).start_ns - own.start_ns;
    const middle = (viewport.start + viewport.end) / 2 + shift;
    assert.ok(Math.abs(middle - (first + last) / 2) < (last - first) / 20, "the middle of the map");
    assert.ok(viewport.end - viewport.start < (last - first) / 2);

    await page.getByRole("link", { name: "job.cgpu" }).click();
    await page.locator("#view-ranks svg path").first().waitFor();
    assert.equal(await page.locator(".rank-chooser input").inputValue(), "2");
    await link(page).click();
    await settled(page);
    await page.goBack();
    await page.locator("#view-ranks svg path").first().waitFor();
    assert.equal(await page.locator(".rank-chooser input").inputValue(), "2");
    await page.goForward();
    await settled(page);
    assert.deepEqual(await runsOf(page), [2]);
    const isLeftToTheBrowser = () =>
      window.dispatchEvent(new KeyboardEvent("keydown", { altKey: true, key: "ArrowLeft", cancelable: true }));
    assert.ok(await page.evaluate(isLeftToTheBrowser), "Alt+Left goes back where nothing is left to undo");
    assert.deepEqual(page.complaints, []);
  });

  test("Shift and Ctrl choose several, which stand on one timeline", async () => {
    const page = await openRanks();
    await clickRow(page, 1);
    await clickRow(page, 3, ["Shift"]);
    await clickRow(page, 5, ["Control"]);
    await clickRow(page, 2, ["Control"]);
    assert.equal(await page.locator(".rank-chooser input").inputValue(), "1,3,5");
    assert.match(await page.locator("#view-ranks .marked-rows").getAttribute("d"), /^(M[^M]*){3}$/);
    await clickRow(page, 4, ["Shift"]);
    assert.equal(await link(page).textContent(), "Open the timelines of ranks 2-4");
    await link(page).click();
    await settled(page);
    assert.deepEqual(await runsOf(page), [2, 3, 4]);
    assert.match(await page.title(), /^ranks 2-4 of job\.cgpu/);
    assert.deepEqual(page.complaints, []);
  });

  test("by the keys: typed ranks, and the row of a table", async () => {
    const page = await openRanks();
    await page.locator(".rank-chooser input").focus();
    await page.keyboard.type("0,2");
    await link(page).waitFor();
    await page.keyboard.press("Enter");
    await settled(page);
    assert.deepEqual(await runsOf(page), [0, 2]);

    await page.goto(`${server.url}#view=tables&table=gpu_time`);
    await page.locator(".table-row").first().waitFor();
    await page.locator(".table-row", { hasText: /^4/ }).click();
    const toRank = page.locator(".side a", { hasText: "Open the timeline of rank 4" });
    await toRank.focus();
    await page.keyboard.press("Enter");
    await settled(page);
    assert.deepEqual(await runsOf(page), [4]);
    await page.goBack();
    await page.locator(".table-row").first().waitFor();
    assert.match(page.url(), /view=tables/);
    assert.deepEqual(page.complaints, []);
  });

  test("what is wrong with the ranks is said in the field", async () => {
    const page = await openRanks("#view=ranks&ranks=0-99");
    await page.getByText("of 32 ranks at most").waitFor();
    await page.locator(".rank-chooser input").fill("99");
    await page.getByText("the summary has no rank 99").waitFor();
  });

  test("a missing profile is named, and found once it is there", async () => {
    const elsewhere = join(folder, "elsewhere.json");
    renameSync(trace(6), elsewhere);
    const page = await openRanks("#view=ranks&ranks=6");
    await page.getByText("Rank 6: rank-6.json: is not in ").waitFor();
    await page.goto(`${server.url}?ranks=6`);
    await page.getByRole("alert").getByText("rank-6.json: is not in ").waitFor();
    renameSync(elsewhere, trace(6));
    await page.getByRole("button", { name: "Try again" }).click();
    await settled(page);
    assert.deepEqual(await runsOf(page), [6]);
  });

  test("an address without ranks leads back", async () => {
    const page = await newTab(context, `${server.url}?ranks=everything`);
    await page.getByRole("alert").getByText("The address names no ranks").waitFor();
    await page.getByRole("link", { name: "Back to job.cgpu" }).click();
    await page.locator("#view-ranks svg path").first().waitFor();
  });

  test("loading again opens again, also what was let go", async () => {
    const page = await openTimeline(context, `${server.url}?ranks=1`);
    await page.evaluate(() => window.cgpu.show(1_000_000, 2_000_000));
    await until(page, "the address has it", async () => page.url().includes("t=1000000"));
    await page.reload();
    await settled(page);
    assert.deepEqual((await stateOf(page)).viewport, { start: 1_000_000, end: 2_000_000 });
    for (const rank of [0, 2, 3, 4]) await until(page, `rank ${rank} is open`, () => page.evaluate(askedFor, rank));
    const reloaded = page.waitForEvent("load");
    await page.getByRole("button", { name: "Tables", exact: true }).click(); // asks, and hears that it is gone
    await reloaded;
    await page.getByText("it was opened again").waitFor();
    assert.deepEqual(await runsOf(page), [1]);
    assert.match(page.url(), /ranks=1.*view=tables/);
  });
});
