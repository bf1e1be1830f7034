// From one view to the next, with the same time and the same selection.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  builtTrace,
  newTab,
  newWindow,
  openTimeline,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  tables,
  until,
  untilState,
  writtenTrace,
} from "./support.mjs";

/** The state, once the timeline is there and something is selected. */
async function selected(page) {
  await page.locator("#view-timeline canvas").first().waitFor();
  return untilState(page, (state) => state.selection);
}

describe("the views", { skip }, () => {
  let trace, server, browser, session;

  before(async () => {
    const options = ["--model", "cnn", "--steps", 3, "--seed", 9, "--idle", "synchronization,data_loading,lock"];
    trace = await builtTrace(scratch(), "views.json", ...options);
    server = await Server.start(trace);
    browser = await startBrowser();
    await (await openTimeline(await newWindow(browser), server.url)).context().close();
    session = await server.json("/api/p/0/session");
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  async function using(hash, action) {
    const page = await newTab(await newWindow(browser), `${server.url}#${hash}`);
    await page.locator(".tabs button.on").waitFor();
    try {
      await action(page);
      assert.deepEqual(page.complaints, [], "the console has nothing to complain of");
    } finally {
      await page.context().close();
    }
  }
  const view = (page, id) => page.locator(`#view-${id}`);

  test("every tab shows something", () =>
    using("view=timeline", async (page) => {
      const tabs = page.locator(".tabs button");
      const titles = await tabs.allTextContents();
      assert.ok(titles.length >= 6, `tabs: ${titles}`);
      for (const title of titles) {
        await tabs.getByText(title, { exact: true }).click();
        const shown = page.locator(".view:not([hidden])");
        await until(page, `${title} shows something`, async () => {
          const [text, canvases] = [(await shown.innerText()).trim(), await shown.locator("canvas").count()];
          const says = await shown.locator(".empty").filter({ visible: true }).count(); // that nothing is here
          return says === 0 && (text.length > 40 || canvases > 0);
        });
      }
    }));

  test("columns of a table are widened by dragging; numbers stay whole, and the order has its arrow", () =>
    using("view=tables&table=kernels", async (page) => {
      const head = (name) => page.getByRole("columnheader", { name, exact: true });
      const widthOf = async (name) => (await head(name).boundingBox()).width;
      const drag = async (name, by) => {
        const { x, y, width, height } = await head(name).locator(".column-edge").boundingBox();
        await page.mouse.move(x + width / 2, y + height / 2);
        await page.mouse.down();
        await page.mouse.move(x + width / 2 + by, y + height / 2, { steps: 4 });
        await page.mouse.up();
      };
      const cutNumbers = () =>
        page
          .locator(".table-row .number")
          .evaluateAll((all) => all.filter((c) => c.scrollWidth > c.clientWidth).length);
      await head("name").waitFor();
      assert.equal(await head("total \u2193").getAttribute("aria-sort"), "descending");
      const before = await widthOf("name");
      await drag("name", 150);
      await until(page, "wider", async () => Math.abs((await widthOf("name")) - before - 150) < 3);
      await drag("mean", -300);
      assert.equal(await cutNumbers(), 0);
      await drag("total \u2193", -300);
      assert.equal(await cutNumbers(), 0);
      const arrow = await head("total \u2193").locator("i").first().boundingBox();
      const { x, width } = await head("total \u2193").boundingBox();
      assert.ok(arrow.x >= x && arrow.x + arrow.width <= x + width, "the arrow is not cut");
      await head("name").getByRole("button").focus();
      await page.keyboard.press("Shift+ArrowLeft");
      await until(page, "narrower by a key", async () => (await widthOf("name")) < before + 145);
    }));

  test("a flame graph opens on what the server tells, and finds names", () =>
    using("view=flame", async (page) => {
      const flame = view(page, "flame");
      const graph = await server.json("/api/p/0/flame?view=down");
      const name = graph.names[graph.nodes.name[graph.nodes.parent.findIndex((parent) => parent >= 0)]];
      await flame.locator("canvas").first().waitFor();
      await flame.getByLabel("Highlight names").fill(name);
      await flame
        .locator(".toolbar")
        .getByText(/^\d.* frames?, /)
        .waitFor();
      await flame.getByLabel("Highlight names").fill("no name is like this");
      await flame.getByText("no frame").waitFor();
      await flame.getByLabel("Highlight names").fill("");

      const answered = page.waitForResponse((answer) => answer.url().includes("/api/p/0/flame?view=up"));
      await flame.getByRole("tab", { name: "Bottom up" }).click();
      const up = await (await answered).json();
      assert.ok(up.nodes.parent.length > 1 && up.total > 0);
      await flame.locator("canvas").first().waitFor();

      await flame.getByRole("tab", { name: "Sandwich" }).click();
      await flame.locator(".bar-list button").first().click();
      await flame.getByRole("heading", { name: "Callers" }).waitFor();
      await flame.getByRole("heading", { name: "Callees" }).waitFor();
      await until(page, "both are drawn", async () => (await flame.locator("canvas").count()) >= 2);
    }));

  test("a flame graph of idle time has the causes at its ends, in their colours", () =>
    using("view=flame", async (page) => {
      const flame = view(page, "flame");
      const answered = page.waitForResponse((answer) => answer.url().includes("metric=idle_time"));
      await flame.getByLabel("Width by").selectOption("idle_time");
      const graph = await (await answered).json();
      const { columns, rows } = (await tables(trace, "idle")).idle;
      const [cause, total] = ["cause", "total_ns"].map((name) => columns.findIndex((column) => column.name === name));
      assert.equal(
        graph.total,
        rows.reduce((sum, row) => sum + row[total], 0),
      );
      const most = rows.reduce((a, b) => (b[total] > a[total] ? b : a))[cause];
      assert.ok(graph.names.includes(most));
      const legend = flame.getByRole("list", { name: "Colours" });
      await legend.getByText(most.replace(/_/g, " "), { exact: true }).waitFor();
    }));

  test("a flame graph is of the chosen time", () => {
    const [from, to] = [Math.round(session.span * 0.3), Math.round(session.span * 0.5)];
    return using(`view=flame&area=${from}~${to}`, async (page) => {
      await view(page, "flame").locator("canvas").first().waitFor();
      const asked = await page.evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name));
      const flames = asked.filter((url) => url.includes("/api/p/0/flame"));
      assert.ok(
        flames.length > 0 && flames.every((url) => url.includes(`from=${from}`) && url.includes(`to=${to}`)),
        `${flames}`,
      );
    });
  });

  test("from an idle cause to its longest gap in the timeline", () =>
    using("view=idle", async (page) => {
      const idle = view(page, "idle");
      const { columns, rows } = (await tables(trace, "idle")).idle;
      const cause = columns.findIndex((column) => column.name === "cause");
      const wanted = String(rows[0][cause]).replace(/_/g, " ");
      await idle.locator(".bar-list").first().getByText(wanted, { exact: true }).first().waitFor();
      const gap = idle.locator("ul.bar-list.scrolls button").first();
      await gap.waitFor();
      await gap.click();
      const { selection } = await selected(page);
      assert.equal(session.tracks.find((track) => track.id === selection.track).kind, "idle");
      await page.locator(".details .why").waitFor();
      await settled(page);
    }));

  /** The slices of a kernel, the longest first, counted from the search. */
  async function longestOf(name) {
    const pattern = `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
    const found = await server.json(`/api/p/0/search?q=${encodeURIComponent(pattern)}&regex=1&own=1&limit=10000`);
    return found.matches.sort((a, b) => b.duration - a.duration || a.start - b.start);
  }
  const isAt = (state, slice) =>
    state.selection?.track === slice.track &&
    state.selection.slice === slice.slice &&
    state.viewport.start < slice.start &&
    state.viewport.end > slice.start + slice.duration &&
    state.viewport.end - state.viewport.start < 12 * slice.duration;

  test("a kernel of the overview leads to its longest slice, and on to the others", () =>
    using("view=overview", async (page) => {
      const kernels = (await tables(trace, "kernels")).kernels;
      const slices = await longestOf(kernels.rows[0][0]);
      const card = view(page, "overview").locator(".card", { hasText: "Top kernels" });
      await card.locator(".bar-list button").first().click();
      const shown = await selected(page);
      assert.ok(isAt(shown, slices[0]), JSON.stringify([shown, slices[0]]));
      assert.equal(shown.search, "", "nothing is dimmed");
      const bar = page.locator("#view-timeline .match-bar");
      await bar.getByText(`1 of ${slices.length}`, { exact: false }).waitFor();
      await bar.getByLabel("The next shorter one").click();
      await until(page, "the second is selected", async () =>
        isAt(await page.evaluate(() => window.cgpu.state()), slices[1]),
      );
      await bar.getByText(`2 of ${slices.length}`, { exact: false }).waitFor();
      await page.keyboard.press("Control+z");
      await until(page, "the first is again", async () =>
        isAt(await page.evaluate(() => window.cgpu.state()), slices[0]),
      );
      await page.keyboard.press("Control+z");
      await view(page, "overview").locator(".cards").waitFor();
      await page.keyboard.press("Control+y");
      await selected(page);
      await page.goBack();
      await view(page, "overview").locator(".cards").waitFor();
    }));

  for (const [name, title, base] of [
    ["kernels", "Kernels", false],
    ["kernels", "Kernels", true],
    ["ops", "Ops", false],
    ["api", "Calls", false],
    ["transfers", "Transfers", false],
    ["collectives", "Collectives", false],
  ]) {
    test(`table ${name}${base ? " by short names" : ""} has a histogram in every row`, () =>
      using("view=tables", async (page) => {
        const tablesView = view(page, "tables");
        await tablesView.getByRole("button", { name: title, exact: true }).click();
        if (base) await tablesView.getByLabel("short names").check();
        const options = base ? ["--names", "base"] : [];
        const { columns, rows } = (await tables(trace, name, ...options))[name];
        const rowsShown = tablesView.locator(".table-row");
        await until(page, "the rows are there", async () => (await rowsShown.count()) >= Math.min(rows.length, 15));
        const bars = tablesView.locator(".table-row .row-bars title");
        await until(page, "each has one", async () => (await bars.count()) === (await rowsShown.count()));
        const count = rows[0][columns.findIndex((column) => column.name === "count")];
        if (name === "collectives") return; // which counts instances
        const said = async () => (await bars.first().textContent()).replace(/[^\d]*\u00d7.*/, "").replace(/\D/g, "");
        // Until then they may be those of the table that was there before.
        await until(page, "it counts what the row does", async () => (await said()) === String(count));
      }));
  }

  test("a histogram is of the chosen time, and a row of a table selects the longest there", () => {
    const [from, to] = [Math.round(session.span * 0.3), Math.round(session.span * 0.5)];
    return using(`view=tables&area=${from}~${to}`, async (page) => {
      const tablesView = view(page, "tables");
      const { rows } = (await tables(trace, "kernels", "--from", from, "--to", to)).kernels;
      const bars = tablesView.locator(".table-row .row-bars title");
      await until(page, "of the part", async () =>
        (await bars.allTextContents())[0]?.startsWith(`${rows[0][2]} \u00d7`),
      );
      const inside = (slice) => Math.min(slice.start + slice.duration, to) - Math.max(slice.start, from);
      const slices = (await longestOf(rows[0][0])).sort((a, b) => inside(b) - inside(a) || a.start - b.start);
      await tablesView.locator(".table-row").first().click();
      await tablesView.locator(".side .histogram").waitFor();
      await tablesView.locator(".side .match-bar").getByText(`1 of ${rows[0][2]}`).waitFor();
      await tablesView.getByRole("button", { name: "Show the longest in the timeline" }).click();
      const shown = await selected(page);
      assert.ok(isAt(shown, slices[0]), JSON.stringify([shown, slices[0]]));
      assert.equal(shown.search, "");
    });
  });

  test("steps of a part of the run are those of the table, and the page says which are cut", () => {
    const [first, second] = session.steps;
    const [from, to] = [first.start + Math.round(first.duration / 2), second.start + second.duration];
    return using(`view=steps&area=${from}~${to}`, async (page) => {
      const steps = view(page, "steps");
      const { rows } = (await tables(trace, "steps", "--from", from, "--to", to)).steps;
      await steps.locator("h3", { hasText: `${rows.length} steps, ` }).waitFor();
      await steps.getByText("1 cut: only what lies in the chosen time counts").waitFor();
      assert.equal(await steps.locator(".table-row").count(), rows.length);
      const complete = await steps.locator(".table-row [role=gridcell]:last-of-type").allTextContents();
      assert.deepEqual(complete, ["cut", "yes"]);
    });
  });

  test("a flame graph merges the steps until they are wanted apart, and says what its colours are", () =>
    using("view=flame", async (page) => {
      const flame = view(page, "flame");
      const legend = flame.getByRole("list", { name: "Colours" });
      const merged = await server.json("/api/p/0/flame?view=down");
      assert.ok(
        merged.names.includes("ProfilerStep") && !merged.names.some((name) => name.startsWith("ProfilerStep#")),
      );
      const classes = new Set(merged.nodes.class.filter((kernel) => kernel >= 0));
      for (const kernel of classes) {
        await legend.getByText(session.classes[kernel], { exact: true }).waitFor();
      }
      const answered = page.waitForResponse(
        (answer) => answer.url().includes("/api/p/0/flame?") && answer.url().includes("steps=1"),
      );
      await flame.getByLabel("each step apart").check();
      const apart = await (await answered).json();
      for (const step of session.steps) assert.ok(apart.names.includes(`ProfilerStep#${step.step}`));
      assert.equal(apart.total, merged.total);
    }));

  test("the overview leads out of the page", () =>
    using("view=overview", async (page) => {
      const menu = view(page, "overview").locator(".export-menu");
      await menu.getByRole("button", { name: "Open in Perfetto" }).waitFor();
      for (const [name, ending] of [
        ["Export .pftrace", "pftrace"],
        ["Export Chrome JSON", "json"],
      ]) {
        const download = page.waitForEvent("download");
        await menu.getByRole("button", { name }).click();
        assert.match((await download).suggestedFilename(), new RegExp(`\\.${ending}$`));
      }
    }));

  test("the page saves the report and itself", () =>
    using("view=overview", async (page) => {
      const menu = view(page, "overview").locator(".export-menu");
      const saved = {};
      for (const [name, ending] of [
        ["Save report", "-report.html"],
        ["Save this page", ".html"],
      ]) {
        const download = page.waitForEvent("download");
        await menu.getByRole("button", { name }).click();
        const file = await download;
        assert.ok(file.suggestedFilename().endsWith(ending), file.suggestedFilename());
        saved[name] = await file.path();
      }
      assert.match(readFileSync(saved["Save report"], "utf8"), /^<!doctype html>[\s\S]*<h2[^>]*>.*Findings/i);
      const path = join(scratch(), "copy.html");
      copyFileSync(saved["Save this page"], path);
      const copy = await newTab(page.context(), `${pathToFileURL(path).href}#view=overview`);
      const { title } = await server.json("/api/p/0/session");
      await copy.getByRole("heading", { name: title }).waitFor();
      assert.equal(await copy.getByRole("button", { name: "Save" }).count(), 0, "a copy has no program that saves");
      await copy.close();
    }));

  test("wide screens are used whole", async () => {
    const window = await newWindow(browser, { viewport: { width: 3840, height: 2160 } });
    const page = await newTab(window, `${server.url}#view=overview`);
    const cards = page.locator(".cards > .card");
    await until(page, "the cards fill the width", async () => {
      const boxes = await Promise.all((await cards.all()).map((card) => card.boundingBox()));
      return boxes.length > 8 && Math.max(...boxes.map((box) => box.x + box.width)) > 3780;
    });
    await window.close();
  });

  test("a kernel of the table is found in the timeline's search", () =>
    using("view=timeline", async (page) => {
      const name = (await tables(trace, "kernels")).kernels.rows[0][0];
      const { total } = await server.json(`/api/p/0/search?q=${encodeURIComponent(name.slice(0, 400))}&limit=1`);
      await page.locator(".search-input").fill(name);
      const count = page.locator(".search-count");
      await until(
        page,
        "the count is said",
        async () => (await count.textContent()).replace(/\D/g, "") === String(total),
      );
    }));
});

describe("the table of all slices", { skip }, () => {
  let browser, server, trace;
  before(async () => {
    trace = await builtTrace(scratch(), "many.json", "--events", 60000, "--seed", 4);
    server = await Server.start(trace);
    browser = await startBrowser();
    await (await openTimeline(await newWindow(browser), server.url)).context().close();
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  async function opened(hash = "") {
    const page = await newTab(await newWindow(browser), `${server.url}#view=tables${hash}`);
    const view = page.locator("#view-tables");
    await view.getByRole("button", { name: "All slices", exact: true }).click();
    await view.locator(".table-row").first().waitFor();
    return { page, view };
  }

  test("gives the first by a column, not those of the first by time", async () => {
    const { page, view } = await opened();
    await view.getByText(/^The first 20.000 rows\./).waitFor();
    await view.getByRole("columnheader").getByRole("button", { name: "duration" }).click();
    await view.getByText(/^The first 20.000 rows by duration\./).waitFor();
    const { rows } = (await tables(trace, "slices", "--sort", "duration_ns", "--top", 20000)).slices;
    const cell = view.locator(".table-row[aria-rowindex='1'] [role=gridcell]").nth(2);
    await until(page, "the longest is the first", async () => {
      const exact = (await cell.getAttribute("title")).replace(/\D/g, "");
      return exact === String(rows[0][2]);
    });
    await view.getByRole("grid").press("End");
    const last = view.locator(".table-row[aria-rowindex='20000'] [role=gridcell]").nth(2);
    await last.waitFor();
    assert.equal((await last.getAttribute("title")).replace(/\D/g, ""), String(rows.at(-1)[2]));
    await page.context().close();
  });

  test("leads from a row to its slice, also from a part of the run", async () => {
    const { span } = await server.json("/api/p/0/session");
    const [from, to] = [Math.round(span * 0.4), Math.round(span * 0.41)];
    const { rows } = (await tables(trace, "slices", "--from", from, "--to", to)).slices;
    for (const at of [0, Math.floor(rows.length / 2)]) {
      const { page, view } = await opened(`&area=${from}~${to}`);
      await view.locator(`[role=grid][aria-rowcount="${rows.length}"]`).focus();
      for (let i = 0; i <= at; ++i) {
        await page.keyboard.press("ArrowDown");
        await view.locator(`.table-row.at-cursor[aria-rowindex="${i + 1}"]`).waitFor();
      }
      await page.keyboard.press("Enter");
      const { selection } = await selected(page);
      const slice = await server.json(`/api/p/0/slice?track=${selection.track}&slice=${selection.slice}`);
      const [, start, length, name] = rows[at];
      assert.equal(slice.name, name);
      assert.equal(Math.min(slice.start + slice.duration, to) - Math.max(slice.start, from), length);
      assert.equal(Math.max(slice.start, from), start);
      await page.context().close();
    }
  });
});

/** Profiles that have little: the first page shows what there is. */
describe("the overview of a profile", { skip }, () => {
  let browser, folder;
  before(async () => {
    browser = await startBrowser();
    folder = scratch();
  });
  after(() => browser?.close());

  const slice = (name, cat, ts, dur) => ({ ph: "X", name, cat, pid: 1, tid: 1, ts, dur });

  async function overviewOf(events, action) {
    const server = await Server.start(writtenTrace(folder, `${events.length}${events[0].cat}.json`, events));
    const page = await newTab(await newWindow(browser), `${server.url}#view=overview`);
    try {
      await action(page.locator("#view-overview"), page);
      assert.deepEqual(page.complaints, []);
    } finally {
      await page.context().close();
      await server.end();
    }
  }

  test("with ranges only has the longest of them", () =>
    overviewOf([slice("outer", "user_annotation", 0, 100), slice("", "user_annotation", 10, 20)], async (overview) => {
      const card = overview.locator(".card", { hasText: "Top ranges" });
      await card.getByText("outer", { exact: true }).waitFor();
      await card.getByText("(no name)", { exact: true }).waitFor();
    }));

  test("with slices of no known kind has their names", () =>
    overviewOf([slice("work", "mine", 0, 100), slice("work", "mine", 200, 50)], async (overview, page) => {
      const row = overview.locator(".card .bar-list button", { hasText: "work" });
      await row.getByText("2\u00d7").waitFor();
      await row.click();
      const { selection } = await selected(page);
      assert.equal(selection.duration, 100_000);
    }));
});
