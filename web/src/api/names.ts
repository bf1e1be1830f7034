// The texts of name ids. Blocks of 4096 are asked for when one of their names is first needed.
import type { Client } from "./client";

const BLOCK = 4096;

export class Names {
  #blocks = new Map<number, string[] | null>(); // null: asked for
  #listeners = new Set<() => void>();

  constructor(private readonly client: Pick<Client, "names">) {}

  /** The text, or undefined while it is on its way. */
  get(id: number): string | undefined {
    const block = Math.floor(id / BLOCK);
    const names = this.#blocks.get(block);
    if (names) return names[id - block * BLOCK] ?? "";
    if (names === undefined) this.#fetch(block);
    return undefined;
  }

  /** Calls the listener whenever more names have come. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #fetch(block: number): Promise<void> {
    this.#blocks.set(block, null);
    try {
      this.#blocks.set(block, (await this.client.names(block)).names);
    } catch {
      this.#blocks.delete(block);
      return;
    }
    for (const listener of this.#listeners) listener();
  }
}
