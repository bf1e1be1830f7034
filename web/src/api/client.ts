// Asks the server. Every failure is an ApiError with one line of text; whether the server is there, and is still the
// one that the page began with, is in `connection`.
import { Store } from "../model/store";
import type {
  AreaStatistics,
  FlameGraph,
  Flow,
  Neighbor,
  SearchAnswer,
  Session,
  SliceAt,
  SliceDetails,
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

/** `lost`: no answer. `restarted`: an answer of another session; the page must load again. */
export type Connection = "ok" | "lost" | "restarted";

export interface TableOptions {
  from?: number;
  to?: number;
  step?: string;
  rank?: number;
  top?: number;
  sort?: string;
  where?: string;
  base_names?: boolean;
  metric?: string;
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

export class Client {
  readonly connection = new Store<Connection>("ok");
  #session: string | null = null;
  #waiting: ReturnType<typeof setTimeout> | null = null;

  constructor(readonly base = "") {}

  status(): Promise<Status> {
    return this.#json<Status>("/api/status", false);
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
    options: { regex?: boolean; track?: string; at?: number; direction?: "next" | "previous"; limit?: number } = {},
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
    options: { view: "down" | "up"; from?: number; to?: number; rank?: number; metric?: string; focus?: string },
    signal?: AbortSignal,
  ): Promise<FlameGraph> {
    return this.#json(`/api/flame${query({ ...options })}`, true, signal);
  }

  flows(track: number, slice: number, signal?: AbortSignal): Promise<Flow[]> {
    return this.#json(`/api/flows${query({ track, slice })}`, true, signal);
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
      this.connection.set("restarted");
      throw new ApiError(0, "The server was restarted.");
    }
    if (this.connection.get() === "lost") this.connection.set("ok");
    if (!answer.ok) throw new ApiError(answer.status, await errorText(answer));
    return answer;
  }

  /** Asks again and again whether the server is back. */
  #lost(): void {
    if (this.connection.get() === "restarted") return;
    this.connection.set("lost");
    if (this.#waiting) return;
    this.#waiting = setTimeout(async () => {
      this.#waiting = null;
      try {
        const status = await this.status();
        if (this.#session && status.session !== this.#session) this.connection.set("restarted");
        else this.connection.set("ok");
      } catch {
        // status() has called #lost again, or the server answered an error: it will be asked again by others.
      }
    }, RETRY_MS);
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
