// Opens a profile and asks for its findings, a statement of SQL and the whole time of a track.
//   node open.mjs engine|native FILE     the engine in this process, or `cgpu view --threads 1`. Prints one line of JSON, of seconds
//   node open.mjs sizes                  of the engine and of the pages with it, in bytes
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { ROOT, Server } from "../../web/test/browser/support.mjs";
import { loadedEngine, openedEngine } from "../../web/test/engine/support.mjs";

const STATEMENT =
  "SELECT name, count(*), sum(duration_ns) FROM slices GROUP BY name ORDER BY 3 DESC LIMIT 20";
const [kind, file] = process.argv.slice(2);
const seconds = async (action) => {
  const start = performance.now();
  const result = await action();
  return [(performance.now() - start) / 1e3, result];
};

async function measured(open, ask, memory) {
  const [first, opened] = await seconds(open);
  await opened.end();
  const [again, to] = await seconds(open);
  const session = JSON.parse(Buffer.from(await ask(to, "/api/p/0/session")));
  const level = Math.max(0, Math.ceil(Math.log2(session.span / 1024)));
  const track = session.tracks.reduce((most, each) =>
    each.slices > most.slices ? each : most,
  ).id;
  const asked = {
    tile: `/api/p/0/tile?track=${track}&level=${level}&index=0`,
    sql: `/api/p/0/sql?statement=${encodeURIComponent(STATEMENT)}`,
    findings: "/api/p/0/table/findings",
  };
  const times = { first, again };
  for (const [name, address] of Object.entries(asked))
    [times[name]] = await seconds(() => ask(to, address));
  const result = { ...times, memory: memory(to) };
  await to.end();
  return result;
}

async function native() {
  const open = async () => {
    const server = await Server.start(file, "--threads", "1");
    while ((await server.json("/api/status")).profiles[0].state === "opening")
      await new Promise((done) => setTimeout(done, 1));
    return server;
  };
  const ask = async (server, address) =>
    (await fetch(new URL(address, server.url))).arrayBuffer();
  const peak = ({ process: { pid } }) =>
    1024 *
    Number(
      /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1],
    );
  return measured(open, ask, peak);
}

async function engine() {
  const [load] = await seconds(loadedEngine);
  const ask = (opened, address) => opened.answer(address).body;
  return {
    load,
    ...(await measured(
      () => openedEngine([file]),
      ask,
      () => 1024 * process.resourceUsage().maxRSS,
    )),
  };
}

function sizes() {
  const bytes = readFileSync(join(ROOT, "build-web/web_engine.wasm"));
  const best = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
  };
  return {
    engine: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params: best }).length,
    page: readFileSync(join(ROOT, "build-web/site/index.html")).length,
    "page without examples": readFileSync(
      join(ROOT, "build-web/site/engine_page.html"),
    ).length,
  };
}

console.log(JSON.stringify(await { native, engine, sizes }[kind]()));
