// The engine (src/web_engine/engine.cpp): its exported functions, and texts and answers in its memory.
import { type FileSystem } from "./file_system";
import { Wasi } from "./wasi";

interface Exports {
  memory: WebAssembly.Memory;
  engine_start(): void;
  engine_alloc(size: number): number;
  engine_add(text: number, size: number): void;
  engine_open(): void;
  engine_answer(text: number, size: number): number;
  engine_body(): number;
  engine_body_size(): number;
  engine_type(): number;
  engine_file_name(): number;
}

export interface EngineAnswer {
  status: number;
  type: string;
  /** Under which the answer is to be saved; empty where it is not. */
  fileName: string;
  body: Uint8Array<ArrayBuffer>;
}

export class EngineModule {
  private constructor(private readonly exports: Exports) {}

  /** `progress` is called while profiles are opened; it may ask for /api/status. */
  static async start(
    module: WebAssembly.Module,
    files: FileSystem,
    say: (text: string) => void,
    progress: () => void,
  ): Promise<EngineModule> {
    const wasi = new Wasi(files, say);
    const instance = await WebAssembly.instantiate(module, {
      wasi_snapshot_preview1: wasi.imports(module),
      cgpu: { engine_progress: progress },
    });
    const exports = instance.exports as unknown as Exports;
    wasi.use(exports.memory);
    exports.engine_start();
    return new EngineModule(exports);
  }

  /** A profile of these files and folders; a second one is compared with the first. */
  add(inputs: readonly string[]): void {
    const [at, size] = this.#put(inputs);
    this.exports.engine_add(at, size);
  }

  /** Returns when all are open, or have failed. */
  open(): void {
    this.exports.engine_open();
  }

  /** What a server would answer to this path, with its parameters encoded as in an address. */
  answer(address: string): EngineAnswer {
    const [path, query = ""] = address.split("?") as [string, string?];
    const parameters = [...new URLSearchParams(query)].flat();
    const status = this.exports.engine_answer(...this.#put([decodeURIComponent(path), ...parameters]));
    const body = this.#bytes(this.exports.engine_body(), this.exports.engine_body_size()).slice();
    return {
      status,
      type: this.#text(this.exports.engine_type()),
      fileName: this.#text(this.exports.engine_file_name()),
      body,
    };
  }

  #bytes(at: number, size: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.exports.memory.buffer as ArrayBuffer, at >>> 0, size >>> 0);
  }

  /** Each ended by a zero. */
  #put(texts: readonly string[]): [at: number, size: number] {
    const bytes = new TextEncoder().encode(texts.map((text) => `${text}\0`).join(""));
    const at = this.exports.engine_alloc(bytes.length);
    this.#bytes(at, bytes.length).set(bytes);
    return [at, bytes.length];
  }

  #text(at: number): string {
    const rest = new Uint8Array(this.exports.memory.buffer, at >>> 0);
    return new TextDecoder().decode(rest.slice(0, rest.indexOf(0)));
  }
}
