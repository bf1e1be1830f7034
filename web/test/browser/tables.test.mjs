// Tables: names are whole where they fit and cut without a gap where they do not, headings have the room that is there,
// the arrow is where the server says that the rows are ordered, and figures have the unit that their row names.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  builtTrace,
  newTab,
  newWindow,
  openTimeline,
  scratch,
  Server,
  skip,
  startBrowser,
  until,
  writtenTrace,
} from "./support.mjs";

const NAMES = [
  "cudaDeviceSynchronize",
  "train.py(80): forward",
  ...[4, 8, 16].map((size) => `void library::kernels::implementation::gemm<float, float, ${size}, 128>(Params)`),
];

/** A slice of each name on a thread, and a kernel, so that the profile has a timeline. */
const events = NAMES.map((name, i) => ({
  ...{ ph: "X", name, cat: i === 0 ? "cuda_runtime" : "cpu_op", pid: 1, tid: 1, ts: 100 * i, dur: 10 * (i + 1) },
  args: { correlation: i },
}));
events.push({ ph: "X", name: "kernel", cat: "kernel", pid: 0, tid: 7, ts: 5, dur: 20, args: { device: 0, stream: 7 } });

describe("tables", { skip }, () => {
  const folder = skip ? "" : scratch();
  let browser, server, trained;
  before(async () => {
    browser = await startBrowser();
    server = await Server.start(writtenTrace(folder, "names.json", events));
    trained = await Server.start(await builtTrace(folder, "training.json", "--steps", 3, "--seed", 3));
    for (const each of [server, trained])
      await (await openTimeline(await newWindow(browser), each.url)).context().close();
  });
  after(async () => {
    await browser?.close();
    await Promise.all([server?.end(), trained?.end()]);
  });

  async function using(of, hash, options, action) {
    const page = await newTab(await newWindow(browser, options), `${of.url}#${hash}`);
    try {
      await page.locator(".table-row").first().waitFor();
      await action(page);
      assert.deepEqual(page.complaints, []);
    } finally {
      await page.context().close();
    }
  }

  /** Of each text on the screen: what it is, what is written, in how many pieces, and the width of it and its room. */
  const texts = (page) =>
    page.locator(".table-row .text").evaluateAll((cells) =>
      cells.map((cell) => {
        const [written] = cell.querySelectorAll("b");
        return {
          whole: cell.title,
          written: written.textContent,
          pieces: written.childNodes.length,
          width: written.getBoundingClientRect().width,
          room: cell.clientWidth - 20,
          overflows: cell.scrollWidth > cell.clientWidth,
        };
      }),
    );

  test("names are in one piece, and whole where they fit", () =>
    using(server, "view=tables&table=ops", { viewport: { width: 1920, height: 800 } }, async (page) => {
      const all = await texts(page);
      assert.ok(NAMES.slice(1).every((name) => all.some(({ written }) => written === name)));
      for (const { whole, written, pieces } of all) {
        assert.ok(pieces <= 1, whole);
        assert.equal(written, whole);
      }
    }));

  test("a name that does not fit keeps its beginning and what tells it apart, and fills its room", () =>
    using(server, "view=tables&table=ops", {}, async (page) => {
      const { x, y, width, height } = await page
        .getByRole("columnheader", { name: "name", exact: true })
        .locator(".column-edge")
        .boundingBox();
      const to = (await page.getByRole("columnheader").first().boundingBox()).x + 220;
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(to, y, { steps: 4 });
      await page.mouse.up();
      const cut = await until(page, "names are cut", async () => {
        const found = (await texts(page)).filter(({ written }) => written.includes("\u2026"));
        return found.length === 3 && found;
      });
      for (const { whole, written, width, room } of cut) {
        const [begin, end] = written.split("\u2026");
        assert.ok(whole.startsWith(begin) && whole.endsWith(end) && begin.length > 3, written);
        assert.ok(width <= room + 1 && width > room - 20, `${written}: ${width} of ${room} px`);
      }
      assert.equal(new Set(cut.map(({ written }) => written)).size, 3, "they differ");
    }));

  test("headings are whole where the page has room", () =>
    using(trained, "view=tables&table=ops", { viewport: { width: 2560, height: 800 } }, async (page) => {
      const headings = page.locator(".table-head button > span");
      assert.ok((await headings.count()) > 5);
      const cut = await headings.evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      );
      assert.deepEqual(cut, []);
    }));

  test("the arrow is where the server says that the rows are ordered", async () => {
    const { tables } = await trained.json("/api/p/0/session");
    let [ordered, others] = [0, 0];
    for (const { name, events: areEvents } of tables) {
      if (areEvents) continue;
      const table = (await trained.json(`/api/p/0/table/${name}`)).tables[name];
      const { sorted_by: by, rows } = table;
      if (!rows.length) continue;
      by ? ++ordered : ++others;
      await using(trained, `view=tables&table=${name}`, {}, async (page) => {
        await page.locator(".table-bar h3").waitFor();
        const marked = await page
          .locator(".table-head [aria-sort=descending], .table-head [aria-sort=ascending]")
          .evaluateAll((all) => all.map((head) => head.getAttribute("aria-sort")));
        assert.deepEqual(marked, by ? [by[0] === "-" ? "descending" : "ascending"] : [], name);
      });
      if (!by) continue;
      const column = table.columns.findIndex((each) => each.name === by.slice(1));
      const values = rows.map((row) => row[column]).filter((value) => value !== null);
      const sign = by[0] === "-" ? -1 : 1;
      assert.ok(
        values.every((value, i) => i === 0 || sign * (value - values[i - 1]) >= 0),
        `${name} is ordered by ${by}`,
      );
    }
    assert.ok(ordered > 5 && others > 2, `${ordered} ordered, ${others} not`);
  });

  test("one row is one row, and numbers that are names are not grouped", () =>
    using(server, "view=tables&table=kernels", {}, async (page) => {
      await page.getByText("1 row", { exact: true }).waitFor();
    }));
});
