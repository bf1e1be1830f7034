// From one view to the next, with the same time and the same selection.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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
} from "./support.mjs";

describe("the views", { skip }, () => {
  let trace, server, browser, session;

  before(async () => {
    const options = ["--model", "cnn", "--steps", 3, "--seed", 9, "--idle", "synchronization,data_loading,lock"];
    trace = await builtTrace(scratch(), "views.json", ...options);
    server = await Server.start(trace);
    browser = await startBrowser();
    await (await openTimeline(await newWindow(browser), server.url)).context().close();
    session = await server.json("/api/session");
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

  test("a flame graph opens on what the server tells, and finds names", () =>
    using("view=flame", async (page) => {
      const flame = view(page, "flame");
      const graph = await server.json("/api/flame?view=down");
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

      const answered = page.waitForResponse((answer) => answer.url().includes("/api/flame?view=up"));
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

  test("a flame graph is of the chosen time", () => {
    const [from, to] = [Math.round(session.span * 0.3), Math.round(session.span * 0.5)];
    return using(`view=flame&area=${from}~${to}`, async (page) => {
      await view(page, "flame").locator("canvas").first().waitFor();
      const asked = await page.evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name));
      const flames = asked.filter((url) => url.includes("/api/flame"));
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
      const { selection } = await untilState(page, (state) => state.selection);
      assert.equal(session.tracks.find((track) => track.id === selection.track).kind, "idle");
      await page.locator(".details .why").waitFor();
      await settled(page);
    }));

  test("a kernel of the table is found in the timeline's search", () =>
    using("view=timeline", async (page) => {
      const name = (await tables(trace, "kernels")).kernels.rows[0][0];
      const { total } = await server.json(`/api/search?q=${encodeURIComponent(name.slice(0, 400))}&limit=1`);
      await page.locator(".search-input").fill(name);
      const count = page.locator(".search-count");
      await until(
        page,
        "the count is said",
        async () => (await count.textContent({ timeout: 5000 })).replace(/\D/g, "") === String(total),
      );
    }));
});
