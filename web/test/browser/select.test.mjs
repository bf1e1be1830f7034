// Selecting slices, areas and gaps, and what is then said about them.
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
  tables,
  until,
  untilState,
} from "./support.mjs";

describe("selecting in the timeline", { skip }, () => {
  let trace, server, browser, page, session;

  before(async () => {
    const options = ["--model", "llm", "--steps", 3, "--seed", 7, "--idle", "synchronization,data_loading,allocation"];
    trace = await builtTrace(scratch(), "select.json", ...options);
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
    await server?.end();
  });
  const trackOf = (id) => session.tracks.find((track) => track.id === id);
  const details = () => page.locator(".details");
  const section = (title) => details().locator("section", { has: page.locator("h3", { hasText: title }) });

  /** A device op that was launched by a call that is in the trace. */
  async function launchedKernel() {
    const name = (await tables(trace, "kernels")).kernels.rows[0][0];
    const { matches } = await server.json(`/api/p/0/search?q=${encodeURIComponent(name)}&limit=50`);
    for (const match of matches) {
      const kernel = await server.json(`/api/p/0/slice?track=${match.track}&slice=${match.slice}`);
      if (trackOf(kernel.track).kind === "stream" && kernel.launch) return kernel;
    }
    throw new Error(`no launch of ${name}`);
  }

  test("a kernel and its launch", async () => {
    const kernel = await launchedKernel();
    await clickSlice(page, kernel);
    await details().locator(".slice-name").getByText(kernel.name.slice(0, 200)).waitFor();
    const { launch } = kernel;
    await section("Launched by").getByRole("button", { name: launch.name, exact: true }).click();
    const there = await untilState(page, ({ selection }) => selection.track === launch.track);
    assert.deepEqual(there.selection, {
      track: launch.track,
      slice: launch.slice,
      lane: launch.lane,
      start: launch.start,
      duration: launch.duration,
    });
    assert.ok(
      there.viewport.start <= launch.start && there.viewport.end >= launch.start + launch.duration,
      "it is in sight",
    );
    assert.equal(trackOf(launch.track).kind, "thread");
    await until(page, "its lane is in sight too", () =>
      page.evaluate(([t, l]) => window.cgpu.place(t, l) !== null, [launch.track, launch.lane]),
    );
    await section("Launched")
      .getByRole("button", { name: kernel.name.slice(0, 200) })
      .first()
      .waitFor();
  });

  test("the brackets go along a launch and back", async () => {
    const kernel = await launchedKernel();
    await clickSlice(page, kernel);
    await page.keyboard.press("[");
    await untilState(
      page,
      ({ selection }) => selection.slice === kernel.launch.slice && selection.track === kernel.launch.track,
    );
    await page.keyboard.press("]");
    await untilState(page, ({ selection }) => selection.slice === kernel.slice && selection.track === kernel.track);
  });

  test("the arrows go from slice to slice as the server tells", async () => {
    const kernel = await launchedKernel();
    await clickSlice(page, kernel.launch);
    let at = kernel.launch;
    for (const [key, to] of [
      ["ArrowUp", "parent"],
      ["ArrowDown", "child"],
      ["ArrowRight", "next"],
      ["ArrowLeft", "previous"],
    ]) {
      const expected = await server.json(`/api/p/0/neighbor?track=${at.track}&slice=${at.slice}&to=${to}`);
      if (expected.slice === undefined) continue;
      await page.keyboard.press(key);
      await untilState(
        page,
        ({ selection }) => selection.slice === expected.slice && selection.track === expected.track,
      );
      at = expected;
    }
    assert.notEqual(at, kernel.launch, "some arrow led somewhere");
  });

  test("statistics of an area are those of cgpu table", async () => {
    const box = await page.locator(".tl-ruler").boundingBox();
    const y = box.y + box.height / 2;
    const answers = new Map();
    page.on("response", (answer) => answers.set(new URL(answer.url()).search, answer));
    await page.mouse.move(box.x + box.width * 0.31, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.move(box.x + box.width * 0.62, y);
    await page.mouse.up();
    const { area } = await untilState(page, (state) => state.area);
    assert.equal(area.tracks, null, "the ruler selects of all tracks");
    assert.ok(area.end - area.start > 0.2 * session.span);
    const asked = `?from=${area.start}&to=${area.end}`;
    const { tables: shown } = await (await until(page, "the area is asked for", () => answers.get(asked))).json();
    const window = ["--from", area.start, "--to", area.end];
    const listed = Object.keys(shown);
    for (const name of ["kernels", "kernel_classes", "ops", "api", "gpu_time", "idle"]) {
      assert.ok(listed.includes(name), `${name} is among ${listed}`);
    }
    for (const name of listed) {
      assert.deepEqual(shown[name], (await tables(trace, name, ...window))[name], name);
    }

    // What is in the page, in the first rows of the kernels: every digit is in the title of a cell.
    await page.locator(".area").getByRole("tab", { name: "Kernels" }).click();
    const { columns, rows } = shown.kernels;
    const row = page.locator(".area .table-row").first();
    await row.waitFor();
    const cells = await row.locator('[role="gridcell"]').evaluateAll((all) => all.map((cell) => cell.title));
    const digits = (text) => text.replace(/[^\d.-]/g, "");
    for (const name of ["count", "total_ns"]) {
      const at = columns.findIndex((column) => column.name === name);
      assert.equal(digits(cells[at]), String(rows[0][at]), name);
    }
  });

  test("an area over tracks has the slices of these tracks", async () => {
    const stream = session.tracks.find((track) => track.kind === "stream" && track.slices > 20);
    const place = await page.evaluate((t) => window.cgpu.place(t, 0), stream.id);
    const y = place.y + place.height / 2;
    await page.mouse.move(place.x + place.width * 0.2, y);
    await page.mouse.down();
    await page.mouse.move(place.x + place.width * 0.8, y, { steps: 3 });
    await page.mouse.up();
    const { area } = await untilState(page, (state) => state.area);
    assert.deepEqual(area.tracks, [stream.id]);
    const expected = await server.json(`/api/p/0/area?from=${area.start}&to=${area.end}&track=${stream.id}`);
    await page.locator(".area").getByText("1 track", { exact: true }).waitFor();
    const digits = expected.slices.toString();
    await until(page, `${digits} slices are said`, async () => {
      const text = await page.locator(".area header").textContent();
      return text.replace(/(\d)\s(?=\d)/g, "$1").includes(`${digits} slices`);
    });
    await page.keyboard.press("Escape");
    await untilState(page, (state) => state.area === null);
  });

  test("search goes from match to match, in the order of time", async () => {
    const expected = (await server.json("/api/p/0/search?q=cudaLaunchKernel&at=0&direction=next&limit=3")).matches;
    const { total } = await server.json("/api/p/0/search?q=cudaLaunchKernel&limit=1");
    assert.ok(expected.length === 3 && total > 3);
    await page.keyboard.press("/");
    await page.keyboard.type("CUDALAUNCHKERNEL");
    const count = page.locator(".search-count");
    await until(
      page,
      "the count is said",
      async () => (await count.textContent()).replace(/\D/g, "") === String(total),
    );
    const isAt = (match) =>
      untilState(page, ({ selection }) => selection?.slice === match.slice && selection.track === match.track);
    for (const match of expected) {
      await page.keyboard.press("Enter");
      await isAt(match);
    }
    await page.keyboard.press("Shift+Enter");
    await isAt(expected[1]);
    await page.locator(".search-input").fill("no name is like this");
    await count.getByText("none").waitFor();
  });

  test("an idle gap tells its cause and leads to it", async () => {
    const idle = session.tracks.find((track) => track.kind === "idle");
    const { gap, told } = await explainedGap(idle.id);
    await clickSlice(page, gap);
    await details().locator(".tag").getByText(told.label.replace(/_/g, " "), { exact: true }).waitFor();
    await details().getByText(told.why).waitFor();
    const cause = told.cause_slice;
    await details().locator(".links").getByRole("button", { name: cause.name, exact: true }).first().click();
    const { selection } = await untilState(page, (state) => state.selection && state.selection.track !== idle.id);
    assert.ok(
      selection.start < gap.start + gap.duration + 1e6 && selection.start + selection.duration > gap.start - 1e6,
    );
    await page.keyboard.press("Control+z");
    await untilState(page, (state) => state.selection?.track === idle.id);

    // The same cause is in the table for this time.
    const rows = (await tables(trace, "idle")).idle;
    const at = rows.columns.findIndex((column) => column.name === "cause");
    assert.ok(rows.rows.some((row) => row[at] === told.label));
  });

  /** The longest gap of which the slice is known that names the cause, and what the server tells about it. */
  async function explainedGap(track) {
    await page.evaluate(([from, to]) => window.cgpu.show(from, to), [0, session.span]);
    await settled(page); // lays the track out
    const gaps = [];
    let gap = await server.json(`/api/p/0/slice?track=${track}&slice=0`);
    while (gap.slice !== undefined) {
      gaps.push(gap);
      gap = await server.json(`/api/p/0/neighbor?track=${track}&slice=${gap.slice}&to=next`);
    }
    for (const each of gaps.sort((a, b) => b.duration - a.duration)) {
      const told = await server.json(`/api/p/0/slice?track=${track}&slice=${each.slice}`);
      if (told.cause_slice) return { gap: each, told };
    }
    throw new Error("no gap has a slice that names its cause");
  }

  test("a click beside all slices drops the selection", async () => {
    await clickSlice(page, await launchedKernel());
    await page.keyboard.press("Escape");
    await untilState(page, (state) => state.selection === null);
    assert.equal(await details().count(), 0);
    assert.equal((await stateOf(page)).area, null);
  });
});
