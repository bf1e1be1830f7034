// The page with the engine in it in Firefox, which playwright-core drives only in a build of its own: by Marionette, the interface
// that Firefox has for this.
//   FIREFOX   the browser (default: firefox-esr or firefox, found by the shell's path)
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT, scratch, tables } from "../browser/support.mjs";
import { nsysReport, SITE } from "./support.mjs";

const PROFILE = "cnn_workers0.json.gz";
const EXAMPLES = join(ROOT, "examples");
const TRAINING = join(EXAMPLES, "generated_training.json.gz");
const RANKS = join(EXAMPLES, "h100_ranks/ring");
const START_MS = 60000;
const names = process.env.FIREFOX ? [process.env.FIREFOX] : ["firefox-esr", "firefox"];
const firefox = names.find((name) => spawnSync(name, ["--version"]).status === 0);
const skip = !existsSync(SITE)
  ? `no page at ${SITE}: scripts/build-web-site makes it`
  : !firefox && "no Firefox here: install the package firefox-esr, or name one in FIREFOX";

/** A headless Firefox. A message is its length, a colon and JSON. */
class Firefox {
  #waiting = new Map();
  #bytes = Buffer.alloc(0);
  #count = 0;

  static async start() {
    const own = new Firefox();
    own.folder = mkdtempSync(join(tmpdir(), "cgpu-firefox-"));
    const preferences = {
      "marionette.port": 0,
      "network.disable-localhost-when-offline": true,
      "dom.filesystem.pathcheck.disabled": true, // a folder is read that no hand has dropped
    };
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});\n`);
    writeFileSync(join(own.folder, "user.js"), lines.join(""));
    const words = [
      "--headless",
      "--marionette",
      "--remote-allow-system-access",
      "--no-remote",
      "--profile",
      own.folder,
    ];
    own.process = spawn(firefox, words, { stdio: "ignore", env: { ...process.env, HOME: own.folder } });
    own.ended = new Promise((done) => own.process.on("exit", done));
    const portFile = join(own.folder, "MarionetteActivePort");
    for (const end = Date.now() + START_MS; !(existsSync(portFile) && readFileSync(portFile, "utf8"));) {
      assert.ok(Date.now() < end && own.process.exitCode === null, "Firefox starts");
      await new Promise((done) => setTimeout(done, 50));
    }
    own.socket = connect(Number(readFileSync(portFile, "utf8")), "127.0.0.1");
    own.socket.on("data", (bytes) => own.#take(bytes));
    await own.send("WebDriver:NewSession", { capabilities: { alwaysMatch: { timeouts: { script: START_MS } } } });
    return own;
  }
  #take(bytes) {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const colon = this.#bytes.indexOf(":");
      const end = colon + 1 + Number(this.#bytes.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || this.#bytes.length < end) return;
      const message = JSON.parse(this.#bytes.subarray(colon + 1, end).toString());
      this.#bytes = this.#bytes.subarray(end);
      if (!Array.isArray(message)) continue; // its greeting
      const [, id, error, result] = message;
      const { done, failed } = this.#waiting.get(id);
      if (error) failed(new Error(`${error.error}: ${error.message}`));
      else done(result);
    }
  }
  send(command, parameters) {
    const text = JSON.stringify([0, ++this.#count, command, parameters]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((done, failed) => this.#waiting.set(this.#count, { done, failed }));
  }
  open(url) {
    return this.send("WebDriver:Navigate", { url });
  }
  async #run(expression, args, sandbox) {
    const script = `const done = arguments[arguments.length - 1], args = arguments;
      (async () => ${expression})().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value } = await this.send("WebDriver:ExecuteAsyncScript", { script, args, newSandbox: true, sandbox });
    if (value.error) throw new Error(value.error);
    return value.value;
  }
  /** The value of an expression in the page; `await` is allowed in it. */
  value(expression, ...args) {
    return this.#run(expression, args);
  }
  /** The same with the browser's own rights, in the page: it may name folders of the disk. */
  asBrowser(expression, ...args) {
    return this.#run(expression, args, "system");
  }
  /** Cuts the network, this machine's servers included, or joins it again. */
  async cut(offline) {
    await this.send("Marionette:SetContext", { value: "chrome" });
    await this.asBrowser("((Services.io.offline = args[0]), null)", offline);
    await this.send("Marionette:SetContext", { value: "content" });
  }
  async until(expression, ...args) {
    for (const end = Date.now() + START_MS; ;) {
      const value = await this.value(expression, ...args);
      if (value) return value;
      assert.ok(Date.now() < end, expression);
      await new Promise((done) => setTimeout(done, 50));
    }
  }
  async end() {
    this.socket?.destroy();
    this.process.kill();
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A host of the page's folder and of examples, which pages of other origins may read. */
async function startHost() {
  const asked = [];
  const server = createServer((request, response) => {
    const name = new URL(request.url, "http://localhost").pathname.slice(1);
    asked.push(name);
    const path = ["index.html", "sw.js"].includes(name) ? join(dirname(SITE), name) : join(ROOT, "examples", name);
    if (!name || !existsSync(path)) return response.writeHead(404).end();
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Content-Type", name.endsWith(".html") ? "text/html" : "text/javascript");
    response.end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  const stop = () => (server.close(), server.closeAllConnections());
  return { asked, stop, at: (name) => `http://127.0.0.1:${port}/${name}` };
}

describe("the page with the engine in it, in Firefox", { skip }, () => {
  let browser, host, other;
  before(async () => {
    [host, other] = [await startHost(), await startHost()];
    browser = await Firefox.start();
  });
  after(async () => {
    await browser?.end();
    for (const one of [host, other]) one?.stop();
  });

  const file = pathToFileURL(SITE).href;
  const withUrl = (url) => `${file}?url=${encodeURIComponent(url)}`;
  const policy = () => browser.value('document.querySelector("#connections").content');
  const fetched = (url) => browser.value("window.fetch(args[0]).then(() => true, () => false)", url);
  const isOpen = () => browser.until('window.cgpu && document.querySelector("nav.tabs") !== null');
  const example = 'document.querySelector("main button").click() ?? true';

  test("from a file: an example is opened, and nothing can be sent", async () => {
    await browser.open(file);
    assert.equal(await policy(), "connect-src 'none'");
    assert.ok(!(await fetched(host.at(PROFILE))));
    await browser.value(example);
    await isOpen();
    assert.deepEqual(host.asked, []);
  });

  const bar = (name) =>
    browser.until(
      `((button) => button && (button.click(), true))(
        [...document.querySelectorAll("nav.tabs button")].find((one) => one.textContent === args[0]))`,
      name,
    );
  /** A drop as the browser reports it. */
  const drop = (title, ...paths) =>
    browser.value(
      `(() => {
        const transfer = new DataTransfer();
        for (const [name, text] of args[1])
          transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
        const place = document.querySelector('section[aria-label="' + args[0] + '"]');
        place.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
      })()`,
      title,
      paths.map((path) => [basename(path), readFileSync(path).toString("base64")]),
    );
  /** The cells of the first row. */
  async function query(statement) {
    await bar("SQL");
    await browser.until(`document.querySelector('[aria-label="Statement of SQL"]') !== null`);
    await browser.value(
      `(() => {
        const field = document.querySelector('[aria-label="Statement of SQL"]');
        field.value = args[0];
        field.dispatchEvent(new Event("input", { bubbles: true }));
      })()`,
      statement,
    );
    await browser.value(
      `document.querySelector('[aria-label="Statement of SQL"]').dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true }))`,
    );
    const cells = '[...document.querySelector("#view-sql .table-row")?.querySelectorAll("[role=gridcell]") ?? []]';
    return browser.until(`((all) => all.length > 0 && all.map((cell) => cell.title))(${cells})`);
  }
  const KERNELS = "SELECT count(*) FROM kernels";
  const kernelsOf = async (path) => (await tables(path, "kernels")).kernels.rows.length;
  /** The verdict, a finding where there is one, the timeline, and how many kernels SQL counts. */
  async function looks(finding) {
    await isOpen();
    await browser.until('document.querySelector("[aria-label=Verdict]") !== null');
    if (finding) {
      await bar("Findings");
      await browser.until(`document.querySelector("#view-findings").textContent.includes(args[0])`, finding);
    }
    await bar("Timeline");
    await browser.until("window.cgpu.frameTimes().length > 0 && !window.cgpu.state().pending");
    return Number((await query(KERNELS))[0]);
  }

  /** A drop of a folder of the disk, as Firefox reads it. A page may not see what the browser itself puts into a drop, so that the
   * folder is handed to it. */
  async function dropFolder(title, path) {
    await browser.asBrowser(
      `(() => {
        const folder = Components.classes["@mozilla.org/file/local;1"].createInstance(Components.interfaces.nsIFile);
        folder.initWithPath(args[0]);
        const transfer = new window.DataTransfer();
        transfer.mozSetDataAt("application/x-moz-file", folder, 0);
        window.wrappedJSObject.folder = transfer.items[0].webkitGetAsEntry();
      })()`,
      path,
    );
    await browser.value(
      `(() => {
        const { folder } = window.wrappedJSObject ?? window;
        const item = { kind: "file", webkitGetAsEntry: () => folder, getAsFile: () => null };
        const event = new DragEvent("drop", { bubbles: true, cancelable: true });
        Object.defineProperty(event, "dataTransfer", { value: { items: [item] } });
        document.querySelector('section[aria-label="' + args[0] + '"]').dispatchEvent(event);
      })()`,
      title,
    );
  }

  describe("with the network cut", () => {
    before(async () => {
      await browser.cut(true);
      await assert.rejects(browser.open(host.at("index.html")), /offline|netError|error/i);
    });
    after(() => browser.cut(false));

    test("a trace, and a report of Nsight Systems, that are dropped on the page from a file", async () => {
      const { findings } = await tables(TRAINING, "findings");
      const title = findings.rows[0][findings.columns.findIndex(({ name }) => name === "title")].replace("%", " %");
      await browser.open(file);
      await drop("Open a profile", TRAINING);
      assert.equal(await looks(title), await kernelsOf(TRAINING));
      const report = nsysReport(scratch());
      await browser.open(file);
      await drop("Open a profile", report);
      assert.equal(await looks(null), await kernelsOf(report));
    });

    test("ranks that are dropped, a file each", async () => {
      const ranks = readdirSync(RANKS).map((name) => join(RANKS, name));
      await browser.open(file);
      await drop("Open a profile", ...ranks);
      await isOpen();
      assert.equal(Number((await query("SELECT count(DISTINCT rank) FROM gpu_time"))[0]), ranks.length);
    });

    test("two runs that are dropped are compared", async () => {
      await browser.open(file);
      await drop("Compare: before", join(EXAMPLES, "cnn_workers0.json.gz"));
      await drop("Compare: after", join(EXAMPLES, "cnn_workers4.json.gz"));
      await isOpen();
      await bar("Compare");
      await browser.until('document.querySelector("#view-compare")?.textContent.includes("aten::as_strided")');
    });

    test("a folder of ranks that is dropped", async () => {
      await browser.open(file);
      await dropFolder("Open a profile", RANKS);
      await isOpen();
      assert.equal(Number((await query("SELECT count(DISTINCT rank) FROM gpu_time"))[0]), readdirSync(RANKS).length);
    });
  });

  test("an address opens its profile, and only its host may be asked", async () => {
    await browser.open(withUrl(host.at(PROFILE)));
    await isOpen();
    assert.ok(await fetched(host.at(PROFILE)));
    assert.ok(!(await fetched(other.at(PROFILE))));
    assert.deepEqual(other.asked, []);
  });

  test("a host that a policy could take for others is refused", async () => {
    await browser.open(withUrl("http://*/run.json"));
    assert.equal(await policy(), "connect-src 'none'");
    assert.match(await browser.value('document.querySelector("[role=alert]").textContent'), /^\?url= /);
    assert.ok(!(await fetched(host.at(PROFILE))));
  });

  test("from a web server, and then without it", async () => {
    const server = await startHost();
    await browser.open(server.at("index.html"));
    await browser.until('navigator.serviceWorker.ready.then(({ active }) => active.state === "activated")');
    server.stop();
    await browser.open(server.at("index.html"));
    await browser.value(example);
    await isOpen();
  });
});
