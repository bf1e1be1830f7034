import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeActivityTile, decodeCounterTile, decodeSliceTile, splitTiles, TileError } from "../src/api/tiles";
import { TileStore, tilesIn } from "../src/api/tile_store";
import { encodeActivity, encodeCounter, encodeTile, makeProfile, type MockSlice } from "./mock/profile.mjs";

const lanes: MockSlice[][] = [
  [
    [5, 10, 1, 2],
    [20, 1, 3, 4],
  ],
  [],
  [[0, 1000, 9, 8]],
];

test("a tile says what was put into it", () => {
  const tile = decodeSliceTile(encodeTile({ laneSlices: lanes }, 0, 0), 0, 0);
  assert.equal(tile.lanes, 3);
  assert.deepEqual([...tile.laneBegin], [0, 2, 2, 3]);
  assert.deepEqual([...tile.start], [5, 20, 0]);
  assert.deepEqual([...tile.duration], [10, 1, 1000]);
  assert.deepEqual([...tile.slice], [0, 1, 2]);
  assert.deepEqual([...tile.from], [5, 20, 0]);
  assert.deepEqual([...tile.to], [15, 21, 1000]);
  assert.deepEqual([...tile.colour], [2, 4, 8]);
});

test("a damaged tile is refused at every length and with every broken field", () => {
  const whole = encodeTile({ laneSlices: lanes }, 0, 0);
  for (let length = 0; length < whole.byteLength - 8; ++length) {
    assert.throws(() => decodeSliceTile(whole.slice(0, length), 0, 0));
  }
  const with32 = (offset: number, value: number) => {
    const copy = whole.slice(0);
    new DataView(copy).setUint32(offset, value, true);
    return copy;
  };
  assert.throws(() => decodeSliceTile(with32(0, 0), 0, 0), TileError);
  assert.throws(() => decodeSliceTile(with32(4, 0xffffffff), 0, 0));
  assert.throws(() => decodeSliceTile(with32(8, 0xffffffff), 0, 0));
  assert.throws(() => decodeSliceTile(with32(20, 99), 0, 0), TileError);
});

test("counter and activity tiles", () => {
  assert.equal(decodeCounterTile(encodeCounter(5, 0), 5, 0).bucket.length, 16);
  assert.equal(decodeActivityTile(encodeActivity(5, 0), 5, 0).memory.length, 1024);
  assert.throws(() => decodeActivityTile(encodeCounter(5, 0), 5, 0), TileError);
});

test("tiles of a window lie inside the session", () => {
  assert.deepEqual(tilesIn(-50, 5000, 3000, 0), { first: 0, last: 2 });
  assert.deepEqual(tilesIn(2048, 2050, 3000, 0), { first: 2, last: 2 });
  assert.deepEqual(tilesIn(0, 1e12, 1024, 0), { first: 0, last: 1 });
});

function fakeClient() {
  const asked: string[] = [];
  const track = makeProfile({ perLane: 50 }).tracks.find((candidate) => candidate.kind === "stream")!;
  const answers: (() => void)[] = [];
  return {
    asked,
    answers,
    tiles: (level: number, wanted: readonly { track: number; index: number }[]) => {
      asked.push(wanted.map((one) => `${one.track}/${level}/${one.index}`).join(" "));
      return new Promise<ArrayBuffer[]>((done) =>
        answers.push(() => done(wanted.map(({ index }) => encodeTile(track, level, index)))),
      );
    },
  };
}
const soon = () => new Promise((done) => setTimeout(done, 0));

test("the store asks once, in the order of the frame, and forgets what no frame wants", async () => {
  const client = fakeClient();
  const store = new TileStore(client as never);
  store.beginFrame();
  for (let index = 0; index < 1000; ++index) assert.equal(store.want("tile", 1, 20, index), undefined);
  store.want("tile", 1, 20, 0);
  await soon();
  const asked = client.asked.flatMap((request) => request.split(" "));
  assert.deepEqual(
    asked,
    Array.from({ length: 768 }, (_, index) => `1/20/${index}`),
  );
  assert.equal(client.asked.length, 6);
  store.beginFrame();
  store.want("tile", 2, 20, 0);
  for (const answer of client.answers.splice(0)) answer();
  await soon();
  assert.equal(client.asked[6], "2/20/0");
  assert.equal(client.asked.length, 7);
  assert.ok(store.want("tile", 1, 20, 3));
});

test("tiles of one request are of one level, and few are asked for one by one", async () => {
  const client = fakeClient();
  const store = new TileStore(client as never);
  for (const [level, index] of [
    [20, 0],
    [20, 1],
    [21, 0],
  ] as const)
    store.want("tile", 1, level, index);
  await soon();
  assert.deepEqual(client.asked, ["1/20/0", "1/20/1", "1/21/0"]);
  const more = fakeClient();
  const other = new TileStore(more as never);
  for (let i = 0; i < 13; ++i) other.want("tile", i, i < 5 ? 20 : 21, 0);
  await soon();
  assert.deepEqual(
    more.asked.map((request) => request.split(" ").length),
    [3, 2, 2, 2, 2, 2],
  );
});

test("tiles of another depth are others, and are asked for apart", async () => {
  const client = fakeClient();
  const depths: (number | null)[] = [];
  const asking = {
    tiles: (level: number, wanted: { track: number; index: number }[], depth: number | null) => {
      depths.push(depth);
      return client.tiles(level, wanted);
    },
  };
  let shown: number | null = null;
  const store = new TileStore(asking as never, undefined, (track) => (track === 1 ? shown : null));
  const answered = async () => {
    await soon();
    for (const answer of client.answers.splice(0)) answer();
    await soon();
  };
  store.want("tile", 1, 20, 0);
  await answered();
  assert.ok(store.peek("tile", 1, 20, 0));
  shown = 3;
  assert.equal(store.want("tile", 1, 20, 0), undefined);
  store.want("tile", 2, 20, 0);
  await answered();
  assert.deepEqual(depths, [null, 3, null]);
  assert.ok(store.peek("tile", 1, 20, 0));
});

test("an answer with several tiles is taken apart", () => {
  const tiles = [encodeCounter(5, 0), encodeActivity(5, 0)];
  const sizes = tiles.map((tile) => tile.byteLength);
  const whole = new Uint8Array(16 + sizes.reduce((sum, size) => sum + Math.ceil(size / 8) * 8, 0));
  whole.set(new Uint8Array(Uint32Array.of(0x31424743, 2, ...sizes).buffer));
  whole.set(new Uint8Array(tiles[0]!), 16);
  whole.set(new Uint8Array(tiles[1]!), 16 + Math.ceil(sizes[0]! / 8) * 8);
  const parts = splitTiles(whole.buffer);
  assert.deepEqual(
    parts.map((part) => part.byteLength),
    sizes,
  );
  assert.deepEqual(new Uint8Array(parts[1]!), new Uint8Array(tiles[1]!));
  for (const length of [0, 4, 8, 15, 40, whole.length - 8]) {
    assert.throws(() => splitTiles(whole.buffer.slice(0, length)));
  }
  assert.throws(() => splitTiles(tiles[0]!), TileError);
});

test("a coarser tile stands in for a missing one, else finer ones", async () => {
  const client = fakeClient();
  const store = new TileStore(client as never);
  for (const [level, index] of [
    [22, 1],
    [19, 10],
  ] as const)
    store.want("tile", 1, level, index);
  await soon();
  for (const answer of client.answers.splice(0)) answer();
  await soon();
  assert.deepEqual(
    store.instead("tile", 1, 20, 5).map((tile) => tile.level),
    [22],
  );
  assert.deepEqual(store.instead("tile", 1, 20, 9), []);
  assert.deepEqual(store.instead("tile", 1, 23, 3), []);
  assert.deepEqual(
    store.instead("tile", 1, 23, 0).map((tile) => tile.index),
    [1],
  );
});

test("the store keeps to its bytes and drops what was used least lately", async () => {
  const client = fakeClient();
  const store = new TileStore(client as never, 1);
  store.want("tile", 1, 20, 0);
  store.want("tile", 1, 20, 1);
  await soon();
  for (const answer of client.answers.splice(0)) answer();
  await soon();
  assert.equal(store.peek("tile", 1, 20, 0), undefined);
});
