// The engine in node: its module from the web build, with files of the disk, and the built program to compare it with.
//   CGPU_ENGINE   the module (default: build-web/web_engine.wasm)
import { closeSync, existsSync, fstatSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { CGPU, ROOT } from "../browser/support.mjs";

const ENGINE = process.env.CGPU_ENGINE ?? join(ROOT, "build-web/web_engine.wasm");
export const SITE = join(ROOT, "build-web/site/index.html");

/** Why the engine cannot be tested here; false where it can. */
export const skipEngine = !existsSync(ENGINE)
  ? `no engine at ${ENGINE}: scripts/build-web-site makes it`
  : !existsSync(CGPU)
    ? `no program at ${CGPU}: build it, or name one in CGPU`
    : false;

const folder = mkdtempSync(join(tmpdir(), "cgpu-engine-test-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

let loaded = null;
async function load() {
  const outfile = join(folder, "engine.mjs");
  const contents = 'export * from "./module"; export * from "./file_system";';
  await build({
    stdin: { contents, resolveDir: join(ROOT, "web/src/engine"), loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  return { ...(await import(pathToFileURL(outfile))), module: await WebAssembly.compile(readFileSync(ENGINE)) };
}

/** As of a file that the user gave: read where it lies. */
class DiskFile {
  constructor(path) {
    this.descriptor = openSync(path);
    this.size = fstatSync(this.descriptor).size;
  }
  read(at, into) {
    return readSync(this.descriptor, into, 0, into.length, at);
  }
  close() {
    closeSync(this.descriptor);
  }
}

/** The engine with one profile open, of one file. `answer(path)` is what a server would answer. */
export async function openedEngine(path) {
  loaded ??= load();
  const { EngineModule, FileSystem, module } = await loaded;
  const files = new FileSystem();
  const file = new DiskFile(path);
  files.add(path, file);
  const engine = await EngineModule.start(
    module,
    files,
    () => {},
    () => {},
  );
  engine.add([path]);
  engine.open();
  return { answer: (address) => engine.answer(address), end: () => file.close() };
}
