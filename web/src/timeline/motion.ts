// Moving and zooming with W, A, S and D by where the keys lie, whatever the layout of the keyboard. A press moves at
// once; a key that is held goes on moving evenly.
import { panBy, zoomAt, type Bounds, type Viewport } from "../model/viewport";
import type { Store } from "../model/store";

const KEYS: Record<string, { pan: number; zoom: number }> = {
  KeyW: { pan: 0, zoom: -1 },
  KeyS: { pan: 0, zoom: 1 },
  KeyA: { pan: -1, zoom: 0 },
  KeyD: { pan: 1, zoom: 0 },
};

const PRESS_PAN = 0.06; // of the window
const PRESS_ZOOM = 0.16; // e^
const HELD_PAN = 1.0; // of the window a second
const HELD_ZOOM = 2.2;
const HELD_AFTER_MS = 160;
const LONGEST_STEP_S = 0.05;

export class KeyMotion {
  #held = new Map<string, number>(); // since when
  #frame = 0;
  #last = 0;

  constructor(
    private readonly viewport: Store<Viewport>,
    private readonly bounds: () => Bounds,
    /** The moment that stays where it is when zooming. */
    private readonly fixed: () => number,
  ) {
    window.addEventListener("keyup", this.#up);
    window.addEventListener("blur", this.#release);
  }

  dispose(): void {
    this.#release();
    window.removeEventListener("keyup", this.#up);
    window.removeEventListener("blur", this.#release);
  }

  keydown(event: KeyboardEvent): boolean {
    const key = KEYS[event.code];
    if (!key || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.repeat || this.#held.has(event.code)) return true;
    this.#held.set(event.code, performance.now());
    this.#move(key.pan * PRESS_PAN, key.zoom * PRESS_ZOOM);
    if (!this.#frame) {
      this.#last = performance.now();
      this.#frame = requestAnimationFrame(this.#step);
    }
    return true;
  }

  /** One press and release. */
  press(code: string): void {
    const key = KEYS[code]!;
    this.#move(key.pan * PRESS_PAN, key.zoom * PRESS_ZOOM);
  }

  #move(pan: number, zoom: number): void {
    if (pan) this.viewport.update((view) => panBy(view, pan, this.bounds()));
    if (zoom) this.viewport.update((view) => zoomAt(view, this.fixed(), Math.exp(zoom), this.bounds()));
  }

  #step = (): void => {
    this.#frame = 0;
    const now = performance.now();
    const seconds = Math.min((now - this.#last) / 1000, LONGEST_STEP_S);
    this.#last = now;
    for (const [code, since] of this.#held) {
      const key = KEYS[code]!;
      if (now - since >= HELD_AFTER_MS) this.#move(key.pan * HELD_PAN * seconds, key.zoom * HELD_ZOOM * seconds);
    }
    if (this.#held.size) this.#frame = requestAnimationFrame(this.#step);
  };

  #up = (event: KeyboardEvent): void => {
    this.#held.delete(event.code);
  };

  #release = (): void => this.#held.clear();
}
