// Tiles that a copy of the viewer makes itself, in the form of the protocol and as the server makes them: of slices, of a
// coarser tile that holds all of its slices; of counters and of busy times, of columns of all samples and intervals.
import { BUCKETS, decodeSliceTile } from "./tiles";

class Writer {
  readonly buffer: ArrayBuffer;
  #at = 0;
  constructor(size: number) {
    this.buffer = new ArrayBuffer(size);
  }
  put(values: Uint32Array | Float64Array | Float32Array | Uint16Array): this {
    new Uint8Array(this.buffer).set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), this.#at);
    this.#at += values.byteLength;
    return this;
  }
  align(): this {
    this.#at = Math.ceil(this.#at / 8) * 8;
    return this;
  }
}

const header = (magic: string, a: number, b = 0): Uint32Array =>
  new Uint32Array([[...magic].reduce((sum, c, i) => sum + c.charCodeAt(0) * 2 ** (8 * i), 0), a, b, 0]);

/** The tile `index` of `level` below one that holds all of its slices. */
export function finerSlices(
  bytes: ArrayBuffer,
  levelAbove: number,
  indexAbove: number,
  level: number,
  index: number,
): ArrayBuffer {
  const above = decodeSliceTile(bytes, levelAbove, indexAbove);
  const size = 2 ** level;
  const begin = index * BUCKETS * size;
  const laneBegin = new Uint32Array(above.lanes + 1);
  const chosen: { entry: number; from: number; to: number; count: number }[] = [];
  const best = new Int32Array(BUCKETS);
  for (let lane = 0; lane < above.lanes; ++lane) {
    best.fill(-1);
    const starting = new Uint32Array(BUCKETS);
    let last = -1; // a slice may have several entries
    for (let i = above.laneBegin[lane]!; i < above.laneBegin[lane + 1]!; ++i) {
      const start = above.start[i]! - begin;
      const end = start + above.duration[i]!;
      if (above.slice[i] === last) continue;
      last = above.slice[i]!;
      const own = Math.floor(start / size);
      const from = Math.max(own, 0);
      const to = Math.min(end > start ? Math.ceil(end / size) : own + 1, BUCKETS);
      if (own >= 0 && own < BUCKETS) starting[own]!++;
      for (let bucket = from; bucket < to; ++bucket) {
        const winner = best[bucket]!;
        if (winner < 0 || above.duration[i]! > above.duration[winner]!) best[bucket] = i;
      }
    }
    for (let bucket = 0; bucket < BUCKETS; ++bucket) {
      if (best[bucket]! < 0) continue;
      const before = chosen.at(-1);
      if (before && chosen.length > laneBegin[lane]! && before.entry === best[bucket] && before.to === bucket) {
        before.to = bucket + 1;
        before.count += starting[bucket]!;
      } else {
        chosen.push({ entry: best[bucket]!, from: bucket, to: bucket + 1, count: starting[bucket]! });
      }
    }
    laneBegin[lane + 1] = chosen.length;
  }
  const n = chosen.length;
  const entries = chosen.map(({ entry }) => entry);
  const ends = Math.ceil((16 + laneBegin.byteLength) / 8) * 8;
  return new Writer(Math.ceil((ends + n * (8 + 8 + 4 + 4 + 4 + 2 + 2 + 2)) / 8) * 8)
    .put(header("CGT1", above.lanes, n))
    .put(laneBegin)
    .align()
    .put(Float64Array.from(entries, (i) => above.start[i]!))
    .put(Float64Array.from(entries, (i) => above.duration[i]!))
    .put(Uint32Array.from(entries, (i) => above.slice[i]!))
    .put(Uint32Array.from(entries, (i) => above.name[i]!))
    .put(Uint32Array.from(chosen, ({ count }) => count))
    .put(Uint16Array.from(chosen, ({ from }) => from))
    .put(Uint16Array.from(chosen, ({ to }) => to))
    .put(Uint16Array.from(entries, (i) => above.colour[i]!))
    .align().buffer;
}

/** The first place in an ascending column whose number is at least `wanted`. */
function firstFrom(column: Float64Array, wanted: number): number {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of the times and values of all samples. */
export function counterTile([times, values]: Float64Array[], level: number, index: number): ArrayBuffer {
  const size = 2 ** level;
  const begin = index * BUCKETS * size;
  const kept: { bucket: number; minimum: number; maximum: number; last: number }[] = [];
  let first = firstFrom(times!, begin);
  if (first > 0 && (first === times!.length || times![first]! >= begin + size)) {
    const value = values![first - 1]!; // the value before the tile holds until the first sample
    kept.push({ bucket: 0, minimum: value, maximum: value, last: value });
  }
  while (first < times!.length && times![first]! < begin + BUCKETS * size) {
    const bucket = Math.floor((times![first]! - begin) / size);
    const edge = begin + bucket * size;
    const last = firstFrom(times!, edge + size);
    const held = values!.subarray(first > 0 && times![first]! > edge ? first - 1 : first, last);
    const entry = { bucket, minimum: Infinity, maximum: -Infinity, last: values![last - 1]! };
    for (const value of held) {
      entry.minimum = Math.min(entry.minimum, value);
      entry.maximum = Math.max(entry.maximum, value);
    }
    kept.push(entry);
    first = last;
  }
  return new Writer(Math.ceil((16 + kept.length * 26) / 8) * 8)
    .put(header("CGC1", kept.length))
    .put(Float64Array.from(kept, ({ minimum }) => minimum))
    .put(Float64Array.from(kept, ({ maximum }) => maximum))
    .put(Float64Array.from(kept, ({ last }) => last))
    .put(Uint16Array.from(kept, ({ bucket }) => bucket)).buffer;
}

/** Of the beginnings and ends of each kind of work. */
export function activityTile(columns: Float64Array[], level: number, index: number): ArrayBuffer {
  const size = 2 ** level;
  const begin = index * BUCKETS * size;
  const out = new Writer(16 + 3 * 4 * BUCKETS).put(header("CGA1", BUCKETS));
  for (let kind = 0; kind < 3; ++kind) {
    const begins = columns[2 * kind]!;
    const ends = columns[2 * kind + 1]!;
    const shares = new Float32Array(BUCKETS);
    const covered = new Float64Array(BUCKETS);
    for (let i = firstFrom(ends, begin); i < begins.length && begins[i]! < begin + BUCKETS * size; ++i) {
      const from = Math.max(begins[i]! - begin, 0);
      const to = Math.min(ends[i]! - begin, BUCKETS * size);
      for (let bucket = Math.floor(from / size); bucket * size < to; ++bucket) {
        covered[bucket]! += Math.min(to, (bucket + 1) * size) - Math.max(from, bucket * size);
      }
    }
    for (let bucket = 0; bucket < BUCKETS; ++bucket) shares[bucket] = covered[bucket]! / size;
    out.put(shares);
  }
  return out.buffer;
}
