// `window.cgpu`, and of two timelines on the page `window.cgpu_b` for the second: what tests in a browser read. Nothing
// in the page uses it.
import type { TimelineSource } from "../timeline/source";
import type { Timeline } from "../timeline/timeline";

export interface DebugHandle {
  state(): {
    viewport: { start: number; end: number };
    selection: unknown;
    area: unknown;
    search: string;
    pinned: readonly number[];
    folded: number[];
    pending: number;
  };
  /** Same picture of the tracks, same text. */
  rasterHash(): string;
  /** ms of the last pictures. */
  frameTimes(): number[];
  /** Where a lane of a track is on the screen, CSS pixels; null where it is not. */
  place(track: number, lane: number): { x: number; y: number; width: number; height: number } | null;
  /** Changes the window, as a gesture would. For measuring. */
  show(start: number, end: number): void;
}

export function publish(source: TimelineSource, timeline: Timeline, name: "cgpu" | "cgpu_b" = "cgpu"): void {
  const handle: DebugHandle = {
    state: () => ({
      viewport: source.viewport.get(),
      selection: source.selection.get(),
      area: source.area.get(),
      search: source.search.get(),
      pinned: source.settings.get().pinned,
      folded: [...source.settings.get().folded],
      pending: source.tiles.pending,
    }),
    rasterHash: () => timeline.rasterHash(),
    frameTimes: () => [...timeline.frameTimes],
    place: (track, lane) => timeline.placeOf(track, lane),
    show: (start, end) => source.viewport.set({ start, end }),
  };
  (window as unknown as Record<string, DebugHandle>)[name] = Object.freeze(handle);
}
