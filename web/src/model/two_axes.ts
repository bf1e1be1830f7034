// When in one of two compared profiles is what is now in the other. Pure. Times are ns from the start of each profile.
import type { StepInfo, TimePoints } from "../api/protocol";
import type { Range } from "./viewport";

export type SideName = "a" | "b";
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

/** The starts of the same steps, those of the first rank of each; by their numbers, or where none is on both sides, by
 * their order. */
export function stepAnchors(a: readonly StepInfo[], b: readonly StepInfo[]): Anchor[] {
  const ofFirstRank = (steps: readonly StepInfo[]) =>
    steps.filter(({ rank }) => rank === steps[0]!.rank).sort((one, two) => one.start - two.start);
  const [first, second] = [ofFirstRank(a), ofFirstRank(b)];
  const numbered = new Map(second.map((step) => [step.step, step.start]));
  const common = first.flatMap(({ step, start }) => {
    const theirs = numbered.get(step);
    return theirs === undefined ? [] : [{ a: start, b: theirs }];
  });
  if (common.length) return common;
  return first.slice(0, second.length).map(({ start }, i) => ({ a: start, b: second[i]!.start }));
}

export class TwoAxes {
  /** What "place" counts from. */
  anchor: Anchor | null = null;
  readonly #points: readonly Anchor[];

  constructor(
    private readonly times: TimePoints,
    private readonly steps: readonly Anchor[],
  ) {
    this.#points = times.a.map((a, i) => ({ a, b: times.b[i]! }));
  }

  /** Whether there is anything to go by. */
  has(mode: AxisMode): boolean {
    if (mode === "work") return this.#points.length > 1;
    if (mode === "step") return this.steps.length > 0;
    return mode === "time" || this.anchor !== null;
  }

  /** A moment of a side in the other profile. What has nothing to go by counts both from their starts. */
  across(moment: number, from: SideName, mode: AxisMode): number {
    if (mode === "work") return this.#byWork(moment, from);
    return moment + this.#shift(moment, from, mode);
  }

  /** The window of the other profile that belongs to a window of a side. */
  windowAcross(view: Range, from: SideName, mode: AxisMode): Range {
    if (mode === "work") {
      const [start, end] = [this.#byWork(view.start, from), this.#byWork(view.end, from)];
      return { start, end };
    }
    const shift = this.#shift((view.start + view.end) / 2, from, mode);
    return { start: view.start + shift, end: view.end + shift };
  }

  /** By how much work around a moment of A misses the map, in ns of B. */
  residual(a: number): number {
    const at = lastBefore(this.#points, "a", a);
    return Math.max(this.times.residual[at] ?? 0, this.times.residual[at + 1] ?? 0);
  }

  #shift(moment: number, from: SideName, mode: AxisMode): number {
    const anchor =
      mode === "place" ? this.anchor : mode === "step" ? this.steps[lastBefore(this.steps, from, moment)] : null;
    return anchor ? anchor[otherSide(from)] - anchor[from] : 0;
  }

  #byWork(moment: number, from: SideName): number {
    const to = otherSide(from);
    const at = lastBefore(this.#points, from, moment);
    const before = this.#points[at];
    if (!before) return moment;
    const after = this.#points[at + 1];
    if (!after || moment < before[from]) return before[to] + (moment - before[from]);
    const share = (moment - before[from]) / (after[from] - before[from]);
    return before[to] + share * (after[to] - before[to]);
  }
}
