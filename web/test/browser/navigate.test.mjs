// Opening a profile and moving about in it.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import {
  builtTrace,
  clickSlice,
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

describe("moving in the timeline", { skip }, () => {
  let server, browser, page, session;
  const widthOf = ({ viewport }) => viewport.end - viewport.start;
  const middleOf = ({ viewport }) => (viewport.start + viewport.end) / 2;
  const whole = (state) => state.viewport.start <= 0 && state.viewport.end >= session.span;

  before(async () => {
    const trace = await builtTrace(scratch(), "navigate.json", "--model", "cnn", "--steps", 3, "--seed", 5);
    server = await Server.start(trace);
    browser = await startBrowser();
    await (await openTimeline(await newWindow(browser), server.url)).context().close();
    session = await server.json("/api/p/0/session");
  });
  beforeEach(async () => {
    page = await openTimeline(await newWindow(browser), server.url);
  });
  afterEach(async () => {
    assert.deepEqual(page.complaints, [], "the console has nothing to complain of");
    await page.context().close();
  });
  after(async () => {
    await browser?.close();
    assert.equal(await server?.end(), 0, "Ctrl-C ends the server cleanly");
  });
  const showAll = async () => {
    await page.getByRole("button", { name: "Show all" }).click();
    await settled(page);
  };

  test("the whole run is shown at first", async () => {
    assert.ok(whole(await stateOf(page)));
    assert.match(await page.title(), /navigate\.json/);
    const names = await page.locator(".pane-main .head.track .name").allTextContents();
    const shown = session.tracks.map((track) => track.name);
    assert.ok(names.length > 5, `tracks on the screen: ${names}`);
    for (const name of names) assert.ok(shown.includes(name), `"${name}" is a track of the session`);
  });

  test("something is drawn, and drawn again the same", async () => {
    const first = await hashOf(page);
    await page.evaluate(() => window.cgpu.show(1e6, 2e6));
    await settled(page);
    assert.notEqual(await hashOf(page), first);
    await showAll();
    assert.equal(await hashOf(page), first);
  });

  test("ctrl and wheel zoom at the pointer", async () => {
    const before = await stateOf(page);
    const box = await page.locator(".pane-main canvas.ink").boundingBox();
    const share = 0.25;
    const moment = ({ viewport }) => viewport.start + share * (viewport.end - viewport.start);
    await page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -240);
    await page.keyboard.up("Control");
    const zoomed = await untilState(page, (now) => widthOf(now) < 0.8 * widthOf(before));
    assert.ok(
      Math.abs(moment(zoomed) - moment(before)) < widthOf(before) / box.width,
      "what is under the pointer stays",
    );
  });

  test("W and S zoom, A and D move", async () => {
    await page.mouse.move(0, 0); // no cursor in the timeline: the middle stays
    const all = await stateOf(page);
    for (let i = 0; i < 5; ++i) await page.keyboard.press("w");
    let near = all;
    await until(page, "it has zoomed in and stands still", async () => {
      const before = near;
      near = await stateOf(page);
      return widthOf(near) < 0.5 * widthOf(all) && widthOf(near) === widthOf(before);
    });
    assert.ok(Math.abs(middleOf(near) - middleOf(all)) < widthOf(all) / 1000);

    await page.keyboard.press("d");
    const later = await untilState(page, (now) => now.viewport.start > near.viewport.start);
    assert.ok(Math.abs(widthOf(later) - widthOf(near)) < 1, "moving does not zoom");
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    await untilState(page, (now) => now.viewport.start < near.viewport.start);

    await page.keyboard.press("s");
    await untilState(page, (now) => widthOf(now) > widthOf(near));
  });

  test("the window goes down to nanoseconds and stays inside the run", async () => {
    for (const key of ["w", "s"]) {
      for (let i = 0; i < 160; ++i) await page.keyboard.press(key);
      await settled(page);
      const state = await stateOf(page);
      assert.ok(key === "w" ? widthOf(state) <= 100 : whole(state), `${key}: ${widthOf(state)} ns`);
      assert.ok(state.viewport.start < session.span && state.viewport.end > 0);
    }
  });

  test("F fits the selected slice, then all; undo goes back", async () => {
    const kernel =
      (await server.json("/api/p/0/search?q=gemm&limit=1")).matches[0] ??
      (await server.json("/api/p/0/search?q=conv&limit=1")).matches[0];
    await clickSlice(page, kernel);
    await showAll();
    await page.keyboard.press("f");
    const fit = await untilState(page, (now) => widthOf(now) < 4 * kernel.duration);
    assert.ok(fit.viewport.start <= kernel.start && fit.viewport.end >= kernel.start + kernel.duration);
    await page.keyboard.press("f");
    await untilState(page, whole);
    await page.keyboard.press("Control+z");
    await untilState(page, (now) => widthOf(now) < 4 * kernel.duration);
    await page.keyboard.press("Escape");
    await untilState(page, (now) => now.selection === null);
  });

  test("the address leads a new page to the same place", async () => {
    const kernel = (await server.json("/api/p/0/search?q=cuda&limit=1")).matches[0];
    await clickSlice(page, kernel);
    await page.keyboard.press("p"); // pins its track
    await page.keyboard.press("r"); // the slice's time as the area
    await page.keyboard.press("m"); // a mark
    const here = await untilState(page, (now) => now.area && now.pinned.length === 1);
    await until(page, "the address has it all", () =>
      ["slice", "area", "pin", "mark", "t"].every((key) => page.url().includes(`${key}=`)),
    );
    const there = await openTimeline(await newWindow(browser), page.url());
    const restored = await untilState(there, (now) => now.selection);
    assert.deepEqual({ ...restored, pending: 0 }, { ...here, pending: 0 });
    for (const each of [page, there]) {
      await each.locator(".details, .area").waitFor();
      await each.locator(".pane-main").evaluate((pane) => (pane.scrollTop = 0));
      await settled(each);
    }
    assert.equal(await hashOf(there), await hashOf(page), "the same picture");
    await there.context().close();
  });

  test("undo by the browser's back key", async () => {
    await page.evaluate(() => (location.hash = "view=timeline&t=1000~2000"));
    await untilState(page, (now) => now.viewport.start === 1000 && now.viewport.end === 2000);
    await page.goBack();
    await untilState(page, whole);
  });

  test("tracks are found by their names, folded and unfolded", async () => {
    const heads = page.locator(".pane-main .head.track");
    const wanted = session.tracks.find((track) => track.kind === "stream");
    const whole = new RegExp(`${wanted.name}(?!\\d)`); // "stream 7" is not "stream 71"
    const named = async () => (await heads.locator(".name").allTextContents()).filter((name) => name);
    const all = await named();
    await page.getByLabel("Filter tracks").fill(wanted.name);
    const found = await until(page, "fewer tracks are shown", async () => {
      const names = await named();
      return names.length < all.length && names;
    });
    assert.deepEqual(
      found,
      all.filter((name) => whole.test(name)),
    );
    await page.getByLabel("Filter tracks").fill("no such track");
    await page.getByText("No track has all of these words").waitFor();
    await page.getByLabel("Filter tracks").fill("");
    await page.locator(".pane-main .head.track").first().waitFor();

    const group = page.locator(".pane-main .head.group .fold").first();
    for (const expanded of ["false", "true"]) {
      await group.click();
      await until(page, "it is (un)folded", async () => (await group.getAttribute("aria-expanded")) === expanded);
    }
  });

  test("the palette and the help open by keys", async () => {
    await page.keyboard.press("?");
    await page.getByText("Next match").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("Next match").waitFor({ state: "hidden" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("go to step");
    await page.keyboard.press("Enter");
    await untilState(page, (now) => session.steps.some((step) => now.area?.start === step.start));
    await page.getByRole("dialog", { name: "Commands" }).waitFor({ state: "hidden" }); // it has keys while it is there
    await page.keyboard.press("Escape");
    await untilState(page, (now) => now.area === null);
  });
});
