// What the address bar holds: `#view=timeline&t=START~END&slice=TRACK.SLICE&area=...`, and `p=1&...` where the page
// shows another profile than the first. Reading takes whatever is valid and ignores the rest: a link may come from anywhere.
import { HIGHEST, LOWEST } from "./layout";
import type { Area, Mark } from "./selection";
import type { Viewport } from "./viewport";

export interface UrlState {
  /** The number of the profile that all this is about. */
  profile: number;
  view: string | null;
  viewport: Viewport | null;
  slice: { track: number; slice: number } | null;
  area: Area | null;
  pinned: number[] | null;
  folded: number[] | null;
  order: number[] | null;
  hidden: number[] | null;
  /** Of tracks that are not as high as at first, by their ids. */
  heights: [number, number][];
  marks: Mark[];
  search: string;
  /** What views let the user choose, by their own keys. */
  choices: Readonly<Record<string, string>>;
}

export const EMPTY_URL_STATE: UrlState = {
  profile: 0,
  view: null,
  viewport: null,
  slice: null,
  area: null,
  pinned: null,
  folded: null,
  order: null,
  hidden: null,
  heights: [],
  marks: [],
  search: "",
  choices: {},
};

const OWN_KEYS = new Set(["p", "view", "t", "slice", "area", "pin", "fold", "order", "hide", "height", "mark", "q"]);
const CHOICE_KEY = /^[a-z_]{1,20}$/;
const LONGEST_CHOICE = 400;
const MOST_CHOICES = 20;

const MOST_IDS = 4096;
const MOST_MARKS = 100;
export const LONGEST_MARK_NAME = 60;
export const LONGEST_NOTE = 500;

/** Times to a thousandth of a ns, without an exponent and without trailing zeros. */
export const timeText = (value: number): string => value.toFixed(3).replace(/\.?0+$/, "");
const TIME = /^-?\d{1,16}(\.\d{1,6})?$/;

export function parseTimes(text: string | undefined): [number, number] | null {
  const parts = text?.split("~") ?? [];
  if (parts.length !== 2 || !parts.every((part) => TIME.test(part))) return null;
  const [start, end] = parts.map(Number) as [number, number];
  return start < end ? [start, end] : null;
}

function parseIds(text: string | undefined): number[] | null {
  if (text === undefined) return null;
  if (text === "") return [];
  const parts = text.split(",");
  if (parts.length > MOST_IDS || !parts.every((part) => /^\d{1,10}$/.test(part))) return null;
  return [...new Set(parts.map(Number))];
}

/** "TRACK~STEP,..." */
function parseHeights(text = ""): [number, number][] {
  const pairs = text.split(",").slice(0, MOST_IDS);
  return pairs.flatMap((pair): [number, number][] => {
    const found = /^(\d{1,10})~(-?\d)$/.exec(pair);
    const step = Number(found?.[2]);
    return found && step >= LOWEST && step <= HIGHEST && step !== 0 ? [[Number(found[1]), step]] : [];
  });
}

/** "123", "123~456", and behind that ":name:note", their signs in percent. */
function writeMark({ start, end, name, note }: Mark): string {
  const times = end === null ? timeText(start) : `${timeText(start)}~${timeText(end)}`;
  const texts = note ? [name, note] : name ? [name] : [];
  return [times, ...texts.map(encodeURIComponent)].join(":");
}

function readMark(text: string): Mark[] {
  const [times, ...texts] = text.split(":");
  const range = parseTimes(times);
  if (!range && !TIME.test(times!)) return [];
  try {
    const [name = "", note = ""] = texts.map(decodeURIComponent);
    return [
      {
        start: range ? range[0] : Number(times),
        end: range ? range[1] : null,
        name: name.slice(0, LONGEST_MARK_NAME),
        note: note.slice(0, LONGEST_NOTE),
      },
    ];
  } catch {
    return [];
  }
}

export function writeUrlState(state: UrlState): string {
  const parts: [string, string][] = [];
  if (state.profile > 0) parts.push(["p", String(state.profile)]);
  if (state.view) parts.push(["view", state.view]);
  if (state.viewport) parts.push(["t", `${timeText(state.viewport.start)}~${timeText(state.viewport.end)}`]);
  if (state.slice) parts.push(["slice", `${state.slice.track}.${state.slice.slice}`]);
  if (state.area) {
    const tracks = state.area.tracks ? `@${state.area.tracks.join(",")}` : "";
    parts.push(["area", `${timeText(state.area.start)}~${timeText(state.area.end)}${tracks}`]);
  }
  if (state.pinned) parts.push(["pin", state.pinned.join(",")]);
  if (state.folded) parts.push(["fold", state.folded.join(",")]);
  if (state.order) parts.push(["order", state.order.join(",")]);
  if (state.hidden) parts.push(["hide", state.hidden.join(",")]);
  if (state.heights.length) parts.push(["height", state.heights.map((pair) => pair.join("~")).join(",")]);
  if (state.marks.length) {
    parts.push(["mark", state.marks.map(writeMark).join(",")]);
  }
  if (state.search) parts.push(["q", state.search]);
  parts.push(...Object.entries(state.choices));
  return parts
    .map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%2C/g, ",").replace(/%40/g, "@")}`)
    .join("&");
}

export function readUrlState(hash: string): UrlState {
  const values = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    if (cut < 0) continue;
    try {
      values.set(part.slice(0, cut), decodeURIComponent(part.slice(cut + 1)));
    } catch {
      // A broken percent sequence: as if it were not there.
    }
  }
  const viewport = parseTimes(values.get("t"));
  const slice = /^(\d{1,10})\.(\d{1,10})$/.exec(values.get("slice") ?? "");
  const [areaTimes, areaTracks] = (values.get("area") ?? "").split("@") as [string, string | undefined];
  const area = parseTimes(areaTimes);
  const view = values.get("view") ?? null;
  const profile = values.get("p") ?? "";
  return {
    profile: /^\d{1,4}$/.test(profile) ? Number(profile) : 0,
    view: view !== null && /^[a-z_]{1,40}$/.test(view) ? view : null,
    viewport: viewport && { start: viewport[0], end: viewport[1] },
    slice: slice && { track: Number(slice[1]), slice: Number(slice[2]) },
    area: area && { start: area[0], end: area[1], tracks: parseIds(areaTracks) },
    pinned: parseIds(values.get("pin")),
    folded: parseIds(values.get("fold")),
    order: parseIds(values.get("order")),
    hidden: parseIds(values.get("hide")),
    heights: parseHeights(values.get("height")),
    marks: (values.get("mark") ?? "").split(",").flatMap(readMark).slice(0, MOST_MARKS),
    search: (values.get("q") ?? "").slice(0, 1000),
    choices: Object.fromEntries(
      [...values]
        .filter(([key, value]) => !OWN_KEYS.has(key) && CHOICE_KEY.test(key) && value.length <= LONGEST_CHOICE)
        .slice(0, MOST_CHOICES),
    ),
  };
}
