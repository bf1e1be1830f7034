// Asks Perfetto's own trace processor: node perfetto_engine.mjs FOLDER TRACE < queries (JSON list of SQL) > answers.
// FOLDER (scripts/perfetto-engine) holds trace_processor.wasm, engine_bundle.node.js and engine.mjs, which are
// those of Perfetto's page, made for a worker of a browser, which is pretended here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";

const [folder, trace] = process.argv.slice(2);
const queries = JSON.parse(readFileSync(0, "utf8"));

Object.defineProperty(globalThis, "self", { value: globalThis });
Object.defineProperty(globalThis, "location", { value: { href: `${pathToFileURL(folder).href}/` } });
globalThis.WorkerGlobalScope = class {};
globalThis.wasmBytes = new Uint8Array(readFileSync(join(folder, "trace_processor.wasm")));
const warn = console.warn;
console.warn = (...what) => JSON.stringify(what[0] ?? "").includes("Unexpected QueryResult field") || warn(...what);

let glue = readFileSync(join(folder, "engine_bundle.node.js"), "utf8");
for (const [from, to] of [
  ["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
  ["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.wasmBytes,"],
  ["const wasmBridge = new wasm_bridge_1.WasmBridge();", "const wasmBridge = globalThis.wasmBridge = new wasm_bridge_1.WasmBridge();"],
]) {
  if (!glue.includes(from)) throw new Error(`this version of the engine is not known: ${from}`);
  glue = glue.replace(from, to);
}
runInThisContext(glue);

const { EngineBase } = await import(pathToFileURL(join(folder, "engine.mjs")).href);
const channel = new MessageChannel();
class Engine extends EngineBase {
  mode = "WASM";
  id = "test";
  constructor() {
    super();
    channel.port2.onmessage = (message) => {
      if (message.data instanceof Uint8Array) this.onRpcResponseBytes(message.data);
    };
  }
  rpcSendRequestBytes(bytes) {
    channel.port2.postMessage(bytes);
  }
}
await globalThis.wasmBridge.initialize(channel.port1);
const engine = new Engine();
const bytes = new Uint8Array(readFileSync(trace));
const part = 32 << 20;
for (let at = 0; at < bytes.length; at += part) await engine.parse(bytes.subarray(at, at + part));
await engine.notifyEof();

const answers = [];
for (const query of queries) {
  const result = await engine.query(query);
  if (result.error()) throw new Error(`${query}: ${result.error()}`);
  const columns = result.columns();
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next()) {
    rows.push(columns.map((column) => {
      const value = row.get(column);
      return typeof value === "bigint" ? Number(value) : value;
    }));
  }
  answers.push({ columns, rows });
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
