// What goes wrong, and texts that mean harm: the page says what there is to say, and goes on.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  builtTrace,
  clickSlice,
  hashOf,
  newTab,
  newWindow,
  openTimeline,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  stateOf,
  until,
  untilState,
  writtenTrace,
} from "./support.mjs";

const MARKUP = '<img src="x" onerror="window.hacked=1"><script>window.hacked=1</script>&lt;b&gt;';
const TURNED = "\u05e9\u05dc\u05d5\u05dd \u202e gnp.exe \u2066 end";
const LONG = `long ${"0123456789".repeat(10240)}`; // 100 kB
const LINES = "first line\nsecond line\tend";

function hostileTrace(folder) {
  const slice = (name, ts, args) => ({ ph: "X", cat: "cpu_op", name, pid: 1, tid: 1, ts, dur: 90, args });
  return writtenTrace(folder, 'host"ile<b>.json', [
    { ph: "M", name: "process_name", pid: 1, tid: 0, args: { name: `process ${MARKUP}` } },
    { ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: `thread ${MARKUP}` } },
    ...[MARKUP, TURNED, LONG, LINES, `javascript:window.hacked=1`].map((name, i) =>
      slice(name, 100 * i, { [`key ${MARKUP}`]: `value ${MARKUP}`, turned: TURNED, "Call stack": MARKUP }),
    ),
  ]);
}

describe("in trouble", { skip }, () => {
  const folder = skip ? "" : scratch();
  let trace, browser;

  before(async () => {
    trace = await builtTrace(folder, "trouble.json", "--model", "plain", "--steps", 2);
    browser = await startBrowser();
  });
  after(() => browser?.close());

  /** Runs with a server and a browser window, and ends both. */
  async function using(input, action) {
    const server = await Server.start(input);
    const context = await newWindow(browser);
    try {
      await action(server, context);
    } finally {
      await context.close();
      await server.end();
    }
  }

  test("names are shown as they are, whatever is in them", () =>
    using(hostileTrace(folder), async (server, context) => {
      const page = await openTimeline(context, server.url);
      for (const [q, name] of [
        ["onerror", MARKUP],
        ["gnp.exe", TURNED.replace("\u202e", "<U+202E>").replace("\u2066", "<U+2066>")],
        ["second line", LINES],
        ["javascript:", "javascript:window.hacked=1"],
      ]) {
        const { matches, total } = await server.json(`/api/p/0/search?q=${encodeURIComponent(q)}&limit=5`);
        assert.equal(total, 1, q);
        await clickSlice(page, matches[0]);
        const shown = page.locator(".details .slice-name");
        await until(page, `the name is shown: ${q}`, async () => (await shown.textContent()) === name);
        assert.equal(await shown.evaluate((element) => getComputedStyle(element).unicodeBidi), "isolate");
        await page.mouse.move(0, 0);
      }
      assert.deepEqual(await page.locator("img, script:not([src]), iframe, object").count(), 0);
      assert.ok((await page.locator(".details").textContent()).includes(`value ${MARKUP}`), "arguments too");
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      assert.deepEqual(page.complaints, []);
    }));

  test("a name of 100 kB neither fills the page nor stops it", () =>
    using(hostileTrace(folder), async (server, context) => {
      const page = await openTimeline(context, server.url);
      const { matches } = await server.json("/api/p/0/search?q=long%200123&limit=5");
      assert.equal(matches.length, 1);
      await clickSlice(page, matches[0]);
      const shown = page.locator(".details .slice-name");
      await until(page, "it is shown", async () => (await shown.textContent()).startsWith("long 0123"));
      assert.ok((await shown.textContent()).length < 1000, "only its beginning");
      await shown.getByRole("button").click();
      assert.ok((await shown.textContent()).length > 10000);
      const { width, height } = page.viewportSize();
      const size = await page.evaluate(() => [document.body.scrollWidth, document.body.scrollHeight]);
      assert.deepEqual(size, [width, height], "the page does not grow");
      await page.getByRole("button", { name: "Find all" }).click();
      await untilState(page, (state) => state.search.startsWith("long"));
      await page.evaluate(() => window.cgpu.show(0, 500000));
      await settled(page);
      assert.deepEqual(page.complaints, []);
    }));

  test("a file that is no profile", async () => {
    const bad = join(folder, "bad <i>file.json");
    writeFileSync(bad, '{"nothing": "of a profile"}');
    await using(bad, async (server, context) => {
      const page = await newTab(context, server.url);
      await page.getByRole("heading", { name: "This profile cannot be shown" }).waitFor();
      const [status] = (await server.json("/api/status")).profiles;
      assert.equal(status.state, "error");
      assert.equal(await page.getByRole("alert").textContent(), status.error);
      assert.ok((await page.locator(".error-page li").textContent()).endsWith("bad <i>file.json"));
      assert.ok(server.errors.includes(status.error), "the terminal says the same");
      assert.deepEqual(page.complaints, []);
    });
  });

  test("nothing runs in the page but its own script", () =>
    using(trace, async (server, context) => {
      const page = await newTab(context, server.url);
      const answer = await page.reload();
      const policy = answer.headers()["content-security-policy"];
      assert.match(policy, /default-src 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
      await settled(page);
      assert.deepEqual(page.complaints, [], "the page keeps to its policy");
      await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1";
        document.body.append(script);
      });
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      await until(page, "the browser has objected", () => page.complaints.length === 1);
      assert.match(page.complaints[0], /Content Security Policy/);
    }));

  test("two tabs do not disturb each other, and both can be loaded again", () =>
    using(trace, async (server, context) => {
      const [one, two] = await Promise.all([openTimeline(context, server.url), openTimeline(context, server.url)]);
      const whole = await hashOf(one);
      assert.equal(await hashOf(two), whole);
      await two.evaluate(() => window.cgpu.show(1000, 200000));
      await settled(two);
      assert.notEqual(await hashOf(two), whole);
      assert.equal(await hashOf(one), whole);
      const { viewport } = await stateOf(two);
      await until(two, "the address is written", () => two.url().includes("t=1000~200000"));
      await Promise.all([one.reload(), two.reload()]);
      await Promise.all([settled(one), settled(two)]);
      assert.deepEqual((await stateOf(two)).viewport, viewport);
      assert.equal(await hashOf(one), whole);
      assert.deepEqual([...one.complaints, ...two.complaints], []);
    }));

  test("a server that was restarted: the page says so and recovers", async () => {
    const first = await Server.start(trace);
    const context = await newWindow(browser, { viewport: { width: 1280, height: 2400 } }); // room for a message too
    let second;
    try {
      const page = await openTimeline(context, first.url);
      await page.evaluate(() => window.cgpu.show(5000, 300000));
      await settled(page);
      await until(page, "the address is written", () => page.url().includes("t=5000~300000"));
      const before = await hashOf(page);
      await first.end();
      await page.evaluate(() => window.cgpu.show(5000, 5100)); // needs tiles
      await page.getByText("The server does not answer.").waitFor();
      await page.evaluate(() => window.cgpu.show(5000, 300000));
      await until(page, "the address is written", () => page.url().includes("t=5000~300000"));
      second = await Server.start(trace, "--port", first.port);
      await page.getByText("The server was restarted; this page was loaded again.").waitFor();
      await settled(page);
      assert.equal(await hashOf(page), before, "the same place");
    } finally {
      await context.close();
      await first.end();
      await second?.end();
    }
  });

  test("a page at rest notices that the server has gone, and that another profile is there", async () => {
    const other = await builtTrace(folder, "another.json", "--model", "plain", "--steps", 3);
    const first = await Server.start(trace);
    const context = await newWindow(browser);
    let second, third;
    try {
      const page = await openTimeline(context, first.url);
      await page.evaluate(() => window.cgpu.show(5000, 300000));
      await until(page, "the address is written", () => page.url().includes("t=5000~300000"));
      const { viewport } = await stateOf(page);
      await first.end();
      await page.getByText("The server does not answer.").waitFor();
      second = await Server.start(trace, "--port", first.port);
      await page.getByText("The server was restarted; this page was loaded again.").waitFor();
      await settled(page);
      assert.deepEqual((await stateOf(page)).viewport, viewport, "the same place");
      await second.end();
      third = await Server.start(other, "--port", first.port);
      await page.getByText("The server was started again with another profile: this is it.").waitFor();
      await settled(page);
      assert.equal(await page.locator(".run-title").textContent(), "another.json");
      const { span } = await third.json("/api/p/0/session");
      const { start, end } = (await stateOf(page)).viewport;
      assert.ok(start <= 0 && end >= span, "all of it: the place was one of the other profile");
    } finally {
      await context.close();
      for (const server of [first, second, third]) await server?.end();
    }
  });
});
