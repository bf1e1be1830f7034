// The SQL view: statements, what is wrong with them, their end before their time, and the way from a row to the timeline.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  builtTrace,
  newTab,
  newWindow,
  scratch,
  Server,
  skip,
  startBrowser,
  tables,
  until,
  untilState,
} from "./support.mjs";

const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

describe("the SQL view", { skip }, () => {
  let trace, server, browser;

  before(async () => {
    trace = await builtTrace(scratch(), "sql.json", "--model", "cnn", "--steps", 3, "--seed", 9);
    server = await Server.start(trace);
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  async function using(hash, action) {
    const page = await newTab(await newWindow(browser), `${server.url}#${hash}`);
    await page.getByLabel("Statement of SQL").waitFor();
    try {
      await action(page, page.getByLabel("Statement of SQL"));
    } finally {
      await page.context().close();
    }
  }
  const run = async (page, statement) => {
    await page.getByLabel("Statement of SQL").fill(statement);
    await page.keyboard.press("Control+Enter");
  };
  /** In full: a name that does not fit is cut on the screen. */
  const cells = (page) =>
    page
      .locator("#view-sql .table-row")
      .first()
      .locator("[role=gridcell]")
      .evaluateAll((all) => all.map((cell) => cell.title));

  test("rows are those of the program, and the statement stands in the address", () =>
    using("view=sql", async (page) => {
      const { columns, rows } = (await tables(trace, "kernels", "--top", 1)).kernels;
      await run(page, "SELECT name, count FROM kernels LIMIT 1");
      await page.locator("#view-sql .table-row").first().waitFor();
      assert.deepEqual(
        await cells(page),
        ["name", "count"].map((name) => String(rows[0][columns.findIndex((column) => column.name === name)])),
      );
      await until(page, "the address has it", () =>
        decodeURIComponent(new URL(page.url()).hash).includes("SELECT name, count FROM kernels LIMIT 1"),
      );
      assert.deepEqual(page.complaints, []);
      await page.reload();
      await until(page, "the statement is there again", async () =>
        (await page.getByLabel("Statement of SQL").inputValue()).startsWith("SELECT name, count"),
      );
    }));

  test("what is wrong is said in SQLite's words, and its place is marked", () =>
    using("view=sql", async (page, field) => {
      await run(page, "SELECT nam FROM kernels");
      await page.getByRole("alert").getByText("no such column: nam (line 1, column 8)").waitFor();
      const marked = await field.evaluate((box) => box.value.slice(box.selectionStart, box.selectionEnd));
      assert.equal(marked, "nam");
      await run(page, "DELETE FROM kernels");
      await page.getByRole("alert").getByText("may not be modified").waitFor();
    }));

  test("a statement that runs can be stopped, and the page goes on meanwhile", () =>
    using("view=sql", async (page) => {
      await run(page, ENDLESS);
      await page.getByRole("button", { name: "Stop" }).waitFor();
      await page.getByRole("button", { name: "Tables", exact: true }).click();
      await page.locator("#view-tables .table-row").first().waitFor();
      await page.getByRole("button", { name: "SQL", exact: true }).click();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("alert").getByText("Stopped.").waitFor();
      await run(page, "SELECT 42 AS answer");
      await until(page, "the next one has run", async () => (await cells(page))[0] === "42");
    }));

  test("words are completed", () =>
    using("view=sql", async (page, field) => {
      await field.fill("");
      await field.pressSequentially("SELECT * FROM kernels ORDER BY tot");
      await page.keyboard.press("Tab");
      assert.equal(await field.inputValue(), "SELECT * FROM kernels ORDER BY total_ns");
    }));

  test("rows lead to their slice, their time, or the slices of their name", () =>
    using("view=sql", async (page) => {
      const open = async (statement) => {
        await page.getByRole("button", { name: "SQL", exact: true }).click();
        await run(page, statement);
        await page.getByText(/^1 row in/).waitFor();
        await page.locator("#view-sql .table-row").first().click();
        await page.locator("#view-timeline canvas").first().waitFor();
      };
      const longest = "FROM slices WHERE kind = 'kernel' ORDER BY duration_ns DESC, start_ns LIMIT 1";
      const { columns, rows } = (
        await tables(trace, "slices", "--where", "kind = kernel", "--sort", "duration_ns", "--top", 1)
      ).slices;
      const [start, duration] = ["start_ns", "duration_ns"].map(
        (name) => rows[0][columns.findIndex((c) => c.name === name)],
      );

      await open(`SELECT slice ${longest}`);
      const state = await untilState(page, ({ selection }) => selection);
      const slice = await server.json(`/api/p/0/slice?track=${state.selection.track}&slice=${state.selection.slice}`);
      assert.deepEqual([slice.start, slice.duration], [start, duration]);

      await open(`SELECT start_ns, start_ns + duration_ns AS end_ns ${longest}`);
      await untilState(
        page,
        ({ viewport }) => Math.abs(viewport.end - viewport.start - 1.1 * duration) < 3 + 0.02 * duration,
      );

      await open(`SELECT name ${longest}`);
      const found = await untilState(page, ({ selection }) => selection);
      const named = await server.json(`/api/p/0/slice?track=${found.selection.track}&slice=${found.selection.slice}`);
      assert.equal(named.duration, duration);
      assert.deepEqual(page.complaints, []);
    }));
});
