// A value that others can watch. Listeners are called after each change, in the order they came.

export interface Readable<T> {
  get(): T;
  /** Calls the listener after every change. Returns what ends that. */
  subscribe(listener: (value: T) => void): () => void;
}

export class Store<T> implements Readable<T> {
  #value: T;
  #listeners = new Set<(value: T) => void>();
  readonly #same: (a: T, b: T) => boolean;

  constructor(value: T, same: (a: T, b: T) => boolean = Object.is) {
    this.#value = value;
    this.#same = same;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    if (this.#same(this.#value, value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }

  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A store that follows another one through a function. */
export function derived<T, U>(source: Readable<T>, map: (value: T) => U, same?: (a: U, b: U) => boolean): Readable<U> {
  const store = new Store(map(source.get()), same);
  source.subscribe((value) => store.set(map(value)));
  return store;
}

/** A store of something that is kept as text in another one. */
export function mapped<T>(text: Store<string>, read: (text: string) => T, write: (value: T) => string): Store<T> {
  const store = new Store<T>(read(text.get()), (a, b) => write(a) === write(b));
  store.subscribe((value) => text.set(write(value)));
  text.subscribe((value) => store.set(read(value)));
  return store;
}
