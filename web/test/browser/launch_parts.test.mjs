// What Nsight Compute's report says of one launch: its sections with their rules, what moved between the memories, and
// the source beside the machine instructions. On a report that is built here.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { newTab, newWindow, ROOT, scratch, Server, skip, startBrowser, until } from "./support.mjs";

describe("a launch of a report", { skip }, () => {
  let browser, server;
  before(async () => {
    const file = join(scratch(), "report.ncu-rep");
    await promisify(execFile)("python3", [join(ROOT, "tests/oracle/ncu_binary_report.py"), file]);
    [browser, server] = [await startBrowser(), await Server.start(file)];
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });
  const showing = async (part, action) => {
    const window = await newWindow(browser, { viewport: { width: 1280, height: 720 } });
    const tab = await newTab(window, `${server.url}#view=launches`);
    await tab.getByRole("button", { name: part, exact: true }).click();
    await action(tab);
    assert.deepEqual(tab.complaints, []);
    await window.close();
  };

  test("sections are in the order of the report, with their charts and rules", () =>
    showing("Sections", async (tab) => {
      const sections = tab.locator(".launch-sections section");
      await sections.first().waitFor();
      assert.deepEqual(await sections.locator("h3").allTextContents(), [
        "GPU Speed Of Light Throughput",
        "Compute Workload Analysis",
      ]);
      const [first, second] = [sections.nth(0), sections.nth(1)];
      await first.getByText("The grid is too small.").waitFor();
      assert.match(await first.locator("dl").innerText(), /Compute \(SM\) Throughput\s+40.*Duration\s+5\.00/s);
      assert.match(await second.locator("dl").innerText(), /IPC\s+not measured/);
      assert.deepEqual(await second.locator("figure li span.text").allTextContents(), ["FMA", "ALU"]);
      await until(tab, "the link has it", () => tab.url().includes("launch_part=sections"));
    }));

  test("the memory chart has the paths that were measured, and names the others", () =>
    showing("Memory chart", async (tab) => {
      const chart = tab.locator(".memory-chart");
      await chart.waitFor();
      const titles = await chart.locator(".memory-flow title").allTextContents();
      assert.deepEqual(
        titles.map((title) => title.replace(/\u202f/g, "").replace(/ \(.*/, "")),
        [
          "Kernel \u2013 Global: 60 instructions read",
          "L1/TEX cache \u2013 L2 cache: 8192 bytes read",
          "L2 cache \u2013 Device memory: 4096 bytes read",
          "L2 cache \u2013 Device memory: 1024 bytes written",
        ],
      );
      await chart.getByText("75.0 % hits").waitFor();
      await chart.getByText(/Not in this report: .*Kernel \u2013 Shared/).waitFor();
      assert.equal(await chart.locator(".memory-place.absent").count(), 7);
    }));

  test("source and SASS: what is chosen on one side is marked on the other", () =>
    showing("Source and SASS", async (tab) => {
      const [source, sass] = [tab.getByRole("region", { name: "Source" }), tab.getByRole("region", { name: "SASS" })];
      const chosen = (side) => side.locator(".source-line.chosen code > :first-child").allInnerTexts();
      await sass.locator(".source-line").first().waitFor();
      assert.equal(await sass.locator(".source-line").count(), 8);
      await source.getByText(/has no text of the source/).waitFor();

      await source.locator(".source-line", { hasText: "scale.cu:9" }).click();
      assert.deepEqual(await chosen(sass), ["LDG", "FMUL", "STG"]);
      await tab
        .locator(".code-foot", { hasText: /3 instructions: 160 samples, 94\.1 % of all.*lg throttle 50/ })
        .waitFor();

      await sass.locator(".source-line", { hasText: "@P0 EXIT" }).click();
      assert.deepEqual((await chosen(sass)).length, 1);
      assert.match((await chosen(source)).join(), /^scale\.cu:8/);

      await sass.getByRole("button", { name: "Hottest instruction" }).click();
      await until(tab, "it is the load", async () => (await chosen(sass)).join().startsWith("LDG"));
      await sass.locator(".source-scroll").press("ArrowDown");
      await until(tab, "the next one is chosen", async () => (await chosen(sass)).join().startsWith("FMUL"));
      await source.getByRole("button", { name: "Hottest line" }).click();
      await until(tab, "it is line 9", async () => (await chosen(source)).join().startsWith("scale.cu:9"));

      await source.getByRole("button", { name: "PTX" }).click();
      const ptx = tab.getByRole("region", { name: "PTX" });
      await ptx.locator(".source-line", { hasText: "mul.f32" }).click();
      assert.deepEqual(await chosen(sass), ["FMUL"]);
      await sass.locator(".source-line.chosen", { hasText: "PTX 9" }).waitFor();
    }));
});
