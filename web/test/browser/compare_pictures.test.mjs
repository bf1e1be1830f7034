// The pictures of two runs: flame graph, roofline, memory; and on the timelines what one side alone has, and where one
// may move.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  builtTrace,
  newTab,
  newWindow,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  until,
  writtenTrace,
} from "./support.mjs";

/** Drags over a share of the ruler of the first timeline. */
async function selectArea(page, from, to) {
  const ruler = await page.locator("#view-compare .tl-ruler").first().boundingBox();
  const at = (share) => [ruler.x + share * ruler.width, ruler.y + ruler.height / 2];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 3 });
  await page.mouse.up();
}

/** Two traces compared in a browser. */
async function opened(browser, a, b) {
  const server = await Server.start(a, "--against", b);
  const page = await newTab(await newWindow(browser), server.url);
  await page.waitForFunction(() => window.cgpu?.frameTimes().length && window.cgpu_b?.frameTimes().length);
  const sides = () => page.evaluate(() => [window.cgpu.state(), window.cgpu_b.state()]);
  return {
    server,
    page,
    sides,
    tab: (name) => page.locator(".compare-tabs").getByRole("button", { name, exact: true }).click(),
    untilSides: (what, condition) =>
      until(page, what, async () => {
        const [one, two] = await sides();
        return condition(one, two) && [one, two];
      }),
    drawn: () => settled(page),
    async end() {
      await page.context().close();
      await server.end();
    },
  };
}

describe("the pictures of two runs", { skip }, () => {
  let browser, both, server, page, changes;

  before(async () => {
    const folder = scratch();
    const options = ["--seed", 5, "--steps", 3, "--layers", 3, "--model", "llm"];
    const a = await builtTrace(folder, "a.json", ...options);
    const b = await builtTrace(folder, "b.json", ...options, "--idle", "host_code");
    browser = await startBrowser();
    both = await opened(browser, a, b);
    ({ server, page } = both);
    changes = await server.json("/api/compare");
  });
  after(async () => {
    await both?.end();
    await browser?.close();
  });

  test("a flame graph of both adds up to the change, also of the selected area", async () => {
    const { columns, rows } = changes.tables.compare_summary;
    const column = (name) => columns.findIndex((each) => each.name === name);
    const time = rows.find((row) => row.includes("time_ns"));
    const flame = await server.json("/api/compare/flame");
    for (const side of ["a", "b"]) {
      const { value } = flame.nodes[side];
      const roots = value.reduce((sum, each, i) => sum + (flame.nodes.parent[i] < 0 ? each : 0), 0);
      assert.equal(roots, Math.round(time[column(side)]), `side ${side} is the time of an iteration`);
    }
    await both.tab("Flame graph");
    const view = page.locator(".compare-flame");
    const canvas = view.locator("canvas");
    const line = view.locator(".frame-line");
    await canvas.waitFor();
    await view.getByText("an iteration").waitFor();
    // B waits longer: the change is that of idle time.
    const box = await canvas.boundingBox();
    let idle;
    for (let x = 3; x < box.width && !idle; x += 10) {
      await page.mouse.move(box.x + x, box.y + 8);
      if (/^\(idle\)/.test(await line.innerText())) idle = x;
    }
    assert.ok(idle, "idle time is a root");
    assert.match(await line.innerText(), /A .* \u2192 B .*: \+[^]* of the change/);
    await page.mouse.click(box.x + idle, box.y + 8);
    await view.getByRole("navigation", { name: "Path to the frame in full width" }).waitFor();
    await view.getByRole("tab", { name: "Bottom up" }).click();
    await view.getByLabel("Width by").selectOption("device_time");
    await view.getByLabel("Whose width").selectOption("b");
    await until(page, "the address has it", () => page.url().includes("compared_metric=device_time"));

    await both.tab("Side by side");
    await selectArea(page, 0.3, 0.6);
    const [one, two] = await both.untilSides("both have an area", (a, b) => a.area && b.area);
    const asked = page.waitForResponse((answer) => answer.url().includes("a_from="));
    await both.tab("Flame graph");
    const { searchParams } = new URL((await asked).url());
    const [from, to] = [one.area, two.area];
    assert.deepEqual(
      ["a_from", "a_to", "b_from", "b_to"].map((name) => Number(searchParams.get(name))),
      [from.start, from.end, to.start, to.end],
    );
    await view.getByText("in the selected area").waitFor();
    await view.getByLabel(/only the selected/).uncheck();
    await view.getByText("an iteration").waitFor();
  });

  test("a frame leads to the longest slice of its name", async () => {
    const view = page.locator(".compare-flame");
    const box = await view.locator("canvas").boundingBox();
    await page.mouse.click(box.x + 10, box.y + 8);
    const name = await view.locator(".frame-line > b").getAttribute("title");
    const { slices } = await server.json(`/api/p/1/row?table=slices&name=${encodeURIComponent(name)}&limit=1`);
    await view.getByRole("button", { name: "Show in B" }).click();
    const [, b] = await both.untilSides("it is selected", (_, two) => two.selection?.slice === slices[0].slice);
    assert.ok(b.viewport.start <= slices[0].start && b.viewport.end >= slices[0].start + slices[0].duration);
    assert.ok(await page.locator("#view-compare .timeline").first().isVisible());
  });

  test("ops of both under the roofs of both devices", async () => {
    await both.tab("Roofline");
    await page.locator(".pair").first().waitFor();
    const { compare_shapes: shapes } = (await server.json("/api/compare/table/compare_shapes")).tables;
    const at = (name) => shapes.columns.findIndex((each) => each.name === name);
    const computed = (row, side) => row[at(`flops_${side}_per_s`)] > 0 && row[at(`bytes_${side}_per_s`)] > 0;
    const known = shapes.rows.filter((row) => computed(row, "a") || computed(row, "b"));
    assert.ok(known.length > 0);
    assert.equal(await page.locator(".pair").count(), known.length);
    assert.equal(await page.locator(".roof").count(), 1, "one device, one roof");
    const dot = await page.locator(".pair .filled").first().boundingBox();
    await page.mouse.move(dot.x + dot.width / 2, dot.y + dot.height / 2);
    await page.getByText(/FLOP\/s at .* \u2192 B .*FLOP\/s at /).waitFor();
  });

  test("the memory of both over one axis, and the way to a moment", async () => {
    await both.tab("Memory over time");
    const line = page.locator(".compare-memory .memory-of-b").nth(1);
    await line.waitFor({ state: "attached" }); // where nothing changes it is flat, which counts as hidden
    assert.match(await page.locator(".compare-memory .told").first().innerText(), /A .*B \u2192 B .*B/);
    const byTime = await line.getAttribute("d");
    await page.locator(".compare-memory").getByLabel("One axis").selectOption("work");
    await until(page, "B is drawn anew", async () => (await line.getAttribute("d")) !== byTime);
    const plot = await page.locator(".compare-memory .plot svg").first().boundingBox();
    await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height / 2);
    await until(page, "the timelines are shown", () => page.locator("#view-compare .timeline").first().isVisible());
    assert.deepEqual(page.complaints, []);
  });
});

describe("two runs of unlike work", { skip }, () => {
  let browser, both, page;

  /** One after the other, each of 10 us in a gap of 10 us, times as in the files. */
  const kernels = (...names) =>
    names.flatMap((name, i) => {
      const [ts, correlation] = [100 + 20 * i, i + 1];
      const call = { name: "cudaLaunchKernel", cat: "cuda_runtime", pid: 1, tid: 1, dur: 2, args: { correlation } };
      const kernel = { name, cat: "kernel", pid: 0, tid: 7, dur: 10, args: { correlation, device: 0, stream: 7 } };
      return [
        { ph: "X", ts, ...call },
        { ph: "X", ts: ts + 5, ...kernel },
      ];
    });

  before(async () => {
    const folder = scratch();
    const a = writtenTrace(folder, "a.json", kernels("first", "second", "third"));
    const b = writtenTrace(folder, "b.json", kernels("first", "other", "third", ...Array(40).fill("more")));
    browser = await startBrowser();
    both = await opened(browser, a, b);
    ({ page } = both);
  });
  after(async () => {
    await both?.end();
    await browser?.close();
  });

  test("what one side alone has is hatched", async () => {
    const names = await both.server.json("/api/compare/names");
    assert.ok(names.b.ratio.includes(null), "B has work of its own");
    await page.getByLabel("How the two timelines share an axis").selectOption("time");
    const coloursOf = async (name) => {
      const { matches } = await both.server.json(`/api/p/1/search?q=%5E${name}%24&regex=1&own=1`);
      const { track, lane, start, duration } = matches[0];
      await page.evaluate(([from, to]) => window.cgpu_b.show(from, to), [start - 500, start + duration + 500]);
      await both.drawn();
      return page.evaluate(
        ([track, lane]) => {
          const place = window.cgpu_b.place(track, lane);
          const canvas = [...document.querySelectorAll("#view-compare .pane-main canvas.raster")][1];
          const box = canvas.getBoundingClientRect();
          const ratio = canvas.width / box.width;
          const [x, y] = [(place.x - box.left + place.width / 2 - 20) * ratio, (place.y - box.top + 2) * ratio];
          const copy = Object.assign(document.createElement("canvas"), { width: 40, height: 10 }).getContext("2d");
          copy.drawImage(canvas, -x, -y);
          return new Set(new Uint32Array(copy.getImageData(0, 0, 40, 10).data.buffer)).size;
        },
        [track, lane],
      );
    };
    assert.equal(await coloursOf("first"), 1, "work of both is of one colour");
    assert.equal(await coloursOf("more"), 2, "work of B alone has lines over it");
    assert.equal(await page.locator(".change-scale .only-here").count(), 1);
  });

  /** Pixels of the lines that are not empty. */
  const drawnLines = () =>
    page.evaluate(() => {
      const canvas = document.querySelector(".aligned-lines");
      const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 0, copy.width, copy.height);
      return new Uint32Array(data.buffer).reduce((sum, pixel) => sum + (pixel ? 1 : 0), 0);
    });
  const found = async (side, name) => {
    const { matches } = await both.server.json(`/api/p/${side}/search?q=%5E${name}%24&regex=1&own=1`);
    return matches[0];
  };

  test("lines join the same work: of a selected slice, and of a selected area", async () => {
    const slice = await found(0, "third");
    await page.evaluate(() => window.cgpu.show(0, 160000));
    await both.drawn();
    assert.equal(await drawnLines(), 0);
    const place = await page.evaluate(([track, lane]) => window.cgpu.place(track, lane), [slice.track, slice.lane]);
    const x = place.x + ((slice.start + slice.duration / 2) / 160000) * place.width;
    await page.mouse.click(x, place.y + place.height / 2);
    const [a, b] = await both.untilSides("both are selected", (one, two) => one.selection && two.selection);
    assert.equal(a.selection.slice, slice.slice);
    assert.equal(b.selection.slice, (await found(1, "third")).slice);
    await until(page, "a line is drawn", drawnLines);
    await page.getByLabel("lines", { exact: true }).uncheck();
    await until(page, "none is", async () => (await drawnLines()) === 0);
    await page.getByLabel("lines", { exact: true }).check();
    await until(page, "it is again", drawnLines);
    await page.evaluate(() => document.activeElement.blur()); // keys are the timeline's again
    await page.keyboard.press("Escape");
    await until(page, "none is", async () => (await drawnLines()) === 0);

    await selectArea(page, 0.01, 0.99);
    await page.getByText("2 aligned device ops in the area").waitFor(); // the second one is other work
    await until(page, "lines are drawn", drawnLines);
    const ruler = await page.locator("#view-compare .tl-ruler").first().boundingBox();
    await page.mouse.click(ruler.x + 5, ruler.y + 5);
    await both.untilSides("no area is left", (one, two) => !one.area && !two.area);
    await until(page, "no line is left", async () => (await drawnLines()) === 0);
  });

  test("both in the same rows: the lower half of a lane is B's", async () => {
    const layout = page.getByLabel("How the two timelines are laid out");
    await layout.selectOption("rows");
    const timelines = page.locator("#view-compare .timeline");
    await until(page, "one timeline is left", async () => !(await timelines.nth(1).isVisible()));
    await page.evaluate(() => window.cgpu.show(0, 160000));
    const [, { viewport }] = await both.sides();
    const own = await found(0, "first");
    const theirs = await found(1, "other");
    const place = await page.evaluate(([track, lane]) => window.cgpu.place(track, lane), [own.track, own.lane]);
    assert.ok(place.height > 20, "two halves with names");
    const share = (theirs.start + theirs.duration / 2 - viewport.start) / (viewport.end - viewport.start);
    const [x, y] = [place.x + share * place.width, place.y + place.height * 0.75];
    await page.mouse.move(x, y);
    await page.locator("#view-compare .tl-tooltip").first().getByText("other", { exact: true }).waitFor();
    await page.mouse.click(x, y);
    await both.untilSides("B's slice is selected", (_, two) => two.selection?.slice === theirs.slice);
    await page.mouse.click(x, place.y + place.height * 0.25);
    const second = await found(0, "second");
    await both.untilSides("A's slice above it", (one) => one.selection?.slice === second.slice);
    await layout.selectOption("apart");
    await until(page, "both are there", () => timelines.nth(1).isVisible());
    await page.keyboard.press("Escape");
  });

  test("one may move on behind the end of the shorter run", async () => {
    const spans = await Promise.all([0, 1].map(async (p) => (await both.server.json(`/api/p/${p}/session`)).span));
    assert.ok(spans[1] > 3 * spans[0]);
    await page.evaluate(([from, to]) => window.cgpu_b.show(from, to), [2 * spans[0], 2.5 * spans[0]]);
    const [before] = await both.untilSides("A follows", (a, b) => a.viewport.start === b.viewport.start);
    const place = await page.locator("#view-compare .timeline-place").first().boundingBox();
    await page.mouse.move(place.x + place.width / 2, place.y + place.height - 20); // over A
    await page.keyboard.press("d");
    const [a, b] = await both.untilSides("A has moved", (one) => one.viewport.start !== before.viewport.start);
    const moved = a.viewport.start - before.viewport.start;
    assert.ok(moved > 0 && moved < 0.3 * spans[0], `on by a little, not back: ${moved}`);
    assert.equal(b.viewport.start, a.viewport.start);
    await page.getByRole("button", { name: "Show all" }).click();
    await both.untilSides("all of B is shown", (one) => one.viewport.end > spans[1]);
    assert.deepEqual(page.complaints, []);
  });
});
