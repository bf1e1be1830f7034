// Asks for the tiles that panning will show first: one further on either side, of the tracks on the screen.
import type { TileKind } from "../api/client";
import { tilesIn } from "../api/tile_store";
import type { Frame } from "./frame";
import type { Pane } from "./pane";

export function prefetch(frame: Frame, panes: readonly Pane[]): void {
  const { first, last } = tilesIn(frame.view.start, frame.view.end, frame.span, frame.level);
  const end = tilesIn(0, frame.span, frame.span, frame.level).last;
  const want = (kind: TileKind, track: number) => {
    if (last < end) frame.tiles.want(kind, track, frame.level, last + 1);
    if (first > 0) frame.tiles.want(kind, track, frame.level, first - 1);
  };
  for (const pane of panes) {
    for (const row of pane.visibleRows()) {
      for (const { id, drawing } of row.kind === "track" ? [row.track] : row.summary) {
        want(drawing === "slices" ? "tile" : drawing, id);
        const busy = frame.busyBeside.get(id);
        if (busy !== undefined) want("activity", busy);
      }
    }
  }
}
