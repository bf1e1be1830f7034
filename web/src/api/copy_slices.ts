// The slices of a copy of the viewer, from its tiles that hold all of theirs: they are searched, summed over an area and
// gone through as the server does it. Of a track whose tiles did not all fit into the copy, those that did.
import type { AreaStatistics, Session, SliceAt, Table } from "./protocol";
import { spellings } from "../model/search_text";
import { decodeSliceTile } from "./tiles";

interface CopiedSlice {
  track: number;
  slice: number;
  lane: number;
  start: number;
  duration: number;
  name: number;
  kind: number;
}

export interface CompleteTile {
  track: number;
  level: number;
  index: number;
  bytes: ArrayBuffer;
}

/** By the kinds of their slices, the tables of an area. */
const AREA_TABLES: Readonly<Record<string, readonly string[]>> = {
  kernels: ["kernel", "memcpy", "memset", "device_collective"],
  ops: ["framework_op"],
  api: ["runtime_call", "driver_call"],
  ranges: ["annotation"],
};

export class CopySlices {
  /** In the order of their starts. */
  readonly #all: CopiedSlice[];
  readonly #ownTracks: ReadonlySet<number>;
  /** The slices of these are found where they lie. */
  readonly #unsearchedTracks: ReadonlySet<number>;

  constructor(
    tiles: readonly CompleteTile[],
    private readonly session: Session,
    private readonly nameOf: (id: number) => string,
  ) {
    const own = session.tracks.filter(({ derived }) => !derived);
    this.#ownTracks = new Set(own.map(({ id }) => id));
    const unsearched = session.tracks.filter(({ on_demand }) => on_demand);
    this.#unsearchedTracks = new Set(unsearched.map(({ id }) => id));
    this.#all = [...slicesIn(tiles)].sort(inTime);
  }

  /** As `search` of the server; null for what only that can answer. */
  search(parameters: URLSearchParams): object | null {
    if (parameters.has("argument")) return null; // arguments are in the details, of which only some are here
    const isWanted = this.#matcher(parameters);
    const hits = this.#all.filter(isWanted);
    const backwards = parameters.get("direction") === "previous";
    const reached = this.#reached(hits, parameters, backwards);
    const limit = Number(parameters.get("limit") ?? 100);
    const first = backwards ? reached.length : hits.length - reached.length + 1;
    const matches = (backwards ? [...reached].reverse() : reached).slice(0, limit).map((slice) => this.#at(slice));
    const names = new Set(hits.map(({ name }) => name)).size;
    return { total: hits.length, names, ...(reached.length ? { first } : {}), matches };
  }

  /** As `neighbor`, in the lane and along the nesting. */
  neighbor(parameters: URLSearchParams): object | null {
    const from = this.#find(Number(parameters.get("track")), Number(parameters.get("slice")));
    const to = parameters.get("to");
    if (!from) return null;
    const onTrack = this.#all.filter(({ track }) => track === from.track);
    const inLane = (lane: number) => onTrack.filter((slice) => slice.lane === lane);
    const end = from.start + from.duration;
    let found: CopiedSlice | undefined;
    if (to === "next" || to === "previous") {
      const lane = inLane(from.lane);
      found = lane[lane.indexOf(from) + (to === "next" ? 1 : -1)];
    } else if (to === "parent") {
      found = inLane(from.lane - 1).find(({ start, duration }) => start <= from.start && start + duration >= end);
    } else if (to === "child") {
      found = inLane(from.lane + 1).find(({ start }) => start >= from.start && start < end);
    } else {
      return null; // links are in the details
    }
    return found ? this.#at(found) : {};
  }

  /** As `row` of a table whose rows are named by their slices alone. */
  row(parameters: URLSearchParams): object | null {
    const name = parameters.get("name");
    if (name === null || parameters.has("from") || parameters.has("names")) return null;
    const kinds = AREA_TABLES[parameters.get("table") ?? ""];
    if (!kinds && parameters.get("table") !== "slices") return null;
    const isCut = parameters.has("cut");
    const slices = this.#all.filter((slice) => {
      const text = this.nameOf(slice.name);
      return (isCut ? text.startsWith(name) : text === name) && (!kinds || kinds.includes(this.#kindOf(slice)));
    });
    slices.sort((a, b) => b.duration - a.duration || a.start - b.start);
    const durations = slices.map(({ duration }) => duration);
    return {
      count: slices.length,
      total: durations.reduce((a, b) => a + b, 0),
      min: durations.at(-1) ?? 0,
      max: durations[0] ?? 0,
      slices: slices.slice(0, 1000).map((slice) => this.#at(slice)),
    };
  }

  /** What lies in an area: the times of each name, cut at the borders. */
  area(parameters: URLSearchParams): AreaStatistics {
    const [from, to] = [Number(parameters.get("from")), Number(parameters.get("to"))];
    const chosen = parameters.get("track")?.split(",").map(Number);
    const tracks = new Set(chosen ?? this.#ownTracks);
    const inside = this.#all.filter(
      ({ track, start, duration }) =>
        tracks.has(track) &&
        this.#ownTracks.has(track) &&
        start < to &&
        (start + duration > from || (duration === 0 && start >= from)),
    );
    const tables: Record<string, Table> = {};
    for (const [table, kinds] of Object.entries(AREA_TABLES)) {
      const of = inside.filter((slice) => kinds.includes(this.#kindOf(slice)));
      if (of.length) tables[table] = this.#timesByName(of, from, to);
    }
    return { from, to, slices: inside.length, tracks: tracks.size, tables };
  }

  #timesByName(slices: readonly CopiedSlice[], from: number, to: number): Table {
    const times = new Map<number, number[]>();
    for (const { name, start, duration } of slices) {
      const inside = Math.min(start + duration, to) - Math.max(start, from);
      const known = times.get(name);
      if (known) known.push(inside);
      else times.set(name, [inside]);
    }
    const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
    const whole = sum([...times.values()].map(sum)) || 1;
    const rows = [...times].map(([name, all]) => {
      const total = sum(all);
      const [min, max] = [Math.min, Math.max].map((pick) => all.reduce((a, b) => pick(a, b))) as [number, number];
      return [this.nameOf(name), all.length, total, (100 * total) / whole, total / all.length, min, max] as const;
    });
    rows.sort((a, b) => b[2] - a[2]);
    const ns = (name: string) => ({ name, type: "int", unit: "ns" });
    return {
      sorted_by: "-total_ns",
      columns: [
        { name: "name", type: "text" },
        { name: "count", type: "int", unit: "count" },
        ns("total_ns"),
        { name: "pct", type: "float", unit: "%", about: "of the times in this table" },
        { ...ns("mean_ns"), type: "float" },
        ns("min_ns"),
        ns("max_ns"),
      ],
      rows: rows.map((row) => [...row]),
    };
  }

  #matcher(parameters: URLSearchParams): (slice: CopiedSlice) => boolean {
    const q = parameters.get("q") ?? "";
    const isRegex = parameters.has("regex");
    const pattern = isRegex ? new RegExp(q, "i") : null;
    const text = q.toLowerCase();
    const own = parameters.has("own");
    const tracks = parameters.has("track") ? new Set(parameters.get("track")!.split(",").map(Number)) : null;
    const known = new Map<number, boolean>();
    const isCalledSo = (id: number): boolean => {
      let is = known.get(id);
      if (is === undefined) {
        const name = this.nameOf(id);
        is = spellings(name, this.session).some((one) =>
          pattern ? pattern.test(one) : one.toLowerCase().includes(text),
        );
        known.set(id, is);
      }
      return is;
    };
    return ({ track, name }) =>
      !this.#unsearchedTracks.has(track) &&
      (!own || this.#ownTracks.has(track)) &&
      (!tracks || tracks.has(track)) &&
      isCalledSo(name);
  }

  /** The hits from a moment or behind a slice on, in the direction of the search; in the order of time. */
  #reached(hits: readonly CopiedSlice[], parameters: URLSearchParams, backwards: boolean): readonly CopiedSlice[] {
    const past = parameters.get("past")?.split(",").map(Number);
    if (past) {
      const from = this.#find(past[0]!, past[1]!);
      if (!from) return [];
      return hits.filter((hit) => (backwards ? inTime(hit, from) < 0 : inTime(hit, from) > 0));
    }
    if (!parameters.has("at")) return hits;
    const at = Number(parameters.get("at"));
    return hits.filter(({ start }) => (backwards ? start <= at : start >= at));
  }

  #find(track: number, slice: number): CopiedSlice | undefined {
    return this.#all.find((one) => one.track === track && one.slice === slice);
  }

  #kindOf({ kind }: CopiedSlice): string {
    return this.session.kinds[kind] ?? "";
  }

  #at({ track, slice, lane, start, duration, name }: CopiedSlice): SliceAt {
    return { track, slice, lane, start, duration, name: this.nameOf(name) };
  }
}

/** The order of the starts, and among equal ones always the same. */
const inTime = (a: CopiedSlice, b: CopiedSlice): number => a.start - b.start || a.track - b.track || a.slice - b.slice;

/** Each slice once, in whichever tiles it lies. */
function* slicesIn(tiles: readonly CompleteTile[]): Iterable<CopiedSlice> {
  const seen = new Set<number>();
  for (const { track, level, index, bytes } of tiles) {
    const tile = decodeSliceTile(bytes, level, index);
    for (let lane = 0; lane < tile.lanes; ++lane) {
      for (let i = tile.laneBegin[lane]!; i < tile.laneBegin[lane + 1]!; ++i) {
        const slice = tile.slice[i]!;
        const key = track * 2 ** 32 + slice;
        if (seen.has(key)) continue;
        seen.add(key);
        const [start, duration, name] = [tile.start[i]!, tile.duration[i]!, tile.name[i]!];
        yield { track, slice, lane, start, duration, name, kind: tile.colour[i]! >> 8 };
      }
    }
  }
}
