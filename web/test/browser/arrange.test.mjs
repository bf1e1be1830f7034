// Many ranks, many tracks, and going about in them with keys alone.
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
  writtenTrace,
} from "./support.mjs";

/** The names of the headings and tracks on the screen, from the top. */
const rowsOf = (page) =>
  page.locator(".pane-main .head").evaluateAll((heads) =>
    heads
      .map((head) => ({ top: head.getBoundingClientRect().top, name: head.querySelector(".name").textContent }))
      .sort((a, b) => a.top - b.top)
      .map(({ name }) => name),
  );

describe("many ranks", { skip }, () => {
  const RANKS = 5;
  const ranks = Array.from({ length: RANKS }, (_, rank) => `rank ${rank}`);
  let server, browser, page;

  before(async () => {
    const traces = await builtTrace(scratch(), "ranks", "--ranks", RANKS, "--model", "plain", "--steps", 2);
    server = await Server.start(traces);
    browser = await startBrowser();
    page = await openTimeline(await newWindow(browser), server.url);
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });
  const headings = async () => (await rowsOf(page)).filter((name) => /^rank \d+$/.test(name));

  test("all are seen at once, a row each, which shows what the device did", async () => {
    assert.deepEqual(await rowsOf(page), ranks);
    const colours = await page.evaluate((count) => {
      const canvas = document.querySelector(".pane-main canvas.raster");
      const height = document.querySelector(".pane-main .head").offsetHeight;
      const context = canvas.getContext("2d");
      return Array.from({ length: count }, (_, rank) => {
        const { data } = context.getImageData(0, (rank + 1) * height - 6, canvas.width, 1);
        return new Set(Array.from({ length: canvas.width }, (_, x) => data.slice(4 * x, 4 * x + 3).join())).size;
      });
    }, RANKS);
    for (const count of colours) assert.ok(count >= 2, `colours in the row of a rank: ${colours}`);
    await page.locator(".status-line .legend").getByText("compute", { exact: true }).waitFor();
  });

  test("one is unfolded by a click on its row, which leaves the selection alone", async () => {
    const row = page.locator(".pane-main .head", { hasText: "rank 2" });
    const { y, height } = await row.boundingBox();
    const { x, width } = await page.locator(".pane-main canvas.ink").boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
    await until(page, "its tracks are there", async () => (await rowsOf(page)).includes("busy"));
    assert.deepEqual((await rowsOf(page)).slice(0, 3), ["rank 0", "rank 1", "rank 2"]);
    await page.mouse.click(x + width / 2, y + height / 2);
    await settled(page);
    assert.ok((await rowsOf(page)).includes("busy"), "a second click does not fold it");
    await page.keyboard.press("Control+z");
    await until(page, "undone", async () => String(await rowsOf(page)) === String(ranks));
  });

  test("one is unfolded by its heading; G unfolds and folds all", async () => {
    await page.locator(".pane-main .head.group .name", { hasText: "rank 1" }).click();
    await until(page, "its tracks are there", async () => (await rowsOf(page)).includes("busy"));
    assert.deepEqual((await rowsOf(page)).slice(0, 2), ["rank 0", "rank 1"]);
    await page.keyboard.press("g");
    await until(page, "one is open, so all are folded", async () => String(await rowsOf(page)) === String(ranks));
    await page.keyboard.press("g");
    await until(page, "all are open", async () => (await rowsOf(page))[1] !== "rank 1");
    await page.keyboard.press("g");
    await until(page, "all are folded again", async () => String(await rowsOf(page)) === String(ranks));
  });

  test("the palette folds and unfolds all ranks", async () => {
    for (const [words, open] of [
      ["unfold all ranks", true],
      ["tracks: fold all ranks", false],
    ]) {
      await page.keyboard.press("Control+k");
      await page.locator(".palette input:focus").waitFor();
      await page.keyboard.type(words);
      await page.keyboard.press("Enter");
      await until(page, words, async () => (await rowsOf(page)).includes("busy") === open);
    }
  });

  test("the filter finds one rank, or one lane of all", async () => {
    await page.getByLabel("Filter tracks").fill("rank 3");
    await until(page, "only that", async () => String(await headings()) === "rank 3");
    await page.getByLabel("Filter tracks").fill("busy");
    await until(page, "all", async () => (await headings()).length === RANKS);
    assert.equal((await rowsOf(page)).filter((name) => name === "busy").length, RANKS);
    await page.getByLabel("Filter tracks").fill("");
    await until(page, "folded as before", async () => String(await rowsOf(page)) === String(ranks));
  });

  test("a slice that is found unfolds its rank only", async () => {
    const found = (await server.json("/api/p/0/search?q=gemm&limit=1")).matches[0];
    await page.evaluate((slice) => (location.hash = `view=timeline&slice=${slice}`), `${found.track}.${found.slice}`);
    await untilState(page, ({ selection }) => selection?.slice === found.slice);
    await until(page, "it is in sight", () =>
      page.evaluate(([track, lane]) => window.cgpu.place(track, lane) !== null, [found.track, found.lane]),
    );
    const { folded } = await stateOf(page);
    const session = await server.json("/api/p/0/session");
    const outermost = ranks.map((rank) => Math.min(...idsOf(session, rank)) * 16 + 2 ** 31);
    const own = session.tracks.find(({ id }) => id === found.track).group[0];
    for (const [i, rank] of ranks.entries()) assert.equal(folded.includes(outermost[i]), rank !== own, rank);
  });
  const idsOf = (session, rank) => session.tracks.filter(({ group }) => group[0] === rank).map(({ id }) => id);
});

test("slices of one kind have the colours of their names, until another choice is made", { skip }, async () => {
  const range = (name, ts) => ({ ph: "X", cat: "user_annotation", name, pid: 1, tid: 1, ts, dur: 10 });
  const server = await Server.start(
    writtenTrace(scratch(), "ranges.json", [
      { ph: "M", name: "process_name", pid: 1, tid: 0, args: { name: "python" } },
      ...Array.from({ length: 20 }, (_, i) => range(i % 2 ? "solve" : "exchange", 20 * i)),
    ]),
  );
  const browser = await startBrowser();
  try {
    const page = await openTimeline(await newWindow(browser), server.url);
    const colours = page.getByLabel("Colour by");
    assert.equal(await colours.inputValue(), "name");
    assert.ok(!page.url().includes("colour="), "how it begins is not in the address");
    await colours.selectOption("class");
    await until(page, "the address has it", () => page.url().includes("colour=class"));
    const there = await openTimeline(await newWindow(browser), page.url());
    assert.equal(await there.getByLabel("Colour by").inputValue(), "class");
  } finally {
    await browser.close();
    await server.end();
  }
});

test("many counters and streams with next to nothing on them do not hide the rest", { skip }, async () => {
  const kernel = (stream, ts, dur) => ({
    ...{ ph: "X", cat: "kernel", name: "k", pid: 0, tid: stream, ts, dur },
    args: { device: 0, stream },
  });
  const server = await Server.start(
    writtenTrace(scratch(), "many.json", [
      { ph: "X", cat: "cpu_op", name: "op", pid: 1, tid: 1, ts: 0, dur: 100 },
      { ph: "M", name: "process_name", pid: 1, tid: 0, args: { name: "python" } },
      ...Array.from({ length: 40 }, (_, i) => ({ ph: "C", name: `counter ${i}`, pid: 1, ts: 10, args: { value: i } })),
      ...Array.from({ length: 60 }, (_, i) => kernel(i + 1, 2 * i, 1)),
      ...Array.from({ length: 50 }, (_, i) => kernel(99, 2 * i, 1)),
    ]),
  );
  const browser = await startBrowser();
  try {
    const page = await openTimeline(await newWindow(browser), server.url);
    const rows = await rowsOf(page);
    assert.ok(rows.includes("stream 99") && rows.includes("With few slices") && rows.includes("Counters"), `${rows}`);
    assert.ok(rows.includes("thread 1"), `the host is on the screen: ${rows}`);
    const shown = async (name) => (await rowsOf(page)).some((each) => each.startsWith(name));
    await page.locator(".head.group .name", { hasText: "Counters" }).click();
    await until(page, "counters are there", () => shown("counter "));
    await page.locator(".head.group .name", { hasText: "With few slices" }).click();
    await until(page, "streams are there", () => shown("stream 12"));
  } finally {
    await browser.close();
    await server.end();
  }
});

describe("keys alone", { skip }, () => {
  let server, browser, page, session;

  before(async () => {
    server = await Server.start(await builtTrace(scratch(), "keys.json", "--model", "llm", "--steps", 2, "--seed", 3));
    browser = await startBrowser();
    await (await openTimeline(await newWindow(browser), server.url)).context().close();
    session = await server.json("/api/p/0/session");
  });
  beforeEach(async () => {
    page = await openTimeline(await newWindow(browser), server.url);
    await page.mouse.move(0, 0);
  });
  afterEach(async () => {
    assert.deepEqual(page.complaints, [], "the console has nothing to complain of");
    await page.context().close();
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });
  const marks = () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("mark")?.split(",") ?? [];
  const widthOf = ({ viewport }) => viewport.end - viewport.start;

  test("arrows begin with the first slice in sight and go on from there", async () => {
    await page.keyboard.press("ArrowRight");
    const first = (await untilState(page, ({ selection }) => selection)).selection;
    const track = session.tracks.find(({ id }) => id === first.track);
    assert.ok(["stream", "thread", "ranges", "other"].includes(track.kind), `a track of the profile: ${track.name}`);
    await page.keyboard.press("ArrowRight");
    const next = (await untilState(page, (now) => now.selection?.slice !== first.slice && now.selection)).selection;
    assert.equal(next.track, first.track);
    assert.ok(next.start >= first.start + first.duration);
    await page.keyboard.press("Escape");
    await untilState(page, ({ selection }) => selection === null);
    await page.keyboard.press("ArrowLeft");
    const last = (await untilState(page, ({ selection }) => selection)).selection;
    assert.ok(last.start > next.start, "the last in sight");
  });

  test("Tab reaches tracks and their pins; the right arrow goes to the slices; undo takes a pin back", async () => {
    await page.getByLabel("Filter tracks").focus();
    const thread = session.tracks.find(({ kind }) => kind === "thread");
    const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? "");
    for (let i = 0; i < 80 && !(await focused()).startsWith(`${thread.name}:`); ++i) await page.keyboard.press("Tab");
    assert.ok((await focused()).startsWith(`${thread.name}:`), await focused());
    await page.keyboard.press("Tab");
    assert.equal(await focused(), `Pin ${thread.name}`);
    const pin = page.locator(":focus");
    assert.equal(await pin.evaluate((element) => getComputedStyle(element).opacity), "1", "it can be seen");
    await page.keyboard.press("Enter");
    await untilState(page, ({ pinned }) => pinned.includes(thread.id));
    await page.keyboard.press("Control+z");
    await untilState(page, ({ pinned }) => pinned.length === 0);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("ArrowRight");
    const { selection } = await untilState(page, (now) => now.selection);
    assert.equal(selection.track, thread.id);
    await page.keyboard.press("ArrowRight");
    await untilState(page, (now) => now.selection.slice !== selection.slice);
  });

  test("the tooltip follows a zoom by keys", async () => {
    const kernel = (await server.json("/api/p/0/search?q=gemm&limit=1")).matches[0];
    await clickSlice(page, kernel);
    const place = await page.evaluate(([track, lane]) => window.cgpu.place(track, lane), [kernel.track, kernel.lane]);
    await page.mouse.move(place.x + 2, place.y + place.height / 2);
    await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
    const tooltip = page.locator(".tl-tooltip");
    await until(page, "it names the slice", async () => (await tooltip.textContent()).includes("gemm"));
    for (let i = 0; i < 4; ++i) await page.keyboard.press("d"); // the slice moves away from the pointer
    for (let i = 0; i < 12; ++i) await page.keyboard.press("d");
    await until(page, "it says another or nothing", async () => {
      const hidden = await tooltip.evaluate((element) => element.hidden);
      return hidden || !(await tooltip.textContent()).startsWith(kernel.name);
    });
  });

  test("names of tracks and their headings stay in sight; a pinned track says where it belongs", async () => {
    await page.setViewportSize({ width: 1000, height: 420 });
    await settled(page);
    const busy = session.tracks.find(({ kind }) => kind === "busy");
    await page.getByLabel("Pin busy").first().click();
    const where = page.locator(".pane-pinned .where");
    await until(page, "it is pinned", async () => (await where.count()) === 1);
    assert.equal(
      await where.textContent(),
      busy.group.map((title) => `${title.replace(/^(GPU \d+):.*/, "$1")} \u203a`).join(" "),
    );
    const tall = session.tracks.filter(({ kind }) => kind === "thread").sort((a, b) => b.lanes - a.lanes)[0];
    assert.ok(tall.lanes >= 4, `${tall.lanes} lanes`);
    const head = page.locator(".pane-main .head", { hasText: tall.name }).first();
    await page.locator(".pane-main").evaluate((pane) => (pane.scrollTop = pane.scrollHeight));
    await settled(page);
    const pane = await page.locator(".pane-main").boundingBox();
    const path = page.locator(".pane-main .head-path");
    await path.waitFor();
    const name = await head.locator(".name").boundingBox();
    assert.ok(name.y >= pane.y && name.y + name.height <= pane.y + pane.height, "the name is in sight");
    await path.click();
    await until(page, "it folds its group", async () => (await stateOf(page)).folded.length > 0);
  });

  test("after a colour was chosen with the pointer the keys move again, and the link has the colour", async () => {
    const before = await stateOf(page);
    const colours = page.getByLabel("Colour by");
    await colours.click();
    await colours.selectOption("name");
    await page.keyboard.press("w");
    await untilState(page, (now) => widthOf(now) < widthOf(before));
    assert.equal(await colours.inputValue(), "name");
    await until(page, "the address has it", () => page.url().includes("colour=name"));
    const there = await openTimeline(await newWindow(browser), page.url());
    assert.equal(await there.getByLabel("Colour by").inputValue(), "name");
    await there.context().close();
  });

  test("M marks where the pointer is, also while something is selected", async () => {
    const box = await page.locator(".pane-main canvas.ink").boundingBox();
    const ruler = await page.locator(".tl-ruler").boundingBox();
    await page.mouse.move(ruler.x + 200, ruler.y + 10);
    await page.mouse.down();
    await page.mouse.move(ruler.x + 400, ruler.y + 10, { steps: 4 });
    await page.mouse.up();
    const state = await untilState(page, ({ area }) => area);
    const pixel = widthOf(state) / box.width;
    const places = [250, 600];
    for (const x of places) {
      await page.mouse.move(box.x + x, ruler.y + 10);
      await page.keyboard.press("m");
    }
    await until(page, "two marks", () => marks().length === 2);
    marks().forEach((mark, i) => {
      const wanted = state.viewport.start + pixel * places[i];
      assert.ok(Math.abs(Number(mark) - wanted) <= pixel, `${mark} for ${wanted}`);
    });
    await page.keyboard.press("m");
    await until(page, "the second is gone", () => marks().length === 1);

    await page.keyboard.press("Shift+m");
    const kernel = (await server.json("/api/p/0/search?q=gemm&limit=1")).matches[0];
    await clickSlice(page, kernel);
    await page.keyboard.press("m");
    const whole = `${kernel.start}~${kernel.start + kernel.duration}`;
    await until(page, "the slice under the pointer is marked as a whole", () => String(marks()) === whole);
  });

  test("marks have names, notes and the time between them; the ruler counts from one; the link has all", async () => {
    const span = session.span;
    const times = [0.25, 0.5].map((share) => Math.round(span * share));
    await page.evaluate((text) => (location.hash = `view=timeline&mark=${text}`), times.join(","));
    await page.getByRole("button", { name: "Marks (2)" }).click();
    await page.getByLabel("Name of mark 2").fill("second, here");
    await page.getByLabel("Note of mark 1").fill("why: 100 %");
    const base = () => page.getByLabel("What the ruler counts from");
    await page.getByLabel("Measure from mark 2").click();
    await until(page, "it is the zero", async () => (await base().inputValue()) === `mark${times[1]}`);
    assert.match(await page.locator(".marks header").textContent(), /since second, here/);
    assert.match(await page.locator(".mark-since").first().textContent(), /^-\d/);
    await until(page, "the address has it", () => /ruler=mark\d+/.test(page.url()) && marks()[1]?.includes("second"));
    const there = await openTimeline(await newWindow(browser), page.url());
    await there.getByRole("button", { name: "Marks (2)" }).click();
    assert.equal(await there.getByLabel("Name of mark 2").inputValue(), "second, here");
    assert.equal(await there.getByLabel("Note of mark 1").inputValue(), "why: 100 %");
    assert.equal(await there.getByLabel("What the ruler counts from").inputValue(), `mark${times[1]}`);
    await there.context().close();
    await base().selectOption("ns");
    await until(page, "in ns", () => page.url().includes("ruler=ns"));
    await page.getByLabel("Remove mark 1").click();
    await until(page, "one is left", () => marks().length === 1);
  });

  test("arguments are searched as key = value; the palette knows tables", async () => {
    const { total } = await server.json("/api/p/0/search?q=7&argument=stream&equal=1&limit=1");
    assert.ok(total > 0);
    await page.keyboard.press("/");
    await page.keyboard.type("Stream = 7");
    const count = page.locator(".search-count");
    await until(page, "they are counted", async () => (await count.textContent()).replace(/\D/g, "") === String(total));
    await page.keyboard.press("Enter");
    const { selection } = await untilState(page, (now) => now.selection);
    const track = session.tracks.find(({ id }) => id === selection.track);
    assert.match(track.name, /^stream 7/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.locator(".palette input:focus").waitFor();
    await page.keyboard.type("kernel_classes");
    await page.keyboard.press("Enter");
    await page.locator("#view-tables h3", { hasText: "Kernel classes" }).waitFor();
    assert.ok(page.url().includes("table=kernel_classes"));
  });

  test("Escape leaves the search with its text, and N goes on; once more drops it", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("cuda");
    await page.keyboard.press("Enter");
    const first = (await untilState(page, ({ selection }) => selection)).selection;
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    const next = (await untilState(page, (now) => now.selection?.slice !== first.slice && now.selection)).selection;
    assert.ok(next.start >= first.start);
    assert.equal((await stateOf(page)).search, "cuda", "the N was not typed into it");
    await page.keyboard.press("Escape");
    await untilState(page, ({ search }) => search === "");
  });

  test("views and links by the place of a key or by its character", async () => {
    const send = (init) =>
      page.evaluate(
        (event) => window.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...event })),
        init,
      );
    const shown = () => page.locator(".tabs button.on").textContent();
    const keyOf = async (title) =>
      /\((\d)\)/.exec(await page.locator(".tabs button", { hasText: title }).getAttribute("title"))[1];
    await send({ key: "\u00e8", code: `Digit${await keyOf("Tables")}` });
    await until(page, "a key of the row of digits", async () => (await shown()) === "Tables");
    await send({ key: await keyOf("Timeline"), code: "Numpad1" });
    await until(page, "a digit of the number block", async () => (await shown()) === "Timeline");
    const kernel = (await server.json("/api/p/0/search?q=gemm&limit=1")).matches[0];
    const launch = await server.json(`/api/p/0/neighbor?track=${kernel.track}&slice=${kernel.slice}&to=launch`);
    await clickSlice(page, kernel);
    await send({ key: "[", code: "Digit8", ctrlKey: true, altKey: true });
    await untilState(page, ({ selection }) => selection).then(() =>
      until(page, "AltGr", async () => (await stateOf(page)).selection?.slice === launch.slice),
    );
    await send({ key: "+", code: "BracketRight" });
    await until(page, "the key at the place", async () => (await stateOf(page)).selection?.slice === kernel.slice);
  });

  test("what does not fit into the legend can be asked for", async () => {
    await page.setViewportSize({ width: 500, height: 800 });
    await settled(page);
    const more = page.getByTitle("All colours on the screen");
    await more.waitFor();
    assert.ok(Number(/^(\d+) more$/.exec(await more.textContent())[1]) > 0);
    await more.click();
    const all = page.getByLabel("All colours");
    const entries = page.locator(".status-line .legend").first().locator("li");
    await until(page, "all are there", async () => (await all.locator("li").count()) === (await entries.count()));
    const { x, y, width } = await all.boundingBox();
    assert.ok(x >= 0 && x + width <= 500 && y > 0);
    await page.keyboard.press("Escape");
    await all.waitFor({ state: "hidden" });
  });
});

describe("what is found when somebody looks at it", { skip }, () => {
  let server, browser, page, session;

  before(async () => {
    const options = ["--model", "cnn", "--steps", 2, "--layers", 3, "--idle", "data_loading"];
    server = await Server.start(await builtTrace(scratch(), "model.json", ...options));
    browser = await startBrowser();
    page = await openTimeline(await newWindow(browser), server.url);
    session = await server.json("/api/p/0/session");
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  /** The only track of a kind, which was folded and has been unfolded. */
  async function unfolded(wanted, heading, lastLane) {
    const track = session.tracks.find(({ kind }) => kind === wanted);
    await page.evaluate((span) => window.cgpu.show(0, span), session.span);
    await settled(page);
    assert.equal(await page.evaluate((id) => window.cgpu.place(id, 0), track.id), null, "folded at first");
    await page.locator(".pane-main .head.group .name", { hasText: heading }).click();
    await until(page, "it is there", () =>
      page.evaluate(([id, lane]) => window.cgpu.place(id, lane), [track.id, lastLane]),
    );
    await settled(page);
    return track;
  }

  test("the critical path, whose parts lead to ops and calls", async () => {
    const track = await unfolded("critical_path", "Critical path", 0);
    await page.locator(".status-line .legend").getByText("data loading", { exact: true }).waitFor();

    // One of the parts that the table has, as the timeline shows it.
    const path = (await server.json("/api/p/0/table/critical_path_trace")).tables.critical_path_trace;
    const rows = path.rows.map((row) => Object.fromEntries(path.columns.map(({ name }, i) => [name, row[i]])));
    const longest = (wanted) => rows.filter(wanted).sort((a, b) => b.duration_ns - a.duration_ns)[0];
    for (const [row, words] of [
      [longest((row) => row.bound_by === "compute"), null],
      [longest((row) => row.bound_by === "data_loading"), "data loading"],
    ]) {
      const slice = { track: track.id, lane: 0, start: row.start_ns, duration: row.duration_ns };
      await clickSlice(page, slice);
      const details = page.locator(".details");
      if (row.name) await details.locator(".slice-name", { hasText: row.name }).waitFor();
      if (words) await details.locator(".tag", { hasText: words }).waitFor();
      if (row.name) await details.getByText("What it is about").waitFor();
    }
  });

  test("the layers of the model above, their parts below, which lead to ops", async () => {
    const track = await unfolded("layers", "Layers", 1);
    const slices = await Promise.all(
      Array.from({ length: 12 }, (_, slice) => server.json(`/api/p/0/slice?track=${track.id}&slice=${slice}`)),
    );
    const details = page.locator(".details");
    for (const [lane, name] of [
      [0, /^layer \d$/],
      [1, /^(convolution|normalization)$/],
    ]) {
      const slice = slices.find((each) => each.lane === lane && name.test(each.name));
      await clickSlice(page, { track: track.id, lane, start: slice.start, duration: slice.duration });
      await details.locator(".slice-name", { hasText: slice.name }).waitFor();
      await details.getByText("Its first op").waitFor();
    }
  });
});
