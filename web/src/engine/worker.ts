// The engine in a worker: opens what the page sends, then answers one request after the other.
import { BlobFile, FileSystem } from "./file_system";
import type { FromWorker, Opening, ToWorker } from "./messages";
import { EngineModule } from "./module";

const STATUS = "/api/status";
const BETWEEN_STATUS_MS = 50;

let engine: EngineModule;

const post = (message: FromWorker, moved: Transferable[] = []): void => self.postMessage(message, { transfer: moved });
const decoder = new TextDecoder();
const postStatus = (ended: boolean): void => post({ status: decoder.decode(engine.answer(STATUS).body), ended });

async function open(opening: Opening, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const files = new FileSystem();
  for (const { path, blob } of opening.files) files.add(path, new BlobFile(blob));
  let last = 0;
  const progress = (): void => {
    if (performance.now() - last < BETWEEN_STATUS_MS) return;
    last = performance.now();
    postStatus(false);
  };
  engine = await EngineModule.start(await WebAssembly.compile(bytes), files, console.warn, progress);
  for (const inputs of opening.profiles) engine.add(inputs);
  postStatus(false);
  engine.open();
  postStatus(true);
}

self.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  const fail = (error: unknown): void => post({ failed: error instanceof Error ? error.message : String(error) });
  if ("open" in data) {
    open(data.open, data.engine).catch(fail);
    return;
  }
  try {
    const { body, ...answer } = engine.answer(data.ask);
    post({ id: data.id, ...answer, body }, [body.buffer]);
  } catch (error) {
    fail(error);
  }
});
