// Asks the server. Every failure is an ApiError with one line of text; whether the server is there, and is still the
// one that the page began with, is in `connection`.
import { Store } from "../model/store";
import type {
  AreaStatistics,
  Distributions,
  FlameGraph,
  Flow,
  LaunchSlices,
  Neighbor,
  RowSlices,
  SearchAnswer,
  Session,
  SliceAt,
  SliceDetails,
  SourceFile,
  SourceText,
  Status,
  Table,
} from "./protocol";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** `lost`: no answer. `restarted`: an answer of another session, `replaced`: of another profile too; the page must load
 * again. */
export type Connection = "ok" | "lost" | "restarted" | "replaced";

export interface TableOptions {
  from?: number;
  to?: number;
  step?: string;
  rank?: number;
  top?: number;
  sort?: string;
  where?: string;
  // Options that some tables declare; another refuses them.
  names?: "base" | "full";
  metric?: string;
}

/** The cells that name a row, by their columns. */
export interface RowCells {
  cells: Readonly<Record<string, string>>;
  /** The cells are beginnings. */
  cut: boolean;
}

/** The part of the profile, and options of the table. */
export interface RowOptions {
  from?: number;
  to?: number;
  names?: "base" | "full";
  limit?: number;
}

type Parameters = Record<string, string | number | boolean | undefined | null>;

export function query(parameters: Parameters): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(parameters)) {
    if (value === undefined || value === null || value === false) continue;
    const text = value === true ? "1" : typeof value === "number" ? decimal(value) : value;
    parts.push(`${key}=${encodeURIComponent(text)}`);
  }
  return parts.length ? "?" + parts.join("&") : "";
}

/** A number as the protocol has it: an integer in decimal, never in the form 1e21. */
export function decimal(value: number): string {
  return BigInt(Math.round(value)).toString();
}

const RETRY_MS = 1000;
const BEAT_MS = 3000;
/** A server that takes longer to say that it is there counts as lost. */
const PATIENCE_MS = 10000;
const UNAUTHORIZED = 401;

export class Client {
  readonly connection = new Store<Connection>("ok");
  #session: string | null = null;
  #inputs: string | null = null;
  #wanted: () => boolean = () => false;
  #asking: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly base = "") {}

  async status(signal?: AbortSignal): Promise<Status> {
    const status = await this.#json<Status>("/api/status", false, signal);
    if (this.#session === null) this.#inputs = String(status.inputs);
    return status;
  }

  /**
   * Asks now and every few seconds whether the server is there and still the same, for as long as `wanted` says so. To
   * be called again when that has become true.
   */
  watch(wanted: () => boolean): void {
    this.#wanted = wanted;
    this.#askIn(0);
  }

  async session(): Promise<Session> {
    const session = await this.#json<Session>("/api/session");
    this.#session = session.session;
    // Tracks without slices have neither slices nor lanes.
    for (const track of session.tracks) {
      track.slices ??= 0;
      track.lanes ??= 1;
    }
    return session;
  }

  names(block: number): Promise<{ first: number; names: string[] }> {
    return this.#json(`/api/names/${block}`);
  }

  tile(kind: "tile" | "counter" | "activity", track: number, level: number, index: number, signal?: AbortSignal) {
    return this.#get(`/api/${kind}${query({ track, level, index })}`, signal).then((answer) => answer.arrayBuffer());
  }

  slice(track: number, slice: number, signal?: AbortSignal): Promise<SliceDetails> {
    return this.#json(`/api/slice${query({ track, slice })}`, true, signal);
  }

  async neighbor(track: number, slice: number, to: Neighbor): Promise<SliceAt | null> {
    const found = await this.#json<Partial<SliceAt>>(`/api/neighbor${query({ track, slice, to })}`);
    return found.slice === undefined ? null : (found as SliceAt);
  }

  search(
    q: string,
    options: {
      regex?: boolean;
      /** Without derived slices. */
      own?: boolean;
      track?: string;
      at?: number;
      /** "TRACK,SLICE": only what comes after (or before) it. */
      past?: string;
      direction?: "next" | "previous";
      limit?: number;
    } = {},
    signal?: AbortSignal,
  ): Promise<SearchAnswer> {
    return this.#json(`/api/search${query({ q, ...options })}`, true, signal);
  }

  area(from: number, to: number, tracks: readonly number[] | null, signal?: AbortSignal): Promise<AreaStatistics> {
    return this.#json(`/api/area${query({ from, to, track: tracks?.join(",") })}`, true, signal);
  }

  /** One table with the selection that `cgpu table NAME` would make. */
  async table(name: string, options: TableOptions = {}, signal?: AbortSignal): Promise<Table> {
    const answer = await this.#json<Table & { tables?: Record<string, Table> }>(
      `/api/table/${encodeURIComponent(name)}${query({ ...options })}`,
      true,
      signal,
    );
    return answer.tables ? (answer.tables[name] ?? Object.values(answer.tables)[0]!) : answer;
  }

  flame(
    options: {
      view: "down" | "up";
      from?: number;
      to?: number;
      rank?: number;
      metric?: string;
      focus?: string;
      /** Iterations one by one. */
      steps?: boolean;
    },
    signal?: AbortSignal,
  ): Promise<FlameGraph> {
    return this.#json(`/api/flame${query({ ...options })}`, true, signal);
  }

  /** How the durations of the rows of a table are distributed. */
  distributions(
    table: string,
    options: { from?: number; to?: number; names?: "base" | "full"; top?: number } = {},
    signal?: AbortSignal,
  ): Promise<Distributions> {
    return this.#json(`/api/distributions${query({ table, ...options })}`, true, signal);
  }

  /** The slices that a row of a table is made of, the longest first. */
  row(table: string, row: RowCells, options: RowOptions, signal?: AbortSignal): Promise<RowSlices> {
    return this.#json(`/api/row${query({ table, ...row.cells, cut: row.cut, ...options })}`, true, signal);
  }

  flows(track: number, slice: number, signal?: AbortSignal): Promise<Flow[]> {
    return this.#json(`/api/flows${query({ track, slice })}`, true, signal);
  }

  /** The source files that the profile holds. */
  sources(signal?: AbortSignal): Promise<SourceFile[]> {
    return this.#json("/api/sources", true, signal);
  }

  source(rank: number, file: number, metric: string | undefined, signal?: AbortSignal): Promise<SourceText> {
    return this.#json(`/api/source${query({ rank, file, metric })}`, true, signal);
  }

  /** The slices of the kernel that a measured launch is of. */
  launchSlices(rank: number, id: number, signal?: AbortSignal): Promise<LaunchSlices> {
    return this.#json(`/api/launch${query({ rank, id })}`, true, signal);
  }

  exportUrl(to: "pftrace" | "json"): string {
    return `${this.base}/api/export${query({ to })}`;
  }

  async #json<T>(path: string, ofSession = true, signal?: AbortSignal): Promise<T> {
    const answer = await this.#get(path, signal, ofSession);
    return (await answer.json()) as T;
  }

  async #get(path: string, signal?: AbortSignal, ofSession = true): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(this.base + path, { signal, credentials: "same-origin" });
    } catch (error) {
      if (signal?.aborted) throw error;
      this.#lost();
      throw new ApiError(0, "The server does not answer.");
    }
    const session = answer.headers.get("X-Session");
    if (ofSession && this.#session && session && session !== this.#session) {
      void this.#ask();
      throw new ApiError(0, "The server was restarted.");
    }
    if (ofSession && this.connection.get() === "lost") this.connection.set("ok");
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
        this.#end(String(status.inputs) === this.#inputs ? "restarted" : "replaced");
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
    return this.connection.get() === "restarted" || this.connection.get() === "replaced";
  }

  #end(what: "restarted" | "replaced"): void {
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
