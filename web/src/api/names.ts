// The texts of name ids. Blocks of 4096 are asked for when one of their names is first needed.
import type { Client } from "./client";
import type { NameBlock } from "./protocol";

const BLOCK = 4096;

export class Names {
  #blocks = new Map<number, NameBlock | null>(); // null: asked for
  #listeners = new Set<() => void>();

  constructor(private readonly client: Pick<Client, "names">) {}

  /** The text, or undefined while it is on its way. */
  get(id: number): string | undefined {
    const block = Math.floor(id / BLOCK);
    const names = this.#blocks.get(block);
    if (names) return names.names[id - block * BLOCK] ?? "";
    if (names === undefined) this.#fetch(block);
    return undefined;
  }

  /** The short form of a name that has come; null where there is none but the name. */
  short(id: number): string | null {
    const block = Math.floor(id / BLOCK);
    return this.#blocks.get(block)?.short[id - block * BLOCK] ?? null;
  }

  /** Calls the listener whenever more names have come. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #fetch(block: number): Promise<void> {
    this.#blocks.set(block, null);
    try {
      this.#blocks.set(block, await this.client.names(block));
    } catch {
      this.#blocks.delete(block);
      return;
    }
    for (const listener of this.#listeners) listener();
  }
}
