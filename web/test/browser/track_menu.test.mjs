// The context menus of the timeline, hidden tracks, heights of tracks and the width of their names; by the mouse and by
// keys.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import {
  builtTrace,
  clickSlice,
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

describe("menus of the timeline", { skip }, () => {
  let server, browser, page, session, kernel;

  before(async () => {
    server = await Server.start(await builtTrace(scratch(), "menu.json", "--model", "plain", "--steps", 2));
    browser = await startBrowser();
    session = await server.json("/api/p/0/session");
    kernel = (await server.json("/api/p/0/search?q=gemm&limit=1")).matches[0];
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });
  beforeEach(async () => {
    page = await openTimeline(
      await newWindow(browser, { permissions: ["clipboard-read", "clipboard-write"] }),
      server.url,
    );
  });
  afterEach(async () => {
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  const menu = () => page.getByRole("menu");
  const choose = async (name) => {
    await menu().getByRole("menuitem", { name, exact: true }).click();
    await menu().waitFor({ state: "detached" });
  };
  const place = (track) => page.evaluate((id) => window.cgpu.place(id, 0), track);
  const nameOf = (track) => session.tracks.find(({ id }) => id === track).name;
  const head = (name) =>
    page
      .locator(".pane-main .head.track")
      .filter({ has: page.getByText(name, { exact: true }) })
      .first();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  test("a slice: zoom, find all, copy, pin, hide, and show again, by the mouse", async () => {
    await page.evaluate(
      ([from, to]) => window.cgpu.show(from, to),
      [kernel.start - kernel.duration, kernel.start + 2 * kernel.duration],
    );
    await settled(page);
    const open = async () => {
      const box = await place(kernel.track);
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2, { button: "right" });
      await menu().waitFor();
    };
    await open();
    await choose("Zoom to this slice");
    const { viewport } = await untilState(page, ({ selection }) => selection?.slice === kernel.slice);
    assert.ok(viewport.start <= kernel.start && viewport.end >= kernel.start + kernel.duration);
    await settled(page);
    await open();
    await choose("Copy name");
    const { name } = await server.json(`/api/p/0/slice?track=${kernel.track}&slice=${kernel.slice}`);
    assert.equal(await copied(), name);
    await open();
    await choose("Find all of this name");
    await untilState(page, ({ search }) => search === name);
    await open();
    await choose("Pin track to the top");
    await untilState(page, ({ pinned }) => pinned.includes(kernel.track));
    await settled(page);
    await open();
    await choose("Hide track");
    await until(page, "it is gone", async () => (await place(kernel.track)) === null);
    await until(page, "the address has it", () => page.url().includes(`hide=${kernel.track}`));
    const hidden = page.getByRole("button", { name: "Hidden (1)" });
    await hidden.click();
    await menu()
      .getByRole("menuitem", { name: nameOf(kernel.track) })
      .click();
    await until(page, "it is there again", async () => (await place(kernel.track)) !== null);
    assert.equal(await hidden.count(), 0);
  });

  test("the selected slice and a name, by keys alone", async () => {
    await clickSlice(page, kernel);
    await page.keyboard.press("Shift+F10");
    await menu().waitFor();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Find all of this name");
    await page.keyboard.press("c");
    await page.keyboard.press("Enter");
    await menu().waitFor({ state: "detached" });
    assert.match(await copied(), /gemm/);
    await page.keyboard.press("Shift+F10");
    await menu().waitFor();
    await page.keyboard.press("Escape");
    await menu().waitFor({ state: "detached" });
    assert.ok((await stateOf(page)).selection, "Escape has closed the menu, and nothing else");

    await page.keyboard.press("h");
    await until(page, "its track is hidden", async () => (await place(kernel.track)) === null);
    await page.keyboard.press("Shift+H");
    await until(page, "all are there", async () => (await place(kernel.track)) !== null);

    const name = head(nameOf(kernel.track)).locator(".name");
    await name.focus();
    await page.keyboard.press("Shift+F10");
    await menu().waitFor();
    await page.keyboard.press("End");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Filter tracks by this name");
    await page.keyboard.press("Enter");
    await until(
      page,
      "the tracks are filtered",
      async () => (await page.getByLabel("Filter tracks").inputValue()) === nameOf(kernel.track),
    );
  });

  test("tracks become taller and lower; undo and the link have it", async () => {
    await clickSlice(page, kernel);
    const heightOf = async () => (await place(kernel.track)).height;
    const before = await heightOf();
    await page.keyboard.press("+");
    await until(page, "taller", async () => (await heightOf()) > before);
    const taller = await heightOf();
    await until(page, "the address has it", () => page.url().includes(`height=${kernel.track}~1`));
    const there = await openTimeline(await newWindow(browser), page.url());
    assert.equal((await there.evaluate((id) => window.cgpu.place(id, 0), kernel.track)).height, taller);
    await there.context().close();
    await page.keyboard.press("-");
    await until(page, "as before", async () => (await heightOf()) === before && !page.url().includes("height="));
    await head(nameOf(kernel.track)).click({ button: "right" });
    await choose("Lower");
    await until(page, "lower", async () => (await heightOf()) < before);
    await page.keyboard.press("Control+z");
    await until(page, "undone", async () => (await heightOf()) === before);
  });

  test("hiding the tracks of a heading hides it, and a search shows what it selects", async () => {
    const group = page.locator(".pane-main .head.group").filter({ hasText: "GPU 0" }).first();
    await group.click({ button: "right" });
    await menu()
      .getByRole("menuitem", { name: /^Hide its/ })
      .click();
    await until(page, "the heading is gone", async () => (await group.count()) === 0);
    await page.keyboard.press("/");
    await page.keyboard.type("gemm");
    await page.keyboard.press("Enter");
    await untilState(page, ({ selection }) => selection);
    await until(page, "what was found is on the screen", async () => {
      const { selection } = await stateOf(page);
      return (await place(selection.track)) !== null;
    });
  });

  test("the names are made wider with the mouse and by keys; the browser remembers it", async () => {
    const border = page.getByRole("separator", { name: "Width of the names of tracks" });
    const widthOf = () => page.locator(".pane-main .headers").evaluate((one) => one.offsetWidth);
    const before = await widthOf();
    const box = await border.boundingBox();
    await page.mouse.move(box.x + 3, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 103, box.y + 100, { steps: 4 });
    await page.mouse.up();
    await until(page, "100 pixels wider", async () => Math.abs((await widthOf()) - before - 100) <= 1);
    assert.equal(await page.evaluate(() => String(getSelection())), "");
    await settled(page);
    const canvas = await page.locator(".pane-main canvas.ink").boundingBox();
    const ruler = await page.locator(".tl-ruler").boundingBox();
    assert.ok(Math.abs(canvas.x - ruler.x) < 1 && Math.abs(canvas.width - ruler.width) < 2, "drawn to its new width");
    await border.focus();
    await page.keyboard.press("ArrowLeft");
    await until(page, "16 less", async () => Math.abs((await widthOf()) - before - 84) <= 1);
    await page.reload();
    await settled(page);
    assert.ok(Math.abs((await widthOf()) - before - 84) <= 1, "remembered");
    await border.focus();
    await page.keyboard.press("Home");
    await until(page, "as at first", async () => (await widthOf()) === before);
  });
});
