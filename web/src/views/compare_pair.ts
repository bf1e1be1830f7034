// The timelines of two compared profiles: they share one axis, and what is selected in one is marked in the other.
import { ComparisonClient } from "../api/comparison";
import type { AlignedOps, Changes, NameChanges, PartnerAnswer, TimesOfRanks } from "../api/protocol";
import { LinkedWindows } from "../model/linked_windows";
import { areaBetween, rangeOf, type Area, type SliceRef } from "../model/selection";
import { pairedTracks } from "../model/paired_tracks";
import { derived, Store } from "../model/store";
import {
  AXIS_MODES,
  otherSide,
  rankAxes,
  SIDES,
  TwoAxes,
  type AxisMode,
  type RankAxes,
  type SideName,
} from "../model/two_axes";
import { everything, sameRange, width, type Range } from "../model/viewport";
import { runKey, timelineCommands } from "../timeline/commands";
import { COMPARED_COLOUR_MODES, type ColourMode } from "../timeline/colours";
import { Navigation } from "../timeline/navigation";
import type { TimelineSource } from "../timeline/source";
import { Timeline } from "../timeline/timeline";
import type { Compared, ShownProfile, Target, ViewContext } from "./context";
import { timelineSource } from "./timeline_source";

/** Room beside the places of a change, as shares of the longer of the two, and at least so much of it. */
const BEFORE = 1;
const AFTER = 2;
const LEAST_SHOWN = 1000; // ns
const AREA_STANDS_MS = 120;

/** Timelines above each other, or both in the same rows, A in the upper half of each lane. */
export const PAIR_LAYOUTS = ["apart", "rows"] as const;
export type PairLayout = (typeof PAIR_LAYOUTS)[number];

/** What is selected on both sides. */
export interface SelectedPair {
  /** Where it was selected. */
  side: SideName;
  /** What it is. */
  name: string;
  /** Its length on each side, ns; null where it is not there. */
  a: number | null;
  b: number | null;
  answer: PartnerAnswer | null;
}

interface PairSide {
  profile: ShownProfile;
  source: TimelineSource;
  timeline: Timeline;
  commands: ReturnType<typeof timelineCommands>;
}

export class TimelinePair {
  readonly sides: Readonly<Record<SideName, PairSide>>;
  readonly link: LinkedWindows;
  readonly mode: Store<AxisMode>;
  readonly colour: Store<ColourMode>;
  readonly lines: Store<"on" | "off">;
  readonly layout: Store<PairLayout>;
  /** Tracks of B that no track of A is like: they are not seen while both share the rows. */
  readonly ownTracksOfB: number;
  readonly selected = new Store<SelectedPair | null>(null);
  /** What is aligned in the selected area; null without one. */
  readonly aligned = new Store<AlignedOps | null>(null);
  readonly #client: ComparisonClient;
  readonly #ends: (() => void)[];
  #marking = false;
  #asked = 0; // partners of selected slices
  #wanted = 0; // places of changes
  #waiting = 0;

  constructor(
    compared: Compared,
    context: ViewContext,
    times: readonly TimesOfRanks[],
    private readonly names: Record<SideName, NameChanges>,
  ) {
    this.#client = new ComparisonClient(context.client.server);
    const axes = new TwoAxes(rankAxes(times, compared.a.session.steps, compared.b.session.steps));
    const usual: AxisMode = axes.has("work") ? "work" : axes.has("step") ? "step" : "time";
    // Of A, whichever of the two the other views show.
    const chosen = compared.a.state.choice("one_axis", usual);
    const possible = (text: string) => AXIS_MODES.find((mode) => mode === text && axes.has(mode)) ?? usual;
    this.mode = new Store<AxisMode>(possible(chosen.get()));
    // The rank of A that both axes go by; the first one has no need to be told.
    const first = String(axes.ranks[0].ranks.a);
    const rank = compared.a.state.choice("compared_rank", first);
    const chooseRank = (text: string) => axes.current.set(axes.of("a", Number(text)));
    chooseRank(rank.get());
    this.colour = compared.a.state.choice<ColourMode>("compared_colour", "change", COMPARED_COLOUR_MODES);
    this.lines = compared.a.state.choice<"on" | "off">("compared_lines", "on", ["on", "off"]);
    this.layout = compared.a.state.choice<PairLayout>("compared_layout", "apart", PAIR_LAYOUTS);
    const second = this.#side("b", compared.b, context);
    this.sides = { a: this.#side("a", compared.a, context, second.source), b: second };
    const paired = new Set(this.sides.a.source.under!.trackOf.values());
    this.ownTracksOfB = second.source.tracks.filter(({ id }) => !paired.has(id)).length;
    const { a, b } = this.sides;
    this.link = new LinkedWindows({ a: a.source, b: b.source }, axes, this.mode);
    const connection = context.client.server.connection;
    this.#ends = [
      this.mode.subscribe((mode) => chosen.set(mode)),
      chosen.subscribe((text) => this.mode.set(possible(text))),
      axes.current.subscribe(({ ranks }) => rank.set(String(ranks.a))),
      rank.subscribe(chooseRank),
      a.source.selection.subscribe((slice) => void this.#select("a", slice)),
      b.source.selection.subscribe((slice) => void this.#select("b", slice)),
      a.source.area.subscribe((area) => this.#shareArea("a", area)),
      b.source.area.subscribe((area) => this.#shareArea("b", area)),
      a.source.area.subscribe((area) => this.#align(area)),
      context.visible.subscribe((visible) => this.#show(visible)),
      this.layout.subscribe(() => this.#show(context.visible.get())),
      connection.subscribe((state) => state === "ok" && [a, b].forEach(({ source }) => source.tiles.retry())),
    ];
    this.#shareArea(a.source.area.get() ? "a" : "b", a.source.area.get() ?? b.source.area.get());
    this.#align(a.source.area.get());
    const already = a.source.selection.get() ? "a" : "b";
    void this.#select(already, this.sides[already].source.selection.get());
  }

  dispose(): void {
    for (const end of this.#ends) end();
    clearTimeout(this.#waiting);
    this.link.dispose();
    for (const side of SIDES) this.sides[side].timeline.dispose();
  }

  /** The side that keys are for: where the pointer was last, or what was moved. */
  get active(): PairSide {
    return this.sides[this.link.leading.get()];
  }

  keydown(event: KeyboardEvent): boolean {
    return this.active.timeline.motion.keydown(event) || runKey(this.active.commands, event);
  }

  showAll(): void {
    this.sides.a.source.viewport.set(everything(this.link.boundsOf("a")));
  }

  /** Lets both axes go by a pair of ranks, and brings their devices into sight. */
  showRanks(axes: RankAxes): void {
    this.link.axes.current.set(axes);
    for (const side of SIDES) {
      const { source, timeline } = this.sides[side];
      const device = source.tracks.find(({ kind, rank }) => kind === "stream" && rank === axes.ranks[side]);
      if (device) timeline.revealTrack(device.id);
    }
  }

  /** Shows where a change is: at its longest on the side that has more of it, and the same work of the other side, or
   * where that is longest there. */
  async showChange(places: Changes["places"][number], more: SideName, name: string): Promise<void> {
    const lead = places[more] ? more : otherSide(more);
    const [own, theirs] = [places[lead], places[otherSide(lead)]];
    if (!own) return;
    const wanted = ++this.#wanted;
    // The causes of a gap may differ from those of the gap at the same work: the longest of each are compared.
    const { tracks } = this.sides[lead].source;
    const isGap = tracks.find(({ id }) => id === own.slice?.track)?.coverage === "idle";
    const ask = own.slice && !isGap ? this.#client.partner(lead, own.slice.track, own.slice.slice) : null;
    const answer = await ask;
    if (wanted !== this.#wanted) return;
    ++this.#asked; // what was selected before is no longer asked for
    const mark = answer?.partner ?? theirs?.slice ?? null;
    const [here, there] = [shownRange(own, own.slice), mark || theirs ? shownRange(theirs, mark) : null];
    const axes = own.slice ? this.#axesOf(lead, own.slice) : this.link.axes.current.get();
    const begin = there?.start ?? axes.byWork(here.start, lead);
    const length = Math.max(width(here), there ? width(there) : 0, LEAST_SHOWN);
    const anchor = lead === "a" ? { a: here.start, b: begin } : { a: begin, b: here.start };
    this.link.place(anchor, BEFORE * length, AFTER * length);
    this.link.axes.current.set(axes);
    this.#mark(lead, own.slice, mark);
    // Of a gap only the part that has the cause.
    const [size, theirSize] = [own.end - own.start, answer?.partner?.duration ?? (theirs && theirs.end - theirs.start)];
    const [a, b] = lead === "a" ? [size, theirSize] : [theirSize, size];
    this.selected.set({ side: lead, name, a, b, answer: theirSize === null ? answer : null });
  }

  #side(side: SideName, profile: ShownProfile, context: ViewContext, under?: TimelineSource): PairSide {
    const shared = timelineSource(profile, context.theme, true);
    const { viewport, selection } = shared;
    const navigate = (target: Target) => {
      // What is clicked is on the screen already: selecting it moves nothing.
      const stays = target.viewport !== undefined && sameRange(target.viewport, viewport.get());
      if (stays && target.slice) selection.set(target.slice);
      else profile.state.navigate(target);
    };
    const { name, ratio } = this.names[side];
    const source: TimelineSource = {
      ...shared,
      bounds: () => this.link.boundsOf(side),
      navigate,
      colourMode: this.colour,
      colourModes: COMPARED_COLOUR_MODES,
      changes: new Map(name.map((number, i) => [number, ratio[i]!])),
      under: under && {
        shown: derived(this.layout, (layout) => layout === "rows"),
        source: under,
        trackOf: pairedTracks(profile.session.tracks, under.tracks),
      },
    };
    const timeline = new Timeline(source);
    const toTimeline = () => context.navigate({ view: "timeline" }); // where the field for searching is
    return { profile, source, timeline, commands: timelineCommands(timeline, new Navigation(source), toTimeline) };
  }

  #show(visible: boolean): void {
    this.link.setActive(visible);
    this.sides.a.timeline.setVisible(visible);
    this.sides.b.timeline.setVisible(visible && this.layout.get() === "apart");
  }

  /** Those of the rank that a slice is of. */
  #axesOf(side: SideName, slice: SliceRef): RankAxes {
    const { axes } = this.link;
    const track = this.sides[side].source.tracks.find(({ id }) => id === slice.track);
    return track ? axes.of(side, track.rank) : axes.current.get();
  }

  /** Marks on the other side what is the same work as a slice. */
  async #select(side: SideName, slice: SliceRef | null): Promise<void> {
    if (this.#marking) return;
    if (slice) {
      this.link.leading.set(side); // it stays where it is, and the other one moves
      this.link.axes.current.set(this.#axesOf(side, slice));
    }
    const asked = ++this.#asked;
    const answer = slice && (await this.#client.partner(side, slice.track, slice.slice).catch(() => null));
    if (asked !== this.#asked) return;
    this.#mark(side, slice, answer?.partner ?? null);
    const [own, theirs] = [slice?.duration ?? null, answer?.partner?.duration ?? null];
    const [a, b] = side === "a" ? [own, theirs] : [theirs, own];
    this.selected.set(answer && { side, name: answer.key, a, b, answer });
  }

  /** Selects on the other side what is above or below an area. */
  #shareArea(side: SideName, area: Area | null): void {
    if (this.#marking) return;
    this.#marking = true;
    const { source } = this.sides[otherSide(side)];
    const across = (moment: number) => this.link.axes.across(moment, side, this.mode.get());
    source.area.set(area && areaBetween(across(area.start), across(area.end), source.session.span, null));
    this.#marking = false;
  }

  /** Asks what is aligned in an area of A, once it has not moved for a while. */
  #align(area: Area | null): void {
    clearTimeout(this.#waiting);
    if (!area) return this.aligned.set(null);
    this.#waiting = window.setTimeout(async () => {
      const found = await this.#client.aligned(area).catch(() => null);
      if (this.sides.a.source.area.get() === area) this.aligned.set(found);
    }, AREA_STANDS_MS);
  }

  #mark(side: SideName, own: SliceRef | null, theirs: SliceRef | null): void {
    this.#marking = true;
    this.sides[side].source.selection.set(own);
    this.sides[otherSide(side)].source.selection.set(theirs);
    this.#marking = false;
  }
}

/** The slice, else the place itself. */
const shownRange = (place: Range | null, slice: SliceRef | null): Range => (slice ? rangeOf(slice) : place!);
