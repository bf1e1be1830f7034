// The page with the engine in it opens what an address (`?url=`) or another page (`postMessage`) gives it.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { newTab, newWindow, ROOT, startBrowser } from "../browser/support.mjs";
import { SITE, skipEngine } from "./support.mjs";

const skip = skipEngine || (existsSync(SITE) ? false : `no page at ${SITE}: scripts/build-web-site makes it`);
const EXAMPLES = join(ROOT, "examples");
const A = "cnn_workers0.json.gz";
const B = "cnn_workers4.json.gz";

/** A host of files; `opens` says whether pages of other origins may read them. */
async function startHost(opens, others = {}) {
  const asked = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    asked.push(pathname);
    if (opens) response.setHeader("Access-Control-Allow-Origin", "*");
    const own = others[pathname];
    if (own) return response.setHeader("Content-Type", "text/html").end(own);
    const path = join(EXAMPLES, pathname);
    if (pathname.endsWith("/") || !existsSync(path)) return response.writeHead(404).end();
    response.end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, asked, at: (name) => `http://127.0.0.1:${server.address().port}/${name}` };
}

describe("profiles given by addresses and by other pages", { skip }, () => {
  let browser, open, closed, embedding;
  before(async () => {
    browser = await startBrowser();
    open = await startHost(true);
    closed = await startHost(false);
    const pages = { "/page": readFileSync(SITE), "/wiki": '<iframe src="/page" width="1200" height="800"></iframe>' };
    embedding = await startHost(false, pages);
  });
  after(async () => {
    await browser?.close();
    for (const host of [open, closed, embedding]) host?.server.close();
  });

  async function onPage(url, action) {
    const context = await newWindow(browser);
    try {
      await action(await newTab(context, url));
    } finally {
      await context.close();
    }
  }
  const withUrls = (...urls) =>
    `${pathToFileURL(SITE).href}?${urls.map((url) => `url=${encodeURIComponent(url)}`).join("&")}`;
  const bar = (page, name) => page.locator("nav.tabs").getByRole("button", { name, exact: true });
  const refusal = async (page) => page.getByRole("alert").textContent();
  const fetched = (page, url) =>
    page.evaluate((address) => fetch(address).then(() => true, () => false), url); // prettier-ignore

  test("an address opens its profile, in the state that it names, and only its host may be asked", () =>
    onPage(`${withUrls(open.at(A))}#view=sql`, async (page) => {
      await page.locator("#view-sql").waitFor();
      assert.deepEqual(page.complaints, []);
      assert.ok(await fetched(page, open.at(B)));
      assert.ok(!(await fetched(page, closed.at(B))));
      assert.deepEqual(closed.asked, []);
    }));

  test("two addresses are compared", () =>
    onPage(withUrls(open.at(A), open.at(B)), (page) => bar(page, "Compare").waitFor()));

  test("what an address does not give is said, with what to do", async () => {
    const said = [
      [[open.at("none.json")], /answered 404 Not Found.*look whether the address/],
      [[closed.at(A)], /Access-Control-Allow-Origin.*Download the file/],
      [["ftp://example.org/run.json"], /takes addresses of http and https/],
      [[open.at(A), open.at(A), open.at(A)], /given 3 times/],
    ];
    for (const [urls, expected] of said)
      await onPage(withUrls(...urls), async (page) => assert.match(await refusal(page), expected));
    await onPage(withUrls(open.at("README.md")), async (page) => {
      await page.getByText("This profile cannot be shown").waitFor();
      await page.getByRole("button", { name: "Open another file" }).click();
      await page.getByRole("region", { name: "Open a profile" }).waitFor();
    });
  });

  /** Of the page that has ours in a frame: sends files of this host, when ours has answered. */
  const send = (page, names) =>
    page.evaluate(async (all) => {
      const files = [];
      for (const name of all) files.push({ name, buffer: await (await fetch(`/${name}`)).arrayBuffer() });
      const frame = document.querySelector("iframe").contentWindow;
      const timer = setInterval(() => frame.postMessage("PING", "*"), 50);
      await new Promise((done) => window.addEventListener("message", ({ data }) => data === "PONG" && done()));
      clearInterval(timer);
      frame.postMessage({ cgpu: { files: files.slice(0, 1), against: files[1] && files.slice(1) } }, "*");
    }, names);

  test("a page gives files to ours in a frame", () =>
    onPage(embedding.at("wiki"), async (page) => {
      await send(page, [A, B]);
      await page.frameLocator("iframe").locator("nav.tabs").getByRole("button", { name: "Compare" }).waitFor();
    }));

  test("files from a page that neither opened ours nor holds it are not taken; what is no files is refused", () =>
    onPage(embedding.at("wiki"), async (page) => {
      const answers = await page.evaluate(async () => {
        const ours = document.querySelector("iframe").contentWindow;
        const stranger = document.body.appendChild(document.createElement("iframe"));
        const heard = [];
        stranger.contentWindow.addEventListener("message", ({ data }) => heard.push(data));
        const script = stranger.contentDocument.createElement("script");
        script.textContent =
          'parent.frames[0].postMessage("PING", "*"); parent.frames[0].postMessage({ cgpu: {} }, "*")';
        stranger.contentDocument.body.append(script);
        await new Promise((done) => setTimeout(done, 500));
        const early = ours.document.querySelector("[role=alert]")?.textContent ?? null;
        ours.postMessage({ cgpu: { files: [{ name: "x" }] } }, "*");
        return { heard, early };
      });
      assert.deepEqual(answers, { heard: [], early: null });
      const alert = page.frameLocator("iframe").first().getByRole("alert");
      assert.match(await alert.textContent(), /has to send/);
    }));
});
