// Going from slice to slice: neighbours in the lane, up and down the stack, along launch links, and along the matches
// of a search.
import type { Neighbor, SliceAt } from "../api/protocol";
import { rangeOf } from "../model/selection";
import { reveal } from "../model/viewport";
import type { Direction } from "./search_hits";
import type { TimelineSource } from "./source";

const isDevice = new Set(["stream", "ranges"]);

export class Navigation {
  constructor(private readonly source: TimelineSource) {}

  /** Selects what is there in one of the directions; the first that leads anywhere. */
  async go(...directions: Neighbor[]): Promise<void> {
    const from = this.source.selection.get();
    if (!from) return;
    for (const to of directions) {
      try {
        const found = await this.source.client.neighbor(from.track, from.slice, to);
        if (this.source.selection.get() !== from) return; // the user was quicker
        if (!found) continue;
        this.#select(found);
        return;
      } catch {
        return;
      }
    }
  }

  /** Along the links: from a call to what it launched, from forward to backward. */
  follow(): Promise<void> {
    return this.#onDevice() ? this.go("next") : this.go("launch", "backward");
  }

  /** Against them: from a device op to its launch, from backward to forward. */
  goBack(): Promise<void> {
    return this.#onDevice() ? this.go("launch") : this.go("forward");
  }

  #onDevice(): boolean {
    const track = this.source.tracks.find((candidate) => candidate.id === this.source.selection.get()?.track);
    return track !== undefined && isDevice.has(track.kind);
  }

  /** The next or previous match after the selected slice, else after the start of the window. */
  async search(direction: Direction): Promise<void> {
    const view = this.source.viewport.get();
    // The window may show more than the session.
    const edge = Math.min(
      Math.max(0, Math.round(direction === "next" ? view.start : view.end)),
      this.source.session.span,
    );
    const hit = await this.source.hits.step(direction, edge);
    if (hit) this.#select(hit);
  }

  #select(slice: SliceAt): void {
    const viewport = reveal(this.source.viewport.get(), rangeOf(slice), this.source.session.span);
    this.source.navigate({ slice, viewport });
  }
}
