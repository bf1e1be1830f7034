// Which tracks are where. Pure: tracks and the user's settings in, rows with their heights out. CSS pixels.
import type { Track } from "../api/protocol";
import { groupsAround, groupTree, pruned, summaryOf, tracksIn, type Group } from "./groups";
import { trackFilter } from "./track_filter";

export interface TrackSettings {
  /** In the order in which they are at the top. */
  readonly pinned: readonly number[];
  /** Ids of tracks, and of groups (see groupId). */
  readonly folded: ReadonlySet<number>;
  /** Tracks that were moved by hand: they are in their group in this order. */
  readonly order: readonly number[];
  /** Tracks that are shown nowhere. */
  readonly hidden: ReadonlySet<number>;
  /** Steps by which a track is taller (or lower) than at first: LOWEST to HIGHEST. */
  readonly heights: ReadonlyMap<number, number>;
  readonly filter: string;
}

export interface GroupRow {
  readonly kind: "group";
  readonly id: number;
  readonly title: string;
  readonly depth: number;
  readonly tracks: number;
  readonly folded: boolean;
  /** What stands for the tracks in it while it is folded. */
  readonly summary: readonly Track[];
  readonly top: number;
  readonly height: number;
}

export interface TrackRow {
  readonly kind: "track";
  readonly track: Track;
  readonly depth: number;
  readonly folded: boolean;
  readonly pinned: boolean;
  /** The headings that it is under. */
  readonly context: string;
  readonly top: number;
  readonly height: number;
  /** From one lane to the next, gap included. */
  readonly laneHeight: number;
}

export type Row = GroupRow | TrackRow;

export interface Layout {
  readonly pinned: readonly TrackRow[];
  readonly main: readonly Row[];
  readonly pinnedHeight: number;
  readonly mainHeight: number;
}

export const GROUP_HEIGHT = 22;
/** Of a folded group with something to show of it. */
export const SUMMARY_HEIGHT = 32;
export const LANE_HEIGHT = 18;
/** Of two runs in one lane. */
export const SHARED_LANE_HEIGHT = 28;
export const FOLDED_HEIGHT = 20;
export const COUNTER_HEIGHT = 40;
export const ACTIVITY_HEIGHT = 32;
export const LOWEST = -1;
export const HIGHEST = 4;
const HEIGHT_STEP = 1.5;
const scaled = (height: number, step: number): number => Math.round(height * HEIGHT_STEP ** step);
/** Between two tracks. */
export const TRACK_GAP = 4;
export const isArea = (track: Track): boolean => track.drawing !== "slices";
/** Whether a track says how or for what a device worked, beside the tracks that have the work. */
export const isBesideWork = (track: Track): boolean =>
  isArea(track) || track.coverage !== null || track.kind === "ranges";

function sorted(tracks: readonly Track[], order: readonly number[]): Track[] {
  const place = new Map(order.map((id, i) => [id, i]));
  return [...tracks].sort((a, b) => {
    const placeA = place.get(a.id);
    const placeB = place.get(b.id);
    if (placeA !== undefined && placeB !== undefined) return placeA - placeB;
    return a.sort - b.sort || a.id - b.id;
  });
}

/** Height of a track without the gap, and of its lanes. `step`: as in TrackSettings.heights. */
export function trackHeight(
  track: Track,
  folded: boolean,
  laneHeight = LANE_HEIGHT,
  step = 0,
): { height: number; laneHeight: number } {
  if (track.drawing === "counter" || track.drawing === "activity") {
    const height = scaled(track.drawing === "counter" ? COUNTER_HEIGHT : ACTIVITY_HEIGHT, step);
    return { height: folded ? FOLDED_HEIGHT : height, laneHeight: 0 };
  }
  const lanes = Math.max(1, track.lanes);
  const lane = scaled(laneHeight, step);
  if (!folded) return { height: lanes * lane, laneHeight: lane };
  // All lanes in little: what does not fit is still there when unfolded.
  return { height: FOLDED_HEIGHT, laneHeight: Math.max(1, Math.min(6, Math.floor(FOLDED_HEIGHT / lanes))) };
}

/** `laneOf`: how high a lane is that is not folded. */
export function layout(tracks: readonly Track[], settings: TrackSettings, laneOf = LANE_HEIGHT): Layout {
  const filter = trackFilter(settings.filter);
  const byId = new Map(tracks.map((track) => [track.id, track]));
  const isPinned = new Set(settings.pinned);
  const row = (track: Track, context: string, depth: number, top: number, pinned: boolean): TrackRow => {
    const folded = settings.folded.has(track.id);
    const { height, laneHeight } = trackHeight(track, folded, laneOf, settings.heights.get(track.id));
    return {
      kind: "track",
      track,
      depth,
      folded,
      pinned,
      context,
      top,
      height,
      laneHeight,
    };
  };

  const pinned: TrackRow[] = [];
  let top = 0;
  for (const id of settings.pinned) {
    const track = byId.get(id);
    if (!track || settings.hidden.has(id)) continue;
    pinned.push(row(track, track.group.join(" \u203a "), 0, top, true));
    top += pinned[pinned.length - 1]!.height + TRACK_GAP;
  }
  const pinnedHeight = top;

  const main: Row[] = [];
  top = 0;
  const add = (group: Group, above: string): void => {
    const context = [above, group.title].filter(Boolean).join(" \u203a ");
    if (group.depth >= 0) {
      const all = tracksIn(group);
      const folded = settings.folded.has(group.id) && !filter;
      const summary = folded && !group.gathered ? summaryOf(all) : [];
      main.push({
        kind: "group",
        id: group.id,
        title: group.title,
        depth: group.depth,
        tracks: all.length,
        folded,
        summary,
        top,
        height: summary.length ? SUMMARY_HEIGHT : GROUP_HEIGHT,
      });
      top += main[main.length - 1]!.height;
      if (folded) return;
    }
    for (const track of sorted(group.tracks, settings.order)) {
      main.push(row(track, context, group.depth + 1, top, isPinned.has(track.id)));
      top += main[main.length - 1]!.height + TRACK_GAP;
    }
    for (const inner of group.groups.values()) add(inner, context);
  };
  const tree = groupTree(tracks);
  const isWanted = (path: readonly string[], track: Track) =>
    !settings.hidden.has(track.id) && (!filter || filter(path));
  add(filter || settings.hidden.size ? pruned(tree, isWanted) : tree, "");
  return { pinned, main, pinnedHeight, mainHeight: top };
}

/** The headings that a row is under, and of a heading itself, the outermost first. */
export function headingsOf(rows: readonly Row[], at: number): GroupRow[] {
  const found: GroupRow[] = [];
  let depth = Infinity;
  for (let i = at; i >= 0 && depth > 0; --i) {
    const row = rows[i]!;
    if (i === at && row.kind === "track") depth = row.depth;
    else if (row.kind === "group" && row.depth < depth) {
      found.unshift(row);
      depth = row.depth;
    }
  }
  return found;
}

/** The first row that ends below y; rows are in order of `top`. */
export function rowAt(rows: readonly Row[], y: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.top + rows[middle]!.height <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The ids of a track's group in the user's order, with the track moved by some places. */
export function moveTrack(tracks: readonly Track[], settings: TrackSettings, id: number, by: number): number[] {
  const tree = groupTree(tracks);
  const group = groupsAround(tree, id).pop() ?? tree;
  if (!group.tracks.some((track) => track.id === id)) return [...settings.order];
  const siblings = sorted(group.tracks, settings.order).map((track) => track.id);
  const from = siblings.indexOf(id);
  const to = Math.min(Math.max(from + by, 0), siblings.length - 1);
  siblings.splice(from, 1);
  siblings.splice(to, 0, id);
  const own = new Set(siblings);
  return [...settings.order.filter((other) => !own.has(other)), ...siblings];
}
