// Whether the engine in WebAssembly answers as the program's server does, to the byte.
import assert from "node:assert/strict";
import { Server } from "../browser/support.mjs";
import { openedEngine } from "./support.mjs";

const MOST_TRACKS = 6;
const DIGITS = 13;
const STATEMENTS = [
  "SELECT name, count(*) AS n FROM slices GROUP BY name ORDER BY n DESC, name LIMIT 20",
  "SELECT * FROM notes",
  "SELECT avg(duration_ns), sum(duration_ns) FROM device_slices",
  "SELECT nothing",
];
const decode = (bytes) => new TextDecoder().decode(bytes);

/** What differs between two starts of the same program; and of comparisons, whose intervals come from functions of the C library, the
 * last digits. */
const alike = (request, text) =>
  request.startsWith("/api/compare")
    ? text.replace(/-?\d+\.\d+(e[+-]\d+)?/g, (number) => Number(number).toPrecision(DIGITS))
    : text.replace(/"session":"[0-9a-f]{16}"/, '"session":""');

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
    ...["e", "a&limit=5&regex=1", "cuda&own=1", "1&argument=stream"].map((text) => `search?q=${text}&limit=20`),
    ...["kernels", "ops"].map((name) => `distributions?table=${name}&top=20`),
    ...["down", "up", "down&steps=1", `down&from=0&to=${half}`].map((view) => `flame?view=${view}`),
    `area?from=0&to=${half}`,
    `table/gpu_time?from=0&to=${half}`,
    ...STATEMENTS.map((statement) => `sql?statement=${encodeURIComponent(statement)}`),
    ...["folded", "pftrace", "json"].map((format) => `export?to=${format}`),
    "sources",
    "launch?rank=0&id=0",
    "table/nothing",
  ].map((request) => `/api/p/0/${request}`);
}

const COMPARED = [
  "",
  "/times",
  "/names",
  "/aligned",
  "/flame?view=down",
  "/flame?view=up",
  "/table/ops",
  "/table/kernels",
].map((request) => `/api/compare${request}`);

async function opened(server) {
  for (;;) {
    const { profiles } = await server.json("/api/status");
    if (profiles.every(({ state }) => state !== "opening")) return profiles;
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** How many requests both have answered alike. */
export async function compare(inputs, against = []) {
  const server = await Server.start(...inputs, ...(against.length > 0 ? ["--against", ...against] : []));
  const engine = await openedEngine(inputs, against);
  try {
    const native = await opened(server);
    const own = JSON.parse(decode(engine.answer("/api/status").body)).profiles;
    assert.deepEqual(
      own.map(({ state, error }) => ({ state, error })),
      native.map(({ state, error }) => ({ state, error })),
    );
    if (native.some(({ state }) => state === "error")) return 0;
    const session = await server.json("/api/p/0/session");
    const named = decode(engine.answer("/api/p/0/session").body);
    // The program alone makes files of the profile, to be saved.
    assert.deepEqual({ ...JSON.parse(named), session: "", files: [] }, { ...session, session: "", files: [] });
    const requests = [...requestsOf(session), ...(against.length > 0 ? COMPARED : [])];
    for (const request of requests) {
      // A connection of its own: while the engine answers, nobody here sees the server close one that is idle.
      const answer = await fetch(new URL(request, server.url), { headers: { connection: "close" } });
      const expected = Buffer.from(await answer.arrayBuffer());
      const { status, type, body } = engine.answer(request);
      assert.equal(status, answer.status, request);
      assert.equal(type, answer.headers.get("content-type"), request);
      if (Buffer.compare(expected, body) === 0) continue;
      if (type.startsWith("application/json"))
        assert.equal(alike(request, decode(body)), alike(request, decode(expected)), request);
      else assert.fail(`${request}: other bytes`);
    }
    return requests.length;
  } finally {
    engine.end();
    await server.end();
  }
}
