import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "../src/api/engine";
import type { FromWorker, ToWorker } from "../src/engine/messages";
import { FileSystem, Folder, WrittenFile } from "../src/engine/file_system";

/** A worker that answers when the test says so. */
class StubWorker extends EventTarget {
  static last: StubWorker;
  readonly asked: ToWorker[] = [];
  constructor() {
    super();
    StubWorker.last = this;
  }
  postMessage(message: ToWorker): void {
    this.asked.push(message);
  }
  say(data: FromWorker): void {
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
  get lastPath(): string {
    const message = this.asked.at(-1)!;
    return "ask" in message ? message.ask : "open";
  }
  answer(text: string): void {
    const body = new TextEncoder().encode(text);
    this.say({ id: 0, status: 200, type: "application/json", fileName: "", body });
  }
}
Object.assign(globalThis, { Worker: StubWorker });

function openEngine(): { engine: Engine; worker: StubWorker } {
  const engine = new Engine("", new Uint8Array(), { files: [], profiles: [] });
  const worker = StubWorker.last;
  worker.say({ status: "{}", ended: true });
  return { engine, worker };
}

test("while profiles are opened the status is the last one that was heard of, and nothing is asked", async () => {
  const engine = new Engine("", new Uint8Array(), { files: [], profiles: [] });
  const worker = StubWorker.last;
  void engine.answer("/api/p/0/session");
  worker.say({ status: '{"share":0.5}', ended: false });
  assert.deepEqual(await (await engine.answer("/api/status")).json(), { share: 0.5 });
  assert.equal(worker.lastPath, "open");
  worker.say({ status: "{}", ended: true });
  assert.equal(worker.lastPath, "/api/p/0/session");
});

test("one thing at a time, what the timeline waits for first, and nothing that is no longer wanted", async () => {
  const { engine, worker } = openEngine();
  const stop = new AbortController();
  const first = engine.answer("/api/p/0/table/kernels");
  const unwanted = engine.answer("/api/p/0/search?q=a", stop.signal);
  const long = engine.answer("/api/p/0/flame?view=down");
  const tiles = engine.answer("/api/p/0/tiles?level=3&track=1&index=0");
  stop.abort();
  await assert.rejects(unwanted, { name: "AbortError" });
  worker.answer("1");
  assert.equal(await (await first).text(), "1");
  assert.equal(worker.lastPath, "/api/p/0/tiles?level=3&track=1&index=0");
  worker.answer("2");
  assert.equal(await (await tiles).text(), "2");
  assert.equal(worker.lastPath, "/api/p/0/flame?view=down");
  worker.answer("3");
  assert.equal(await (await long).text(), "3");
});

test("an engine that has ended says so to all who ask", async () => {
  const { engine, worker } = openEngine();
  const asked = engine.answer("/api/p/0/session");
  worker.say({ failed: "unreachable" });
  for (const answer of [await asked, await engine.answer("/api/p/0/names/0")]) {
    assert.equal(answer.status, 500);
    assert.match(((await answer.json()) as { error: string }).error, /has ended \(unreachable\)/);
  }
});

test("files are found by their paths, and what is written is read again", () => {
  const files = new FileSystem();
  const written = new WrittenFile();
  written.write(3, new Uint8Array([1, 2]));
  files.add("ranks/a.json", written);
  assert.equal(files.find("/ranks/../ranks/./a.json"), written);
  assert.ok(files.find("/tmp") instanceof Folder);
  assert.equal(files.find("ranks/a.json/b"), undefined);
  const into = new Uint8Array(4);
  assert.equal(written.read(1, into), 4);
  assert.deepEqual([...into], [0, 0, 1, 2]);
  written.resize(4);
  written.resize(5);
  assert.equal(written.read(3, into), 2);
  assert.deepEqual([...into.subarray(0, 2)], [1, 0]);
});
