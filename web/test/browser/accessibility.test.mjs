// The views as axe-core judges them: no violation of WCAG 2.1 AA, in light and dark.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { builtTrace, newTab, newWindow, scratch, Server, skip, startBrowser, until } from "./support.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const STANDARD = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];

const QUIET_MS = 300;

/** In the page: resolves once the document has not changed for this long. */
const unchanged = (quiet) =>
  new Promise((done) => {
    let timer = setTimeout(done, quiet);
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(done, quiet);
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });

describe("accessibility", { skip }, () => {
  let alone, compared, browser;
  before(async () => {
    const folder = scratch();
    const a = await builtTrace(folder, "a.json", "--seed", 5, "--steps", 3);
    const b = await builtTrace(folder, "b.json", "--seed", 5, "--steps", 3, "--idle", "host_code");
    [alone, compared, browser] = await Promise.all([Server.start(a), Server.start(a, "--against", b), startBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await alone?.end();
    await compared?.end();
  });

  /** Each violation with the first elements that have it and why. */
  const violations = (page) =>
    page.evaluate(async (values) => {
      const { violations } = await window.axe.run(document, { runOnly: { type: "tag", values } });
      return violations.map(({ id, nodes }) => ({
        id,
        count: nodes.length,
        first: nodes.slice(0, 5).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`),
      }));
    }, STANDARD);

  /** Opens each of these views by its tab. */
  async function check(server, colorScheme, titles) {
    const context = await newWindow(browser, { colorScheme });
    await context.addInitScript({ path: AXE });
    const page = await newTab(context, server.url);
    for (const title of titles) {
      await page.locator(".tabs button").getByText(title, { exact: true }).click();
      await until(page, `${title} is there`, async () => {
        const text = await page.locator(".view:not([hidden])").innerText();
        return text.trim().length > 20 && !(await page.locator(".view:not([hidden]) .loading").count());
      });
      await page.evaluate(unchanged, QUIET_MS); // what is drawn anew while axe looks at it is judged by half
      assert.deepEqual(await violations(page), [], title);
    }
    await context.close();
  }

  for (const colorScheme of ["light", "dark"]) {
    test(`of one profile, ${colorScheme}`, () =>
      check(alone, colorScheme, ["Overview", "Findings", "Timeline", "Flame graph", "Tables"]));
    test(`of two that are compared, ${colorScheme}`, () => check(compared, colorScheme, ["Compare"]));
  }
});
