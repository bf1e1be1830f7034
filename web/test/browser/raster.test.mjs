// The pixels of the tracks, for three built traces. Text is not among them, so the fonts of the machine do not matter.
// Where pictures are meant to change, look at them first, then write down the hashes that the failing test names.
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
  writtenTrace,
} from "./support.mjs";

const PICTURES = [
  {
    name: "training",
    options: ["--model", "cnn", "--steps", 2, "--layers", 2, "--idle", "synchronization,data_loading,lock"],
    hashes: { whole: "811c9dc5-6c94bc6f", part: "811c9dc5-04840411", close: "811c9dc5-8ca17aed" },
  },
  {
    name: "recommendation, AMD",
    options: [
      "--model",
      "dlrm",
      "--steps",
      2,
      "--vendor",
      "amd",
      "--era",
      "2024",
      "--idle",
      "blocking_copy,allocation",
    ],
    hashes: { whole: "811c9dc5-e754315c", part: "811c9dc5-0c0ee17e", close: "811c9dc5-51f96591" },
  },
  {
    name: "decoding",
    options: ["--model", "llm", "--steps", 2, "--layers", 2, "--streams", 3, "--orphans", 5],
    hashes: { whole: "811c9dc5-f202c170", part: "811c9dc5-99b2dff5", close: "811c9dc5-ac668ea3" },
  },
];
const WINDOWS = { whole: [0, 1], part: [0.4, 0.6], close: [0.5, 0.5002] }; // shares of the run

describe("the pixels of the tracks", { skip }, () => {
  const folder = skip ? "" : scratch();
  let browser;

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser?.close());

  for (const [at, { name, options, hashes }] of PICTURES.entries()) {
    test(name, async () => {
      const server = await Server.start(await builtTrace(folder, `raster${at}.json`, "--seed", 11, ...options));
      const context = await newWindow(browser, { viewport: { width: 1280, height: 2400 } });
      try {
        const page = await openTimeline(context, server.url);
        const { span } = await server.json("/api/p/0/session");
        const seen = {};
        for (const [window, [from, to]] of Object.entries(WINDOWS)) {
          await page.evaluate(([a, b]) => window.cgpu.show(a, b), [Math.round(span * from), Math.round(span * to)]);
          await settled(page);
          seen[window] = await hashOf(page);
        }
        const [content, room] = await page
          .locator(".pane-main")
          .evaluate((pane) => [pane.scrollHeight, pane.clientHeight]);
        assert.ok(content <= room, `all tracks are on the screen: ${content} of ${room} pixels`);
        assert.deepEqual(seen, hashes);
      } finally {
        await context.close();
        await server.end();
      }
    });
  }

  test("one ns more of one slice is another hash", async () => {
    const slice = (ts, dur) => ({ ph: "X", cat: "cpu_op", name: "op", pid: 1, tid: 1, ts, dur });
    const hashes = new Set();
    for (const dur of [0.1, 0.101, 0.1]) {
      const server = await Server.start(writtenTrace(folder, "one.json", [slice(0, 10), slice(1, dur), slice(2, 1)]));
      const context = await newWindow(browser);
      try {
        const page = await openTimeline(context, server.url);
        await page.evaluate(() => window.cgpu.show(900, 1200));
        await settled(page);
        hashes.add(await hashOf(page));
      } finally {
        await context.close();
        await server.end();
      }
    }
    assert.equal(hashes.size, 2);
  });
});
