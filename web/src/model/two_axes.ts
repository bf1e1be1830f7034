// When in one of two compared profiles is what is now in the other. Pure. Times are ns from the start of each profile.
import type { StepInfo, TimesOfRanks } from "../api/protocol";
import { Store } from "./store";
import type { Range } from "./viewport";

export type SideName = "a" | "b";
export const SIDES = ["a", "b"] as const;
export const otherSide = (side: SideName): SideName => (side === "a" ? "b" : "a");

/** How the axis of one profile lies on that of the other: both from their starts; by the work that both have; the same
 * scale, from the start of the same step; the same scale, from two moments that were put together. */
export const AXIS_MODES = ["time", "work", "step", "place"] as const;
export type AxisMode = (typeof AXIS_MODES)[number];

/** A moment of each profile that belongs to the other. */
export interface Anchor {
  readonly a: number;
  readonly b: number;
}

/** A rank of A, and the one of B that it is compared with. */
export type RankPair = Readonly<Record<SideName, number>>;

/** Which of the anchors is the last that is not after a moment of a side; the first, where all are. */
function lastBefore(anchors: readonly Anchor[], side: SideName, moment: number): number {
  let [low, high] = [0, anchors.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (anchors[middle]![side] <= moment) low = middle + 1;
    else high = middle;
  }
  return Math.max(low - 1, 0);
}

/** The starts of the same steps of two ranks; by their numbers, or where none is on both sides, by their order. */
export function stepAnchors(a: readonly StepInfo[], b: readonly StepInfo[], ranks: RankPair): Anchor[] {
  const ofRank = (steps: readonly StepInfo[], wanted: number) =>
    steps.filter(({ rank }) => rank === wanted).sort((one, two) => one.start - two.start);
  const [first, second] = [ofRank(a, ranks.a), ofRank(b, ranks.b)];
  const numbered = new Map(second.map((step) => [step.step, step.start]));
  const common = first.flatMap(({ step, start }) => {
    const theirs = numbered.get(step);
    return theirs === undefined ? [] : [{ a: start, b: theirs }];
  });
  if (common.length) return common;
  return first.slice(0, second.length).map(({ start }, i) => ({ a: start, b: second[i]!.start }));
}

/** When in a rank of one profile is what is now in the rank that it is compared with. */
export class RankAxes {
  readonly ranks: RankPair;
  readonly #points: readonly Anchor[];
  readonly #residual: readonly number[];

  constructor(
    times: TimesOfRanks,
    readonly steps: readonly Anchor[],
  ) {
    this.ranks = { a: times.rank_a, b: times.rank_b };
    this.#points = times.a.map((a, i) => ({ a, b: times.b[i]! }));
    this.#residual = times.residual;
  }

  /** Whether there is work that both have. */
  get hasWork(): boolean {
    return this.#points.length > 1;
  }

  /** A moment of a side in the other profile, by the work that both have. */
  byWork(moment: number, from: SideName): number {
    const to = otherSide(from);
    const at = lastBefore(this.#points, from, moment);
    const before = this.#points[at];
    if (!before) return moment;
    const after = this.#points[at + 1];
    if (!after || moment < before[from]) return before[to] + (moment - before[from]);
    const share = (moment - before[from]) / (after[from] - before[from]);
    return before[to] + share * (after[to] - before[to]);
  }

  /** The step that a moment of a side lies in or behind; null without steps. */
  stepAt(moment: number, from: SideName): Anchor | null {
    return this.steps[lastBefore(this.steps, from, moment)] ?? null;
  }

  /** By how much work around a moment of A misses the map, in ns of B. */
  residual(a: number): number {
    const at = lastBefore(this.#points, "a", a);
    return Math.max(this.#residual[at] ?? 0, this.#residual[at + 1] ?? 0);
  }
}

/** One for each pair of ranks that are compared; where none is, one of the first steps' ranks. */
export function rankAxes(
  ranks: readonly TimesOfRanks[],
  a: readonly StepInfo[],
  b: readonly StepInfo[],
): [RankAxes, ...RankAxes[]] {
  const made = ranks.map((times) => new RankAxes(times, stepAnchors(a, b, { a: times.rank_a, b: times.rank_b })));
  const [first, ...others] = made;
  if (first) return [first, ...others];
  const pair: RankPair = { a: a[0]?.rank ?? 0, b: b[0]?.rank ?? 0 };
  const nothing = { rank_a: pair.a, rank_b: pair.b, a: [], b: [], residual: [] };
  return [new RankAxes(nothing, stepAnchors(a, b, pair))];
}

export class TwoAxes {
  /** What "place" counts from. */
  anchor: Anchor | null = null;
  /** The ranks that both axes go by: each rank has a time of its own. */
  readonly current: Store<RankAxes>;

  constructor(readonly ranks: readonly [RankAxes, ...RankAxes[]]) {
    this.current = new Store(ranks[0]);
  }

  /** Whether there is anything to go by, in some rank. */
  has(mode: AxisMode): boolean {
    if (mode === "work") return this.ranks.some((each) => each.hasWork);
    if (mode === "step") return this.ranks.some((each) => each.steps.length > 0);
    return mode === "time" || this.anchor !== null;
  }

  /** Those of a rank of a side: the current ones where they are, or where that rank is not compared. */
  of(side: SideName, rank: number): RankAxes {
    const current = this.current.get();
    if (current.ranks[side] === rank) return current;
    return this.ranks.find(({ ranks }) => ranks[side] === rank) ?? current;
  }

  /** A moment of a side in the other profile. What has nothing to go by counts both from their starts. */
  across(moment: number, from: SideName, mode: AxisMode, axes = this.current.get()): number {
    return mode === "work" ? axes.byWork(moment, from) : moment + this.#shift(moment, from, mode, axes);
  }

  /** The window of the other profile that belongs to a window of a side. */
  windowAcross(view: Range, from: SideName, mode: AxisMode): Range {
    const axes = this.current.get();
    if (mode === "work") return { start: axes.byWork(view.start, from), end: axes.byWork(view.end, from) };
    const shift = this.#shift((view.start + view.end) / 2, from, mode, axes);
    return { start: view.start + shift, end: view.end + shift };
  }

  #shift(moment: number, from: SideName, mode: AxisMode, axes: RankAxes): number {
    const anchor = mode === "place" ? this.anchor : mode === "step" ? axes.stepAt(moment, from) : null;
    return anchor ? anchor[otherSide(from)] - anchor[from] : 0;
  }
}
