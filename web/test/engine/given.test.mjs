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

/** A host of files; `opens` says whether pages of other origins may read them. `others`: its own pages, and where paths lead on to. */
async function startHost(opens, others = {}) {
  const asked = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    asked.push(pathname);
    if (opens) response.setHeader("Access-Control-Allow-Origin", "*");
    const own = others[pathname];
    if (own?.to) return response.writeHead(302, { Location: own.to }).end();
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
    closed = await startHost(false);
    open = await startHost(true, { "/away": { to: closed.at(A) }, "/here": { to: `/${A}` } });
    const pages = {
      "/page": readFileSync(SITE),
      "/wiki": '<iframe src="/page" width="1200" height="800"></iframe>',
      "/boxed": '<iframe sandbox="allow-scripts" src="/page" width="1200" height="800"></iframe>',
      "/report": "<p>A report</p>",
    };
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

  const policy = (page) => page.locator("#connections").getAttribute("content");
  const note = (page) => page.locator("p.soft", { has: page.locator("code") });

  test("the page says what its policy is, and what it sends", async () => {
    await onPage(pathToFileURL(SITE).href, async (page) => {
      assert.equal(await policy(page), "connect-src 'none'");
      assert.match(
        await note(page).textContent(),
        /^No profile leaves .* connect to nothing \(connect-src 'none'\).* open a file\.$/,
      );
    });
    await onPage(withUrls(closed.at(A), open.at("none.json?signature=secret")), async (page) => {
      await page.getByRole("alert").waitFor();
      const sources = `connect-src ${new URL(closed.at("")).origin} ${new URL(open.at("")).origin}`;
      assert.equal(await policy(page), sources);
      const said = await note(page).textContent();
      assert.match(said, /each host gets the whole address, .* to those hosts and no other/);
      assert.ok(said.includes(`(${sources})`) && said.includes(open.at("none.json")), said);
      assert.ok(!said.includes("got the address"), "nobody gave the page of a file");
    });
    await onPage(`${embedding.at("page")}?url=${encodeURIComponent(closed.at(A))}`, async (page) => {
      await page.getByRole("alert").waitFor();
      const { host } = new URL(embedding.at(""));
      assert.ok((await note(page).textContent()).includes(` ${host} got the address of this page`));
    });
  });

  test("with an address that is refused, no host may be asked", async () => {
    const refused = [
      "http://*/run.json",
      "http://*.example.org/run.json",
      'http://a";connect-src *;/run.json',
      "http://[::1]/run.json",
      open.at(A).replace("//", "//user:secret@"),
      "ftp://example.org/run.json",
    ];
    for (const address of refused)
      await onPage(withUrls(open.at(A), address), async (page) => {
        assert.match(await refusal(page), /^\?url= /, address);
        assert.equal(await policy(page), "connect-src 'none'", address);
        assert.match(await note(page).textContent(), /connect to nothing/, address);
        assert.ok(!(await fetched(page, open.at(A))), address);
        assert.ok(!(await page.locator("body").innerText()).includes("secret"), address);
      });
  });

  test("what signs an address is not shown", async () => {
    await onPage(withUrls(`${open.at(A)}?signature=secret`), async (page) => {
      await page.waitForFunction(() => window.cgpu);
      assert.ok((await page.title()).includes(A), await page.title());
      assert.ok(!(await page.title()).includes("secret"), await page.title());
      assert.ok(!(await page.locator("body").innerText()).includes("secret"));
    });
    for (const url of [open.at("none.json"), closed.at(A)])
      await onPage(withUrls(`${url}?signature=secret`), async (page) => {
        assert.ok((await refusal(page)).includes(url));
        assert.ok(!(await page.locator("body").innerText()).includes("secret"));
      });
  });

  test("an address may lead on within its host, and not to another", async () => {
    await onPage(withUrls(open.at("here")), (page) => page.waitForFunction(() => window.cgpu));
    closed.asked.length = 0;
    await onPage(withUrls(open.at("away")), async (page) => {
      assert.match(await refusal(page), /leads on to another one.*another host, the policy of this page refuses it/);
      assert.ok(
        page.complaints.some((text) => text.includes("connect-src")),
        "by the page's policy",
      );
    });
    assert.deepEqual(closed.asked, []);
  });

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

  /** Of a page: sends files of its host to ours, which it has in a frame or opens in a window, when that has answered. */
  const send = (page, names, address = null) =>
    page.evaluate(
      async ([all, opened]) => {
        const files = [];
        for (const name of all) files.push({ name, buffer: await (await fetch(`/${name}`)).arrayBuffer() });
        const ours = opened ? window.open(opened) : document.querySelector("iframe").contentWindow;
        const timer = setInterval(() => ours.postMessage("PING", "*"), 50);
        await new Promise((done) =>
          window.addEventListener("message", ({ source, data }) => source === ours && data === "PONG" && done()),
        );
        clearInterval(timer);
        ours.postMessage({ cgpu: { files: files.slice(0, 1), against: files[1] && files.slice(1) } }, "*");
      },
      [names, address],
    );

  for (const name of ["wiki", "boxed"])
    test(`a page gives files to ours in a frame: ${name}`, () =>
      onPage(embedding.at(name), async (page) => {
        await send(page, [A, B]);
        await page.frameLocator("iframe").locator("nav.tabs").getByRole("button", { name: "Compare" }).waitFor();
        assert.deepEqual(
          page.complaints.filter((text) => !text.includes("404")),
          [],
        ); // it has no sw.js
      }));

  test("a page of another origin gives files to ours, which it opens in a window", () =>
    onPage(embedding.at("report").replace("127.0.0.1", "localhost"), async (page) => {
      const opened = page.context().waitForEvent("page");
      await send(page, [A], embedding.at("page"));
      const ours = await opened;
      await ours.waitForFunction(() => window.cgpu);
      assert.ok((await ours.title()).includes(A), await ours.title());
    }));

  test("no files are taken when a profile is open", () =>
    onPage(embedding.at("wiki"), async (page) => {
      const frame = page.frameLocator("iframe");
      await frame.getByRole("button", { name: "Training of a language model" }).click();
      await frame.locator("nav.tabs").waitFor();
      const heard = await page.evaluate(async (name) => {
        const all = [];
        window.addEventListener("message", ({ data }) => all.push(data));
        const buffer = await (await fetch(`/${name}`)).arrayBuffer();
        const ours = document.querySelector("iframe").contentWindow;
        ours.postMessage("PING", "*");
        ours.postMessage({ cgpu: { files: [{ name, buffer }], against: [{ name, buffer }] } }, "*");
        await new Promise((done) => setTimeout(done, 500));
        return all;
      }, A);
      assert.deepEqual(heard, []);
      assert.equal(await frame.locator("nav.tabs").getByRole("button", { name: "Compare" }).count(), 0);
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
