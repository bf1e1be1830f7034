// Two runs of several ranks side by side: both timelines go by the time map of one rank, that of the selected slice.
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

describe("two runs of two ranks", { skip }, () => {
  let server;
  let browser;
  let page;
  let ranks;
  const rank = () => page.getByLabel("The rank that both timelines go by");
  const near = (x, y, tolerance = 1) => Math.abs(x - y) <= tolerance;
  const sides = () => page.evaluate(() => [window.cgpu.state(), window.cgpu_b.state()]);
  /** Until B shows what A shows, by the map of a rank. */
  const untilAligned = (number) =>
    until(page, `B is aligned by rank ${number}`, async () => {
      const [a, b] = await sides();
      const [start, end] = [a.viewport.start, a.viewport.end].map((moment) => mapped(ranks[number], moment));
      return near(b.viewport.start, start) && near(b.viewport.end, end);
    });

  before(async () => {
    const folder = scratch();
    const options = ["--ranks", 2, "--seed", 5, "--steps", 3, "--layers", 3];
    const a = await builtTrace(folder, "a", ...options);
    const b = await builtTrace(folder, "b", ...options, "--idle", "host_code");
    [server, browser] = await Promise.all([Server.start(a, "--against", b), startBrowser()]);
    page = await newTab(await newWindow(browser, { viewport: { width: 1280, height: 4000 } }), server.url);
    await page.waitForFunction(() => window.cgpu?.frameTimes().length && window.cgpu_b?.frameTimes().length);
    ({ ranks } = await server.json("/api/compare/times"));
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  test("each rank has a map of its own, and one is chosen", async () => {
    assert.deepEqual(
      ranks.map(({ rank_a, rank_b }) => [rank_a, rank_b]),
      [
        [0, 0],
        [1, 1],
      ],
    );
    const middle = (ranks[0].a[0] + ranks[0].a.at(-1)) / 2;
    assert.ok(!near(mapped(ranks[0], middle), mapped(ranks[1], middle)), "the ranks are held up at other times");
    await page.evaluate(([from, to]) => window.cgpu.show(from, to), [middle, middle + 200000]);
    await untilAligned(0);
    await rank().selectOption({ label: "1" });
    await untilAligned(1);
    for (const side of ["cgpu", "cgpu_b"]) {
      const { tracks } = await server.json(`/api/p/${side === "cgpu" ? 0 : 1}/session`);
      const device = tracks.find((track) => track.kind === "stream" && track.rank === 1);
      const inSight = () => page.evaluate(([name, id]) => window[name].place(id, 0), [side, device.id]);
      await until(page, `the device of rank 1 is in sight in ${side}`, inSight);
    }
    await until(page, "the address has it", () => page.url().includes("compared_rank=1"));
    await page.reload();
    await page.waitForFunction(() => window.cgpu_b?.frameTimes().length);
    await untilAligned(1);
    assert.equal(await rank().locator("option:checked").innerText(), "1");
    await page.getByLabel("How the two timelines share an axis").selectOption("time");
    assert.equal(await rank().count(), 0, "counted from the starts all ranks are alike");
    await page.getByLabel("How the two timelines share an axis").selectOption("step");
    const steps = await Promise.all([0, 1].map(async (p) => (await server.json(`/api/p/${p}/session`)).steps));
    const starts = steps.map((all) => all.filter((step) => step.rank === 1).map(({ start }) => start));
    await page.evaluate(([from, to]) => window.cgpu.show(from, to), [starts[0][1], starts[0][1] + 100000]);
    await until(page, "the second steps of rank 1 stand above each other", async () =>
      near((await sides())[1].viewport.start, starts[1][1]),
    );
    await page.getByLabel("How the two timelines share an axis").selectOption("work");
    await untilAligned(1);
  });

  test("the rank of a selected slice is taken, and its partner stands below it", async () => {
    const { tracks } = await server.json("/api/p/0/session");
    const { matches } = await server.json("/api/p/0/search?q=gemm&own=1");
    for (const number of [0, 1]) {
      const own = new Set(tracks.filter(({ kind, rank }) => kind === "stream" && rank === number).map(({ id }) => id));
      const points = new Set(ranks[number].a); // the map is exact there
      const slice = matches.find(({ track, start }) => own.has(track) && points.has(start));
      const { partner } = await server.json(`/api/compare/slice?side=a&track=${slice.track}&slice=${slice.slice}`);
      const { start, duration } = slice;
      await page.evaluate(([from, to]) => window.cgpu.show(from, to), [start, start + 2 * duration]);
      await settled(page);
      const place = await page.evaluate(([track, lane]) => window.cgpu.place(track, lane), [slice.track, slice.lane]);
      await page.mouse.click(place.x + place.width / 4, place.y + place.height / 2);
      await until(page, "B marks it", async () => (await sides())[1].selection?.slice === partner.slice);
      await untilAligned(number);
      assert.equal(await rank().locator("option:checked").innerText(), String(number));
      const [a, b] = await sides();
      assert.ok(near(a.viewport.start, start) && near(b.viewport.start, partner.start), "they begin above each other");
      await page.keyboard.press("Escape");
    }
    assert.deepEqual(page.complaints, []);
  });
});
