// The engine in this page, in place of a server: a worker opens the files that the user gave, and answers what a server would
// be asked. It answers one request at a time, those first that the timeline waits for; one that nobody waits for any more is
// not begun.
import type { FromWorker, Opening, ToWorker } from "../engine/messages";

interface Waiting {
  path: string;
  isUrgent: boolean;
  signal: AbortSignal | null;
  done: (answer: Response) => void;
  failed: (error: Error) => void;
}

const SERVER_ERROR = 500;
/** Requests that take the engine a few milliseconds, and that the user looks at while they are missing. */
const URGENT = /\/(tiles?|counter|activity|names\/\d+|slice|neighbor|flows)(\?|$)/;

const abortion = (): Error => new DOMException("The request is not wanted any more.", "AbortError");

export class Engine {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #asked: Waiting | null = null;
  #status: string | null = null;
  #isOpen = false;
  #failure: string | null = null;
  #lastId = 0;
  #statusKnown: () => void = () => {};
  readonly #firstStatus = new Promise<void>((done) => (this.#statusKnown = done));

  /** `worker`: the address of its script; `engine`: the WebAssembly module. `madeBy`: of a copy, the command that opens the
   * profile itself. */
  constructor(
    worker: string,
    engine: Uint8Array<ArrayBuffer>,
    opening: Opening,
    readonly madeBy = "",
  ) {
    this.#worker = new Worker(worker);
    this.#worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#hear(data));
    this.#worker.addEventListener("error", (event) => this.#fail(event.message || "The browser started no worker."));
    this.#post({ open: opening, engine }, [engine.buffer]);
  }

  /** The answer to a path, as a server would give it. */
  async answer(path: string, signal: AbortSignal | null = null): Promise<Response> {
    if (path === "/api/status") {
      await this.#firstStatus;
      return new Response(this.#status);
    }
    return new Promise((done, failed) => {
      if (signal?.aborted) return failed(abortion());
      const waiting: Waiting = { path, isUrgent: URGENT.test(path), signal, done, failed };
      signal?.addEventListener("abort", () => failed(abortion()));
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  #post(message: ToWorker, moved: Transferable[] = []): void {
    this.#worker.postMessage(message, moved);
  }

  #next(): void {
    if (this.#asked || !this.#isOpen) return;
    const wanted = this.#waiting.filter(({ signal }) => !signal?.aborted);
    const next = wanted.find(({ isUrgent }) => isUrgent) ?? wanted[0];
    this.#waiting.splice(0, this.#waiting.length, ...wanted.filter((waiting) => waiting !== next));
    if (!next) return;
    if (this.#failure) {
      next.done(new Response(JSON.stringify({ error: this.#failure }), { status: SERVER_ERROR }));
      return this.#next();
    }
    this.#asked = next;
    this.#post({ ask: next.path, id: ++this.#lastId });
  }

  #hear(message: FromWorker): void {
    if ("failed" in message) return this.#fail(message.failed);
    if ("ended" in message) {
      this.#status = message.status;
      this.#isOpen ||= message.ended;
      this.#statusKnown();
    } else {
      const { status, type, fileName, body } = message;
      const headers = { "Content-Type": type, ...(fileName && { "X-File-Name": encodeURIComponent(fileName) }) };
      this.#asked?.done(new Response(body, { status, headers }));
      this.#asked = null;
    }
    this.#next();
  }

  /** The module cannot be asked again: its memory is as the fault has left it. */
  #fail(why: string): void {
    this.#failure = `The engine in this page has ended (${why}). Load the page again, or open the file with cgpu view.`;
    const profile = { state: "error", share: 0, what: "", error: this.#failure, inputs: [] };
    if (!this.#isOpen) this.#status = JSON.stringify({ session: "", version: "", against: false, profiles: [profile] });
    this.#isOpen = true;
    this.#statusKnown();
    this.#asked?.done(new Response(JSON.stringify({ error: this.#failure }), { status: SERVER_ERROR }));
    this.#asked = null;
    this.#next();
  }
}
