// Findings: each leads to the place that it names, without a window being set, and goes through all such places; its
// figures are those of the whole run under any window.
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
  stateOf,
  tables,
  until,
  untilState,
} from "./support.mjs";

describe("findings", { skip }, () => {
  let trace, server, browser, session, rows, at;

  before(async () => {
    const options = ["--model", "cnn", "--steps", 3, "--seed", 9, "--idle", "synchronization,data_loading,lock"];
    trace = await builtTrace(scratch(), "findings.json", ...options);
    server = await Server.start(trace);
    browser = await startBrowser();
    await (await openTimeline(await newWindow(browser), server.url)).context().close();
    session = await server.json("/api/p/0/session");
    const table = (await tables(trace, "findings")).findings;
    rows = table.rows;
    at = (row, name) => row[table.columns.findIndex((column) => column.name === name)];
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  async function using(hash, action) {
    const page = await newTab(await newWindow(browser), `${server.url}#${hash}`);
    try {
      await page.locator("#view-findings .finding").first().waitFor();
      await action(page);
      assert.deepEqual(page.complaints, []);
    } finally {
      await page.context().close();
    }
  }
  const cards = (page) => page.locator("#view-findings .finding");
  const show = (page, row) => cards(page).nth(rows.indexOf(row)).getByRole("button", { name: "Show in the timeline" });
  const causeOf = (row) => /'cause = (\w+)'/.exec(at(row, "command"))?.[1];

  test("every finding with a place has a button; it selects there and sets no window", async () => {
    const placed = rows.filter((row) => at(row, "start_ns") !== null);
    assert.ok(placed.length >= 2);
    for (const row of placed) {
      await using("view=findings", async (page) => {
        assert.equal(await cards(page).count(), rows.length);
        await show(page, row).click();
        await page.locator("#view-timeline canvas").first().waitFor();
        const { selection, area, viewport } = await untilState(page, (state) => state.selection);
        assert.equal(area, null);
        const [from, to] = [at(row, "start_ns"), at(row, "end_ns")];
        assert.ok(viewport.start <= from && viewport.end >= to, "the time that it names is in sight");
        assert.ok(selection.start <= to && selection.start + selection.duration >= from, "the slice is of that time");
        await until(page, "its lane is in sight", () =>
          page.evaluate(([t, l]) => window.cgpu.place(t, l), [selection.track, selection.lane]),
        );
        await page.locator(".chip", { hasText: "Whole run" }).waitFor();
      });
    }
  });

  test("one of a cause of idle time selects a gap of that cause, and N goes through all of them", () =>
    using("view=findings", async (page) => {
      const row = rows.find((each) => causeOf(each) && at(each, "start_ns") !== null);
      const cause = causeOf(row);
      const idle = session.tracks.filter(({ kind }) => kind === "idle").map(({ id }) => id);
      const { matches } = await server.json(`/api/p/0/search?q=^${cause}$&regex=1&track=${idle}&limit=10000`);
      assert.ok(matches.length > 2);
      await show(page, row).click();
      await page.locator("#view-timeline canvas").first().waitFor();
      const seen = new Set();
      let { selection } = await untilState(page, (state) => state.selection);
      for (let i = 0; i < matches.length; ++i) {
        assert.ok(idle.includes(selection.track));
        assert.ok(matches.some(({ slice, track }) => slice === selection.slice && track === selection.track));
        seen.add(selection.slice);
        const before = selection.slice;
        await page.keyboard.press("n");
        ({ selection } = await untilState(page, (state) => state.selection && state.selection.slice !== before));
      }
      assert.equal(seen.size, matches.length, "each once, then from the first on");
      const last = selection.slice;
      await page.keyboard.press("Shift+N");
      await until(page, "back", async () => (await stateOf(page)).selection.slice !== last);
    }));

  test("figures are of the whole under a window too, and say of what", async () => {
    const text = async (hash) => {
      let found;
      await using(hash, async (page) => {
        found = await page.locator(".findings").innerText();
      });
      return found;
    };
    const whole = await text("view=findings");
    const steps = Math.max(...rows.map((row) => at(row, "steps") ?? 0));
    assert.match(whole, new RegExp(`Measured over ${steps} steps? without warm-up: [\\d.]+ \\S+ a step`));
    const [from, to] = [Math.round(session.span * 0.4), Math.round(session.span * 0.45)];
    assert.equal(await text(`view=findings&area=${from}~${to}`), whole);
  });

  test("the timeline begins with the run in one line and the first findings, each with its place", async () => {
    const page = await openTimeline(await newWindow(browser), server.url);
    try {
      const first = page.locator(".verdict-strip .first-findings .finding");
      await first.first().waitFor();
      await page.locator(".verdict-line", { hasText: /busy[^]*idle[^]*steps/ }).waitFor(); // its tables come one by one
      assert.equal(await first.count(), Math.min(3, rows.length));
      for (const [place, row] of rows.slice(0, 3).entries()) {
        const words = at(row, "rule").replaceAll("_", " ");
        assert.equal((await first.nth(place).locator(".first-title").innerText()).toLowerCase(), words);
      }
      const placed = rows.slice(0, 3).findIndex((row) => at(row, "start_ns") !== null);
      await first.nth(placed).getByRole("button", { name: "Show" }).click();
      const { area } = await untilState(page, (state) => state.selection);
      assert.equal(area, null);
      await page.getByRole("button", { name: "Hide the verdict" }).click();
      await first.first().waitFor({ state: "detached" });
    } finally {
      await page.context().close();
    }
  });

  test("a finding leads to the table that it is made of", () =>
    using("view=findings", async (page) => {
      const row = rows.find(causeOf);
      await cards(page)
        .nth(rows.indexOf(row))
        .getByRole("button", { name: /^Table: / })
        .click();
      const where = page.getByLabel("Condition on the rows");
      await where.waitFor();
      assert.equal(await where.inputValue(), `cause = ${causeOf(row)}`);
      await page.locator("#view-tables .table-row").first().waitFor();
    }));
});
