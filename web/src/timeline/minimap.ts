// The whole run in a strip: what kept each device busy, or where there is none, where the busiest threads have slices.
// The window can be moved and chosen in it.
import type { Track } from "../api/protocol";
import { tilesIn } from "../api/tile_store";
import type { Area, Mark } from "../model/selection";
import { everything, width, type Viewport } from "../model/viewport";
import { addActivity, newActivityRaster, paintActivity } from "./activity";
import type { Frame } from "./frame";
import { paintLane } from "./lanes";
import { LaneRaster } from "./raster";
import { Surface } from "./surface";

const MOST_ROWS = 8;
const MOST_THREADS = 4;

/** The tracks that the strip shows. */
export function minimapTracks(tracks: readonly Track[]): Track[] {
  const busy = tracks.filter((track) => track.kind === "busy");
  if (busy.length) return busy.slice(0, MOST_ROWS);
  const withSlices = tracks.filter(
    (track) => track.kind === "thread" || track.kind === "stream" || track.kind === "other",
  );
  return withSlices.sort((a, b) => b.slices - a.slices).slice(0, MOST_THREADS);
}

export class Minimap {
  readonly surface = new Surface();
  readonly #tracks: readonly Track[];

  constructor(tracks: readonly Track[]) {
    this.#tracks = minimapTracks(tracks);
  }

  /** `frame` is one over the whole run. */
  draw(frame: Frame, height: number): void {
    this.surface.resize(frame.pixels, height);
    const line = new Uint32Array(frame.pixels).fill(frame.page.paper);
    this.surface.fillRows(line, 0, height);
    const gap = Math.max(1, Math.round(2 * frame.ratio));
    const rowHeight = (height - gap) / Math.max(1, this.#tracks.length);
    this.#tracks.forEach((track, i) => {
      const top = Math.round(gap + i * rowHeight);
      const bottom = Math.round(gap + (i + 1) * rowHeight) - (i + 1 < this.#tracks.length ? Math.min(gap, 1) : 0);
      if (track.kind === "busy") this.#drawBusy(frame, track, top, bottom);
      else this.#drawSlices(frame, track, top, bottom);
    });
    this.surface.show();
  }

  #drawBusy(frame: Frame, track: Track, top: number, bottom: number): void {
    const raster = newActivityRaster(frame.pixels);
    const { first, last } = tilesIn(0, frame.span, frame.span, frame.level);
    for (let index = first; index <= last; ++index) {
      const tile = frame.tiles.want("activity", track.id, frame.level, index);
      if (tile) addActivity(raster, tile, frame.buckets(frame.level));
    }
    paintActivity(this.surface.pixels, this.surface.width, this.surface.height, raster, top, bottom - top, frame.page);
  }

  #drawSlices(frame: Frame, track: Track, top: number, bottom: number): void {
    const raster = new LaneRaster(frame.pixels);
    const { first, last } = tilesIn(0, frame.span, frame.span, frame.level);
    for (let index = first; index <= last; ++index) {
      const tile = frame.tiles.want("tile", track.id, frame.level, index);
      if (tile) raster.add(tile, 0, frame.buckets(frame.level));
    }
    const line = new Uint32Array(frame.pixels).fill(frame.page.paper);
    const fill = (of: LaneRaster, p: number) =>
      frame.palette.slice("class", of.colour[p]!, of.name[p]!, of.duration[p]!);
    paintLane(line, raster, { fill, edge: (colour) => colour }, Infinity, () => undefined);
    this.surface.fillRows(line, top, bottom);
  }
}

export interface MinimapColours {
  accent: string;
  shade: string;
  mark: string;
}

/** The window, the area and the marks over the strip. */
export function drawMinimapFrame(
  context: CanvasRenderingContext2D,
  view: Viewport,
  span: number,
  area: Area | null,
  marks: readonly Mark[],
  ratio: number,
  colours: MinimapColours,
): void {
  const { width: pixels, height } = context.canvas;
  const whole = everything(span);
  const xOf = (time: number) => ((time - whole.start) / width(whole)) * pixels;
  context.clearRect(0, 0, pixels, height);
  const left = Math.round(xOf(view.start));
  const right = Math.max(Math.round(xOf(view.end)), left + Math.round(3 * ratio));
  context.fillStyle = colours.shade;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, pixels - right, height);
  if (area) {
    context.fillStyle = colours.accent;
    context.fillRect(
      xOf(area.start),
      height - 3 * ratio,
      Math.max(2 * ratio, xOf(area.end) - xOf(area.start)),
      3 * ratio,
    );
  }
  context.fillStyle = colours.mark;
  for (const mark of marks) context.fillRect(Math.round(xOf(mark.start)), 0, Math.max(1, ratio), height);
  context.strokeStyle = colours.accent;
  context.lineWidth = Math.max(1, Math.round(1.5 * ratio));
  context.strokeRect(left + 0.5, 0.5, right - left - 1, height - 1);
}
