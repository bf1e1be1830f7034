// The server: whether it is there, and is still the one that the page began with (`connection`). Every failure is an
// ApiError with one line of text.
import { Store } from "../model/store";
import type { Copy } from "./copy";
import type { Engine } from "./engine";
import type { Status } from "./protocol";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** `lost`: no answer. `restarted`: an answer of another session, `replaced`: of another profile too; `released`: the
 * server has let go what the page shows. After the last three the page must load again. */
export type Connection = "ok" | "lost" | "restarted" | "replaced" | "released";

const RETRY_MS = 1000;
const BEAT_MS = 3000;
/** A server that takes longer to say that it is there counts as lost. */
const PATIENCE_MS = 10000;
const UNAUTHORIZED = 401;
const GONE = 410;

const inputsOf = (status: Status): string => JSON.stringify(status.profiles.map(({ inputs }) => inputs));

export class Server {
  readonly connection = new Store<Connection>("ok");
  #session: string | null = null;
  #inputs: string | null = null;
  #wanted: () => boolean = () => false;
  #asking: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly base = "",
    /** Answers in place of a server, as far as they were recorded. */
    readonly copy: Copy | null = null,
    /** Answers in place of a server, all that it would. */
    readonly engine: Engine | null = null,
  ) {}

  /** Whether there is one, beyond this page. */
  get isServed(): boolean {
    return !this.copy && !this.engine;
  }

  async status(signal?: AbortSignal): Promise<Status> {
    const status = await this.json<Status>("/api/status", signal, false);
    if (this.#session === null) this.#inputs = inputsOf(status);
    return status;
  }

  /**
   * Asks now and every few seconds whether the server is there and still the same, for as long as `wanted` says so. To
   * be called again when that has become true.
   */
  watch(wanted: () => boolean): void {
    if (!this.isServed) return;
    this.#wanted = wanted;
    this.#askIn(0);
  }

  /** Answers of another session of the server than this are refused from now on. */
  begin(session: string): void {
    this.#session = session;
  }

  async json<T>(path: string, signal?: AbortSignal, ofSession = true): Promise<T> {
    const answer = await this.get(path, signal, ofSession);
    return (await answer.json()) as T;
  }

  /** For what makes the server do something. */
  async post<T>(path: string): Promise<T> {
    const answer = await this.#answer(path, { method: "POST" }, true);
    return (await answer.json()) as T;
  }

  get(path: string, signal?: AbortSignal, ofSession = true): Promise<Response> {
    return this.#answer(path, { signal }, ofSession);
  }

  async #answer(path: string, how: RequestInit, ofSession: boolean): Promise<Response> {
    let answer: Response;
    try {
      if (this.copy) answer = this.copy.answer(path);
      else if (this.engine) answer = await this.engine.answer(path, how.signal);
      else answer = await fetch(this.base + path, { ...how, credentials: "same-origin" });
    } catch (error) {
      if (how.signal?.aborted) throw error;
      this.#lost();
      throw new ApiError(0, "The server does not answer.");
    }
    const session = answer.headers.get("X-Session");
    if (ofSession && this.#session && session && session !== this.#session) {
      void this.#ask();
      throw new ApiError(0, "The server was restarted.");
    }
    if (ofSession && this.connection.get() === "lost") this.connection.set("ok");
    if (answer.status === GONE && this.#session) this.#end("released");
    if (!answer.ok) throw new ApiError(answer.status, await errorText(answer));
    return answer;
  }

  #askIn(ms: number): void {
    clearTimeout(this.#asking);
    if (!this.#isOver) this.#asking = setTimeout(() => this.#wanted() && void this.#ask(), ms);
  }

  async #ask(): Promise<void> {
    try {
      const status = await this.status(AbortSignal.timeout(PATIENCE_MS));
      if (this.#session !== null && status.session !== this.#session) {
        this.#end(inputsOf(status) === this.#inputs ? "restarted" : "replaced");
      } else if (this.connection.get() === "lost") {
        this.connection.set("ok");
      }
    } catch (error) {
      // Another server that wants another token: loading again says so.
      if (error instanceof ApiError && error.status === UNAUTHORIZED) this.#end("restarted");
      else this.#lost();
    }
    this.#askIn(this.connection.get() === "lost" ? RETRY_MS : BEAT_MS);
  }

  get #isOver(): boolean {
    return ["restarted", "replaced", "released"].includes(this.connection.get());
  }

  #end(what: "restarted" | "replaced" | "released"): void {
    if (!this.#isOver) this.connection.set(what);
  }

  #lost(): void {
    if (this.connection.get() !== "ok") return;
    this.connection.set("lost");
    this.#askIn(RETRY_MS);
  }
}

async function errorText(answer: Response): Promise<string> {
  try {
    const body = (await answer.json()) as { error?: unknown };
    if (typeof body.error === "string") return body.error;
  } catch {
    // Not JSON: the status line has to do.
  }
  return `The server answered ${answer.status} ${answer.statusText}`.trim();
}
