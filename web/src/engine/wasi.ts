// What the engine asks of its system (WASI, preview 1): files of a FileSystem, the time, random bytes. It has no network, no
// other programs and no threads. https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
import { type FileSystem, Folder, type Readable, WrittenFile } from "./file_system";

const OK = 0;
const BADF = 8;
const EXIST = 20;
const INVAL = 28;
const ISDIR = 31;
const NOENT = 44;
const NOSYS = 52;
const NOTDIR = 54;
const NOTEMPTY = 55;
const ROFS = 69;

const CHARACTER_DEVICE = 2;
const DIRECTORY = 3;
const REGULAR_FILE = 4;

const CREATE = 1;
const MUST_BE_FOLDER = 2;
const MUST_BE_NEW = 4;
const TRUNCATE = 8;
const APPEND = 1;
const MAY_WRITE = 1n << 6n;

const ROOT_DESCRIPTOR = 3;

interface Open {
  what: Folder | Readable;
  path: string;
  position: number;
  flags: number;
}

type Call = (...args: never[]) => number;

export class Wasi {
  #memory!: WebAssembly.Memory;
  readonly #open = new Map<number, Open>();
  readonly #numbers = new WeakMap<object, number>();
  #lastNumber = 0;

  constructor(
    private readonly files: FileSystem,
    /** What the engine writes to its standard output and error. */
    private readonly say: (text: string) => void,
  ) {
    this.#open.set(ROOT_DESCRIPTOR, { what: files.root, path: "/", position: 0, flags: 0 });
  }

  use(memory: WebAssembly.Memory): void {
    this.#memory = memory;
  }

  /** The functions of a module that asks for these. What is not here is answered that there is no such function. */
  imports(module: WebAssembly.Module): Record<string, Call> {
    const calls = this.#calls();
    const wanted = WebAssembly.Module.imports(module).filter((one) => one.module === "wasi_snapshot_preview1");
    return Object.fromEntries(wanted.map(({ name }) => [name, calls[name] ?? (() => NOSYS)]));
  }

  get #view(): DataView {
    return new DataView(this.#memory.buffer);
  }

  #bytes(at: number, size: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, at >>> 0, size >>> 0);
  }

  #text(at: number, size: number): string {
    return new TextDecoder().decode(this.#bytes(at, size));
  }

  #path(descriptor: number, at: number, size: number): string {
    return `${this.#open.get(descriptor)?.path ?? ""}/${this.#text(at, size)}`;
  }

  #number(what: object): number {
    let number = this.#numbers.get(what);
    if (number === undefined) this.#numbers.set(what, (number = ++this.#lastNumber));
    return number;
  }

  #putStatus(what: Folder | Readable, to: number): number {
    const view = this.#view;
    for (let i = 0; i < 64; i += 8) view.setBigUint64(to + i, 0n, true);
    view.setBigUint64(to, 1n, true);
    view.setBigUint64(to + 8, BigInt(this.#number(what)), true);
    view.setUint8(to + 16, what instanceof Folder ? DIRECTORY : REGULAR_FILE);
    view.setBigUint64(to + 24, 1n, true);
    view.setBigUint64(to + 32, BigInt(what instanceof Folder ? 0 : what.size), true);
    return OK;
  }

  /** The pieces of memory that a list of them names. */
  #pieces(list: number, count: number): Uint8Array[] {
    const view = this.#view;
    return Array.from({ length: count }, (_, i) =>
      this.#bytes(view.getUint32(list + 8 * i, true), view.getUint32(list + 8 * i + 4, true)),
    );
  }

  #read(descriptor: number, at: number | null, list: number, count: number, result: number): number {
    const open = this.#open.get(descriptor);
    if (!open) return BADF;
    if (open.what instanceof Folder) return ISDIR;
    let position = at ?? open.position;
    const began = position;
    for (const piece of this.#pieces(list, count)) {
      const got = open.what.read(position, piece);
      position += got;
      if (got < piece.length) break;
    }
    if (at === null) open.position = position;
    this.#view.setUint32(result, position - began, true);
    return OK;
  }

  #write(descriptor: number, at: number | null, list: number, count: number, result: number): number {
    const pieces = this.#pieces(list, count);
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (descriptor === 1 || descriptor === 2) {
      for (const piece of pieces) this.say(new TextDecoder().decode(piece.slice()));
    } else {
      const open = this.#open.get(descriptor);
      if (!open) return BADF;
      if (!(open.what instanceof WrittenFile)) return ROFS;
      let position = at ?? (open.flags & APPEND ? open.what.size : open.position);
      for (const piece of pieces) {
        open.what.write(position, piece);
        position += piece.length;
      }
      if (at === null) open.position = position;
    }
    this.#view.setUint32(result, size, true);
    return OK;
  }

  #openPath(path: string, how: number, rights: bigint, flags: number, result: number): number {
    let found = this.files.find(path);
    if (found && how & CREATE && how & MUST_BE_NEW) return EXIST;
    if (!found) {
      if (!(how & CREATE)) return NOENT;
      const place = this.files.place(path);
      if (!place) return NOENT;
      place.folder.entries.set(place.name, (found = new WrittenFile()));
    }
    if (found instanceof Folder && rights & MAY_WRITE) return ISDIR;
    if (!(found instanceof Folder) && how & MUST_BE_FOLDER) return NOTDIR;
    if (!(found instanceof Folder) && rights & MAY_WRITE && !(found instanceof WrittenFile)) return ROFS;
    if (found instanceof WrittenFile && how & TRUNCATE) found.resize(0);
    let descriptor = ROOT_DESCRIPTOR + 1;
    while (this.#open.has(descriptor)) ++descriptor;
    this.#open.set(descriptor, { what: found, path, position: 0, flags });
    this.#view.setUint32(result, descriptor, true);
    return OK;
  }

  #listFolder(folder: Folder, to: number, size: number, cookie: bigint, result: number): number {
    const names = [...folder.entries].slice(Number(cookie));
    let at = 0;
    for (const [index, [name, what]] of names.entries()) {
      const text = new TextEncoder().encode(name);
      const entry = new Uint8Array(24 + text.length);
      const view = new DataView(entry.buffer);
      view.setBigUint64(0, cookie + BigInt(index + 1), true);
      view.setBigUint64(8, BigInt(this.#number(what)), true);
      view.setUint32(16, text.length, true);
      view.setUint8(20, what instanceof Folder ? DIRECTORY : REGULAR_FILE);
      entry.set(text, 24);
      const part = entry.subarray(0, size - at); // one that is cut is asked for again
      this.#bytes(to + at, part.length).set(part);
      at += part.length;
      if (at >= size) break;
    }
    this.#view.setUint32(result, at, true);
    return OK;
  }

  #remove(path: string, isFolder: boolean): number {
    const place = this.files.place(path);
    const found = place?.folder.entries.get(place.name);
    if (!place || !found) return NOENT;
    if (found instanceof Folder !== isFolder) return isFolder ? NOTDIR : ISDIR;
    if (found instanceof Folder && found.entries.size > 0) return NOTEMPTY;
    place.folder.entries.delete(place.name);
    return OK;
  }

  #files(): Record<string, Call> {
    return {
      fd_read: (fd: number, list: number, count: number, result: number) => this.#read(fd, null, list, count, result),
      fd_pread: (fd: number, list: number, count: number, at: bigint, result: number) =>
        this.#read(fd, Number(at), list, count, result),
      fd_write: (fd: number, list: number, count: number, result: number) => this.#write(fd, null, list, count, result),
      fd_pwrite: (fd: number, list: number, count: number, at: bigint, result: number) =>
        this.#write(fd, Number(at), list, count, result),
      fd_close: (fd: number) => (this.#open.delete(fd) ? OK : BADF),
      fd_seek: (fd: number, offset: bigint, whence: number, result: number) => {
        const open = this.#open.get(fd);
        if (!open || open.what instanceof Folder) return BADF;
        const from = [0, open.position, open.what.size][whence]!;
        if (from + Number(offset) < 0) return INVAL;
        open.position = from + Number(offset);
        this.#view.setBigUint64(result, BigInt(open.position), true);
        return OK;
      },
      fd_tell: (fd: number, result: number) => {
        this.#view.setBigUint64(result, BigInt(this.#open.get(fd)?.position ?? 0), true);
        return OK;
      },
      fd_filestat_get: (fd: number, result: number) => {
        const open = this.#open.get(fd);
        return open ? this.#putStatus(open.what, result) : BADF;
      },
      fd_filestat_set_size: (fd: number, size: bigint) => {
        const what = this.#open.get(fd)?.what;
        if (!(what instanceof WrittenFile)) return ROFS;
        what.resize(Number(size));
        return OK;
      },
      fd_fdstat_get: (fd: number, result: number) => {
        const open = this.#open.get(fd);
        if (!open && fd > 2) return BADF;
        const view = this.#view;
        view.setUint8(result, !open ? CHARACTER_DEVICE : open.what instanceof Folder ? DIRECTORY : REGULAR_FILE);
        view.setUint16(result + 2, open?.flags ?? 0, true);
        view.setBigUint64(result + 8, ~0n, true);
        view.setBigUint64(result + 16, ~0n, true);
        return OK;
      },
      fd_fdstat_set_flags: () => OK,
      fd_sync: () => OK,
      fd_datasync: () => OK,
      fd_advise: () => OK,
      fd_readdir: (fd: number, to: number, size: number, cookie: bigint, result: number) => {
        const what = this.#open.get(fd)?.what;
        return what instanceof Folder ? this.#listFolder(what, to, size, cookie, result) : NOTDIR;
      },
      fd_prestat_get: (fd: number, result: number) => {
        if (fd !== ROOT_DESCRIPTOR) return BADF;
        this.#view.setUint32(result, 0, true);
        this.#view.setUint32(result + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (fd: number, to: number) => {
        if (fd !== ROOT_DESCRIPTOR) return BADF;
        this.#view.setUint8(to, "/".charCodeAt(0));
        return OK;
      },
    };
  }

  #paths(): Record<string, Call> {
    return {
      path_open: (
        fd: number,
        _follow: number,
        at: number,
        size: number,
        how: number,
        rights: bigint,
        _inherited: bigint,
        flags: number,
        result: number,
      ) => this.#openPath(this.#path(fd, at, size), how, rights, flags, result),
      path_filestat_get: (fd: number, _follow: number, at: number, size: number, result: number) => {
        const found = this.files.find(this.#path(fd, at, size));
        return found ? this.#putStatus(found, result) : NOENT;
      },
      path_create_directory: (fd: number, at: number, size: number) => {
        const path = this.#path(fd, at, size);
        if (this.files.find(path)) return EXIST;
        this.files.makeFolder(path);
        return OK;
      },
      path_unlink_file: (fd: number, at: number, size: number) => this.#remove(this.#path(fd, at, size), false),
      path_remove_directory: (fd: number, at: number, size: number) => this.#remove(this.#path(fd, at, size), true),
      path_readlink: () => INVAL, // there are no links
    };
  }

  #calls(): Record<string, Call> {
    return {
      ...this.#files(),
      ...this.#paths(),
      args_sizes_get: (count: number, size: number) => this.#putEmpty(count, size),
      args_get: () => OK,
      environ_sizes_get: (count: number, size: number) => this.#putEmpty(count, size),
      environ_get: () => OK,
      clock_res_get: (_clock: number, result: number) => {
        this.#view.setBigUint64(result, 1000n, true);
        return OK;
      },
      clock_time_get: (clock: number, _precision: bigint, result: number) => {
        const ms = clock === 0 ? Date.now() : performance.now();
        this.#view.setBigUint64(result, BigInt(Math.round(ms * 1e6)), true);
        return OK;
      },
      random_get: (to: number, size: number) => {
        const most = 65536; // of one call
        for (let done = 0; done < size; done += most) {
          const part = new Uint8Array(Math.min(most, size - done));
          crypto.getRandomValues(part);
          this.#bytes(to + done, part.length).set(part);
        }
        return OK;
      },
      sched_yield: () => OK,
      proc_exit: (code: number) => {
        throw new Error(`The engine ended with ${code}.`);
      },
    };
  }

  #putEmpty(count: number, size: number): number {
    this.#view.setUint32(count, 0, true);
    this.#view.setUint32(size, 0, true);
    return OK;
  }
}
