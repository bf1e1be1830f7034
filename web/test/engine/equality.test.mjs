// The engine in WebAssembly answers as the program's server does, to the byte.
//   CGPU_ENGINE_FILES   a folder with further profiles, of at most 3 MB each
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, test } from "node:test";
import { ROOT, Server } from "../browser/support.mjs";
import { openedEngine, skipEngine } from "./support.mjs";

/** A kernel's name in it is one that GCC's library cannot read, and that of the engine can. */
const OTHER_NAMES = new Set([
  "AMD-AGI_TraceLens__inference__sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode.json.gz",
]);
const MOST_BYTES = 3e6;
const MOST_TRACKS = 6;
const decode = (bytes) => new TextDecoder().decode(bytes);

/** What differs between two starts of the same program. */
const withoutIdentity = (text) => text.replace(/"session":"[0-9a-f]{16}"/, '"session":""');

function requestsOf(session) {
  const tracks = session.tracks.filter(({ slices }) => slices > 0).slice(0, MOST_TRACKS);
  const level = Math.max(0, Math.ceil(Math.log2(session.span / 1024)));
  const half = Math.max(1, Math.floor(session.span / 2));
  return [
    "names/0",
    ...session.tables.map(({ name }) => `table/${name}?top=200`),
    ...tracks.flatMap(({ id }) => [
      `tile?track=${id}&level=${level}&index=0`,
      `tile?track=${id}&level=${Math.max(0, level - 3)}&index=1`,
      `slice?track=${id}&slice=0`,
      `flows?track=${id}&slice=0`,
    ]),
    "search?q=e&limit=20",
    "distributions?table=kernels&top=20",
    "flame?view=down",
    "flame?view=up",
    `area?from=0&to=${half}`,
    "sql?statement=SELECT%20name%2C%20count(*)%20AS%20n%20FROM%20slices%20GROUP%20BY%20name%20ORDER%20BY%20n%20DESC%2C%20name%20LIMIT%2020",
    "table/nothing",
  ];
}

async function opened(server) {
  for (;;) {
    const { profiles } = await server.json("/api/status");
    if (profiles[0].state !== "opening") return profiles[0];
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function compare(path) {
  const server = await Server.start(path);
  const engine = await openedEngine(path);
  try {
    const native = await opened(server);
    const own = JSON.parse(decode(engine.answer("/api/status").body)).profiles[0];
    assert.equal(own.state, native.state, own.error);
    if (native.state === "error") return 0;
    const nativeSession = await (await fetch(new URL("/api/p/0/session", server.url))).text();
    const session = JSON.parse(nativeSession);
    const named = decode(engine.answer("/api/p/0/session").body);
    assert.deepEqual({ ...JSON.parse(named), session: "" }, { ...session, session: "" });
    const requests = requestsOf(session);
    for (const request of requests) {
      const answer = await fetch(new URL(`/api/p/0/${request}`, server.url));
      const expected = Buffer.from(await answer.arrayBuffer());
      const { status, type, body } = engine.answer(`/api/p/0/${request}`);
      assert.equal(status, answer.status, request);
      assert.equal(type, answer.headers.get("content-type"), request);
      if (Buffer.compare(expected, body) === 0) continue;
      if (type.startsWith("application/json"))
        assert.equal(withoutIdentity(decode(body)), withoutIdentity(decode(expected)), request);
      else assert.fail(`${request}: other bytes`);
    }
    return requests.length;
  } finally {
    engine.end();
    await server.end();
  }
}

/** The files in a folder and in those in it that are small enough. */
const smallFiles = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(md|txt|py|ya?ml|ipynb|sh|html|css|toml|csv)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => statSync(path).size <= MOST_BYTES && !OTHER_NAMES.has(basename(path)))
    .sort();

const examples = readdirSync(join(ROOT, "examples"))
  .filter((name) => /\.json(\.gz)?$/.test(name))
  .map((name) => join(ROOT, "examples", name));
const further = process.env.CGPU_ENGINE_FILES;
const skipFurther = skipEngine || (further ? false : "no further profiles: name a folder of them in CGPU_ENGINE_FILES");

describe("the engine answers as the server does", { skip: skipEngine }, () => {
  for (const path of examples) test(relative(dirname(path), path), () => compare(path));
});

describe("the same of further profiles", { skip: skipFurther }, () => {
  for (const path of further ? smallFiles(further) : []) test(relative(further, path), () => compare(path));
});
