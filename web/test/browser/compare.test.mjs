// Two runs side by side: the list of changes, both timelines on one axis, the same work on both sides.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  builtTrace,
  mapped,
  newTab,
  newWindow,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  until,
} from "./support.mjs";

describe("two runs side by side", { skip }, () => {
  let server;
  let browser;
  let page;
  let changes;
  const sides = () => page.evaluate(() => [window.cgpu.state(), window.cgpu_b.state()]);
  const untilSides = (what, condition) =>
    until(page, what, async () => {
      const [a, b] = await sides();
      return condition(a, b) && [a, b];
    });
  const drawn = () => settled(page);
  const near = (x, y, tolerance = 1) => Math.abs(x - y) <= tolerance;
  const axis = (mode) => page.getByLabel("How the two timelines share an axis").selectOption(mode);

  before(async () => {
    const folder = scratch();
    const a = await builtTrace(folder, "a.json", "--seed", 5, "--steps", 3, "--layers", 3);
    const b = await builtTrace(folder, "b.json", "--seed", 5, "--steps", 3, "--layers", 3, "--idle", "host_code");
    [server, browser] = await Promise.all([Server.start(a, "--against", b), startBrowser()]);
    page = await newTab(await newWindow(browser), server.url);
    await page.waitForFunction(() => window.cgpu?.frameTimes().length && window.cgpu_b?.frameTimes().length);
    changes = await server.json("/api/compare");
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  test("the comparison opens first, the largest change on top", async () => {
    assert.equal(await page.locator(".tabs .on").innerText(), "Compare");
    const { rows } = changes.tables.compare_causes;
    assert.ok(rows.length > 1);
    assert.equal(await page.locator(".changes li").count(), Math.min(rows.length, 200));
    const [first] = await page
      .locator(".changes .change-bar i")
      .evaluateAll((bars) => bars.map((bar) => bar.style.width));
    assert.equal(first, "100%");
    const delta = changes.tables.compare_causes.columns.findIndex(({ name }) => name === "delta_ns");
    assert.ok(rows[0][delta] > 0, "B waits longer");
    assert.match(await page.locator(".changes li").first().getAttribute("class"), /slower/);
  });

  test("the headline says the change from A to B, and chips busy and idle time", async () => {
    const said = await page.locator(".compare-headline h2").innerText();
    assert.match(said, /^(An iteration|The whole): [\d.]+ \S+ \u2192 [\d.]+ \S+, [+\u2212][\d.]+ % \(/);
    assert.match(said, /; (certain|within noise)\.$/);
    const [busy, idle] = await page.locator(".compare-chips li").allInnerTexts();
    assert.match(busy, /^busy [\d.]+ \S+ \u2192 [\d.]+ \S+ /);
    assert.match(idle, /^idle [\d.]+ \S+ \u2192 [\d.]+ \S+ ([+\u2212][\d.]+ %|[\d.]+ times)$/);
  });

  test("the figures of the summary have the units of their rows", async () => {
    const { columns, rows } = changes.tables.compare_summary;
    const at = (name) => columns.findIndex((column) => column.name === name);
    await page.locator(".compare-tabs").getByText("Summary", { exact: true }).click();
    const shown = page.locator(".compare .table-row");
    await shown.first().waitFor();
    assert.equal(await page.getByRole("columnheader", { name: "unit", exact: true }).count(), 0);
    const row = rows.findIndex((each) => each[at("name")] === "time_ns");
    const text = await shown.nth(row).innerText();
    assert.match(text, /^time_ns\s+[\d.]+ (ms|\u00b5s|s)\s/, text);
    const ratio = rows[row][at("ratio")];
    assert.ok(text.includes(ratio.toPrecision(3)), `${text}: the ratio ${ratio} has no unit`);
    await page.locator(".compare-tabs").getByText("Side by side", { exact: true }).click();
  });

  test("the second timeline moves with the first, and back", async () => {
    const [times] = (await server.json("/api/compare/times")).ranks;
    await page.evaluate(() => window.cgpu.show(300000, 900000));
    const [a, b] = await untilSides("B follows", (_, { viewport }) => near(viewport.start, mapped(times, 300000)));
    assert.ok(near(b.viewport.end, mapped(times, a.viewport.end)));
    await axis("time");
    await untilSides("the windows are alike", (one, two) => near(one.viewport.start, two.viewport.start));
    const place = await page.locator(".timeline-place").nth(1).boundingBox();
    await page.mouse.move(place.x + place.width / 2, place.y + place.height - 20);
    await page.keyboard.press("d");
    const [moved] = await untilSides(
      "A follows B",
      (one, two) => one.viewport.start > 300000 && two.viewport.start > 300000,
    );
    assert.ok(near(moved.viewport.end - moved.viewport.start, 600000));
    await axis("step");
    const { steps } = await server.json("/api/p/0/session");
    const theirs = (await server.json("/api/p/1/session")).steps;
    const middle = await sides().then(([, two]) => (two.viewport.start + two.viewport.end) / 2);
    const which = Math.max(
      0,
      theirs.findLastIndex(({ start }) => start <= middle),
    );
    const shift = steps[which].start - theirs[which].start;
    await untilSides("the steps stand above each other", (one, two) =>
      near(one.viewport.start - two.viewport.start, shift),
    );
  });

  test("a change shows its place on both sides, at one scale", async () => {
    const number = changes.places.findIndex(({ a, b }) => a?.slice && b?.slice);
    assert.ok(number >= 0);
    await page.locator(".changes li button").nth(number).click();
    const [a, b] = await untilSides("both are selected", (one, two) => one.selection && two.selection);
    for (const { selection, viewport } of [a, b]) {
      const begin = (selection.start - viewport.start) / (viewport.end - viewport.start);
      assert.ok(near(begin, 1 / 3, 0.001), "the places begin at the same point of the screen");
      assert.ok(selection.start + selection.duration <= viewport.end);
    }
    assert.ok(near(a.viewport.end - a.viewport.start, b.viewport.end - b.viewport.start));
    assert.match(await page.locator(".compare-strip").innerText(), /A .* \u2192 B /);
    assert.equal(await page.locator(".changes li.current").count(), 1);
    await until(page, "the address has it", () => page.url().includes(`change=${number + 1}`));
    await page.reload();
    await page.waitForFunction(() => window.cgpu_b?.frameTimes().length);
    const again = await untilSides("a link leads there", (one, two) => one.selection && two.selection);
    assert.deepEqual(again[0].selection.start, a.selection.start);
    assert.ok(near(again[1].viewport.start, b.viewport.start));
  });

  test("what is selected on one side is marked on the other", async () => {
    await page.keyboard.press("Escape");
    await axis("work");
    const { matches } = await server.json("/api/p/0/search?q=gemm&own=1");
    const { tracks } = await server.json("/api/p/0/session");
    const isOnDevice = ({ track }) => tracks.find(({ id }) => id === track).kind === "stream";
    let slice;
    let partner;
    for (const match of matches.filter(isOnDevice)) {
      slice = match;
      ({ partner } = await server.json(`/api/compare/slice?side=a&track=${match.track}&slice=${match.slice}`));
      if (partner) break;
    }
    assert.ok(partner, "a kernel with a partner");
    const { start, duration } = slice;
    await page.evaluate(([from, to]) => window.cgpu.show(from, to), [start - duration, start + 2 * duration]);
    await drawn();
    const place = await page.evaluate(([t, l]) => window.cgpu.place(t, l), [slice.track, slice.lane]);
    await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
    const [a, b] = await untilSides("B marks it", (_, two) => two.selection?.slice === partner.slice);
    assert.equal(a.selection.slice, slice.slice);
    assert.equal(b.selection.track, partner.track);
    assert.ok(near(b.viewport.start, mapped((await server.json("/api/compare/times")).ranks[0], a.viewport.start)));
    await page.keyboard.press("Escape");
    await untilSides("neither is marked", (one, two) => !one.selection && !two.selection);
  });

  test("colours say how the work of each name changed", async () => {
    const names = await server.json("/api/compare/names");
    assert.ok(names.a.ratio.every((ratio) => ratio === null || Math.abs(Math.log2(ratio)) < 1));
    const colour = page.getByLabel("What the colours of both timelines say");
    assert.equal(await colour.inputValue(), "change");
    assert.ok(await page.locator(".change-scale").isVisible());
    const hashes = () => page.evaluate(() => [window.cgpu.rasterHash(), window.cgpu_b.rasterHash()]);
    await drawn();
    const byChange = await hashes();
    await colour.selectOption("class");
    await drawn();
    const byKind = await hashes();
    assert.ok(byKind[0] !== byChange[0] && byKind[1] !== byChange[1], "both are drawn anew");
    assert.equal(await page.locator(".change-scale").count(), 0);
    await page.locator(".timeline-place canvas").first().hover({ force: true });
    for (const wanted of ["name", "heat", "change"]) {
      await page.keyboard.press("c");
      await until(page, `by ${wanted}`, async () => (await colour.inputValue()) === wanted);
    }
    await drawn();
    assert.deepEqual(await hashes(), byChange);
  });

  test("the steps of both at one scale, and the way from a step to its timeline", async () => {
    await page.locator(".compare-tabs").getByRole("button", { name: "Steps", exact: true }).click();
    const charts = page.locator(".compare-steps .opens");
    await charts.nth(1).waitFor();
    const labels = await page
      .locator(".compare-steps section")
      .evaluateAll((both) => both.map((one) => [...one.querySelectorAll("svg text")].map((text) => text.textContent)));
    const times = labels.map((texts) => texts.filter((text) => / (ns|\u00b5s|ms|s)$/.test(text)));
    assert.ok(times[0].length > 1);
    assert.deepEqual(times[0], times[1], "the same durations stand beside the axes");
    const { steps } = await server.json("/api/p/1/session");
    const box = await charts.nth(1).boundingBox();
    await charts.nth(1).click({ position: { x: box.width / 2, y: box.height / 2 } });
    const [, b] = await untilSides("B shows one step", (_, { viewport }) =>
      steps.some(({ start, duration }) => near(viewport.start, start) && near(viewport.end, start + duration)),
    );
    assert.ok(b.viewport.end > b.viewport.start);
    assert.ok(await page.locator("#view-compare .timeline").first().isVisible());
  });

  test("the tables, and the way to each run alone", async () => {
    const number = changes.places.findIndex(({ a, b }) => a?.slice && b?.slice);
    await page.locator(".changes li button").nth(number).click();
    const [, placed] = await untilSides("a change is shown", (one, two) => one.selection && two.selection);
    await page.getByRole("button", { name: "Kernels", exact: true }).click();
    const { rows } = changes.tables.compare_kernels;
    assert.equal(await page.locator(".compare [role=grid]").getAttribute("aria-rowcount"), String(rows.length));
    await page.keyboard.press("1");
    await page.getByLabel("Profile").selectOption({ label: "B: b.json" });
    await until(page, "B has the page", async () => (await page.title()).startsWith("b.json"));
    await page.keyboard.press("1");
    await until(page, "B stays where it was", async () => {
      const { viewport, selection } = await page.evaluate(() => window.cgpu.state());
      return near(viewport.start, placed.viewport.start) && selection?.slice === placed.selection.slice;
    });
    await page.keyboard.press("9");
    await page.getByRole("button", { name: "Side by side" }).click();
    await until(page, "both are there again", () => page.locator("#view-compare .timeline").first().isVisible());
    assert.deepEqual(page.complaints, []);
  });
});
