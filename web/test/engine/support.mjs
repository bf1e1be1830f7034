// The engine in node: its module from the web build, with files of the disk, and the built program to compare it with.
//   CGPU_ENGINE   the module (default: build-web/web_engine.wasm)
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { CGPU, ROOT } from "../browser/support.mjs";

const ENGINE = process.env.CGPU_ENGINE ?? join(ROOT, "build-web/web_engine.wasm");
export const SITE = join(ROOT, "build-web/site/index.html");
/** What `cgpu view -o` puts a profile into. */
export const ENGINE_PAGE = join(ROOT, "build-web/site/engine_page.html");

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
  #descriptor = null;
  constructor(path) {
    this.path = path;
    this.size = statSync(path).size;
  }
  read(at, into) {
    this.#descriptor ??= openSync(this.path);
    return readSync(this.#descriptor, into, 0, into.length, at);
  }
  close() {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }
}

/** The file, and those beside it: a database is several. */
const withSiblings = (path) =>
  readdirSync(dirname(path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => new DiskFile(join(entry.parentPath ?? entry.path, entry.name)));

/** The engine with one profile open, of one file. `answer(path)` is what a server would answer. */
export async function openedEngine(path) {
  loaded ??= load();
  const { EngineModule, FileSystem, module } = await loaded;
  const system = new FileSystem();
  const files = withSiblings(path);
  for (const file of files) system.add(file.path, file);
  const nothing = () => {};
  const engine = await EngineModule.start(module, system, nothing, nothing);
  engine.add([path]);
  engine.open();
  return { answer: (address) => engine.answer(address), end: () => files.forEach((file) => file.close()) };
}
