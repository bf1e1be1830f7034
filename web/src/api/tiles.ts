// Binary tiles as typed arrays, which are views into the answer. Tiles are checked once here, so that what draws them
// need not.

export const BUCKETS = 1024;
export const HIGHEST_LEVEL = 53;

/** Slices of one track in 1024 buckets of 2^level ns, from bucket 1024 * index on. */
export interface SliceTile {
  readonly level: number;
  readonly index: number;
  readonly lanes: number;
  /** Entries of lane l: laneBegin[l] .. laneBegin[l + 1]; in order of time. */
  readonly laneBegin: Uint32Array;
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly slice: Uint32Array;
  readonly name: Uint32Array;
  readonly count: Uint32Array;
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  readonly colour: Uint16Array;
  readonly bytes: number;
}

export interface CounterTile {
  readonly level: number;
  readonly index: number;
  readonly minimum: Float64Array;
  readonly maximum: Float64Array;
  readonly last: Float64Array;
  readonly bucket: Uint16Array;
  readonly bytes: number;
}

export interface ActivityTile {
  readonly level: number;
  readonly index: number;
  readonly compute: Float32Array;
  readonly communication: Float32Array;
  readonly memory: Float32Array;
  readonly bytes: number;
}

export class TileError extends Error {}

/** Takes arrays from a buffer one after another. */
class Reader {
  at = 0;
  constructor(private readonly buffer: ArrayBuffer) {}

  take<A>(
    type: { new (buffer: ArrayBuffer, offset: number, length: number): A; BYTES_PER_ELEMENT: number },
    length: number,
  ): A {
    const size = length * type.BYTES_PER_ELEMENT;
    if (this.at + size > this.buffer.byteLength) throw new TileError("A tile is shorter than it says.");
    const offset = this.at;
    this.at += size;
    return new type(this.buffer, offset, length);
  }

  /** Skips the zeros up to a multiple of 8. */
  align(): void {
    this.at = Math.ceil(this.at / 8) * 8;
  }

  header(magic: string): Uint32Array {
    const header = this.take(Uint32Array, 4);
    const text = String.fromCharCode(...new Uint8Array(this.buffer, 0, 4));
    if (text !== magic) throw new TileError(`A tile begins with ${JSON.stringify(text)} instead of ${magic}.`);
    return header;
  }
}

function checkBuckets(from: Uint16Array, to: Uint16Array, begin: Uint32Array, lanes: number, entries: number): boolean {
  if (begin[0] !== 0 || begin[lanes] !== entries) return false;
  for (let lane = 0; lane < lanes; ++lane) {
    let last = 0;
    if (begin[lane + 1]! < begin[lane]!) return false;
    for (let i = begin[lane]!; i < begin[lane + 1]!; ++i) {
      if (from[i]! < last || to[i]! <= from[i]! || to[i]! > BUCKETS) return false;
      last = to[i]!;
    }
  }
  return true;
}

/** The tiles of an answer that has several. */
export function splitTiles(buffer: ArrayBuffer): ArrayBuffer[] {
  const reader = new Reader(buffer);
  const [magic, count] = reader.take(Uint32Array, 2);
  if (magic !== 0x31424743) throw new TileError("An answer with several tiles does not begin with CGB1.");
  const sizes = reader.take(Uint32Array, count!);
  return Array.from(sizes, (size) => {
    reader.align();
    const { at } = reader;
    reader.take(Uint8Array, size);
    return buffer.slice(at, at + size);
  });
}

export function decodeSliceTile(buffer: ArrayBuffer, level: number, index: number): SliceTile {
  const reader = new Reader(buffer);
  const header = reader.header("CGT1");
  const lanes = header[1]!;
  const entries = header[2]!;
  const laneBegin = reader.take(Uint32Array, lanes + 1);
  reader.align();
  const tile: SliceTile = {
    level,
    index,
    lanes,
    laneBegin,
    start: reader.take(Float64Array, entries),
    duration: reader.take(Float64Array, entries),
    slice: reader.take(Uint32Array, entries),
    name: reader.take(Uint32Array, entries),
    count: reader.take(Uint32Array, entries),
    from: reader.take(Uint16Array, entries),
    to: reader.take(Uint16Array, entries),
    colour: reader.take(Uint16Array, entries),
    bytes: buffer.byteLength,
  };
  if (!checkBuckets(tile.from, tile.to, tile.laneBegin, lanes, entries)) throw new TileError("A tile is out of order.");
  return tile;
}

export function decodeCounterTile(buffer: ArrayBuffer, level: number, index: number): CounterTile {
  const reader = new Reader(buffer);
  const entries = reader.header("CGC1")[1]!;
  return {
    level,
    index,
    minimum: reader.take(Float64Array, entries),
    maximum: reader.take(Float64Array, entries),
    last: reader.take(Float64Array, entries),
    bucket: reader.take(Uint16Array, entries),
    bytes: buffer.byteLength,
  };
}

export function decodeActivityTile(buffer: ArrayBuffer, level: number, index: number): ActivityTile {
  const reader = new Reader(buffer);
  const buckets = reader.header("CGA1")[1]!;
  if (buckets !== BUCKETS) throw new TileError("An activity tile has another number of buckets.");
  return {
    level,
    index,
    compute: reader.take(Float32Array, buckets),
    communication: reader.take(Float32Array, buckets),
    memory: reader.take(Float32Array, buckets),
    bytes: buffer.byteLength,
  };
}
