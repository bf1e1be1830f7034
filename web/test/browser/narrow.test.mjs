// A narrow window: all that can be pressed is on the screen, or in something that scrolls.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtTrace, newTab, newWindow, openTimeline, scratch, Server, skip, startBrowser, until } from "./support.mjs";

describe("a narrow window", { skip }, () => {
  let server, browser;
  before(async () => {
    server = await Server.start(await builtTrace(scratch(), "narrow.json", "--steps", 2, "--seed", 2));
    browser = await startBrowser();
    await (await openTimeline(await newWindow(browser), server.url)).context().close();
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  /** What is beyond the edges of the window, or hidden by what is around it, and cannot be scrolled to. */
  const cutOff = (page) =>
    page.evaluate(() => {
      const reachable = (element) => {
        const box = element.getBoundingClientRect();
        if (box.width === 0 || box.height === 0) return true; // not shown
        for (let around = element.parentElement; around; around = around.parentElement) {
          const { overflowX } = getComputedStyle(around);
          if (overflowX === "auto" || overflowX === "scroll") return true;
          const edge = around.getBoundingClientRect();
          if (overflowX !== "visible" && (box.right > edge.right + 1 || box.left < edge.left - 1)) return false;
        }
        return box.left >= -1 && box.right <= innerWidth + 1;
      };
      const all = document.querySelectorAll(".shell :is(button, input, select)");
      return [...all].filter((one) => !reachable(one)).map((one) => one.outerHTML.slice(0, 120));
    });

  for (const width of [880, 640]) {
    test(`${width} px wide nothing is cut off`, async () => {
      const page = await newTab(await newWindow(browser, { viewport: { width, height: 720 } }), server.url);
      const tabs = page.locator(".tabs button");
      await tabs.first().waitFor();
      const titles = await tabs.allTextContents();
      assert.ok(titles.length >= 6);
      for (const title of titles) {
        await tabs.getByText(title, { exact: true }).click();
        await until(page, `${title} is there`, async () => {
          const text = await page.locator(".view:not([hidden])").innerText();
          return text.trim().length > 20;
        });
        assert.deepEqual(await cutOff(page), [], title);
        const tall = await page.locator(".tabs").evaluate((one) => one.scrollWidth > one.clientWidth);
        assert.equal(tall, false, "all tabs are in sight");
      }
      await page.context().close();
    });
  }
});
