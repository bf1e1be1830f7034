// Shows a profile in an editor of VS Code: the page with the engine in it (engine_page.html, scripts/build-web-site), which asks for
// the bytes of the file. The file is only read.
//
// Messages of the page (web/src/site/editor.ts), and what is answered:
//   { read: { at, size } }    { part: ArrayBuffer, of: { name, size } }: the bytes of the file from `at` on, at most `size`;
//                             or { failed: "why" }
"use strict";
const { open, readFile } = require("node:fs/promises");
const { join } = require("node:path");
const vscode = require("vscode");

const VIEWS = ["cgpu.profile", "cgpu.otherProfile"];

/** The bytes of a file: of a disk in parts, from elsewhere all at once. */
class ProfileFile {
  #uri;
  #handle = null;
  #bytes = null;

  constructor(uri) {
    this.#uri = uri;
  }
  get name() {
    return this.#uri.path.split("/").pop();
  }
  async part(at, size) {
    if (this.#uri.scheme !== "file") {
      this.#bytes ??= await vscode.workspace.fs.readFile(this.#uri);
      return [this.#bytes.slice(at, at + size), this.#bytes.length];
    }
    this.#handle ??= await open(this.#uri.fsPath, "r");
    const { size: whole } = await this.#handle.stat();
    const part = new Uint8Array(Math.max(0, Math.min(size, whole - at)));
    const { bytesRead } = await this.#handle.read(part, 0, part.length, at);
    if (bytesRead < part.length) throw new Error("the file has become shorter while it was read");
    return [part, whole];
  }
  async close() {
    const handle = this.#handle;
    [this.#handle, this.#bytes] = [null, null];
    await handle?.close();
  }
}

class ProfileEditor {
  #page;

  constructor(context) {
    this.#page = join(context.extensionPath, "engine_page.html");
  }
  openCustomDocument(uri) {
    return { uri, dispose() {} };
  }
  async resolveCustomEditor({ uri }, { webview, onDidDispose }) {
    const file = new ProfileFile(uri);
    let asked = Promise.resolve();
    webview.options = { enableScripts: true, localResourceRoots: [] };
    webview.onDidReceiveMessage(({ read }) => {
      if (!read) return;
      asked = asked.then(() => answer(webview, file, read)); // one after the other
    });
    onDidDispose(() => void asked.then(() => file.close()));
    webview.html = await readFile(this.#page, "utf8");
  }
}

async function answer(webview, file, { at, size }) {
  try {
    const [part, whole] = await file.part(at, size);
    await webview.postMessage({ part: part.buffer, of: { name: file.name, size: whole } });
    if (at + part.length >= whole) await file.close();
  } catch (error) {
    await webview.postMessage({ failed: error.message });
  }
}

exports.activate = (context) => {
  for (const view of VIEWS)
    context.subscriptions.push(
      vscode.window.registerCustomEditorProvider(view, new ProfileEditor(context), {
        webviewOptions: { retainContextWhenHidden: true },
        supportsMultipleEditorsPerDocument: false,
      }),
    );
};
