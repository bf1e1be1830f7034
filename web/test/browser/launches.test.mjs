// Launches that Nsight Compute measured: the longest first, their names whole, and each with the way to its rules.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { CGPU, newTab, newWindow, scratch, Server, skip, startBrowser, until } from "./support.mjs";

const ABOUT = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size"];
const PLACE = ["Grid Size", "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name"];
const RULE = ["Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"];
const KERNELS = ["layer_normalization_forward", "scaled_dot_product_attention_backward", "embedding_lookup"];
const DURATIONS = [20, 90, 50]; // us
const METRICS = [
  ["GPU Speed Of Light Throughput", "Compute (SM) Throughput", "%", "41.2"],
  ["GPU Speed Of Light Throughput", "Memory Throughput", "%", "77.7"],
  ["Occupancy", "Achieved Occupancy", "%", "63.1"],
  ["Launch Statistics", "Registers Per Thread", "register/thread", "48"],
];
const MESSAGE = "The achieved occupancy is below the theoretical one.";

/** The page "details" of ncu, as CSV. */
function page() {
  const row = (cells) => cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(",");
  const lines = [row([...ABOUT, ...PLACE, ...RULE])];
  KERNELS.forEach((kernel, id) => {
    const of = [
      id,
      1,
      "app",
      "node",
      `${kernel}(float const*, float*, int)`,
      1,
      7,
      "(256, 1, 1)",
      "(1024, 1, 1)",
      0,
      "9.0",
    ];
    const duration = ["GPU Speed Of Light Throughput", "Duration", "us", DURATIONS[id]];
    for (const metric of [duration, ...METRICS]) lines.push(row([...of, ...metric, "", "", "", "", ""]));
    if (id === 1)
      lines.push(row([...of, "Occupancy", "", "", "", "AchievedOccupancy", "OPT", MESSAGE, "global", "12.5"]));
  });
  return `${lines.join("\n")}\n`;
}

describe("measured launches", { skip }, () => {
  const file = skip ? "" : join(scratch(), "kernels.csv");
  let browser, server;
  before(async () => {
    writeFileSync(file, page());
    [browser, server] = [await startBrowser(), await Server.start(file)];
    await waitUntilOpen();
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });
  const waitUntilOpen = async () => {
    const tab = await newTab(await newWindow(browser), server.url);
    await tab.locator(".tabs button").first().waitFor();
    await tab.context().close();
  };

  test("the longest is first, names are whole, and a link leads to the rules", async () => {
    const tab = await newTab(
      await newWindow(browser, { viewport: { width: 1280, height: 720 } }),
      `${server.url}#view=launches`,
    );
    const rows = tab.locator(".split-top .table-row");
    await rows.first().waitFor();
    const texts = await rows.allInnerTexts();
    assert.deepEqual(
      texts.map((text) => KERNELS.findIndex((kernel) => text.includes(`${kernel}(float const*, float*, int)`))),
      [1, 2, 0],
    );
    assert.equal(await tab.getByRole("columnheader", { name: /duration/ }).getAttribute("aria-sort"), "descending");
    await rows.nth(2).click();
    await tab.locator(".launch h2", { hasText: KERNELS[0] }).waitFor();
    await rows.first().getByRole("button", { name: "1 rule", exact: true }).click();
    await tab.locator(".launch h2", { hasText: KERNELS[1] }).waitFor();
    await until(tab, "the rule is in sight", () =>
      tab.getByText(MESSAGE).evaluate((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return top > 0 && bottom < innerHeight;
      }),
    );
    await tab.context().close();
  });

  test("a baseline: its values and the change are beside those of another launch", async () => {
    const tab = await newTab(await newWindow(browser), `${server.url}#view=launches`);
    const rows = tab.locator(".split-top .table-row");
    await rows.nth(2).click();
    await tab.locator(".launch h2", { hasText: KERNELS[0] }).waitFor();
    await tab.getByRole("button", { name: "Make it the baseline" }).click();
    await rows.first().click();
    await tab.locator(".launch h2", { hasText: KERNELS[1] }).waitFor();
    await tab.getByText(/against launch 0: 20\.0 \u00b5s \u2192 90\.0 \u00b5s, \+350/).waitFor();
    await tab.getByRole("columnheader", { name: "baseline" }).waitFor();
    await tab.getByText(/^Not in this report: stall reasons/).waitFor();
    await until(tab, "the link has it", () => tab.url().includes("baseline="));
    assert.deepEqual(tab.complaints, []);
    await tab.context().close();
  });

  test("the table of the report breaks no word and shows all of its columns", async () => {
    const report = join(scratch(), "report.html");
    await promisify(execFile)(CGPU, ["report", file, "-o", report]);
    const tab = await newTab(
      await newWindow(browser, { viewport: { width: 1920, height: 1080 } }),
      pathToFileURL(report).href,
    );
    const table = tab.locator('table[data-table="launch_metrics"]');
    await table.waitFor();
    const broken = await table.evaluate((one) => {
      const cells = [...one.querySelectorAll("td.text")].filter((cell) => !/\s/.test(cell.textContent.trim()));
      return cells
        .filter((cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return range.getClientRects().length > 1;
        })
        .map((cell) => cell.textContent);
    });
    assert.deepEqual(broken, [], "words in several lines");
    const { right, shown } = await table.evaluate((one) => {
      const heads = [...one.querySelectorAll("th")];
      return {
        right: heads.at(-1).getBoundingClientRect().right,
        shown: one.parentElement.getBoundingClientRect().right,
      };
    });
    assert.ok(right <= shown + 1 && shown <= 1920, "no column is beyond the edge");
    await tab.context().close();
  });
});
