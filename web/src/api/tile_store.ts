// The tiles that have come, and those on their way. What is drawn first is asked for first: a frame names all tiles it
// wants, in its order; what no frame wants any more is not asked for. The oldest unused tiles are dropped.
import type { Client, TileKind, TilePlace } from "./client";
import { BUCKETS, HIGHEST_LEVEL, decodeActivityTile, decodeCounterTile, decodeSliceTile } from "./tiles";
import type { CallDepth } from "../model/call_depth";
import type { ActivityTile, CounterTile, SliceTile } from "./tiles";

interface TileOf {
  tile: SliceTile;
  counter: CounterTile;
  activity: ActivityTile;
}
type AnyTile = SliceTile | CounterTile | ActivityTile;

const DECODE = { tile: decodeSliceTile, counter: decodeCounterTile, activity: decodeActivityTile };

const AT_ONCE = 6; // requests; browsers open no more connections to a host
const MOST_IN_REQUEST = 128;
const KEPT_BYTES = 192 * 2 ** 20;
const FAILED_AGAIN_MS = 2000;

interface Wanted extends TilePlace {
  level: number;
  depth: CallDepth;
  key: string;
}

export class TileStore {
  #tiles = new Map<string, AnyTile>(); // in order of last use
  #bytes = 0;
  #queue: Wanted[] = [];
  #queued = new Set<string>();
  #running = new Set<string>(); // tiles
  #requests = 0;
  #failed = new Map<string, number>();
  #listeners = new Set<() => void>();

  constructor(
    private readonly client: Pick<Client, "tiles">,
    private readonly keep = KEPT_BYTES,
    /** At which depth of its call paths a track is wanted now. */
    private readonly depthOf: (track: number) => CallDepth = () => null,
  ) {}

  /** Calls the listener whenever a tile has come. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tiles asked for and not here yet. */
  get pending(): number {
    return this.#queue.length + this.#running.size;
  }

  /** Begins a new list of what is wanted; requests that have not been sent are forgotten. */
  beginFrame(): void {
    this.#queue.length = 0;
    this.#queued.clear();
  }

  /** The tile, or undefined; then it is asked for. */
  want<K extends TileKind>(kind: K, track: number, level: number, index: number): TileOf[K] | undefined {
    const key = this.#keyOf(kind, track, level, index);
    const tile = this.#use(key);
    if (tile) return tile as TileOf[K];
    if (!this.#queued.has(key) && !this.#running.has(key) && !this.#failedNow(key)) {
      this.#queued.add(key);
      this.#queue.push({ kind, track, level, index, depth: this.depthOf(track), key });
      queueMicrotask(() => this.#pump());
    }
    return undefined;
  }

  /** The tile if it is here. */
  peek<K extends TileKind>(kind: K, track: number, level: number, index: number): TileOf[K] | undefined {
    return this.#tiles.get(this.#keyOf(kind, track, level, index)) as TileOf[K] | undefined;
  }

  /** What is here of other levels in place of a missing tile: the nearest coarser one over it, else the finer ones. */
  instead<K extends TileKind>(kind: K, track: number, level: number, index: number): TileOf[K][] {
    for (let up = 1; level + up <= HIGHEST_LEVEL && up <= 24; ++up) {
      const tile = this.peek(kind, track, level + up, Math.floor(index / 2 ** up));
      if (tile) return [tile];
    }
    if (level === 0) return [];
    return [2 * index, 2 * index + 1].flatMap((finer) => this.peek(kind, track, level - 1, finer) ?? []);
  }

  /** Asks again for what has failed. */
  retry(): void {
    this.#failed.clear();
    this.#notify();
  }

  #keyOf(kind: TileKind, track: number, level: number, index: number): string {
    return `${kind[0]}${track}@${this.depthOf(track) ?? ""}/${level}/${index}`;
  }

  #use(key: string): AnyTile | undefined {
    const tile = this.#tiles.get(key);
    if (tile) {
      this.#tiles.delete(key);
      this.#tiles.set(key, tile);
    }
    return tile;
  }

  #failedNow(key: string): boolean {
    const until = this.#failed.get(key);
    return until !== undefined && until > performance.now();
  }

  /** Shares out what is wanted over the requests that may be under way; those of one request are of one level and depth. */
  #pump(): void {
    while (this.#requests < AT_ONCE && this.#queue.length) {
      const share = Math.min(MOST_IN_REQUEST, Math.ceil(this.#queue.length / (AT_ONCE - this.#requests)));
      const { level, depth } = this.#queue[0]!;
      const other = this.#queue.findIndex((wanted) => wanted.level !== level || wanted.depth !== depth);
      const wanted = this.#queue.splice(0, other < 0 ? share : Math.min(share, other));
      for (const { key } of wanted) this.#queued.delete(key);
      void this.#load(level, depth, wanted);
    }
  }

  async #load(level: number, depth: CallDepth, wanted: Wanted[]): Promise<void> {
    ++this.#requests;
    for (const { key } of wanted) this.#running.add(key);
    try {
      const tiles = await this.client.tiles(level, wanted, depth);
      wanted.forEach(({ kind, index, key }, i) => this.#keep(key, DECODE[kind](tiles[i]!, level, index)));
    } catch {
      for (const { key } of wanted) {
        if (!this.#tiles.has(key)) this.#failed.set(key, performance.now() + FAILED_AGAIN_MS);
      }
      setTimeout(() => this.#notify(), FAILED_AGAIN_MS + 10);
    }
    for (const { key } of wanted) this.#running.delete(key);
    --this.#requests;
    this.#notify();
    this.#pump();
  }

  #keep(key: string, tile: AnyTile): void {
    this.#failed.delete(key);
    this.#tiles.set(key, tile);
    this.#bytes += tile.bytes;
    for (const [old, dropped] of this.#tiles) {
      if (this.#bytes <= this.keep) break;
      this.#tiles.delete(old);
      this.#bytes -= dropped.bytes;
    }
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The tiles of a level that a window touches, none beside the session. */
export function tilesIn(start: number, end: number, span: number, level: number): { first: number; last: number } {
  const size = BUCKETS * 2 ** level;
  return { first: Math.max(0, Math.floor(start / size)), last: Math.floor(Math.min(end, span) / size) };
}
