// A scrolled list of tracks: their names at the left, their pixels, and the names of slices over these. Only the rows
// on the screen are drawn.
import type { Drawing } from "../api/protocol";
import type { SliceRef } from "../model/selection";
import { headingsOf, isArea, rowAt, type GroupRow, type Row, type TrackRow } from "../model/layout";
import { paintActivity } from "./activity";
import { fromCss, mix, SLICE_TEXT } from "./colours";
import {
  addCounter,
  counterScale,
  newCounterRaster,
  paintCounter,
  valuesInSight,
  type CounterRange,
  type CounterRaster,
} from "./counters";
import { coverageRows } from "./coverage";
import { CAUSE, type Frame } from "./frame";
import { HATCH_STEP, HATCH_STRENGTH, hatchLane } from "./hatch";
import type { HeaderColumn } from "./headers";
import { paintLane, type LaneColours } from "./lanes";
import { drawSummary } from "./minimap";
import { activityOf, partsOf } from "./parts";
import { LaneRaster } from "./raster";
import { Surface } from "./surface";
import { TextMeasure } from "./text";

/** Which part of a lane is a run's: all, or where two runs share it a half. */
export type LanePart = "whole" | "upper" | "lower";

/** What of a lane, or of a row, from one pixel to another is a run's. */
function partOf(from: number, to: number, part: LanePart): [number, number] {
  const middle = Math.round((from + to) / 2);
  return [part === "lower" ? middle : from, part === "upper" ? middle : to];
}

/** A run that is drawn in a row, and its track there. */
interface Drawn {
  frame: Frame;
  track: number;
  part: LanePart;
}

function drawnIn(frame: Frame, track: number): Drawn[] {
  if (!frame.under) return [{ frame, track, part: "whole" }];
  const theirs = frame.under.trackOf.get(track);
  const own: Drawn = { frame, track, part: "upper" };
  return theirs === undefined ? [own] : [own, { frame: frame.under.frame, track: theirs, part: "lower" }];
}

/** What is under the pointer. */
export interface Hit {
  row: TrackRow;
  /** Of the run whose it is: where two share the rows, of the one or of the other. */
  track: number;
  under: boolean;
  lane: number;
  slice: { slice: number; start: number; duration: number; name: number } | null;
  /** Of a track without slices: what it shows there. */
  reading?: Reading | null;
}

export function refOf(hit: Hit): SliceRef | null {
  if (!hit.slice) return null;
  const { slice, start, duration: length } = hit.slice;
  return { track: hit.track, slice, lane: hit.lane, start, duration: length };
}

export type Reading =
  | { kind: "counter"; minimum: number; maximum: number }
  | { kind: "activity"; compute: number; communication: number; memory: number };

const HATCH_INK = fromCss(SLICE_TEXT);
const FONT_SIZE = 11;
const LABEL_FROM = 26; // CSS pixels
const LABEL_INSET = 4;
const NEAR = 2; // device pixels beside the pointer in which a slice is still hit

export class Pane {
  readonly element = document.createElement("div");
  readonly #spacer = document.createElement("div");
  readonly #sticky = document.createElement("div");
  readonly surface = new Surface();
  readonly #ink = document.createElement("canvas");
  readonly #context = this.#ink.getContext("2d")!;
  #measure: TextMeasure | null = null;
  #measureRatio = 0;
  #rows: readonly Row[] = [];
  #scrollTop = 0;
  #height = 0;
  #raster = new LaneRaster(1);
  #line = new Uint32Array(1);
  #background = new Uint32Array(1);
  #rowsOf = new Uint16Array(1);
  /** The values in sight of counter tracks, for their headers. */
  readonly counterRanges = new Map<number, CounterRange | null>();

  constructor(
    readonly name: string,
    readonly headers: HeaderColumn,
    onScroll: () => void,
  ) {
    this.element.className = `pane pane-${name}`;
    this.#spacer.className = "pane-spacer";
    this.#sticky.className = "pane-sticky";
    this.#ink.className = "ink";
    this.surface.canvas.className = "raster";
    this.#sticky.append(headers.element, this.surface.canvas, this.#ink);
    this.#spacer.append(this.#sticky);
    this.element.append(this.#spacer);
    this.element.addEventListener("scroll", onScroll, { passive: true });
  }

  setRows(rows: readonly Row[], height: number): void {
    this.#rows = rows;
    this.#spacer.style.height = `${height}px`;
  }

  /** What pointers touch. */
  get canvas(): HTMLCanvasElement {
    return this.#ink;
  }

  /** As of the last picture: asking the browser for it in the middle of one makes it lay out the page. */
  get scrollTop(): number {
    return this.#scrollTop;
  }

  get height(): number {
    return this.#height;
  }

  /** The rows on the screen. */
  visibleRows(): Row[] {
    const rows: Row[] = [];
    const bottom = this.scrollTop + this.height;
    for (let i = rowAt(this.#rows, this.scrollTop); i < this.#rows.length && this.#rows[i]!.top < bottom; ++i) {
      rows.push(this.#rows[i]!);
    }
    return rows;
  }

  /** Those of the topmost row that are scrolled out. */
  #headingsAbove(): GroupRow[] {
    const first = rowAt(this.#rows, this.scrollTop);
    return this.#rows[first] ? headingsOf(this.#rows, first).filter((row) => row.top < this.scrollTop) : [];
  }

  draw(frame: Frame): void {
    const { ratio } = frame;
    this.#scrollTop = this.element.scrollTop;
    this.#height = this.element.clientHeight;
    const height = Math.max(1, Math.round(this.height * ratio));
    this.#sticky.style.height = `${this.height}px`;
    this.surface.resize(frame.pixels, height);
    this.#prepareInk(frame, height);
    if (this.#line.length !== frame.pixels) {
      this.#line = new Uint32Array(frame.pixels);
      this.#background = new Uint32Array(frame.pixels);
      this.#rowsOf = new Uint16Array(frame.pixels);
      this.#raster = new LaneRaster(frame.pixels);
    }
    this.#drawBackground(frame);
    const visible = this.visibleRows();
    for (const row of visible) {
      const top = row.top - this.scrollTop;
      if (row.kind === "group") {
        this.#line.fill(frame.page.band);
        this.surface.fillRows(this.#line, Math.round(top * ratio), Math.round((top + row.height) * ratio));
        const [from, to] = [Math.round((top + 3) * ratio), Math.round((top + row.height - 2) * ratio)];
        this.#drawSummary(frame, row, from, to);
      } else if (row.track.drawing === "activity") {
        this.#drawActivity(frame, row, top);
      } else if (row.track.drawing === "counter") {
        this.#drawCounter(frame, row, top);
      } else {
        this.#drawSlices(frame, row, top);
      }
    }
    this.surface.show();
    this.headers.update(visible, this.scrollTop, this.counterRanges, this.#headingsAbove());
  }

  /** Of the tracks on the screen, without the empty paper below them. */
  hash(ratio: number): string {
    const last = this.#rows[this.#rows.length - 1];
    const bottom = last ? last.top + last.height - this.#scrollTop : 0;
    return this.surface.hash(Math.min(this.surface.height, Math.round(bottom * ratio)));
  }

  #prepareInk(frame: Frame, height: number): void {
    if (this.#ink.width !== frame.pixels || this.#ink.height !== height) {
      this.#ink.width = frame.pixels;
      this.#ink.height = height;
    } else {
      this.#context.clearRect(0, 0, frame.pixels, height);
    }
    const font = `${FONT_SIZE * frame.ratio}px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
    if (!this.#measure || this.#measureRatio !== frame.ratio) {
      this.#measure = new TextMeasure(this.#context, font);
      this.#measureRatio = frame.ratio;
    }
    this.#context.font = font;
    this.#context.textBaseline = "middle";
    this.#context.direction = "ltr";
  }

  /** Paper with the lines of the ruler. */
  #drawBackground(frame: Frame): void {
    this.#background.fill(frame.page.paper);
    const { view, gridStep, gridOrigin } = frame;
    for (let i = Math.ceil((view.start - gridOrigin) / gridStep); gridOrigin + i * gridStep <= view.end; ++i) {
      const x = Math.round(frame.xOf(gridOrigin + i * gridStep));
      if (x >= 0 && x < frame.pixels) this.#background[x] = frame.page.grid;
    }
    this.surface.fillRows(this.#background, 0, this.surface.height);
  }

  #drawSummary(frame: Frame, row: GroupRow, top: number, bottom: number): void {
    if (!frame.under) return drawSummary(this.surface, frame, row.summary, top, bottom);
    const { under } = frame;
    drawSummary(this.surface, frame, row.summary, ...partOf(top, bottom, "upper"));
    const theirs = row.summary.flatMap((track) => {
      const id = under.trackOf.get(track.id);
      return id === undefined ? [] : [{ ...track, id }];
    });
    drawSummary(this.surface, under.frame, theirs, ...partOf(top, bottom, "lower"));
  }

  #drawSlices(frame: Frame, row: TrackRow, top: number): void {
    for (const drawn of drawnIn(frame, row.track.id)) this.#drawLanes(drawn, row, top);
  }

  #drawLanes({ frame, track, part }: Drawn, row: TrackRow, top: number): void {
    const parts = partsOf(frame, "tile", track);
    if (!parts.length) return;
    const { ratio } = frame;
    const { coverage } = row.track;
    const busy = frame.busyBeside.get(track);
    const activity = busy === undefined ? null : activityOf(frame, busy);
    const lanes = Math.max(1, row.track.lanes);
    const shownLanes = row.folded ? Math.min(lanes, Math.floor(row.height / row.laneHeight)) : lanes;
    const firstLane = Math.max(0, Math.floor(-top / row.laneHeight));
    const lastLane = Math.min(shownLanes, Math.ceil((this.height - top) / row.laneHeight));
    const colours = laneColours(frame, track);
    const gap = row.folded ? (row.laneHeight >= 3 ? 1 : 0) : 1;
    const ownHeight = part === "whole" ? row.laneHeight : row.laneHeight / 2;
    const labelled = part === "whole" && !row.folded ? true : ownHeight >= FONT_SIZE + 3;
    const longEnough = labelled ? LABEL_FROM * ratio : Infinity;
    for (let lane = firstLane; lane < lastLane; ++lane) {
      this.#raster.clear();
      for (const part of parts) this.#raster.add(part.tile, lane, part.buckets, part.first, part.last);
      this.#line.set(this.#background);
      const [from, to] = partOf(
        Math.round((top + lane * row.laneHeight) * ratio),
        Math.round((top + (lane + 1) * row.laneHeight - gap) * ratio),
        part,
      );
      const middle = (from + to) / 2 + 0.5;
      paintLane(this.#line, this.#raster, colours, longEnough, (first, last) =>
        this.#label(frame, track, first, last, middle),
      );
      if (activity && coverage) {
        coverageRows(this.#rowsOf, coverage, this.#raster, activity, to - from);
        this.surface.fillColumns(this.#line, this.#background, this.#rowsOf, from, to);
      } else {
        this.surface.fillRows(this.#line, from, to);
      }
      if (frame.mode === "change") this.#hatchOneSided(frame, from, to);
    }
  }

  /** Lines over what one of two runs alone has, of a lane that is painted. */
  #hatchOneSided(frame: Frame, from: number, to: number): void {
    const { pixels, width, height } = this.surface;
    const { slice, colour, name } = this.#raster;
    const darker = new Map<number, number>();
    hatchLane(
      pixels,
      width,
      height,
      from,
      to,
      Math.round(HATCH_STEP * frame.ratio),
      (p) => slice[p]! >= 0 && changeOf(frame, colour[p]!, name[p]!) === null,
      (fill) => {
        let dark = darker.get(fill);
        if (dark === undefined) darker.set(fill, (dark = mix(HATCH_INK, fill, HATCH_STRENGTH)));
        return dark;
      },
    );
  }

  #label(frame: Frame, track: number, from: number, to: number, y: number): void {
    const label = frame.labels.get(this.#raster.name[from]!);
    if (!label) return;
    const inset = LABEL_INSET * frame.ratio;
    const room = to - from - 2 * inset;
    const measure = this.#measure!;
    const text = measure.fitting(label.forms, room);
    if (!text) return;
    this.#context.fillStyle = isHit(frame, track, this.#raster, from) ? SLICE_TEXT : frame.dimText;
    this.#context.fillText(text, from + inset, y);
  }

  #drawActivity(frame: Frame, row: TrackRow, top: number): void {
    const { pixels, width, height } = this.surface;
    const rows = [Math.round(top * frame.ratio), Math.round((top + row.height) * frame.ratio)] as const;
    for (const drawn of drawnIn(frame, row.track.id)) {
      const [from, to] = partOf(...rows, drawn.part);
      const raster = activityOf(drawn.frame, drawn.track);
      frame.seeActivity(raster);
      paintActivity(pixels, width, height, raster, from, to - from, frame.page);
    }
  }

  #counter(frame: Frame, track: number): CounterRaster {
    const raster = newCounterRaster(frame.pixels);
    for (const part of partsOf(frame, "counter", track)) {
      addCounter(raster, part.tile, part.buckets, part.first, part.last);
    }
    return raster;
  }

  #drawCounter(frame: Frame, row: TrackRow, top: number): void {
    const { pixels, width, height } = this.surface;
    const rows = [Math.round(top * frame.ratio), Math.round((top + row.height) * frame.ratio)] as const;
    const colours = { area: frame.page.counterArea, line: frame.page.counterLine };
    const all = drawnIn(frame, row.track.id).map((drawn) => ({
      part: drawn.part,
      raster: this.#counter(drawn.frame, drawn.track),
    }));
    const scales = all.map(({ raster }) => counterScale(raster, frame.countersFromZero));
    const scale = {
      low: Math.min(...scales.map(({ low }) => low)),
      high: Math.max(...scales.map(({ high }) => high)),
    };
    for (const { raster, part } of all) {
      const [from, to] = partOf(...rows, part);
      paintCounter(pixels, width, height, raster, from, to - from, colours, scale);
    }
    const values = all.flatMap(({ raster }) => valuesInSight(raster) ?? []);
    this.counterRanges.set(
      row.track.id,
      values.length
        ? { low: Math.min(...values.map(({ low }) => low)), high: Math.max(...values.map(({ high }) => high)) }
        : null,
    );
  }

  /** The row at a height below the top of the pane, CSS pixels. */
  rowAt(y: number): Row | undefined {
    const at = y + this.scrollTop;
    const row = this.#rows[rowAt(this.#rows, at)];
    return row && at >= row.top ? row : undefined;
  }

  /** What is at a point of the pane, CSS pixels from the top left of its canvas. */
  hit(frame: Frame, x: number, y: number): Hit | null {
    const row = this.rowAt(y);
    if (row?.kind !== "track") return null;
    const pixel = Math.floor(x * frame.ratio);
    const below = y + this.scrollTop - row.top;
    const lane = isArea(row.track) ? 0 : Math.min(Math.floor(below / row.laneHeight), Math.max(0, row.track.lanes - 1));
    const lower = isArea(row.track) ? below >= row.height / 2 : below - lane * row.laneHeight >= row.laneHeight / 2;
    const drawn = drawnIn(frame, row.track.id).find(({ part }) => part === "whole" || (part === "lower") === lower);
    if (!drawn) return null;
    return { row, track: drawn.track, under: drawn.part === "lower", lane, ...this.#hitIn(drawn, row, lane, pixel) };
  }

  #hitIn({ frame, track }: Drawn, row: TrackRow, lane: number, pixel: number): Pick<Hit, "slice" | "reading"> {
    if (isArea(row.track)) return { slice: null, reading: this.#read(frame, row.track.drawing, track, pixel) };
    const parts = partsOf(frame, "tile", track);
    const raster = new LaneRaster(frame.pixels);
    const first = Math.max(0, pixel - NEAR);
    const last = Math.min(frame.pixels, pixel + NEAR + 1);
    for (const part of parts) {
      raster.add(part.tile, lane, part.buckets, Math.max(first, part.first), Math.min(last, part.last));
    }
    for (const p of [pixel, pixel - 1, pixel + 1, pixel - 2, pixel + 2]) {
      if (p < first || p >= last || raster.slice[p]! < 0) continue;
      return { slice: sliceAt(raster, p) };
    }
    return { slice: null };
  }

  /** The first or last slice in sight on a track, else on the first that has one, the profile's before derived ones. */
  sliceInSight(frame: Frame, edge: "first" | "last", track?: number): Hit | null {
    const rows = this.visibleRows().filter(
      (row): row is TrackRow => row.kind === "track" && !isArea(row.track) && (track ?? row.track.id) === row.track.id,
    );
    const raster = new LaneRaster(frame.pixels);
    for (const row of [...rows.filter((row) => !row.track.derived), ...rows.filter((row) => row.track.derived)]) {
      raster.clear();
      for (const part of partsOf(frame, "tile", row.track.id)) {
        raster.add(part.tile, 0, part.buckets, part.first, part.last);
      }
      const pixel = edge === "first" ? raster.slice.findIndex((slice) => slice >= 0) : lastSlice(raster);
      if (pixel >= 0) return { row, track: row.track.id, under: false, lane: 0, slice: sliceAt(raster, pixel) };
    }
    return null;
  }

  /** What a track of a counter or of activity shows at a pixel. */
  #read(frame: Frame, drawing: Drawing, track: number, pixel: number): Reading | null {
    if (pixel < 0 || pixel >= frame.pixels) return null;
    if (drawing === "counter") {
      const { minimum, maximum } = this.#counter(frame, track);
      if (Number.isNaN(maximum[pixel]!)) return null;
      return { kind: "counter", minimum: minimum[pixel]!, maximum: maximum[pixel]! };
    }
    const { compute, communication, memory } = activityOf(frame, track);
    return { kind: "activity", compute: compute[pixel]!, communication: communication[pixel]!, memory: memory[pixel]! };
  }

  /** Where a lane, or a part of it, is below the top of the pane, and its height; null where the track has no row
   * here. */
  placeOf(track: number, lane: number, part: LanePart = "whole"): { top: number; height: number } | null {
    const row = this.#rows.find((candidate) => candidate.kind === "track" && candidate.track.id === track);
    if (row?.kind !== "track") return null;
    const height = row.laneHeight || row.height;
    const offset = Math.min(lane * height, row.height - height);
    const whole = row.laneHeight > 3 ? height - 1 : height;
    const [from, to] = partOf(0, whole, part);
    return { top: row.top - this.scrollTop + offset + from, height: to - from };
  }

  /** Scrolls so that a lane can be seen. */
  reveal(track: number, lane: number): boolean {
    this.#scrollTop = this.element.scrollTop;
    const height = this.element.clientHeight;
    const place = this.placeOf(track, lane);
    if (!place) return false;
    const margin = Math.min(40, height / 4);
    if (place.top < margin) this.element.scrollTop += place.top - margin;
    else if (place.top + place.height > height - margin)
      this.element.scrollTop += place.top + place.height - height + margin;
    return true;
  }
}

function sliceAt(raster: LaneRaster, pixel: number): NonNullable<Hit["slice"]> {
  return {
    slice: raster.slice[pixel]!,
    start: raster.start[pixel]!,
    duration: raster.duration[pixel]!,
    name: raster.name[pixel]!,
  };
}

function lastSlice(raster: LaneRaster): number {
  let pixel = raster.pixels - 1;
  while (pixel >= 0 && raster.slice[pixel]! < 0) --pixel;
  return pixel;
}

/** How a slice has changed, as Palette.change takes it: only device ops are compared. */
const changeOf = ({ palette, changes }: Frame, colour: number, name: number): number | null | undefined =>
  palette.isDeviceKind(colour >> 8) ? changes?.get(name) : undefined;

/** How strongly slices are shown that are not looked for. */
const UNWANTED = 0.22;

/** Whether what a pixel shows is looked for; all is while nothing is. */
const isHit = ({ hits }: Frame, track: number, { slice, name }: LaneRaster, pixel: number): boolean =>
  hits === null || hits.has(track, slice[pixel]!, name[pixel]!);

function laneColours(frame: Frame, track: number): LaneColours {
  const { palette, mode, page, seen } = frame;
  const edges = new Map<number, number>();
  return {
    fill(raster, pixel) {
      const colour = raster.colour[pixel]!;
      const isCause = palette.isCauseKind(colour >> 8);
      seen[isCause ? CAUSE | (colour & 255) : colour] = 1;
      const name = raster.name[pixel]!;
      const fill =
        mode === "change"
          ? palette.change(changeOf(frame, colour, name))
          : isCause
            ? palette.cause(colour & 255)
            : palette.slice(mode, colour, name, raster.duration[pixel]!);
      return isHit(frame, track, raster, pixel) ? fill : mix(fill, page.paper, UNWANTED);
    },
    edge(fill) {
      let edge = edges.get(fill);
      if (edge === undefined) edges.set(fill, (edge = mix(fill, page.paper, 0.45)));
      return edge;
    },
  };
}
