// The names at the left of the tracks: fold, pin, move. Elements are made for the rows on the screen and reused.
import { GROUP_HEIGHT, isBesideWork, type GroupRow, type Row, type TrackRow } from "../model/layout";
import { oneLine } from "../model/format";
import { trackNameParts } from "../model/names";
import { isMenuKey, plain } from "../ui/keys";
import type { CounterRange } from "./counters";
import { counterText } from "./tooltip";

export interface HeaderActions {
  toggleFold(id: number): void;
  togglePin(track: number): void;
  /** Moves a track by so many places among its neighbours. */
  move(track: number, by: number): void;
  /** Selects the first or last slice in sight on a track. */
  enter(track: number, edge: "first" | "last"): void;
  /** Opens the menu of a row at a place of the window. */
  menu(row: Row, x: number, y: number): void;
}

const SIGN = " \u203a "; // between a heading and what is below it
const CHEVRON = { open: "\u25be", folded: "\u25b8" };

const NAME_HEIGHT = 18; // CSS pixels, as in timeline.css
const MOST_INDENT = 8;
const indent = (depth: number): string => `${4 + 9 * Math.min(depth, MOST_INDENT)}px`;

interface Header {
  element: HTMLElement;
  fold: HTMLButtonElement;
  name: HTMLElement;
  note: HTMLElement;
  pin: HTMLButtonElement | null;
}

export class HeaderColumn {
  readonly element = document.createElement("div");
  #headers = new Map<string, Header>();
  #rows = new Map<string, Row>();
  #scrollTop = 0;
  readonly #path = document.createElement("button");
  #innermost: GroupRow | null = null;

  /** `apart`: the tracks are drawn without their headings, and name these themselves. */
  constructor(
    private readonly actions: HeaderActions,
    private readonly apart: boolean,
  ) {
    this.element.className = "headers";
    this.#path.className = "head-path";
    this.#path.hidden = true;
    this.#path.addEventListener("click", () => this.#innermost && actions.toggleFold(this.#innermost.id));
    this.element.append(this.#path);
  }

  /** `above`: the headings of the topmost row that are scrolled out. */
  update(
    rows: readonly Row[],
    scrollTop: number,
    counterRanges: ReadonlyMap<number, CounterRange | null>,
    above: readonly GroupRow[],
  ): void {
    this.#showPath(above, rows[0]?.kind === "track" ? rows[0] : null, scrollTop);
    const gone = new Set(this.#headers.keys());
    this.#rows.clear();
    this.#scrollTop = scrollTop;
    for (const row of rows) {
      const key = keyOf(row);
      this.#rows.set(key, row);
      gone.delete(key);
      let header = this.#headers.get(key);
      if (!header) {
        header = row.kind === "group" ? this.#makeGroup(row) : this.#makeTrack(key, row);
        this.#listenForMenu(key, header.element);
        this.#headers.set(key, header);
        this.element.append(header.element);
      }
      // The name of a track stays in sight as long as a part of the track does.
      const top = row.top - scrollTop;
      const low =
        row.kind === "track" ? Math.min(above.length ? GROUP_HEIGHT : 0, top + row.height - NAME_HEIGHT) : top;
      header.element.style.transform = `translateY(${Math.max(top, low)}px)`;
      header.element.style.height = `${row.height - Math.max(0, low - top)}px`;
      header.fold.textContent = row.folded ? CHEVRON.folded : CHEVRON.open;
      header.fold.setAttribute("aria-expanded", String(!row.folded));
      if (row.kind === "group") {
        header.note.textContent = row.tracks === 1 ? "1 track" : `${row.tracks} tracks`;
      } else {
        header.element.classList.toggle("pinned", row.pinned);
        header.pin!.setAttribute("aria-pressed", String(row.pinned));
        header.note.textContent = noteOf(row, counterRanges);
      }
    }
    for (const key of gone) {
      this.#headers.get(key)!.element.remove();
      this.#headers.delete(key);
    }
  }

  /** Also by the menu key on a name, for which browsers say that the pointer is nowhere. */
  #listenForMenu(key: string, element: HTMLElement): void {
    element.addEventListener("contextmenu", (event) => {
      const row = this.#rows.get(key);
      if (!row) return;
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const byPointer = event.button === 2;
      this.actions.menu(row, byPointer ? event.clientX : box.left + 20, byPointer ? event.clientY : box.top + 20);
    });
    element.addEventListener("keydown", (event) => {
      const row = this.#rows.get(key);
      if (!row || !isMenuKey(event)) return;
      event.preventDefault();
      event.stopPropagation();
      const box = element.getBoundingClientRect();
      this.actions.menu(row, box.left + 20, box.top + 20);
    });
  }

  /** `first`: the topmost track, which is named here too where its own name would lie below. */
  #showPath(above: readonly GroupRow[], first: TrackRow | null, scrollTop: number): void {
    const covers = first && first.top + first.height - scrollTop < GROUP_HEIGHT + NAME_HEIGHT;
    const titles = above.map(({ title }) => title);
    const text = [...titles, ...(covers && titles.length ? [first.track.name] : [])]
      .map((one) => oneLine(one))
      .join(SIGN);
    this.#innermost = above[above.length - 1] ?? null;
    this.#path.hidden = !text;
    if (this.#path.title === text) return;
    this.#path.title = text;
    this.#path.setAttribute("aria-label", `Fold ${text}`);
    const chevron = document.createElement("i");
    chevron.textContent = CHEVRON.open;
    const short = [...titles.map(shortHeading), ...(covers ? [oneLine(first.track.name)] : [])];
    this.#path.replaceChildren(chevron, nameElement(short.join(SIGN)));
  }

  #makeGroup(row: GroupRow): Header {
    const element = document.createElement("div");
    element.className = "head group";
    element.style.paddingLeft = indent(row.depth);
    const fold = foldButton(`Fold ${oneLine(row.title)}`);
    const name = nameElement(oneLine(row.title));
    name.title = oneLine(row.title);
    const note = document.createElement("span");
    note.className = "note";
    element.append(fold, name, note);
    const toggle = () => this.actions.toggleFold(row.id);
    fold.addEventListener("click", toggle);
    name.addEventListener("click", toggle);
    return { element, fold, name, note, pin: null };
  }

  #makeTrack(key: string, row: TrackRow): Header {
    const element = document.createElement("div");
    element.className = isBesideWork(row.track) ? "head track beside-work" : "head track";
    element.style.paddingLeft = indent(row.depth);
    const text = oneLine(row.track.name);
    element.title = [oneLine(row.context), text].filter(Boolean).join(SIGN);
    const fold = foldButton(`Fold ${text}`);
    fold.tabIndex = -1; // Enter on the name does it
    const name = nameElement(text);
    name.tabIndex = 0;
    name.setAttribute("role", "button");
    name.setAttribute(
      "aria-label",
      `${text}: Enter folds, P pins, Shift with F10 opens its menu, the right arrow goes to its slices, Alt with up and down moves it`,
    );
    const note = document.createElement("span");
    note.className = "note";
    const pin = document.createElement("button");
    pin.className = "pin";
    pin.title = "Pin to the top";
    pin.setAttribute("aria-label", `Pin ${text}`);
    pin.textContent = "\u25b4";
    element.append(fold, name, note, pin);
    if (this.apart) {
      const where = document.createElement("span");
      where.className = "where";
      where.textContent = row.track.group
        .map((title) => shortHeading(title) + SIGN)
        .join("")
        .trimEnd();
      name.before(where);
    }
    fold.addEventListener("click", () => this.actions.toggleFold(row.track.id));
    pin.addEventListener("click", () => this.actions.togglePin(row.track.id));
    name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.actions.toggleFold(row.track.id);
      else if (event.code === "KeyP") this.actions.togglePin(row.track.id);
      else if (event.altKey && event.key === "ArrowUp") this.actions.move(row.track.id, -1);
      else if (event.altKey && event.key === "ArrowDown") this.actions.move(row.track.id, 1);
      else if (plain(event) && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
        this.actions.enter(row.track.id, event.key === "ArrowRight" ? "first" : "last");
        name.blur(); // the arrows go on from slice to slice
      } else return;
      event.preventDefault();
      event.stopPropagation();
    });
    name.addEventListener("pointerdown", (event) => this.#drag(event, key, name));
    return { element, fold, name, note, pin };
  }

  /** Dragging a name moves the track among its neighbours when it is let go; a click without moving folds it. */
  #drag(event: PointerEvent, key: string, name: HTMLElement): void {
    if (event.button !== 0) return;
    const from = event.clientY;
    let target: TrackRow | null = null;
    let moved = false;
    name.setPointerCapture(event.pointerId);
    const siblings = () => {
      const own = this.#rows.get(key);
      return [...this.#rows.values()].filter(
        (other): other is TrackRow => other.kind === "track" && own?.kind === "track" && other.context === own.context,
      );
    };
    const showTarget = (row: TrackRow | null) => {
      target = row;
      for (const [other, header] of this.#headers) {
        header.element.classList.toggle("drop", row !== null && other === keyOf(row));
      }
    };
    const move = (now: PointerEvent) => {
      if (!moved && Math.abs(now.clientY - from) < 5) return;
      moved = true;
      name.classList.add("moving");
      const y = now.clientY - this.element.getBoundingClientRect().top + this.#scrollTop;
      const rows = siblings();
      showTarget(rows.find((row) => y < row.top + row.height) ?? rows[rows.length - 1] ?? null);
    };
    const end = (now: PointerEvent) => {
      name.removeEventListener("pointermove", move);
      name.removeEventListener("pointerup", end);
      name.removeEventListener("pointercancel", end);
      name.classList.remove("moving");
      const own = this.#rows.get(key);
      const rows = siblings();
      const by = target && own?.kind === "track" ? rows.indexOf(target) - rows.indexOf(own) : 0;
      showTarget(null);
      if (own?.kind !== "track" || now.type !== "pointerup") return;
      if (!moved) this.actions.toggleFold(own.track.id);
      else if (by) this.actions.move(own.track.id, by);
    };
    name.addEventListener("pointermove", move);
    name.addEventListener("pointerup", end);
    name.addEventListener("pointercancel", end);
  }
}

/** A track that is called otherwise gets another header. */
const keyOf = (row: Row): string => (row.kind === "group" ? `g${row.id}` : `t${row.track.id} ${row.track.name}`);

/** A name in parts of which the first gives way where it does not fit; a single one is cut at its end. */
function nameElement(text: string): HTMLElement {
  const name = document.createElement("span");
  name.className = "name";
  for (const part of trackNameParts(text)) {
    const span = document.createElement("span");
    span.textContent = part;
    name.append(span);
  }
  return name;
}

/** "GPU 0: NVIDIA H100 80GB HBM3" -> "GPU 0". */
export const shortHeading = (title: string): string =>
  oneLine(/^((?:GPU|NPU|Device) \d+): /.exec(title)?.[1] ?? title, 40);

function noteOf({ track, folded }: TrackRow, counterRanges: ReadonlyMap<number, CounterRange | null>): string {
  if (folded) return track.lanes > 1 ? `${track.lanes} lanes` : "";
  const range = track.drawing === "counter" ? counterRanges.get(track.id) : null;
  if (!range) return "";
  const [low, high] = [counterText(track.name, range.low), counterText(track.name, range.high)];
  return low === high ? high : `${low} \u2013 ${high}`;
}

function foldButton(label: string): HTMLButtonElement {
  const button = document.createElement("button");
  button.className = "fold";
  button.setAttribute("aria-label", label);
  return button;
}
