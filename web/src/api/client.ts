// Asks the server about one of the profiles that it shows.
import type {
  AreaStatistics,
  Distributions,
  FlameGraph,
  Flow,
  FunctionsAtDepth,
  LaunchSlices,
  NameBlock,
  Neighbor,
  RankTrace,
  RanksStatus,
  RowSlices,
  SearchAnswer,
  Session,
  SliceAt,
  SliceDetails,
  SourceFile,
  SourceText,
  SqlAnswer,
  Table,
} from "./protocol";
import { ApiError, type Server } from "./server";
import type { CallDepth } from "../model/call_depth";
import { splitTiles } from "./tiles";

export interface TableOptions {
  from?: number;
  to?: number;
  step?: string;
  rank?: number;
  top?: number;
  sort?: string;
  where?: string;
  /** The text column of which the short forms come too. */
  short?: string;
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

export type TileKind = "tile" | "counter" | "activity";

/** One tile of a level. */
export interface TilePlace {
  /** That the track is drawn from. */
  kind: TileKind;
  track: number;
  index: number;
}

/** For how long an export is kept that the browser saves. */
const KEPT_FOR_SAVING_MS = 60_000;
/** The bytes that an address may have, less its beginning. */
const LONGEST_REQUEST = 8000;

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

export class Client {
  constructor(
    readonly server: Server,
    /** Its number. */
    readonly profile: number,
  ) {}

  async session(): Promise<Session> {
    const session = await this.#json<Session>("session");
    this.server.begin(session.session);
    if (this.server.copy) session.views = session.views.filter((view) => view !== "sql"); // nobody there to ask
    // Tracks without slices have neither slices nor lanes.
    for (const track of session.tracks) {
      track.slices ??= 0;
      track.lanes ??= 1;
    }
    return session;
  }

  names(block: number): Promise<NameBlock> {
    return this.#json(`names/${block}`);
  }

  /** `depth`: at which call paths are wanted, of a tile of slices. */
  tile(kind: TileKind, track: number, level: number, index: number, signal?: AbortSignal, depth: CallDepth = null) {
    const path = this.#path(`${kind}${query({ track, level, index, depth })}`);
    return this.server.get(path, signal).then((answer) => answer.arrayBuffer());
  }

  /** Several tiles of a level in one request. */
  async tiles(level: number, wanted: readonly TilePlace[], depth: CallDepth = null): Promise<ArrayBuffer[]> {
    if (wanted.length === 1 || this.server.copy) {
      return Promise.all(
        wanted.map(({ kind, track, index }) => this.tile(kind, track, level, index, undefined, depth)),
      );
    }
    const [track, index] = (["track", "index"] as const).map((key) => wanted.map((one) => decimal(one[key])).join(","));
    const answer = await this.server.get(this.#path(`tiles${query({ level, track, index, depth })}`));
    return splitTiles(await answer.arrayBuffer());
  }

  slice(track: number, slice: number, signal?: AbortSignal): Promise<SliceDetails> {
    return this.#json(`slice${query({ track, slice })}`, signal);
  }

  async neighbor(track: number, slice: number, to: Neighbor): Promise<SliceAt | null> {
    const found = await this.#json<Partial<SliceAt>>(`neighbor${query({ track, slice, to })}`);
    return found.slice === undefined ? null : (found as SliceAt);
  }

  search(
    q: string,
    options: {
      /** Of this argument q is a part, or with `equal` the value. */
      argument?: string;
      equal?: boolean;
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
    return this.#json(`search${query({ q, ...options })}`, signal);
  }

  area(from: number, to: number, tracks: readonly number[] | null, signal?: AbortSignal): Promise<AreaStatistics> {
    return this.#json(`area${query({ from, to, track: tracks?.join(",") })}`, signal);
  }

  /** Which functions the call paths of some tracks (null: of all) have at a depth, and for how long. */
  functions(
    depth: number,
    window: { from: number; to: number },
    tracks: readonly number[] | null,
    signal?: AbortSignal,
  ): Promise<FunctionsAtDepth> {
    return this.#json(`functions${query({ depth, ...window, track: tracks?.join(",") })}`, signal);
  }

  /** One table with the selection that `cgpu table NAME` would make. */
  async table(name: string, options: TableOptions = {}, signal?: AbortSignal): Promise<Table> {
    const answer = await this.#json<Table & { tables?: Record<string, Table> }>(
      `table/${encodeURIComponent(name)}${query({ ...options })}`,
      signal,
    );
    const table = answer.tables ? (answer.tables[name] ?? Object.values(answer.tables)[0]!) : answer;
    return answer.short ? { ...table, short: answer.short } : table;
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
    return this.#json(`flame${query({ ...options })}`, signal);
  }

  /** How the durations of the rows of a table are distributed. */
  distributions(
    table: string,
    options: { from?: number; to?: number; names?: "base" | "full"; top?: number } = {},
    signal?: AbortSignal,
  ): Promise<Distributions> {
    return this.#json(`distributions${query({ table, ...options })}`, signal);
  }

  /** The slices that a row of a table is made of, the longest first. */
  row(table: string, row: RowCells, options: RowOptions, signal?: AbortSignal): Promise<RowSlices> {
    return this.#json(`row${query({ table, ...row.cells, cut: row.cut, ...options })}`, signal);
  }

  flows(track: number, slice: number, signal?: AbortSignal): Promise<Flow[]> {
    return this.#json(`flows${query({ track, slice })}`, signal);
  }

  /** The source files that the profile holds. */
  sources(signal?: AbortSignal): Promise<SourceFile[]> {
    return this.#json("sources", signal);
  }

  source(rank: number, file: number, metric: string | undefined, signal?: AbortSignal): Promise<SourceText> {
    return this.#json(`source${query({ rank, file, metric })}`, signal);
  }

  /** The slices of the kernel that a measured launch is of. */
  launchSlices(rank: number, id: number, signal?: AbortSignal): Promise<LaunchSlices> {
    return this.#json(`launch${query({ rank, id })}`, signal);
  }

  /** The rows of a statement, which is known by `id` while it runs. */
  async sql(statement: string, id: string, signal?: AbortSignal): Promise<SqlAnswer> {
    const asked = `sql${query({ statement, id })}`;
    if (asked.length > LONGEST_REQUEST)
      throw new ApiError(0, "The statement is too long for the page; cgpu sql takes it.");
    const { tables, is_cut } = await this.#json<{ tables: { result: Table }; is_cut: boolean }>(asked, signal);
    return { table: tables.result, isCut: is_cut };
  }

  /** Ends a statement; the request outlives the page. */
  async stopSql(id: string): Promise<void> {
    if (!this.server.isServed) return; // the engine does one thing at a time: it ends by its limit
    await fetch(this.server.base + this.#path(`sql_stop${query({ id })}`), { keepalive: true });
  }

  /** The slice that tables know by a number. */
  place(slice: number): Promise<SliceAt> {
    return this.#json(`place${query({ slice })}`);
  }

  /** Of a summary: where the profiles of ranks lie. */
  async traces(ranks: readonly number[], signal?: AbortSignal): Promise<RankTrace[]> {
    return (await this.#json<{ ranks: RankTrace[] }>(`traces${query({ rank: ranks.join(",") })}`, signal)).ranks;
  }

  /** Of a summary: has ranks opened, and gives the number of their profile. */
  async open(ranks: readonly number[]): Promise<number> {
    const path = this.#path(`open${query({ rank: ranks.join(",") })}`);
    return (await this.server.post<{ profile: number }>(path)).profile;
  }

  /** How far such ranks are. */
  status(): Promise<RanksStatus> {
    return this.#json("status");
  }

  export(to: "pftrace" | "json"): Promise<Response> {
    return this.server.get(this.#path(`export${query({ to })}`));
  }

  /** Has the browser save an export. */
  async saveExport(to: "pftrace" | "json"): Promise<void> {
    if (this.server.isServed) {
      location.assign(this.server.base + this.#path(`export${query({ to })}`));
      return;
    }
    await this.#save(await this.export(to), `export.${to}`);
  }

  /** Has the server make one of the files that the session names, and the browser save it. */
  async saveFile(kind: string): Promise<void> {
    await this.#save(await this.server.get(this.#path(`save${query({ as: kind })}`)), `${kind}.html`);
  }

  async #save(answer: Response, otherwise: string): Promise<void> {
    const named = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = named?.[1] ?? decodeURIComponent(answer.headers.get("X-File-Name") ?? otherwise);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_FOR_SAVING_MS);
  }

  #path(what: string): string {
    return `/api/p/${this.profile}/${what}`;
  }

  #json<T>(what: string, signal?: AbortSignal): Promise<T> {
    return this.server.json(this.#path(what), signal);
  }
}
