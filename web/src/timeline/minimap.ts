// Many tracks in a strip: what kept each device busy, or where there is none, where the busiest threads have slices.
// One of the whole run is at the top, where the window can be moved and chosen in it; folded groups have theirs.
import type { Track } from "../api/protocol";
import { summaryOf } from "../model/groups";
import type { Area, Mark } from "../model/selection";
import { everything, width, type Viewport } from "../model/viewport";
import { paintActivity } from "./activity";
import type { Frame } from "./frame";
import { paintLane } from "./lanes";
import { activityOf, partsOf } from "./parts";
import { LaneRaster } from "./raster";
import { Surface } from "./surface";

/** Draws the tracks one below the other between two rows of a picture that has the paper already. */
export function drawSummary(surface: Surface, frame: Frame, tracks: readonly Track[], top: number, bottom: number) {
  const rowHeight = (bottom - top) / Math.max(1, tracks.length);
  tracks.forEach((track, i) => {
    const from = Math.round(top + i * rowHeight);
    const to = Math.round(top + (i + 1) * rowHeight) - (i + 1 < tracks.length ? 1 : 0);
    if (track.drawing === "activity") {
      const raster = activityOf(frame, track.id);
      frame.seeActivity(raster);
      paintActivity(surface.pixels, surface.width, surface.height, raster, from, to - from, frame.page);
    } else {
      drawSlices(surface, frame, track, from, to);
    }
  });
}

/** The outermost lane of a track. */
function drawSlices(surface: Surface, frame: Frame, track: Track, top: number, bottom: number): void {
  const raster = new LaneRaster(frame.pixels);
  for (const part of partsOf(frame, "tile", track.id)) raster.add(part.tile, 0, part.buckets, part.first, part.last);
  const under = surface.pixels.subarray(Math.max(0, top) * surface.width);
  const line = under.slice(0, frame.pixels);
  const mode = frame.mode === "name" ? "name" : "class";
  const fill = (of: LaneRaster, p: number) => frame.palette.slice(mode, of.colour[p]!, of.name[p]!, of.duration[p]!);
  paintLane(line, raster, { fill, edge: (colour) => colour }, Infinity, () => undefined);
  surface.fillRows(line, top, bottom);
}

export class Minimap {
  readonly surface = new Surface();
  readonly #tracks: readonly Track[];

  constructor(tracks: readonly Track[]) {
    this.#tracks = summaryOf(tracks);
  }

  /** `frame` is one over the whole run. */
  draw(frame: Frame, height: number): void {
    this.surface.resize(frame.pixels, height);
    this.surface.fillRows(new Uint32Array(frame.pixels).fill(frame.page.paper), 0, height);
    drawSummary(this.surface, frame, this.#tracks, Math.max(1, Math.round(2 * frame.ratio)), height);
    this.surface.show();
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
