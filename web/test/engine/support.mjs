// The engine in node: its module from the web build, with files of the disk, and the built program to compare it with.
//   CGPU_ENGINE   the module (default: build-web/web_engine.wasm)
import { execFileSync } from "node:child_process";
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

export const ENGINE = process.env.CGPU_ENGINE ?? join(ROOT, "build-web/web_engine.wasm");
export const SITE = join(ROOT, "build-web/site/index.html");
/** What `cgpu view -o` puts a profile into. */
export const ENGINE_PAGE = join(ROOT, "build-web/site/engine_page.html");

/** A report of Nsight Systems: CGPU_NSYS_REPORT, or a small one, written as that of the reader's tests (fuzz/nsys_report_seeds.py). */
export function nsysReport(folder) {
  if (process.env.CGPU_NSYS_REPORT) return process.env.CGPU_NSYS_REPORT;
  const path = join(folder, "whole.nsys-rep");
  const script = "import sys, nsys_report_seeds as n; open(sys.argv[1], 'wb').write(dict(n.seeds())['whole.nsys-rep'])";
  execFileSync("python3", ["-c", script, path], { cwd: join(ROOT, "fuzz") });
  return path;
}

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

/** The files of a folder; of a file, it and those beside it: a database is several. */
const filesAt = (path) => {
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => new DiskFile(join(entry.parentPath ?? entry.path, entry.name)));
};

/** The engine, compiled. */
export const loadedEngine = () => (loaded ??= load());

/** The engine with a profile open, or two that are compared. `answer(path)` is what a server would answer. */
export async function openedEngine(inputs, against = []) {
  const { EngineModule, FileSystem, module } = await loadedEngine();
  const system = new FileSystem();
  const files = [...inputs, ...against].flatMap(filesAt);
  for (const file of files) system.add(file.path, file);
  const nothing = () => {};
  const engine = await EngineModule.start(module, system, nothing, nothing);
  engine.add(inputs);
  if (against.length > 0) engine.add(against);
  engine.open();
  return { answer: (address) => engine.answer(address), end: () => files.forEach((file) => file.close()) };
}
