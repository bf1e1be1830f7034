// Which tracks stand where. Pure: tracks and the user's settings in, rows with their heights out. CSS pixels.
import type { Track } from "../api/protocol";

export interface TrackSettings {
  /** In the order in which they stand at the top. */
  readonly pinned: readonly number[];
  /** Ids of tracks, and of groups (see groupId). */
  readonly folded: ReadonlySet<number>;
  /** Tracks that were moved by hand: they stand in their group in this order. */
  readonly order: readonly number[];
  readonly filter: string;
}

export interface GroupRow {
  readonly kind: "group";
  readonly id: number;
  readonly title: string;
  readonly depth: number;
  readonly tracks: number;
  readonly folded: boolean;
  readonly top: number;
  readonly height: number;
}

export interface TrackRow {
  readonly kind: "track";
  readonly track: Track;
  readonly depth: number;
  readonly folded: boolean;
  readonly pinned: boolean;
  /** Where it stands beside its name: the headings, for a pinned track. */
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
export const LANE_HEIGHT = 18;
export const FOLDED_HEIGHT = 20;
export const COUNTER_HEIGHT = 40;
export const ACTIVITY_HEIGHT = 32;
/** Between two tracks. */
export const TRACK_GAP = 4;
/** Tracks with more lanes than this begin folded, but for the busiest thread of a run where there are few runs. */
const MOST_OPEN_LANES = 12;
const FEW_RUNS = 2;
const HOST_KINDS: ReadonlySet<string> = new Set(["thread", "async", "other", "counter"]);

const FIRST_GROUP = 2 ** 31;

/** Ids of groups lie beside those of tracks: a group has that of its first track, and its depth. */
export function groupId(firstTrack: number, depth: number): number {
  return FIRST_GROUP + firstTrack * 4 + depth;
}

export const isArea = (track: Track): boolean => track.kind === "counter" || track.kind === "busy";

interface Group {
  title: string;
  depth: number;
  id: number;
  tracks: Track[];
  groups: Map<string, Group>;
}

function sorted(tracks: readonly Track[], order: readonly number[]): Track[] {
  const place = new Map(order.map((id, i) => [id, i]));
  return [...tracks].sort((a, b) => {
    const placeA = place.get(a.id);
    const placeB = place.get(b.id);
    if (placeA !== undefined && placeB !== undefined) return placeA - placeB;
    return a.sort - b.sort || a.id - b.id;
  });
}

function groupTree(tracks: readonly Track[]): Group {
  const root: Group = { title: "", depth: -1, id: -1, tracks: [], groups: new Map() };
  for (const track of [...tracks].sort((a, b) => a.sort - b.sort || a.id - b.id)) {
    let group = root;
    track.group.forEach((title, depth) => {
      let next = group.groups.get(title);
      if (!next)
        group.groups.set(title, (next = { title, depth, id: groupId(track.id, depth), tracks: [], groups: new Map() }));
      group = next;
    });
    group.tracks.push(track);
  }
  return root;
}

/** Groups without anything of a device. */
function hostGroups(group: Group): Group[] {
  const inner = [...group.groups.values()].flatMap(hostGroups);
  const isHost = group.tracks.length > 0 && group.tracks.every((track) => HOST_KINDS.has(track.kind));
  return isHost && group.groups.size === 0 ? [...inner, group] : inner;
}

/**
 * What is folded until the user says otherwise: what would fill the screen. Of many runs the first shows its threads,
 * the others their devices.
 */
export function foldedAtFirst(tracks: readonly Track[]): Set<number> {
  const busiest = new Map<number, Track>();
  for (const track of tracks) {
    const other = busiest.get(track.run);
    if (track.kind === "thread" && (!other || track.slices > other.slices)) busiest.set(track.run, track);
  }
  const runs = new Set(tracks.map((track) => track.run));
  const stayOpen = new Set(runs.size <= FEW_RUNS ? busiest.values() : []);
  const folded = new Set<number>();
  for (const track of tracks) if (track.lanes > MOST_OPEN_LANES && !stayOpen.has(track)) folded.add(track.id);
  if (runs.size > FEW_RUNS) {
    const [first] = runs;
    for (const group of hostGroups(groupTree(tracks))) if (group.tracks[0]!.run !== first) folded.add(group.id);
  }
  return folded;
}

const countOf = (group: Group): number =>
  [...group.groups.values()].reduce((sum, inner) => sum + countOf(inner), group.tracks.length);

function matches(track: Track, words: readonly string[]): boolean {
  const text = [...track.group, track.name].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Height of a track without the gap, and of its lanes. */
export function trackHeight(track: Track, folded: boolean): { height: number; laneHeight: number } {
  if (track.kind === "counter") return { height: folded ? FOLDED_HEIGHT : COUNTER_HEIGHT, laneHeight: 0 };
  if (track.kind === "busy") return { height: folded ? FOLDED_HEIGHT : ACTIVITY_HEIGHT, laneHeight: 0 };
  const lanes = Math.max(1, track.lanes);
  if (!folded) return { height: lanes * LANE_HEIGHT, laneHeight: LANE_HEIGHT };
  // All lanes in little: what does not fit is still there when unfolded.
  return { height: FOLDED_HEIGHT, laneHeight: Math.max(1, Math.min(6, Math.floor(FOLDED_HEIGHT / lanes))) };
}

export function layout(tracks: readonly Track[], settings: TrackSettings): Layout {
  const words = settings.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = words.length ? tracks.filter((track) => matches(track, words)) : tracks;
  const byId = new Map(tracks.map((track) => [track.id, track]));
  const isPinned = new Set(settings.pinned);
  const row = (track: Track, depth: number, top: number, pinned: boolean): TrackRow => {
    const folded = settings.folded.has(track.id);
    const { height, laneHeight } = trackHeight(track, folded);
    return {
      kind: "track",
      track,
      depth,
      folded,
      pinned,
      context: track.group.join(" \u203a "),
      top,
      height,
      laneHeight,
    };
  };

  const pinned: TrackRow[] = [];
  let top = 0;
  for (const id of settings.pinned) {
    const track = byId.get(id);
    if (!track) continue;
    pinned.push(row(track, 0, top, true));
    top += pinned[pinned.length - 1]!.height + TRACK_GAP;
  }
  const pinnedHeight = top;

  const main: Row[] = [];
  top = 0;
  const add = (group: Group): void => {
    let folded = false;
    if (group.depth >= 0) {
      folded = settings.folded.has(group.id) && words.length === 0;
      main.push({
        kind: "group",
        id: group.id,
        title: group.title,
        depth: group.depth,
        tracks: countOf(group),
        folded,
        top,
        height: GROUP_HEIGHT,
      });
      top += GROUP_HEIGHT;
    }
    if (folded) return;
    for (const track of sorted(group.tracks, settings.order)) {
      main.push(row(track, group.depth + 1, top, isPinned.has(track.id)));
      top += main[main.length - 1]!.height + TRACK_GAP;
    }
    for (const inner of group.groups.values()) add(inner);
  };
  add(groupTree(shown));
  return { pinned, main, pinnedHeight, mainHeight: top };
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
  const moved = tracks.find((track) => track.id === id);
  if (!moved) return [...settings.order];
  const key = moved.group.join("\n");
  const siblings = sorted(
    tracks.filter((track) => track.group.join("\n") === key),
    settings.order,
  ).map((track) => track.id);
  const from = siblings.indexOf(id);
  const to = Math.min(Math.max(from + by, 0), siblings.length - 1);
  siblings.splice(from, 1);
  siblings.splice(to, 0, id);
  const own = new Set(siblings);
  return [...settings.order.filter((other) => !own.has(other)), ...siblings];
}
