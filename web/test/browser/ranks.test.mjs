// The heat map of what the devices of all ranks did over time, and the way from there into the timeline.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  builtSummary,
  builtTrace,
  newTab,
  newWindow,
  scratch,
  Server,
  skip,
  startBrowser,
  untilState,
} from "./support.mjs";

const RANKS = 3;
/** The middle of a row of the map; around the rows are 10 and 40 pixels. */
const rowY = (box, row, rows = RANKS) => box.y + 10 + ((box.height - 50) / rows) * (row + 0.5);

describe("ranks over time", { skip }, () => {
  let server, browser, page, session;

  before(async () => {
    const ranks = await builtTrace(scratch(), "ranks", "--model", "moe", "--steps", 3, "--seed", 5, "--ranks", RANKS);
    server = await Server.start(ranks);
    browser = await startBrowser();
    page = await newTab(await newWindow(browser), `${server.url}#view=ranks`);
    await page.locator("#view-ranks svg path").first().waitFor();
    session = await server.json("/api/p/0/session");
  });
  after(async () => {
    assert.deepEqual(page.complaints, [], "the console has nothing to complain of");
    await browser?.close();
    await server?.end();
  });

  test("a row says which device it is, and what it did", async () => {
    const box = await page.locator("#view-ranks svg").boundingBox();
    await page.mouse.move(box.x + box.width / 2, rowY(box, 1));
    const told = page.locator("#view-ranks .told b");
    await told.waitFor();
    assert.match(await told.textContent(), /^rank 1, GPU \d+$/);
    assert.match(await page.locator("#view-ranks .told").textContent(), /compute|communication|idle/);
  });

  test("a click leads to that device in the timeline", async () => {
    const box = await page.locator("#view-ranks svg").boundingBox();
    await page.mouse.click(box.x + box.width / 2, rowY(box, 2));
    await page.waitForFunction(() => window.cgpu); // the timeline has not been shown before
    const { selection, viewport } = await untilState(page, (state) => state.selection);
    const track = session.tracks.find(({ id }) => id === selection.track);
    assert.equal(track.rank, 2);
    assert.ok(["stream", "idle"].includes(track.kind));
    assert.ok(viewport.start < selection.start + selection.duration && selection.start < viewport.end);
    await page.waitForFunction(({ id, lane }) => window.cgpu.place(id, lane), { id: track.id, lane: selection.lane });
  });

  test("of a summary it is there with the tables", async () => {
    const kept = await builtSummary(
      scratch(),
      "job.cgpu",
      "--model",
      "moe",
      "--steps",
      3,
      "--seed",
      5,
      "--ranks",
      RANKS,
    );
    const summary = await Server.start(kept);
    try {
      const tab = await newTab(await newWindow(browser), summary.url);
      await tab.locator("#view-ranks svg path").first().waitFor();
      assert.deepEqual((await tab.locator(".tabs button").allTextContents()).sort(), ["Ranks", "Tables"]);
      assert.deepEqual(tab.complaints, []);
    } finally {
      await summary.end();
    }
  });

  test("what a device takes more time for than the median one is told, and a click chooses its rank", async () => {
    const options = ["--model", "moe", "--steps", 3, "--seed", 5, "--ranks", 5];
    const summary = await Server.start(await builtSummary(scratch(), "five.cgpu", ...options));
    try {
      const tab = await newTab(await newWindow(browser), `${summary.url}#view=ranks`);
      await tab.locator("#view-ranks .segments button", { hasText: "Against the median" }).click();
      const chart = tab.locator('#view-ranks svg[aria-label^="What each device takes more"]');
      await chart.locator("path.c-vermillion, path.c-blue").first().waitFor();
      const labels = await chart.locator("text").allTextContents();
      assert.ok(labels.includes("compute"), labels.join(", "));
      const box = await chart.boundingBox();
      await tab.mouse.move(box.x + box.width / 2, rowY(box, 3, 5));
      const told = tab.locator("#view-ranks .told");
      await told.locator("b").waitFor();
      assert.match(await told.textContent(), /^rank 3, GPU \d+: .* (more|less) than the median of |as the median of /);
      await tab.mouse.click(box.x + box.width / 2, rowY(box, 3, 5));
      assert.equal(await tab.locator("#view-ranks .rank-chooser input").inputValue(), "3");
      assert.deepEqual(tab.complaints, []);
    } finally {
      await summary.end();
    }
  });

  test("who has one device is not offered the view", async () => {
    const one = await Server.start(await builtTrace(scratch(), "one.json", "--steps", 2));
    try {
      const alone = await newTab(await newWindow(browser), `${one.url}#view=timeline`);
      await alone.locator(".tabs button.on").waitFor();
      assert.ok(!(await alone.locator(".tabs button").allTextContents()).includes("Ranks"));
    } finally {
      await one.end();
    }
  });
});
