// The extension for VS Code (packaging/vscode): its package, and its editors in Chromium. VS Code itself is not needed: a module is
// loaded in place of its interface, and a page has the webview as VS Code makes it: in a frame of a sandbox, written as text, with a
// script before everything else that gives acquireVsCodeApi.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import Module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { builtTrace, CGPU, newTab, newWindow, ROOT, scratch, startBrowser, tables } from "../browser/support.mjs";
import { nsysReport, SITE, skipEngine } from "./support.mjs";

const skip = skipEngine || (existsSync(SITE) ? false : `no page at ${SITE}: scripts/build-web-site makes it`);
const report = skip ? "" : nsysReport(scratch());

/** The frame as VS Code's: the text is parsed, gets the script, is written again. */
const WEBVIEW = `<!doctype html><html><body style="margin:0"><script>
window.show = (text) => {
  const written = new DOMParser().parseFromString(text, "text/html");
  if (!written.querySelector('meta[http-equiv="Content-Security-Policy"]')) throw new Error("no policy");
  const script = written.createElement("script");
  script.textContent = "(" + (() => {
    let isTaken = false;
    window.acquireVsCodeApi = () => {
      if (isTaken) throw new Error("taken twice");
      isTaken = true;
      return Object.freeze({ postMessage: (data) => window.parent.postMessage({ fromPage: data }, "*") });
    };
    document.addEventListener("DOMContentLoaded", () => (document.body.dataset.vscodeThemeKind ??= "vscode-dark"));
  }) + ")()";
  written.head.prepend(script);
  written.body.dataset.vscodeThemeKind = "vscode-dark";
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-same-origin allow-pointer-lock allow-scripts allow-downloads";
  frame.style.cssText = "border:0;width:100vw;height:100vh";
  frame.src = "fake.html?id=1";
  document.body.append(frame);
  frame.addEventListener("load", () => {
    const { contentDocument } = frame;
    contentDocument.open();
    contentDocument.write("<!DOCTYPE html>\\n" + written.documentElement.outerHTML);
    contentDocument.close();
  }, { once: true });
};
window.deliver = (message) => document.querySelector("iframe").contentWindow.postMessage(message, "*");
addEventListener("message", ({ data }) => data.fromPage && window.toExtension(data.fromPage));
</script></body></html>`;

/** What the extension may use of VS Code's interface; to ask for anything else of the files than to read them fails. */
function interfaceOf(registered) {
  const only = (object, name) =>
    new Proxy(object, {
      get(target, key) {
        if (!(key in target)) throw new Error(`${name}.${String(key)} is not the extension's to use`);
        return target[key];
      },
    });
  return {
    window: only({ registerCustomEditorProvider: (...words) => (registered.push(words), { dispose() {} }) }, "window"),
    workspace: only({ fs: only({ readFile: async ({ path }) => readFileSync(path) }, "fs") }, "workspace"),
  };
}

/** The editors that the extension in this folder registers, by their types: [type, provider, options]. */
function activated(folder) {
  const registered = [];
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? interfaceOf(registered) : load(name, ...rest));
  try {
    const context = { extensionPath: folder, subscriptions: [] };
    createRequire(join(folder, "extension.js"))("./extension.js").activate(context);
    assert.equal(context.subscriptions.length, registered.length);
  } finally {
    Module._load = load;
  }
  return registered;
}

describe("the extension for VS Code", { skip }, () => {
  const folder = scratch();
  const extension = join(folder, "unpacked/extension");
  const profiles = join(folder, "profiles");
  let browser, host, registered;
  before(async () => {
    const make = () => execFileSync(join(ROOT, "scripts/package-vscode"), [folder], { encoding: "utf8" }).trim();
    const name = make();
    const first = readFileSync(name);
    assert.ok(readFileSync(make()).equals(first), "the same bytes again");
    execFileSync("python3", ["-m", "zipfile", "-e", name, join(folder, "unpacked")]);
    registered = activated(extension);
    mkdirSync(profiles);
    host = createServer(({ url }, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(url === "/" ? WEBVIEW : "<!doctype html>");
    });
    await new Promise((done) => host.listen(0, "127.0.0.1", done));
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    host?.close();
  });

  test("its package has what it needs, and the licences", () => {
    assert.deepEqual(readdirSync(extension).sort(), [
      "LICENSE.txt",
      "engine_page.html",
      "extension.js",
      "licences.txt",
      "package.json",
      "readme.md",
    ]);
    const manifest = readFileSync(join(extension, "../extension.vsixmanifest"), "utf8");
    const { version, main, contributes } = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
    assert.ok(manifest.includes(`Id="cgpu" Version="${version}"`));
    for (const [, path] of manifest.matchAll(/Path="([^"]+)"/g))
      assert.ok(existsSync(join(extension, "..", path)), path);
    const types = readFileSync(join(extension, "../[Content_Types].xml"), "utf8");
    for (const path of [...readdirSync(extension), "x.vsixmanifest"])
      assert.ok(types.includes(`Extension=".${path.split(".").pop()}"`), path);
    assert.ok(existsSync(join(extension, main)));
    assert.deepEqual(
      registered.map(([type]) => type),
      contributes.customEditors.map(({ viewType }) => viewType),
    );
    const [own, others] = contributes.customEditors.map(({ selector }) => selector.map((each) => each.filenamePattern));
    for (const ending of [".pt.trace.json.gz", ".nsys-rep", ".ncu-rep", ".pftrace", ".cgpu"])
      assert.ok(own.includes(`*${ending}`), ending);
    assert.ok(others.includes("*.json") && !own.includes("*.json"));
    assert.equal(contributes.customEditors[1].priority, "option");
  });

  /** The file in an editor. `action` gets the frame of the webview, the page around it and what was sent of the file. */
  async function inEditor(path, action, { scheme = "file" } = {}) {
    const hash = () => createHash("sha256").update(readFileSync(path)).digest("hex");
    const was = existsSync(path) && [hash(), statSync(path).mtimeMs, readdirSync(dirname(path)).length];
    const [, provider, options] = registered[0];
    assert.equal(options.webviewOptions.retainContextWhenHidden, true);
    assert.deepEqual(
      Object.getOwnPropertyNames(Object.getPrototypeOf(provider)).filter((name) => /save|backup|revert/i.test(name)),
      [],
      "it is an editor that only reads",
    );
    const context = await newWindow(browser);
    const requests = [];
    context.on("request", (request) => requests.push(request.url()));
    const own = `http://127.0.0.1:${host.address().port}/`;
    const page = await newTab(context, own);
    const [heard, closed, parts] = [[], [], []];
    const panel = {
      onDidDispose: (listener) => closed.push(listener),
      webview: {
        onDidReceiveMessage: (listener) => heard.push(listener),
        postMessage: (message) => {
          if (message.part) parts.push(message.part.byteLength);
          const bytes = message.part && Buffer.from(message.part).toString("base64");
          return page.evaluate(
            ([sent, text]) =>
              window.deliver(
                text === null ? sent : { ...sent, part: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer },
              ),
            [{ ...message, ...(message.part && { part: null }) }, bytes ?? null],
          );
        },
      },
    };
    try {
      await page.exposeFunction("toExtension", (message) => heard.forEach((listener) => listener(message)));
      const uri = { scheme, path, fsPath: path, toString: () => pathToFileURL(path).href };
      await provider.resolveCustomEditor(await provider.openCustomDocument(uri), panel);
      assert.deepEqual(panel.webview.options, { enableScripts: true, localResourceRoots: [] });
      await page.evaluate((text) => window.show(text), panel.webview.html);
      const frame = await (await page.waitForSelector("iframe")).contentFrame();
      await action({ frame, page, parts });
      const ofFrame = /allow-scripts and allow-same-origin/; // as VS Code has it
      assert.deepEqual(
        page.complaints.filter((text) => !ofFrame.test(text)),
        [],
      );
      assert.deepEqual(
        requests.filter((url) => !/^(blob|data):/.test(url) && !url.startsWith(own)),
        [],
      );
    } finally {
      closed.forEach((listener) => listener());
      await context.close();
    }
    if (was) assert.deepEqual([hash(), statSync(path).mtimeMs, readdirSync(dirname(path)).length], was, "unchanged");
  }

  async function query(frame, page, statement) {
    await frame.locator("nav.tabs").getByRole("button", { name: "SQL", exact: true }).click();
    await frame.getByLabel("Statement of SQL").fill(statement);
    await page.keyboard.press("Control+Enter");
    const row = frame.locator("#view-sql .table-row").first();
    await row.waitFor();
    return row.locator("[role=gridcell]").evaluateAll((all) => all.map((cell) => cell.title));
  }
  const opened = (frame) => frame.waitForFunction(() => window.cgpu);
  const firstKernel = async (path) => {
    const { kernels } = await tables(path, "kernels");
    return kernels.rows[0][kernels.columns.findIndex(({ name }) => name === "name")];
  };
  const KERNEL = "SELECT name FROM kernels ORDER BY total_ns DESC LIMIT 1";

  test("a trace of several parts: verdict, timeline, SQL; as dark as the editor", async () => {
    const path = await builtTrace(profiles, "large.pt.trace.json", "--megabytes", 20);
    await inEditor(path, async ({ frame, page, parts }) => {
      await opened(frame);
      assert.ok(parts.length >= 3 && Math.max(...parts) <= 1 << 23, String(parts));
      assert.equal(
        parts.reduce((sum, size) => sum + size, 0),
        statSync(path).size,
      );
      await frame.getByRole("region", { name: "Verdict" }).waitFor();
      const theme = () => frame.evaluate(() => document.documentElement.dataset.theme);
      assert.equal(await theme(), "dark");
      await frame.evaluate(() => (document.body.dataset.vscodeThemeKind = "vscode-high-contrast-light"));
      assert.equal(await theme(), "light");
      const [name] = await query(frame, page, KERNEL);
      assert.equal(name, await firstKernel(path));
      await frame.locator("nav.tabs").getByRole("button", { name: "Timeline", exact: true }).click();
      await frame.waitForFunction(() => window.cgpu.frameTimes().length > 0 && !window.cgpu.state().pending);
    });
  });

  const example = join(ROOT, "examples/generated_training.json.gz");
  for (const [name, scheme] of [
    ["run.pt.trace.json.gz", "vscode-vfs"],
    ["run.pftrace", "file"],
    ["run.cgpu", "file"],
  ])
    test(`${name} of scheme ${scheme}`, async () => {
      const path = join(profiles, name);
      const words = { "run.pftrace": ["export", example, "-o", path], "run.cgpu": ["summarize", example, "-o", path] }[
        name
      ];
      if (words) execFileSync(CGPU, words, { stdio: "ignore" });
      else execFileSync("cp", [example, path]);
      await inEditor(
        path,
        async ({ frame, page }) => {
          if (name.endsWith(".cgpu")) return frame.getByRole("button", { name: "Tables", exact: true }).waitFor();
          await opened(frame);
          assert.equal((await query(frame, page, KERNEL))[0], await firstKernel(path));
        },
        { scheme },
      );
    });

  test("a report of Nsight Systems", async () => {
    await inEditor(report, async ({ frame, page }) => {
      await opened(frame);
      const { kernels } = await tables(report, "kernels");
      assert.equal(Number((await query(frame, page, "SELECT count(*) FROM kernels"))[0]), kernels.rows.length);
    });
  });

  test("what is no profile, or cannot be read, is said; there is no other file to open in its place", async () => {
    const path = join(profiles, "none.pt.trace.json");
    const errors = [
      [join(ROOT, "README.md"), /README\.md/],
      [path, /ENOENT/],
    ];
    for (const [file, why] of errors)
      await inEditor(file, async ({ frame }) => {
        await frame.getByText("This profile cannot be shown").waitFor();
        assert.match(await frame.getByRole("alert").textContent(), why);
        assert.equal(await frame.getByRole("button", { name: "Open another file" }).count(), 0);
      });
  });
});
