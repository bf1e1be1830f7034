// The files that the engine sees: those that the user gave, read where they lie, and what it writes itself, in memory.

/** What can be read anywhere. `read` fills `into` from `at` on and gives how many bytes that were. */
export interface Readable {
  readonly size: number;
  read(at: number, into: Uint8Array): number;
}

export class Folder {
  readonly entries = new Map<string, Folder | Readable>();
}

/** What the engine writes: temporary files. */
export class WrittenFile implements Readable {
  #bytes = new Uint8Array(4096);
  size = 0;

  read(at: number, into: Uint8Array): number {
    const part = this.#bytes.subarray(at, Math.max(at, Math.min(this.size, at + into.length)));
    into.set(part);
    return part.length;
  }

  write(at: number, from: Uint8Array): void {
    const end = at + from.length;
    this.resize(Math.max(this.size, end));
    this.#bytes.set(from, at);
  }

  resize(size: number): void {
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.size));
      this.#bytes = larger;
    }
    if (size < this.size) this.#bytes.fill(0, size, this.size);
    this.size = size;
  }
}

const CHUNK = 1 << 18;
const CHUNKS_KEPT = 64;

/** A file of the user's. A worker may read parts of it at once; small ones come from the last ones that were read. */
export class BlobFile implements Readable {
  readonly size: number;
  readonly #reader = new FileReaderSync();
  readonly #chunks = new Map<number, Uint8Array>();

  constructor(private readonly blob: Blob) {
    this.size = blob.size;
  }

  read(at: number, into: Uint8Array): number {
    const size = Math.max(0, Math.min(into.length, this.size - at));
    if (size >= CHUNK) {
      into.set(this.#load(at, size));
      return size;
    }
    for (let done = 0; done < size;) {
      const number = Math.floor((at + done) / CHUNK);
      const from = at + done - number * CHUNK;
      const part = this.#chunk(number).subarray(from, from + size - done);
      into.set(part, done);
      done += part.length;
    }
    return size;
  }

  #chunk(number: number): Uint8Array {
    const found = this.#chunks.get(number) ?? this.#load(number * CHUNK, CHUNK);
    this.#chunks.delete(number); // the last one asked for is the last to go
    this.#chunks.set(number, found);
    if (this.#chunks.size > CHUNKS_KEPT) this.#chunks.delete(this.#chunks.keys().next().value!);
    return found;
  }

  #load(at: number, size: number): Uint8Array {
    return new Uint8Array(this.#reader.readAsArrayBuffer(this.blob.slice(at, at + size)));
  }
}

/** The parts of a path, without those that lead nowhere. */
function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts;
}

export class FileSystem {
  readonly root = new Folder();

  constructor() {
    this.makeFolder("/tmp");
  }

  find(path: string): Folder | Readable | undefined {
    let at: Folder | Readable | undefined = this.root;
    for (const part of partsOf(path)) at = at instanceof Folder ? at.entries.get(part) : undefined;
    return at;
  }

  /** The folder that the last part of a path is or would be in, and that part. */
  place(path: string): { folder: Folder; name: string } | null {
    const parts = partsOf(path);
    const name = parts.pop();
    const folder = this.find(parts.join("/"));
    return name !== undefined && folder instanceof Folder ? { folder, name } : null;
  }

  makeFolder(path: string): Folder {
    let at = this.root;
    for (const part of partsOf(path)) {
      let next = at.entries.get(part);
      if (!(next instanceof Folder)) at.entries.set(part, (next = new Folder()));
      at = next;
    }
    return at;
  }

  add(path: string, file: Readable): void {
    const parts = partsOf(path);
    const name = parts.pop()!;
    this.makeFolder(parts.join("/")).entries.set(name, file);
  }
}
