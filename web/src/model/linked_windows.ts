// Keeps the windows of two timelines together: what moves or zooms one moves the other, and so does the pointer.
import { Store } from "./store";
import { otherSide, SIDES, type Anchor, type AxisMode, type SideName, type TwoAxes } from "./two_axes";
import { width, type Range, type Viewport } from "./viewport";

/** What of a timeline is moved. */
export interface LinkedWindow {
  readonly session: { readonly span: number };
  readonly viewport: Store<Viewport>;
  readonly cursor: Store<number | null>;
}

export class LinkedWindows {
  /** Which of them the user touched last. */
  readonly leading = new Store<SideName>("a");
  #moving = false;
  #active = true;
  readonly #ends: (() => void)[] = [];

  constructor(
    private readonly windows: Readonly<Record<SideName, LinkedWindow>>,
    readonly axes: TwoAxes,
    readonly mode: Store<AxisMode>,
  ) {
    for (const side of SIDES) {
      this.#ends.push(
        windows[side].viewport.subscribe(() => this.#follow(side)),
        windows[side].cursor.subscribe((moment) => this.#point(side, moment)),
      );
    }
    const follow = () => this.#follow(this.leading.get());
    this.#ends.push(mode.subscribe(follow), axes.current.subscribe(follow));
    this.#follow("a");
  }

  dispose(): void {
    for (const end of this.#ends) end();
  }

  /** While nobody sees both, each has its own window. */
  setActive(active: boolean): void {
    this.#active = active;
    if (active) this.#follow(this.leading.get());
  }

  /** Shows two moments above each other, at the same scale, with so much time around them. */
  place(anchor: Anchor, before: number, after: number): void {
    this.axes.anchor = anchor;
    this.#moving = true;
    this.windows.a.viewport.set({ start: anchor.a - before, end: anchor.a + after });
    this.windows.b.viewport.set({ start: anchor.b - before, end: anchor.b + after });
    this.mode.set("place");
    this.#moving = false;
  }

  /** Where the window of a side may lie: where there is something of either, in the time of that side. */
  boundsOf(side: SideName): Range {
    const theirs = otherSide(side);
    const across = (moment: number) => this.axes.across(moment, theirs, this.mode.get());
    return {
      start: Math.min(0, across(0)),
      end: Math.max(this.windows[side].session.span, across(this.windows[theirs].session.span)),
    };
  }

  /** How many times as much time B shows as A. */
  scale(): number {
    return width(this.windows.b.viewport.get()) / width(this.windows.a.viewport.get());
  }

  #follow(from: SideName): void {
    if (!this.#active || this.#moving) return;
    this.leading.set(from);
    const view = this.axes.windowAcross(this.windows[from].viewport.get(), from, this.mode.get());
    this.#moving = true;
    this.windows[otherSide(from)].viewport.set(view);
    this.#moving = false;
  }

  #point(from: SideName, moment: number | null): void {
    if (!this.#active || this.#moving) return;
    this.#moving = true;
    this.windows[otherSide(from)].cursor.set(moment === null ? null : this.axes.across(moment, from, this.mode.get()));
    this.#moving = false;
  }
}
