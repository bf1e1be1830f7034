// A database of HPCToolkit: the call paths of its samples on the timeline, and from there into the call tree. On one that
// is built here, and on one of the corpus where that is there.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  builtDatabase,
  clickSlice,
  newTab,
  newWindow,
  openTimeline,
  ROOT,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  stateOf,
  tables,
  until,
} from "./support.mjs";

const MS = 1e6;
const CORPUS = join(
  process.env.CGPU_SHARED ?? join(ROOT, "../shared"),
  "corpus/hpctoolkit_v4/yuninxia_HPCToolkit__dbase__loops-cuda-nvidia-t.d",
);

const named = ({ tracks }, kind, name) => tracks.find((track) => track.kind === kind && track.name === name);
const rowsOf = ({ columns, rows }) =>
  rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])));

describe("a database of HPCToolkit", { skip }, () => {
  let database, server, browser, session;

  before(async () => {
    database = await builtDatabase(scratch(), "database");
    server = await Server.start(database);
    browser = await startBrowser();
    session = await server.json("/api/p/0/session");
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  async function using(action) {
    const page = await openTimeline(await newWindow(browser, { viewport: { width: 1280, height: 1200 } }), server.url);
    try {
      await action(page);
      assert.deepEqual(page.complaints, [], "the console has nothing to complain of");
    } finally {
      await page.context().close();
    }
  }
  const details = (page) => page.locator(".details");
  /** Waits until the chosen row of the call tree is the one called `name`: that which was chosen before stays until then. */
  const isChosen = (page, name) => {
    const current = page.locator(".table-row.current .tree-name b");
    return until(page, `${name} is chosen`, async () => (await current.allTextContents()).join() === name);
  };

  test("the call path of samples is drawn, a lane a frame", () =>
    using(async (page) => {
      // main in all nine samples, solve in seven, and below its loop, which is no frame, dot twice.
      const path = named(session, "call_path", "thread 0 call path");
      assert.deepEqual([path.lanes, path.slices], [4, 5]);
      assert.equal(path.samples, named(session, "thread", "thread 0").id);
      for (const [lane, name, start, duration] of [
        [0, "main thread", 0, 9],
        [1, "main", 0, 9],
        [2, "solve", 1, 7],
        [3, "dot", 3, 2],
        [3, "dot", 6, 1],
      ]) {
        await clickSlice(page, { track: path.id, lane, start: start * MS, duration: duration * MS });
        await until(page, `${name} of ${duration} ms is shown`, async () => {
          const text = await details(page).innerText();
          return text.startsWith(name) && text.includes(`${duration}.00 ms`);
        });
        const { selection } = await stateOf(page);
        assert.equal(selection.lane, lane);
      }
    }));

  test("a box leads to its place in the call tree, a kernel to that of its launch", () =>
    using(async (page) => {
      const tree = rowsOf((await tables(database, "call_tree")).call_tree);
      for (const [track, lane, start, duration, name] of [
        [named(session, "call_path", "thread 0 call path"), 3, 3, 2, "dot"],
        [named(session, "stream", "stream 7"), 0, 3, 2, "scale(float*)"],
        [named(session, "call_path", "thread 1 call path"), 1, 0, 1, "poll"],
      ]) {
        await clickSlice(page, { track: track.id, lane, start: start * MS, duration: duration * MS });
        await details(page).getByRole("button", { name: "Show in the call tree" }).click();
        await isChosen(page, name);
        const { name: of } = tree.find((row) => row.name === name);
        assert.equal(of, name, "it is a place in the table");
        await page.locator(".tabs button").getByText("Timeline", { exact: true }).click();
        await settled(page);
      }
    }));

  test("every tab shows something", () =>
    using(async (page) => {
      const tabs = page.locator(".tabs button");
      for (const title of await tabs.allTextContents()) {
        await tabs.getByText(title, { exact: true }).click();
        const shown = page.locator(".view:not([hidden])");
        await until(page, `${title} shows something`, async () => {
          const [text, canvases] = [(await shown.innerText()).trim(), await shown.locator("canvas").count()];
          const says = await shown.locator(".empty").filter({ visible: true }).count();
          return says === 0 && (text.length > 40 || canvases > 0);
        });
      }
    }));

  test("a real one", { skip: existsSync(CORPUS) ? false : `no ${CORPUS}` }, async () => {
    const real = await Server.start(CORPUS);
    const context = await newWindow(browser);
    try {
      const page = await openTimeline(context, real.url);
      const { tracks } = await real.json("/api/p/0/session");
      const paths = tracks.filter(({ kind }) => kind === "call_path");
      assert.ok(paths.length > 0);
      for (const { samples, lanes, slices } of paths) {
        assert.ok(
          tracks.some(({ id }) => id === samples),
          "it is that of a track",
        );
        assert.ok(lanes > 0 && slices > 0);
      }
      await newTab(context, `${real.url}#view=call_tree`).then(async (tree) => {
        await tree.getByRole("button", { name: "Show the hot path" }).click();
        const hot = rowsOf((await tables(CORPUS, "hot_path")).hot_path);
        const shown = tree.locator(".table-row.hot .tree-name b");
        await until(tree, "the hot path is shown", async () => (await shown.count()) > 1);
        const names = await shown.allTextContents();
        assert.deepEqual(names, hot.map(({ name }) => name).slice(hot.length - names.length));
        assert.deepEqual(tree.complaints, []);
      });
      assert.deepEqual(page.complaints, []);
    } finally {
      await context.close();
      await real.end();
    }
  });
});
