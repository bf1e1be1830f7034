// What the search of a timeline has found: how many slices, the first of them, which are highlighted, and which one of
// them is selected. Names are compared here, as the server compares them; slices with an argument the server lists.
import type { SearchAnswer, SliceAt } from "../api/protocol";
import { readSearch, spellings } from "../model/search_text";
import { sameSlice, type SliceRef } from "../model/selection";
import { Store } from "../model/store";
import type { AppState } from "../model/app_state";
import type { ShownProfile } from "../views/context";

const TYPED_MS = 150;
const TYPED_ARGUMENT_MS = 700; // the server reads the arguments of all slices
const LISTED = 500;
const MOST_HIGHLIGHTED = 10_000; // slices with an argument

export type Direction = "next" | "previous";

export type Found = Pick<SearchAnswer, "total" | "matches"> | { error: string };

export class SearchHits {
  /** null while nothing is looked for, and until the answer has come. */
  readonly found = new Store<Found | null>(null);
  /** Which of all hits is selected, from 1; null where none is, or it is not known which. */
  readonly place = new Store<number | null>(null);

  #text = "";
  /** By name. */
  #names = new Map<number, boolean>();
  /** Of an argument; null until they are known. */
  #slices: Set<number> | null = null;
  #stepped: { slice: SliceRef; place: number } | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stop = new AbortController();

  private constructor(private readonly profile: ShownProfile) {
    const { search, selection } = profile.state;
    search.subscribe((text) => this.#begin(text));
    selection.subscribe(() => this.#placeSelected());
    this.#begin(search.get());
  }

  static #all = new WeakMap<AppState, SearchHits>();

  /** Those of a profile, whichever timelines show it. */
  static of(profile: ShownProfile): SearchHits {
    let hits = SearchHits.#all.get(profile.state);
    if (!hits) SearchHits.#all.set(profile.state, (hits = new SearchHits(profile)));
    return hits;
  }

  /** Whether slices are highlighted. */
  get areHighlighted(): boolean {
    return this.#text !== "" && (readSearch(this.#text).argument === undefined || this.#slices !== null);
  }

  /** Whether a slice is among the hits. One whose name is not known yet counts as one. */
  has(track: number, slice: number, name: number): boolean {
    return this.#slices ? this.#slices.has(keyOf(track, slice)) : this.#hasName(name);
  }

  /** The next or previous hit after the selected slice, else after this moment. */
  async step(direction: Direction, moment: number): Promise<SliceAt | null> {
    const { q, ...argument } = readSearch(this.#text);
    if (!this.#text) return null;
    const selected = this.profile.state.selection.get();
    const ask = (from: { at?: number; past?: string }) =>
      this.profile.client.search(q, { ...argument, ...from, direction, limit: 1 });
    let answer = await ask(selected ? { past: `${selected.track},${selected.slice}` } : { at: moment });
    if (!answer.matches.length && answer.total > 0) answer = await ask({}); // from the other end on
    const slice = answer.matches[0] ?? null;
    if (slice && answer.first !== undefined) this.#stepped = { slice: { ...slice }, place: answer.first };
    return slice;
  }

  #begin(text: string): void {
    this.#forget();
    this.#text = text.trim();
    if (!this.#text) return;
    const { q, ...argument } = readSearch(this.#text);
    const byArgument = argument.argument !== undefined;
    const limit = byArgument ? MOST_HIGHLIGHTED : LISTED;
    const { signal } = (this.#stop = new AbortController());
    const ask = () =>
      this.profile.client.search(q, { ...argument, limit }, signal).then(
        ({ total, matches }) => {
          if (signal.aborted) return;
          if (byArgument && matches.length === total)
            this.#slices = new Set(matches.map(({ track, slice }) => keyOf(track, slice)));
          this.found.set({ total, matches: matches.slice(0, LISTED) });
          this.#placeSelected();
        },
        (error: unknown) =>
          !signal.aborted && this.found.set({ error: error instanceof Error ? error.message : "failed" }),
      );
    this.#timer = setTimeout(() => void ask(), byArgument ? TYPED_ARGUMENT_MS : TYPED_MS);
  }

  #forget(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#stop.abort();
    this.#names.clear();
    this.#slices = null;
    this.#stepped = null;
    this.found.set(null);
    this.place.set(null);
  }

  #placeSelected(): void {
    const selected = this.profile.state.selection.get();
    const found = this.found.get();
    const listed = found && "matches" in found ? found.matches.findIndex((hit) => sameSlice(hit, selected)) : -1;
    const stepped = selected && sameSlice(this.#stepped?.slice ?? null, selected) ? this.#stepped!.place : null;
    this.place.set(listed >= 0 ? listed + 1 : stepped);
  }

  #hasName(id: number): boolean {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = this.profile.names.get(id);
    if (name === undefined) return true;
    const text = this.#text.toLowerCase();
    const hit = spellings(name, this.profile.session).some((one) => one.toLowerCase().includes(text));
    this.#names.set(id, hit);
    return hit;
  }
}

const keyOf = (track: number, slice: number): number => track * 2 ** 32 + slice;
