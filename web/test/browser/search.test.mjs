// The search of the timeline: names and arguments are highlighted, it is said which of how many is selected, and all are
// listed.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  builtTrace,
  hashOf,
  newWindow,
  openTimeline,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  stateOf,
  until,
  untilState,
} from "./support.mjs";

const GROUPS = "\u202f";

describe("the search", { skip }, () => {
  let server, browser, page;
  before(async () => {
    server = await Server.start(await builtTrace(scratch(), "search.json", "--steps", 2, "--seed", 5));
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  async function open() {
    page = await openTimeline(await newWindow(browser), server.url);
  }
  const count = async () => (await page.locator(".search-count").textContent()).replaceAll(GROUPS, "");
  const search = async (text, total) => {
    await page.getByLabel("Search slices").fill(text);
    await until(
      page,
      `${total} are found`,
      async () => (await page.locator(".search-count").count()) && (await count()) === `${total}`,
    );
    await settled(page);
  };

  for (const [what, text, query] of [
    ["an argument", "stream = 7", "q=7&argument=stream&equal=1"],
    ["a name", "gemm", "q=gemm"],
  ]) {
    test(`${what} is highlighted, and the place among all is said`, async () => {
      await open();
      const plain = await hashOf(page);
      const { total, matches } = await server.json(`/api/p/0/search?${query}&limit=10000`);
      assert.ok(total > 3 && matches.length === total);
      await search(text, total);
      assert.notEqual(await hashOf(page), plain, "the others are drawn faintly");
      for (const [i, match] of matches.slice(0, 3).entries()) {
        await page.getByLabel("Next match").click();
        await untilState(page, ({ selection }) => selection?.slice === match.slice && selection.track === match.track);
        await until(page, "which of all", async () => (await count()) === `${i + 1} of ${total}`);
      }
      await page.getByLabel("Previous match").click();
      await until(page, "one back", async () => (await count()) === `2 of ${total}`);
      await page.locator(".timeline").press("Escape");
      await page.getByLabel("Search slices").fill("");
      await page.evaluate(([from, to]) => window.cgpu.show(from, to), [0, 1]);
      await page.context().close();
    });
  }

  test("the list has all, and leads to each", async () => {
    await open();
    const { total, matches } = await server.json("/api/p/0/search?q=gemm&limit=10000");
    await search("gemm", total);
    const list = page.getByRole("dialog", { name: "Matches" });
    await page.getByLabel("List the matches").click();
    await list.locator(".table-row").nth(1).click();
    await untilState(page, ({ selection }) => selection?.slice === matches[1].slice);
    assert.equal(await list.locator("[role=grid]").getAttribute("aria-rowcount"), `${Math.min(total, 500)}`);
    await until(page, "the place is known", async () => (await count()) === `2 of ${total}`);
    await list.locator("[role=grid]").press("Escape");
    await list.waitFor({ state: "hidden" });
    assert.equal((await stateOf(page)).search, "gemm");
    await page.context().close();
  });

  test("dragging from the border of the labels selects no text", async () => {
    await open();
    const { x, y, height } = await page.locator(".pane-main .headers").boundingBox();
    const { width } = await page.locator(".pane-main .headers").boundingBox();
    await page.mouse.move(x + width - 2, y + height / 3);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 });
    await page.mouse.move(x + width + 200, y + height / 2, { steps: 5 });
    await page.mouse.up();
    assert.equal(await page.evaluate(() => String(getSelection())), "");
    await page.context().close();
  });
});
