// The page from a web server, and then without it: the service worker beside it (sw.js) keeps a copy.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { newTab, newWindow, ROOT, startBrowser, until } from "../browser/support.mjs";
import { SITE, skipEngine } from "./support.mjs";

const skip = skipEngine || (existsSync(SITE) ? false : `no page at ${SITE}: scripts/build-web-site makes it`);
const FOLDER = "/tools/cgpu/";
const PROFILE = join(ROOT, "examples/cnn_workers0.json.gz");

/** The folder of a web server. `isPlain`: else it compresses, and leads from index.html to the folder, as some do. */
class Host {
  #server = null;
  #port = 0;
  constructor({ isPlain = true } = {}) {
    this.isPlain = isPlain;
    this.page = readFileSync(SITE, "utf8");
    this.worker = readFileSync(join(SITE, "../sw.js"), "utf8");
  }
  get url() {
    return `http://127.0.0.1:${this.#port}${FOLDER}`;
  }
  async start() {
    this.#server = createServer((request, response) => {
      const { pathname } = new URL(request.url, "http://localhost");
      const send = (type, text) => {
        response.setHeader("Content-Type", type);
        if (this.isPlain) return response.end(text);
        response.setHeader("Content-Encoding", "gzip").setHeader("Vary", "Accept-Encoding").end(gzipSync(text));
      };
      if (pathname === `${FOLDER}sw.js`) return send("text/javascript", this.worker);
      if (pathname === `${FOLDER}other.html`) return send("text/html", "another page");
      if (pathname === `${FOLDER}index.html` && !this.isPlain) return response.writeHead(308, { Location: "./" }).end();
      if (pathname === FOLDER || pathname === `${FOLDER}index.html`) return send("text/html", this.page);
      response.writeHead(404).end();
    });
    await new Promise((done) => this.#server.listen(this.#port, "127.0.0.1", done));
    this.#port = this.#server.address().port;
  }
  async stop() {
    const closed = new Promise((done) => this.#server.close(done));
    this.#server.closeAllConnections();
    await closed;
  }
  /** A new version of the page; its service worker, too, unless that is still to be uploaded. */
  publish(title, { page = true } = {}) {
    const hash = (text) => createHash("sha256").update(text).digest("hex");
    const next = this.page.replace("<title>cgpu</title>", `<title>${title}</title>`);
    this.worker = this.worker.replaceAll(hash(readFileSync(SITE, "utf8")), hash(next));
    if (page) this.page = next;
  }
}

describe("the page without its server", { skip }, () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  async function onHost(host, action) {
    await host.start();
    const context = await newWindow(browser);
    try {
      const page = await newTab(context, host.url);
      await keeps(page, 1);
      await action(page);
      assert.deepEqual(
        page.complaints.filter((text) => !text.includes("sw.js") && !text.includes("ERR_CONNECTION_REFUSED")),
        [],
      );
    } finally {
      await context.close();
      await host.stop().catch(() => {}); // of a host that is stopped
    }
  }
  /** Waits until the service worker is active and has so many copies; their names. */
  const keeps = (page, count) =>
    page.evaluate(async (wanted) => {
      await navigator.serviceWorker.ready;
      for (;;) {
        const names = await caches.keys();
        const registration = await navigator.serviceWorker.getRegistration();
        const isBusy = registration.installing || registration.waiting || registration.active.state !== "activated";
        if (names.length === wanted && !isBusy) return names;
        await new Promise((done) => setTimeout(done, 50));
      }
    }, count);
  const openProfile = async (page) => {
    await page.getByRole("region", { name: "Open a profile" }).getByLabel("Files").setInputFiles(PROFILE);
    await page.waitForFunction(() => window.cgpu);
    await page.getByRole("region", { name: "Verdict" }).waitFor();
  };

  for (const isPlain of [true, false])
    test(`a profile is opened when the server is gone${isPlain ? "" : ", which compressed, and led to the folder"}`, () => {
      const host = new Host({ isPlain });
      return onHost(host, async (page) => {
        assert.match(await page.locator("p.soft").last().textContent(), /keep the page for use without a network/);
        await host.stop();
        await page.reload();
        await openProfile(page);
        await page.goto(`${host.url}index.html`);
        await openProfile(page);
        await page.goto(`${host.url}index.html?url=run.json`);
        assert.match(await page.getByRole("alert").textContent(), /did not get/);
        await assert.rejects(page.goto(`${host.url}other.html`), /ERR_CONNECTION_REFUSED/);
      });
    });

  test("a new version is shown at once, and replaces the copy", () => {
    const host = new Host();
    return onHost(host, async (page) => {
      const [old] = await keeps(page, 1);
      await page.evaluate(() => caches.open("another's"));
      host.publish("new");
      await page.reload();
      assert.equal(await page.title(), "new");
      const isGone = () => page.evaluate(async (name) => !(await caches.has(name)), old);
      await until(page, "the old copy is removed", isGone);
      assert.equal((await keeps(page, 2)).filter((name) => name !== "another's").length, 1);
      await host.stop();
      await page.reload();
      assert.equal(await page.title(), "new");
    });
  });

  test("a service worker that is uploaded before its page changes nothing until that is there", () => {
    const host = new Host();
    return onHost(host, async (page) => {
      const copies = await keeps(page, 1);
      host.publish("new", { page: false });
      const failed = () =>
        page.evaluate(async () => {
          const registration = await navigator.serviceWorker.getRegistration();
          const found = new Promise((done) => registration.addEventListener("updatefound", done, { once: true }));
          await Promise.all([found, registration.update().catch(() => {})]);
          const worker = registration.installing;
          while (worker && !["redundant", "activated"].includes(worker.state))
            await new Promise((done) => setTimeout(done, 20));
          return worker?.state ?? "redundant";
        });
      assert.equal(await failed(), "redundant");
      assert.deepEqual(await keeps(page, 1), copies);
      await host.stop();
      await page.reload();
      assert.equal(await page.title(), "cgpu");
    });
  });

  test("from a file there is no service worker", async () => {
    const context = await newWindow(browser);
    const page = await newTab(context, pathToFileURL(SITE).href);
    await openProfile(page);
    assert.deepEqual(page.complaints, []);
    assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
    await context.close();
  });
});
