// All that the page remembers of a profile: what is shown and selected. Keeps the address bar and the history of navigation.
import type { Client } from "../api/client";
import type { Session, SliceAt } from "../api/protocol";
import type { Target } from "../views/context";
import { foldedAtFirst } from "./groups";
import { History } from "./history";
import type { TrackSettings } from "./layout";
import { areaBetween, sameSlice, type Area, type Mark, type SliceRef } from "./selection";
import { derived, Store } from "./store";
import { readUrlState, writeUrlState, type UrlState } from "./url_state";
import { clamp, firstView, reveal, sameRange, type Range, type Viewport } from "./viewport";

interface Place {
  view: string;
  viewport: Viewport;
  slice: SliceRef | null;
  area: Area | null;
  arrangement: Arrangement;
}

/** What of the settings of the tracks can be undone. */
type Arrangement = Pick<TrackSettings, "pinned" | "folded" | "order" | "hidden" | "heights">;

const arrangementOf = ({ pinned, folded, order, hidden, heights }: TrackSettings): Arrangement => ({
  pinned,
  folded,
  order,
  hidden,
  heights,
});

const sameArrangement = (a: Arrangement, b: Arrangement): boolean =>
  a.pinned === b.pinned &&
  a.folded === b.folded &&
  a.order === b.order &&
  a.hidden === b.hidden &&
  a.heights === b.heights;

const samePlace = (a: Place, b: Place): boolean =>
  a.view === b.view &&
  sameRange(a.viewport, b.viewport) &&
  sameSlice(a.slice, b.slice) &&
  sameRange(a.area, b.area) &&
  String(a.area?.tracks) === String(b.area?.tracks) &&
  sameArrangement(a.arrangement, b.arrangement);

const SETTLED_MS = 300;

/** Something that a view lets the user choose, and that is in the address where it is not as at first. */
interface Choice {
  store: Store<string>;
  first: string;
  isValid(value: string): boolean;
}

/** The part of the browser that is needed, so that tests can do without one. */
export interface AddressBar {
  read(): string;
  write(hash: string, newEntry: boolean): void;
}

export class AppState {
  readonly view: Store<string>;
  readonly viewport: Store<Viewport>;
  readonly selection = new Store<SliceRef | null>(null, sameSlice);
  readonly area = new Store<Area | null>(null);
  readonly window = derived<Area | null, Range | null>(
    this.area,
    (area) => area && { start: area.start, end: area.end },
    sameRange,
  );
  readonly marks = new Store<readonly Mark[]>([]);
  readonly search = new Store("");
  readonly settings: Store<TrackSettings>;
  /** Whether folds and pins differ from those at first; only then they are in the address. */
  #ownFolds = false;
  #ownPins = false;
  #choices = new Map<string, Choice>();
  /** Of the address, what no view has asked for yet. */
  #unclaimed: Readonly<Record<string, string>> = {};
  #history = new History<Place>(samePlace);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #shownView: string;

  constructor(
    readonly session: Session,
    private readonly views: readonly string[],
    private readonly bar: AddressBar,
    private readonly client: Pick<Client, "slice" | "profile">,
  ) {
    const first = ["compare", "timeline", "ranks"].find((view) => views.includes(view)) ?? views[0] ?? "timeline";
    const url = readUrlState(bar.read());
    const known = new Set(session.tracks.map((track) => track.id));
    const pinned = url.pinned?.filter((id) => known.has(id));
    this.#ownPins = pinned !== undefined;
    this.#ownFolds = url.folded !== null;
    this.settings = new Store<TrackSettings>({
      pinned: pinned ?? session.tracks.filter((track) => track.pinned).map((track) => track.id),
      folded: url.folded ? new Set(url.folded) : foldedAtFirst(session.tracks),
      order: url.order?.filter((id) => known.has(id)) ?? [],
      hidden: new Set(url.hidden?.filter((id) => known.has(id))),
      heights: new Map(url.heights.filter(([id]) => known.has(id))),
      filter: "",
    });
    this.view = new Store(url.view !== null && views.includes(url.view) ? url.view : first);
    this.viewport = new Store(firstView(session), sameRange);
    this.#shownView = this.view.get();
    this.#restore(url);

    const settle = () => this.#settle();
    for (const store of [this.view, this.viewport, this.selection, this.area, this.marks, this.search, this.settings]) {
      (store as Store<unknown>).subscribe(settle);
    }
    this.#history.visit(this.#place());
  }

  /** Takes over what the address bar says, after the browser went back or forward. */
  readAddress(): void {
    const url = readUrlState(this.bar.read());
    if (url.view) this.view.set(url.view);
    this.#shownView = this.view.get();
    this.#restore(url);
  }

  /** Not to a view that this profile does not have: a summary has no timeline. */
  navigate(target: Target): void {
    if (target.view && !this.views.includes(target.view)) return;
    this.#remember();
    const { span } = this.session;
    if (target.viewport) this.viewport.set(clamp(target.viewport, span));
    if (target.slice !== undefined) {
      this.selection.set(target.slice && refOf(target.slice));
      if (target.slice && !target.viewport) {
        const { start, duration } = target.slice;
        this.viewport.update((view) => reveal(view, { start, end: start + duration }, span));
      }
    }
    if (target.area !== undefined) {
      this.area.set(target.area && areaBetween(target.area.start, target.area.end, span, target.area.tracks ?? null));
    }
    if (target.search !== undefined) this.search.set(target.search);
    if (target.view) this.view.set(target.view);
    this.#remember();
  }

  undo(): boolean {
    this.#remember();
    return this.#goTo(this.#history.undo());
  }

  redo(): boolean {
    return this.#goTo(this.#history.redo());
  }

  changeSettings(change: Partial<TrackSettings>): void {
    if (change.folded) this.#ownFolds = true;
    if (change.pinned) this.#ownPins = true;
    this.settings.update((old) => ({ ...old, ...change }));
  }

  /** What the user has chosen under a key of a view: `first` until then. `known`: all there is to choose from. */
  choice(key: string, first: string): Store<string>;
  choice<T extends string>(key: string, first: T, known: readonly T[]): Store<T>;
  choice(key: string, first: string, known?: readonly string[]): Store<string> {
    let choice = this.#choices.get(key);
    if (!choice) {
      const isValid = (value: string) => !known || known.includes(value);
      choice = { store: new Store<string>(first), first, isValid };
      this.#choices.set(key, choice);
      restoreChoice(choice, this.#unclaimed[key]);
      choice.store.subscribe(() => this.#settle());
    }
    return choice.store;
  }

  /** The address that leads to what is shown now. */
  hash(): string {
    const settings = this.settings.get();
    const slice = this.selection.get();
    return writeUrlState({
      profile: this.client.profile,
      view: this.view.get(),
      viewport: this.viewport.get(),
      slice: slice && { track: slice.track, slice: slice.slice },
      area: this.area.get(),
      pinned: this.#ownPins ? [...settings.pinned] : null,
      folded: this.#ownFolds ? [...settings.folded] : null,
      order: settings.order.length ? [...settings.order] : null,
      hidden: settings.hidden.size ? [...settings.hidden] : null,
      heights: [...settings.heights],
      marks: [...this.marks.get()],
      search: this.search.get(),
      choices: this.#chosen(),
    });
  }

  #chosen(): Record<string, string> {
    const chosen = Object.entries(this.#unclaimed).filter(([key]) => !this.#choices.has(key));
    for (const [key, { store, first }] of this.#choices) if (store.get() !== first) chosen.push([key, store.get()]);
    return Object.fromEntries(chosen);
  }

  #place(): Place {
    return {
      view: this.view.get(),
      viewport: this.viewport.get(),
      slice: this.selection.get(),
      area: this.area.get(),
      arrangement: arrangementOf(this.settings.get()),
    };
  }

  #goTo(place: Place | null): boolean {
    if (!place) return false;
    this.view.set(place.view);
    this.viewport.set(place.viewport);
    this.selection.set(place.slice);
    this.area.set(place.area);
    // Last: showing the slice may have unfolded what was folded there.
    if (!sameArrangement(arrangementOf(this.settings.get()), place.arrangement)) this.changeSettings(place.arrangement);
    this.#write();
    return true;
  }

  #remember(): void {
    this.#history.visit(this.#place());
    this.#write();
  }

  /** Panning and zooming is one place once it has come to rest. */
  #settle(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#remember(), SETTLED_MS);
  }

  #write(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const view = this.view.get();
    this.bar.write(this.hash(), view !== this.#shownView);
    this.#shownView = view;
  }

  #restore(url: UrlState): void {
    const { span } = this.session;
    this.viewport.set(url.viewport ? clamp(url.viewport, span) : firstView(this.session));
    const known = new Set(this.session.tracks.map((track) => track.id));
    const tracks = url.area?.tracks?.filter((id) => known.has(id));
    this.area.set(url.area && areaBetween(url.area.start, url.area.end, span, tracks?.length ? tracks : null));
    this.marks.set(url.marks);
    this.search.set(url.search);
    this.#unclaimed = url.choices;
    for (const [key, choice] of this.#choices) restoreChoice(choice, url.choices[key]);
    const wanted = url.slice;
    if (!wanted) {
      this.selection.set(null);
    } else if (!sameSlice(this.selection.get(), { ...wanted, lane: 0, start: 0, duration: 0 })) {
      // What the address does not say of the slice, the server does.
      this.client.slice(wanted.track, wanted.slice).then(
        (found) => this.selection.set(refOf(found)),
        () => undefined,
      );
    }
  }
}

function restoreChoice({ store, first, isValid }: Choice, value: string | undefined): void {
  store.set(value !== undefined && isValid(value) ? value : first);
}

function refOf(slice: SliceAt | SliceRef): SliceRef {
  const { track, slice: index, lane, start, duration } = slice;
  return { track, slice: index, lane, start, duration };
}
