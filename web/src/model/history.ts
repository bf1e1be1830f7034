// Undo and redo of navigation: a list of places and where in it one is.

export class History<T> {
  #places: T[] = [];
  #at = -1;

  constructor(
    private readonly same: (a: T, b: T) => boolean,
    private readonly longest = 200,
  ) {}

  /** Comes to a place; what was undone before is forgotten. The same place again changes nothing. */
  visit(place: T): void {
    if (this.#at >= 0 && this.same(this.#places[this.#at]!, place)) return;
    this.#places.length = this.#at + 1;
    this.#places.push(place);
    if (this.#places.length > this.longest) this.#places.shift();
    this.#at = this.#places.length - 1;
  }

  undo(): T | null {
    if (this.#at <= 0) return null;
    return this.#places[--this.#at]!;
  }

  redo(): T | null {
    if (this.#at + 1 >= this.#places.length) return null;
    return this.#places[++this.#at]!;
  }
}
