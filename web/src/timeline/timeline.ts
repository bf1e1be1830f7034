// The timeline as one component: minimap, ruler, pinned tracks, tracks, and what lies over them. It draws when
// something has changed, at most once a frame of the browser.
import { busyBeside, groupsAround, groupTree } from "../model/groups";
import { layout, moveTrack, SHARED_LANE_HEIGHT, type Layout } from "../model/layout";
import { tracksAtDepth } from "../model/call_depth";
import { duration, moment } from "../model/format";
import { byTime, rangeOf, type SliceRef } from "../model/selection";
import { everything, fit, sameRange, width, type Viewport } from "../model/viewport";
import { fromCss, mix, Palette } from "./colours";
import { SelectedFlows } from "./flows";
import { Frame, type FrameUnder, type PageColours } from "./frame";
import { HeaderColumn, type HeaderActions } from "./headers";
import { flagAt, toggleMark } from "./flags";
import { labelBorder } from "./label_column";
import { KeyMotion } from "./motion";
import { drawMinimapFrame, Minimap } from "./minimap";
import { drawOverlay, type OverlayColours, type PlacedPane } from "./overlay";
import { Pane, refOf, type Hit } from "./pane";
import { prefetch } from "./prefetch";
import { minimapDown, pointerDown, wheel, type Stage } from "./pointer";
import { drawRuler, gridStepOf } from "./ruler";
import { layoutOf, tracksOfBoth, type TimelineSource, type Under } from "./source";
import { Labels } from "./text";
import { openMenuAt, rowMenu } from "./track_menu";
import { Tooltip } from "./tooltip";

const RULER_HEIGHT = 24;
const MINIMAP_HEIGHT = 44;
const MOST_PINNED = 0.45; // of the height
const KEPT_TIMES = 240;

export class Timeline implements Stage {
  readonly element = document.createElement("div");
  readonly panes: readonly [Pane, Pane];
  /** Called where the flag of a mark is clicked. */
  onMarkClicked: (() => void) | null = null;
  /** Colours in the last picture; called after every one. */
  onDrawn: ((frame: Frame) => void) | null = null;
  readonly motion: KeyMotion;
  /** ms that each of the last pictures took. */
  readonly frameTimes: number[] = [];

  readonly #minimap: Minimap;
  readonly #minimapFrame = document.createElement("canvas");
  readonly #ruler = document.createElement("canvas");
  readonly #base = document.createElement("div");
  readonly #overlay = document.createElement("canvas");
  readonly #empty = document.createElement("p");
  readonly #live = document.createElement("div");
  readonly #top = document.createElement("div");
  readonly #stage = document.createElement("div");
  readonly #labels: Labels;
  /** Of the other run in the same rows. */
  readonly #underLabels: Labels | null;
  readonly #underBusyBeside: ReadonlyMap<number, number>;
  #underPalette!: Palette;
  readonly #busyBeside: ReadonlyMap<number, number>;
  readonly #tooltip: Tooltip;
  readonly #flows: SelectedFlows;
  readonly #ends: (() => void)[] = [];
  #layout: Layout;
  #frame: Frame | null = null;
  #palette!: Palette;
  #page!: PageColours;
  #overlayColours!: OverlayColours;
  #dirty: "no" | "overlay" | "all" = "no";
  #scheduled = 0;
  #placed: PlacedPane[] = [];
  #size = { pixels: 0, css: 0, ratio: 1 };
  #visible = true;
  /** Where the pointer is; pane null: on the ruler. */
  #pointer: { pane: Pane | null; event: PointerEvent } | null = null;
  /** The slice selected last, until the user scrolls. */
  #keepInSight: SliceRef | null = null;

  constructor(readonly source: TimelineSource) {
    const actions: HeaderActions = {
      toggleFold: (id) => this.#toggleFold(id),
      togglePin: (track) => this.togglePin(track),
      move: (track, by) => this.#move(track, by),
      enter: (track, edge) => this.selectInSight(edge, track),
      menu: (row, x, y) => rowMenu(source, row, x, y),
    };
    const onScroll = () => this.#redraw("all");
    this.panes = [
      new Pane("pinned", new HeaderColumn(actions, true), onScroll),
      new Pane("main", new HeaderColumn(actions, false), onScroll),
    ];
    this.#minimap = new Minimap(source.tracks);
    this.#busyBeside = busyBeside(source.tracks);
    this.#labels = new Labels(source.names);
    this.#underLabels = source.under ? new Labels(source.under.source.names) : null;
    this.#underBusyBeside = busyBeside(source.under?.source.tracks ?? []);
    this.#tooltip = new Tooltip();
    this.#flows = new SelectedFlows(source.client, () => this.#redraw("overlay"));
    this.motion = new KeyMotion(
      source.viewport,
      () => source.bounds(),
      () => this.fixedMoment(),
    );
    this.#layout = layoutOf(source);
    this.#build();
    this.#listen();
    this.#readColours();
    this.#arrange();
    this.#onSelect(source.selection.get()); // another view may have selected it before this one was shown
  }

  dispose(): void {
    for (const end of this.#ends) end();
    this.motion.dispose();
    cancelAnimationFrame(this.#scheduled);
    this.element.remove();
  }

  /** A hidden timeline does not draw. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (visible) this.#redraw("all");
  }

  /** A number that is the same for the same picture of the tracks; no text is in it. */
  rasterHash(): string {
    return this.panes.map((pane) => pane.hash(this.#size.ratio)).join("-");
  }

  /** Where a lane of a track is on the screen, CSS pixels of the page; null where it is scrolled out or folded away. */
  placeOf(track: number, lane: number): { x: number; y: number; width: number; height: number } | null {
    for (const pane of this.panes) {
      const place = pane.placeOf(track, lane);
      if (!place || place.top < 0 || place.top + place.height > pane.height) continue;
      const box = pane.canvas.getBoundingClientRect();
      return { x: box.left, y: box.top + place.top, width: box.width, height: place.height };
    }
    return null;
  }

  /** The moment that zooming by keys keeps in place. */
  fixedMoment(): number {
    const view = this.source.viewport.get();
    return this.source.cursor.get() ?? (view.start + view.end) / 2;
  }

  momentAt(clientX: number): number {
    const view = this.source.viewport.get();
    return view.start + ((clientX - this.#ruler.getBoundingClientRect().left) / this.#size.css) * width(view);
  }

  hitAt(pane: Pane, event: PointerEvent | MouseEvent): Hit | null {
    if (!this.#frame) return null;
    const box = this.#ruler.getBoundingClientRect();
    return pane.hit(this.#frame, event.clientX - box.left, event.clientY - pane.element.getBoundingClientRect().top);
  }

  /** Selects the slice there, or drops the selection; unfolds a folded group. */
  click(pane: Pane, event: PointerEvent): void {
    const row = pane.rowAt(event.clientY - pane.element.getBoundingClientRect().top);
    if (row?.kind !== "group") this.#select(this.hitAt(pane, event));
    else if (row.folded) this.#toggleFold(row.id);
  }

  #select(hit: Hit | null): void {
    if (hit?.slice) {
      const source = this.#sourceOf(hit);
      source.navigate({ slice: refOf(hit)!, viewport: source.viewport.get() });
    } else this.source.navigate(this.source.selection.get() ? { slice: null } : { area: null });
  }

  zoomTo(hit: Hit): void {
    const slice = refOf(hit);
    const source = this.#sourceOf(hit);
    if (slice) source.navigate({ slice, viewport: fit(rangeOf(slice), source.session.span) });
  }

  /** The run that was hit. */
  #sourceOf(hit: Hit): TimelineSource {
    return hit.under ? this.source.under!.source : this.source;
  }

  get #under(): Under | null {
    const { under } = this.source;
    return under?.shown.get() ? under : null;
  }

  /** Shows the selected slice or area; all, where that is shown already or nothing is selected. */
  fit(): void {
    const { source } = this;
    const slice = source.selection.get();
    const range = slice ? rangeOf(slice) : source.area.get();
    const whole = everything(source.session.span);
    const target = range ? fit(range, source.session.span) : whole;
    source.navigate({ viewport: sameRange(target, source.viewport.get()) ? whole : target });
  }

  /** Flags what is under the pointer, or takes that flag away. */
  mark(): void {
    const at = this.#pointer;
    const hit = at?.pane ? this.hitAt(at.pane, at.event) : null;
    toggleMark(this.source, hit && refOf(hit), this.fixedMoment(), this.#size.css);
  }

  /** Selects the first or last slice on the screen; for keys, which go on from there. */
  selectInSight(edge: "first" | "last", track?: number): void {
    const frame = this.#frame;
    if (!frame) return;
    const [pinned, main] = this.panes;
    const hit = main.sliceInSight(frame, edge, track) ?? pinned.sliceInSight(frame, edge, track);
    if (hit) this.#select(hit);
  }

  togglePin(track: number): void {
    const { pinned } = this.source.settings.get();
    this.source.changeSettings({
      pinned: pinned.includes(track) ? pinned.filter((id) => id !== track) : [...pinned, track],
    });
  }

  /** Unfolds and scrolls until the track can be seen. */
  revealTrack(track: number, lane = 0): void {
    if (!this.panes[0].placeOf(track, lane) && !this.panes[1].placeOf(track, lane)) {
      // Its group is folded, the filter hides it, or the user has.
      const around = groupsAround(groupTree(this.source.tracks), track);
      if (!around.length) return;
      const folded = new Set(this.source.settings.get().folded);
      const hidden = new Set(this.source.settings.get().hidden);
      for (const group of around) folded.delete(group.id);
      const change = hidden.delete(track) ? { folded, hidden } : { folded };
      this.source.changeSettings({ ...change, filter: "" });
      this.#arrange();
    }
    if (!this.panes[0].reveal(track, lane)) this.panes[1].reveal(track, lane);
  }

  hover(pane: Pane | null, event: PointerEvent | null): void {
    this.source.cursor.set(event ? this.momentAt(event.clientX) : null);
    this.#pointer = event && { pane, event };
    this.#showTooltip();
  }

  /** What is under the pointer now: the tracks may have moved below it. */
  #showTooltip(): void {
    const { pane = null, event = null } = this.#pointer ?? {};
    const hit = pane && event ? this.hitAt(pane, event) : null;
    const box = this.element.getBoundingClientRect();
    this.#tooltip.show(
      hit,
      (hit?.under && this.#underLabels) || this.#labels,
      hit ? this.#sourceOf(hit).axis.get() : this.source.axis.get(),
      (event?.clientX ?? 0) - box.left,
      (event?.clientY ?? 0) - box.top,
      this.element,
    );
    for (const each of this.panes) each.element.classList.toggle("over-slice", hit?.slice != null);
  }

  #build(): void {
    this.element.className = "timeline";
    this.#top.className = "tl-top";
    this.#stage.className = "tl-stage";
    const minimap = document.createElement("div");
    minimap.className = "tl-minimap";
    minimap.append(this.#minimap.surface.canvas, this.#minimapFrame);
    this.#minimapFrame.setAttribute("aria-label", "The whole run");
    this.#base.className = "tl-base";
    this.#ruler.className = "tl-ruler";
    this.#top.append(minimap, this.#base, this.#ruler);
    this.#overlay.className = "tl-overlay";
    this.#empty.className = "empty tl-empty";
    this.#empty.hidden = true;
    this.#live.className = "offscreen";
    this.#live.setAttribute("aria-live", "polite");
    this.#stage.append(this.panes[0].element, this.panes[1].element, this.#empty);
    this.element.append(this.#top, this.#stage, this.#overlay, labelBorder(), this.#tooltip.element, this.#live);
    this.element.setAttribute("role", "application");
    this.element.setAttribute("aria-label", "Timeline. Press question mark for the keys.");
  }

  #listen(): void {
    const { source } = this;
    const all = () => this.#redraw("all");
    const overlay = () => this.#redraw("overlay");
    this.#ends.push(
      source.viewport.subscribe(() => {
        if (this.#pointer) source.cursor.set(this.momentAt(this.#pointer.event.clientX));
        all();
      }),
      source.tiles.subscribe(all),
      source.names.subscribe(all),
      source.colourMode.subscribe(all),
      source.area.subscribe(overlay),
      source.cursor.subscribe(overlay),
      source.marks.subscribe(overlay),
      source.axis.subscribe(all),
      source.counterScale.subscribe(all),
      source.settings.subscribe(() => this.#arrange()),
      source.depth.subscribe(() => this.#arrange()),
      source.search.subscribe(all),
      source.hits.found.subscribe(all),
      source.theme.subscribe(() => {
        this.#readColours();
        all();
      }),
      source.selection.subscribe((slice) => this.#onSelect(slice)),
      ...this.#listenUnder(all, overlay),
      this.#flows.follow(source.selection),
    );
    const observer = new ResizeObserver(() => {
      // The drawer has come up, perhaps over what was selected.
      if (this.#keepInSight) this.revealTrack(this.#keepInSight.track, this.#keepInSight.lane);
      this.#redraw("all");
    });
    observer.observe(this.element);
    observer.observe(this.panes[1].headers.element); // which the user makes wider
    this.#ends.push(() => observer.disconnect());

    const letGo = () => (this.#keepInSight = null);
    this.element.addEventListener("pointerdown", letGo, { capture: true });
    this.element.addEventListener(
      "wheel",
      (event) => {
        letGo();
        if (!(event.target as HTMLElement).closest(".headers")) wheel(this, event, this.#size.css);
      },
      { passive: false },
    );
    for (const pane of this.panes) {
      const canvas = pane.canvas;
      canvas.addEventListener("pointerdown", (event) => pointerDown(this, pane, event));
      canvas.addEventListener("pointermove", (event) => this.hover(event.buttons ? null : pane, event));
      canvas.addEventListener("pointerleave", () => this.hover(null, null));
      canvas.addEventListener("contextmenu", (event) => openMenuAt(this, pane, event));
      canvas.addEventListener("dblclick", (event) => {
        const hit = this.hitAt(pane, event);
        if (hit) this.zoomTo(hit);
      });
    }
    this.#ruler.addEventListener("pointerdown", (event) => {
      if (flagAt(source, this.momentAt(event.clientX), this.#size.css)) this.onMarkClicked?.();
      else pointerDown(this, null, event);
    });
    this.#ruler.addEventListener("pointermove", (event) => this.hover(null, event));
    this.#ruler.addEventListener("pointerleave", () => this.hover(null, null));
    const minimapMoment = (clientX: number) => {
      const box = this.#minimapFrame.getBoundingClientRect();
      const whole = everything(source.session.span);
      return whole.start + ((clientX - box.left) / box.width) * width(whole);
    };
    this.#minimapFrame.addEventListener("pointerdown", (event) => minimapDown(source, event, minimapMoment));
    this.#minimapFrame.addEventListener("dblclick", () =>
      source.navigate({ viewport: everything(source.session.span) }),
    );
  }

  #listenUnder(all: () => void, overlay: () => void): (() => void)[] {
    const { under } = this.source;
    if (!under) return [];
    const { shown, source } = under;
    const whileShown = (redraw: () => void) => () => shown.get() && redraw();
    return [
      shown.subscribe(() => this.#arrange()),
      source.viewport.subscribe(whileShown(all)),
      source.tiles.subscribe(whileShown(all)),
      source.names.subscribe(whileShown(all)),
      source.selection.subscribe(whileShown(overlay)),
    ];
  }

  #onSelect(slice: SliceRef | null): void {
    this.#keepInSight = slice;
    if (slice) this.revealTrack(slice.track, slice.lane);
    this.#live.textContent = slice ? `Selected: ${duration(slice.duration)} at ${moment(slice.start)}` : "";
    this.#redraw("overlay");
  }

  #readColours(): void {
    const style = getComputedStyle(document.documentElement);
    const css = (name: string) => style.getPropertyValue(name).trim();
    const paper = fromCss(css("--paper"));
    const paletteOf = ({ session }: TimelineSource) => new Palette(this.source.theme.get(), session);
    this.#palette = paletteOf(this.source);
    this.#underPalette = paletteOf(this.source.under?.source ?? this.source);
    this.#page = {
      paper,
      band: fromCss(css("--band")),
      grid: fromCss(css("--hair")),
      ...this.#palette.activity,
      counterArea: mix(fromCss(css("--purple")), paper, 0.45),
      counterLine: fromCss(css("--purple")),
    };
    this.#overlayColours = {
      accent: css("--accent"),
      wash: css("--area"),
      ink: css("--ink"),
      soft: css("--soft"),
      mark: css("--mark"),
      paper: css("--paper"),
      launch: css("--flow-launch"),
      forward_backward: css("--flow-backward"),
      wait: css("--flow-wait"),
    };
  }

  get palette(): Palette {
    return this.#palette;
  }

  #toggleFold(id: number): void {
    const folded = new Set(this.source.settings.get().folded);
    if (!folded.delete(id)) folded.add(id);
    this.source.changeSettings({ folded });
  }

  #move(track: number, by: number): void {
    const settings = this.source.settings.get();
    const tracks = tracksAtDepth(this.source.tracks, this.source.depth.get());
    this.source.changeSettings({ order: moveTrack(tracks, settings, track, by) });
  }

  #arrange(): void {
    const under = this.#under;
    this.#layout = under
      ? layout(tracksOfBoth(this.source.tracks, under), this.source.settings.get(), SHARED_LANE_HEIGHT)
      : layoutOf(this.source);
    this.panes[0].setRows(this.#layout.pinned, this.#layout.pinnedHeight);
    this.panes[1].setRows(this.#layout.main, this.#layout.mainHeight);
    this.#empty.hidden = this.#layout.main.length > 0;
    this.#empty.textContent = this.source.tracks.length
      ? "No track has all of these words in its name."
      : "This profile has no timeline.";
    this.#redraw("all");
  }

  #redraw(what: "overlay" | "all"): void {
    if (this.#dirty !== "all") this.#dirty = what;
    if (!this.#scheduled && this.#visible) this.#scheduled = requestAnimationFrame(() => this.#draw());
  }

  /** Draws now what has to be drawn. */
  #draw(): void {
    this.#scheduled = 0;
    const what = this.#dirty;
    this.#dirty = "no";
    if (!this.#visible || what === "no" || !this.element.isConnected) return;
    const began = performance.now();
    if (what === "all") {
      this.#drawTracks();
      if (this.#pointer) this.#showTooltip();
    }
    this.#drawOverlay();
    if (what === "all") {
      this.frameTimes.push(performance.now() - began);
      if (this.frameTimes.length > KEPT_TIMES) this.frameTimes.shift();
    }
  }

  #measure(): void {
    const [pinned, main] = this.panes;
    const most = Math.floor(this.#stage.clientHeight * MOST_PINNED);
    pinned.element.style.height = `${Math.min(this.#layout.pinnedHeight, most)}px`;
    const headWidth = main.headers.element.offsetWidth;
    const css = Math.max(1, main.element.clientWidth - headWidth);
    const ratio = window.devicePixelRatio || 1;
    const pixels = Math.max(1, Math.round(css * ratio));
    this.#size = { css, ratio, pixels };
    const origin = this.#ruler.getBoundingClientRect().top;
    this.#placed = this.panes.map((pane) => ({ pane, top: pane.element.getBoundingClientRect().top - origin }));
    const size = (canvas: HTMLCanvasElement, height: number) => {
      const rows = Math.max(1, Math.round(height * ratio));
      if (canvas.width !== pixels || canvas.height !== rows) {
        canvas.width = pixels;
        canvas.height = rows;
      }
      canvas.style.width = `${css}px`;
      canvas.style.height = `${height}px`;
    };
    size(this.#ruler, RULER_HEIGHT);
    size(this.#minimapFrame, MINIMAP_HEIGHT);
    size(this.#overlay, this.element.clientHeight - MINIMAP_HEIGHT);
    this.#minimap.surface.canvas.style.width = `${css}px`;
    this.#minimap.surface.canvas.style.height = `${MINIMAP_HEIGHT}px`;
  }

  #drawTracks(): void {
    this.#measure();
    const { source } = this;
    const view = source.viewport.get();
    const { pixels, css, ratio } = this.#size;
    const newFrame = (of: typeof view, under: FrameUnder | null = null) =>
      new Frame(
        of,
        pixels,
        ratio,
        source.session.span,
        source.tiles,
        this.#palette,
        source.colourMode.get(),
        source.changes,
        this.#page,
        this.#labels,
        gridStepOf(of, css),
        source.axis.get().origin,
        source.counterScale.get() === "zero",
        source.hits.areHighlighted ? source.hits : null,
        this.#overlayColours.soft,
        this.#busyBeside,
        under,
      );
    source.tiles.beginFrame();
    const frame = (this.#frame = newFrame(view, this.#frameUnder()));
    for (const pane of this.panes) pane.draw(frame);
    this.#minimap.draw(newFrame(everything(source.session.span)), Math.round(MINIMAP_HEIGHT * ratio));
    prefetch(frame, this.panes);
    const style = this.#overlayColours;
    const base = drawRuler(this.#ruler.getContext("2d")!, view, source.axis.get(), ratio, {
      text: style.soft,
      line: style.soft,
      faint: style.soft,
    });
    this.#base.textContent = base;
    this.onDrawn?.(frame);
  }

  /** The other run in the same rows, with its own window. */
  #frameUnder(): FrameUnder | null {
    const under = this.#under;
    if (!under) return null;
    const { source, trackOf } = under;
    const { pixels, css, ratio } = this.#size;
    const view = source.viewport.get();
    source.tiles.beginFrame();
    const frame = new Frame(
      view,
      pixels,
      ratio,
      source.session.span,
      source.tiles,
      this.#underPalette,
      source.colourMode.get(),
      source.changes,
      this.#page,
      this.#underLabels!,
      gridStepOf(view, css),
      source.axis.get().origin,
      this.source.counterScale.get() === "zero",
      null,
      this.#overlayColours.soft,
      this.#underBusyBeside,
    );
    return { frame, trackOf };
  }

  /** What is selected in the other run, on the track of this one. */
  #selectedUnder(): { view: Viewport; selected: SliceRef | null } | null {
    const under = this.#under;
    if (!under) return null;
    const slice = under.source.selection.get();
    const track = slice && [...under.trackOf].find(([, theirs]) => theirs === slice.track)?.[0];
    const selected = slice && track !== null && track !== undefined ? { ...slice, track } : null;
    return { view: under.source.viewport.get(), selected };
  }

  #drawOverlay(): void {
    const { source } = this;
    const { ratio } = this.#size;
    drawOverlay(this.#overlay.getContext("2d")!, this.#placed, {
      view: source.viewport.get(),
      ratio,
      area: source.area.get(),
      cursor: source.cursor.get(),
      marks: byTime(source.marks.get()),
      selected: source.selection.get(),
      under: this.#selectedUnder(),
      flows: this.#flows,
      colours: this.#overlayColours,
      rulerHeight: RULER_HEIGHT,
    });
    drawMinimapFrame(
      this.#minimapFrame.getContext("2d")!,
      source.viewport.get(),
      source.session.span,
      source.area.get(),
      source.marks.get(),
      ratio,
      {
        accent: this.#overlayColours.accent,
        mark: this.#overlayColours.mark,
        shade: getComputedStyle(this.element).getPropertyValue("--shade"),
      },
    );
  }
}
