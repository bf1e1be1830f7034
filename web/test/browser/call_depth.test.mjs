// The timeline at one depth of the call paths, and the functions there beside it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  builtDatabase,
  builtTrace,
  newWindow,
  openTimeline,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  stateOf,
  until,
} from "./support.mjs";

const MS = 1e6;

describe("call paths at one depth", { skip }, () => {
  let folder, server, browser, session;

  before(async () => {
    folder = scratch();
    server = await Server.start(await builtDatabase(folder, "database"));
    browser = await startBrowser();
    session = await server.json("/api/p/0/session");
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  async function using(action, address = server.url) {
    const page = await openTimeline(await newWindow(browser), address);
    try {
      await action(page);
      assert.deepEqual(page.complaints, [], "the console has nothing to complain of");
    } finally {
      await page.context().close();
    }
  }

  const slider = (page) => page.locator(".depth-choice input");
  const panel = (page) => page.locator(".functions");
  const paths = () => session.tracks.filter(({ kind }) => kind === "call_path");
  const deepest = () => Math.max(...paths().map(({ lanes }) => lanes));
  /** [name, time, share] of the rows of the panel. */
  const listed = async (page) => {
    const rows = await panel(page).locator("li button").all();
    return Promise.all(rows.map((row) => row.locator("span").allTextContents()));
  };
  const shows = (page, wanted) =>
    until(page, `the functions are ${JSON.stringify(wanted)}`, async () => {
      const names = (await listed(page)).map(([name, time]) => `${name} ${time}`);
      return JSON.stringify(names) === JSON.stringify(wanted);
    });
  const placeOf = (page, track, lane) => page.evaluate(([t, l]) => window.cgpu.place(t, l), [track, lane]);
  const namesOfTracks = (page) => page.locator(".pane-main .head.track .name").allTextContents();

  test("a row a thread and stream, and how long each function is there", () =>
    using(async (page) => {
      assert.equal(await panel(page).count(), 0);
      await slider(page).fill("3");
      await settled(page);
      // solve for 7 ms of the thread and the 4 ms of the stream that it launched; the paths of main and poll end above.
      await shows(page, ["solve 11.0 ms", "main 2.00 ms", "poll 1.50 ms"]);
      assert.deepEqual(
        (await listed(page)).map(([, , share]) => share),
        ["75.9 %", "13.8 %", "10.3 %"],
      );
      for (const track of paths())
        assert.equal((await placeOf(page, track.id, 1)).y, (await placeOf(page, track.id, 0)).y);
      const names = await namesOfTracks(page);
      for (const part of ["thread 0", "thread 1", "stream 7"]) {
        assert.equal(names.filter((name) => name.includes(part)).length, 1, `${part} has one row`);
      }
      await until(page, "the address has it", () => /depth=3(&|$)/.test(page.url()));
    }));

  test("the times of every depth add up to the same", async () => {
    const totals = [];
    for (let depth = 1; depth <= deepest(); ++depth) {
      const { total, functions } = await server.json(`/api/p/0/functions?depth=${depth}`);
      assert.equal(
        functions.reduce((sum, { time }) => sum + time, 0),
        total,
      );
      totals.push(total);
    }
    assert.deepEqual(new Set(totals), new Set([14.5 * MS])); // 9 and 1.5 ms of the threads, 4 ms of the stream
    const first = await server.json(`/api/p/0/functions?depth=2&track=${paths()[0].id}`);
    assert.equal(first.tracks, 1);
  });

  test("the keys change the depth, and the address keeps it", () =>
    using(async (page) => {
      await page.keyboard.press(".");
      await page.keyboard.press(".");
      await until(page, "the depth is 2", async () => (await slider(page).inputValue()) === "2");
      await page.keyboard.press(",");
      await until(page, "the depth is 1", async () => (await slider(page).inputValue()) === "1");
      await until(page, "the address has it", () => /depth=1(&|$)/.test(page.url()));
      await page.reload();
      await settled(page);
      assert.equal(await slider(page).inputValue(), "1");
      await page.keyboard.press(",");
      await until(page, "all depths are shown", async () => (await panel(page).count()) === 0);
      for (let i = 0; i < deepest() + 3; ++i) await page.keyboard.press(".");
      await until(page, "it stays at the deepest", async () => (await slider(page).inputValue()) === String(deepest()));
      await page.keyboard.press("?");
      const help = await page.locator(".help").innerText();
      assert.match(help, /one deeper/);
      assert.match(help, /less deep/);
    }));

  test("the functions are those of the window and of the rows in sight", () =>
    using(async (page) => {
      await slider(page).fill(String(deepest()));
      await page.evaluate(([from, to]) => window.cgpu.show(from, to), [3 * MS, 5 * MS]);
      await shows(page, ["dot 2.00 ms", "scale 2.00 ms"]);
      await page.locator(".track-filter").fill("stream 7");
      await shows(page, ["scale 2.00 ms"]);
      await page.locator(".track-filter").fill("thread 1");
      await until(page, "nothing lies there", async () => /No call path/.test(await panel(page).innerText()));
    }));

  test("a click on a function looks for it", () =>
    using(async (page) => {
      await slider(page).fill("3");
      const row = panel(page).locator("li button", { hasText: "solve" }).first();
      await row.click();
      await until(page, "it is looked for", async () => (await stateOf(page)).search === "solve");
      assert.equal(await row.getAttribute("aria-pressed"), "true");
      await row.click();
      await until(page, "no longer", async () => (await stateOf(page)).search === "");
    }));

  test("many ranks are a row each, side by side, though their headings are folded", async () => {
    const job = await Server.start(await builtDatabase(folder, "job", "ranks=27"));
    try {
      await using(async (page) => {
        await slider(page).fill("5");
        await settled(page);
        const { tracks } = await job.json("/api/p/0/session");
        const places = await Promise.all(
          tracks.filter(({ kind }) => kind === "call_path").map(({ id }) => placeOf(page, id, 0)),
        );
        assert.equal(places.length, 27);
        assert.equal((await namesOfTracks(page))[0], "rank 0 \u203a thread 0");
        assert.ok(places.filter((place) => place !== null).length >= 20, "most are on the screen");
        await shows(page, [
          "smooth 4.45 s",
          "MPI_Waitall 3.65 s",
          "relax 1.35 s",
          "write_result 540 ms",
          "setup 462 ms",
          "read_mesh 348 ms",
        ]);
        // 27 times 400 samples of a millisecond.
        assert.match(await panel(page).innerText(), /10\.8 s of 27 rows/);
      }, job.url);
    } finally {
      await job.end();
    }
  });

  test("without call paths there is no depth to choose", async () => {
    const plain = await Server.start(await builtTrace(folder, "plain.json"));
    try {
      await using(async (page) => assert.equal(await page.locator(".depth-choice").count(), 0), plain.url);
    } finally {
      await plain.end();
    }
  });
});
