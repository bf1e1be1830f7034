// Three questions that somebody new opens the page for, each answered with the mouse alone and with keys alone.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  builtTrace,
  newTab,
  newWindow,
  ROOT,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  until,
} from "./support.mjs";

const LATE = join(ROOT, "examples/h100_ranks/data_parallel_late");
const MOST_TABS = 8; // presses of Tab that nobody loses patience with

describe("three tasks of a new user", { skip }, () => {
  let browser, slow, compared, ranks;

  before(async () => {
    const folder = scratch();
    const options = ["--model", "cnn", "--steps", 3, "--seed", 9];
    const a = await builtTrace(folder, "a.json", ...options);
    const b = await builtTrace(folder, "b.json", ...options, "--idle", "data_loading");
    browser = await startBrowser();
    [slow, compared, ranks] = await Promise.all([Server.start(b), Server.start(a, "--against", b), Server.start(LATE)]);
  });
  after(async () => {
    await browser?.close();
    await Promise.all([slow, compared, ranks].map((server) => server?.end()));
  });

  async function using(server, action) {
    const page = await newTab(await newWindow(browser, { viewport: { width: 1280, height: 720 } }), server.url);
    try {
      await page.locator(".tabs button.on").waitFor();
      await action(page);
      assert.deepEqual(page.complaints, []);
    } finally {
      await page.context().close();
    }
  }
  const tab = (page, title) => page.locator(".tabs button").getByText(title, { exact: true });
  /** Presses the key that the tab of a view names. */
  async function show(page, title) {
    const [, key] = /\((\d)\)/.exec(await tab(page, title).getAttribute("title"));
    await page.keyboard.press(key);
    await until(page, `${title} is shown`, async () => (await page.locator(".tabs button.on").textContent()) === title);
  }
  /** Presses Tab until this has the focus. */
  async function tabTo(page, locator, what) {
    for (let presses = 0; presses < MOST_TABS; ++presses) {
      await page.keyboard.press("Tab");
      if (await locator.evaluate((one) => one === document.activeElement)) return;
    }
    assert.fail(`${what} is more than ${MOST_TABS} presses of Tab away`);
  }
  const selectionOf = (page, name = "cgpu") =>
    until(page, "something is selected", () => page.evaluate((one) => window[one]?.state().selection, name));

  describe("why is this run slow, and where", () => {
    const card = (page) => page.locator("#view-timeline .first-findings .finding").first();
    const button = (page) => card(page).getByRole("button", { name: "Show in the timeline" });
    async function isAnswered(page) {
      assert.match(await page.locator("#view-timeline .verdict-line").textContent(), /idle, most of it data loading/);
      const selection = await selectionOf(page);
      assert.match(await card(page).textContent(), /^Synchronization/);
      await page.locator(".details", { hasText: "cudaStreamSynchronize" }).first().waitFor();
      const { viewport } = await page.evaluate(() => window.cgpu.state());
      assert.ok(viewport.start <= selection.start && viewport.end >= selection.start + selection.duration);
      await page.getByText("Whole run", { exact: true }).waitFor(); // the figures stay those of the run
      return selection;
    }

    test("with the mouse", () =>
      using(slow, async (page) => {
        await button(page).click();
        await isAnswered(page);
      }));

    test("with keys", () =>
      using(slow, async (page) => {
        await card(page).waitFor();
        await show(page, "Timeline");
        await tabTo(page, button(page), "the first finding");
        await page.keyboard.press("Enter");
        const first = await isAnswered(page);
        await page.keyboard.press("n");
        await until(page, "the next one", async () => (await selectionOf(page)).slice !== first.slice);
      }));
  });

  describe("what changed between these two", () => {
    const cause = (page) => page.locator("#view-compare .changes ol button").first();
    async function isAnswered(page) {
      assert.match(
        await page.locator(".compare-headline h2").textContent(),
        /^An iteration: .* \u2192 .*: idle \(data_loading\) \+/,
      );
      assert.match(await cause(page).textContent(), /idle, data_loading/);
      await until(page, "the place of the change is selected", () =>
        page.evaluate(() => window.cgpu.state().selection ?? window.cgpu_b.state().selection),
      );
    }

    test("with the mouse", () =>
      using(compared, async (page) => {
        await cause(page).click();
        await isAnswered(page);
      }));

    test("with keys", () =>
      using(compared, async (page) => {
        await cause(page).waitFor();
        await show(page, "Compare");
        await tabTo(page, cause(page), "the largest cause");
        await page.keyboard.press("Enter");
        await isAnswered(page);
      }));
  });

  describe("which rank holds up the others", () => {
    const words = (page) => page.locator("#view-ranks .holds-up");
    const figures = (page) => page.locator("#view-ranks").getByRole("tab", { name: "Figures" });
    async function isAnswered(page) {
      await until(
        page,
        "the timeline is shown",
        async () => (await tab(page, "Timeline").getAttribute("class")) === "on",
      );
      const { track } = await selectionOf(page);
      const { tracks } = await ranks.json("/api/p/0/session");
      assert.equal(tracks.find(({ id }) => id === track).rank, 1);
    }

    test("with the mouse", () =>
      using(ranks, async (page) => {
        const first = page.locator("#view-timeline .first-findings .finding").first();
        assert.match(await first.textContent(), /^Straggler: rank 1/);
        await first.getByRole("button", { name: "Show the ranks" }).click();
        await words(page).waitFor();
        assert.match(
          await words(page).textContent(),
          /^The others wait longest for rank 1: 48\.8 ms, 100\.0 % of all such waits/,
        );
        await figures(page).click();
        await page.locator("#view-ranks [role=row]").nth(1).click();
        await isAnswered(page);
      }));

    test("with keys", () =>
      using(ranks, async (page) => {
        await page.keyboard.press("Control+k");
        await page.locator(".palette input:focus").waitFor();
        await page.keyboard.type("show ranks");
        await page.keyboard.press("Enter");
        await words(page).waitFor();
        await tabTo(page, figures(page), "the figures");
        await page.keyboard.press("Enter");
        const body = page.locator("#view-ranks [role=grid]");
        await body.waitFor();
        await tabTo(page, body, "the table");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await settled(page);
        await isAnswered(page);
      }));
  });
});
