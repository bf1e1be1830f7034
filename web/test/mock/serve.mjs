// The page over a generated profile: the protocol's answers without the program. For work on the page, and for bench/.
//   node test/mock/serve.mjs [--port N] [--threads N] [--lanes N] [--per-lane N] [FOLDER OF THE PAGE]
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeActivity, encodeCounter, encodeTile, makeProfile, placed, sessionOf } from "./profile.mjs";

const TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css",
  svg: "image/svg+xml",
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Several tiles in one answer. */
function joinTiles(tiles) {
  const padded = (size) => Math.ceil(size / 8) * 8;
  const begin = padded(8 + 4 * tiles.length);
  const whole = new Uint8Array(begin + tiles.reduce((sum, tile) => sum + padded(tile.byteLength), 0));
  whole.set(new Uint8Array(Uint32Array.of(0x31424743, tiles.length, ...tiles.map((tile) => tile.byteLength)).buffer));
  let at = begin;
  for (const tile of tiles) {
    whole.set(new Uint8Array(tile), at);
    at += padded(tile.byteLength);
  }
  return whole.buffer;
}

function answer(profile, id, path, query) {
  const number = (name) => Number(query.get(name));
  if (path === "/api/status") {
    const status = { state: "ready", share: 1, what: "", error: null, inputs: ["generated"] };
    return { session: id, version: "mock", profiles: [status] };
  }
  const [, , , shown, what, rest] = path.split("/");
  if (shown !== "0") return null;
  switch (what) {
    case "session":
      return sessionOf(profile, id);
    case "names":
      return {
        first: 4096 * Number(rest),
        names: profile.names.slice(4096 * Number(rest), 4096 * (Number(rest) + 1)),
        short: [],
      };
    case "tiles":
      return joinTiles(
        query
          .get("track")
          .split(",")
          .map((track, i) => {
            const index = Number(query.get("index").split(",")[i]);
            const { kind } = profile.tracks[Number(track)];
            const level = number("level");
            if (kind === "counter") return encodeCounter(level, index);
            return kind === "busy"
              ? encodeActivity(level, index)
              : encodeTile(profile.tracks[Number(track)], level, index);
          }),
      );
    case "tile":
      return encodeTile(profile.tracks[number("track")], number("level"), number("index"));
    case "activity":
      return encodeActivity(number("level"), number("index"));
    case "counter":
      return encodeCounter(number("level"), number("index"));
    case "slice": {
      const found = placed(profile, number("track"), number("slice"));
      return (
        found && {
          ...found,
          kind: "framework_op",
          thread: "main",
          stack: [],
          arguments: [{ key: "text", value: found.name }],
        }
      );
    }
    case "neighbor": {
      const step = { next: 1, previous: -1 }[query.get("to")] ?? 0;
      return (step && placed(profile, number("track"), number("slice") + step)) || {};
    }
    case "search": {
      const matches = [];
      for (const track of profile.tracks) {
        for (let i = 0; i < track.slices && matches.length < 1000; ++i) {
          const found = placed(profile, track.id, i);
          if (found.name.toLowerCase().includes((query.get("q") ?? "").toLowerCase())) matches.push(found);
        }
      }
      matches.sort((a, b) => a.start - b.start);
      const past = query.get("past");
      const begin = past ? matches.findIndex(({ track, slice }) => `${track},${slice}` === past) + 1 : 0;
      const from = matches.slice(begin).filter((match) => !query.has("at") || match.start >= number("at"));
      return { total: matches.length, names: 1, matches: from.slice(0, number("limit") || 100) };
    }
    case "flows":
    case "sources":
      return [];
    case "area": {
      const columns = [
        { name: "name", type: "text" },
        { name: "count", type: "int" },
        { name: "total_ns", type: "int", unit: "ns" },
      ];
      return {
        from: number("from"),
        to: number("to"),
        slices: 1,
        tracks: 1,
        tables: { kernels: { columns, rows: [["gemm", 3, 1234]] } },
      };
    }
    default:
      return null;
  }
}

/** Starts the server; resolves to it and its address. */
export function serve({ profile = makeProfile(), page, port = 0, id = `mock-${Date.now()}` }) {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    response.setHeader("Content-Security-Policy", POLICY);
    if (!url.pathname.startsWith("/api/")) {
      const name = url.pathname === "/" ? "index.html" : url.pathname.slice(1);
      if (!/^(index\.html|app\.js|app\.css|favicon\.svg)$/.test(name)) return void response.writeHead(404).end();
      response.setHeader("Content-Type", TYPES[name.split(".").pop()]);
      return void response.end(await readFile(join(page, name)));
    }
    const body = answer(profile, id, url.pathname, url.searchParams);
    response.setHeader("X-Session", id);
    if (body === null) return void response.writeHead(404).end('{"error": "not here"}');
    response.setHeader("Content-Type", body instanceof ArrayBuffer ? "application/octet-stream" : "application/json");
    response.end(body instanceof ArrayBuffer ? Buffer.from(body) : JSON.stringify(body));
  });
  return new Promise((done) =>
    server.listen(port, "127.0.0.1", () => done({ server, url: `http://127.0.0.1:${server.address().port}/` })),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = process.argv.slice(2);
  const valueOf = (name, otherwise) => {
    const at = options.indexOf(`--${name}`);
    return at < 0 ? otherwise : Number(options.splice(at, 2)[1]);
  };
  const port = valueOf("port", 8123);
  const profile = makeProfile({
    threads: valueOf("threads", 4),
    lanes: valueOf("lanes", 5),
    perLane: valueOf("per-lane", 4000),
  });
  const page = options[0] ?? join(dirname(fileURLToPath(import.meta.url)), "..", "..", "dist");
  const { url } = await serve({ profile, page, port });
  console.log(url);
}
