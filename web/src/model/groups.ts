// Under which headings tracks are: those that the session names, and below these two that keep a screen from filling
// with what says little, one for many counters and one for tracks with next to nothing on them. Pure.
import type { Track } from "../api/protocol";

export interface Group {
  readonly title: string;
  /** 0 for the outermost; -1 for what holds them all. */
  readonly depth: number;
  readonly id: number;
  readonly tracks: Track[];
  readonly groups: Map<string, Group>;
  /** Made here and folded until somebody asks for it. */
  readonly gathered: boolean;
}

/**
 * Tracks with more lanes than this begin folded, but for the busiest thread of a run, and its call path, where there are
 * few runs.
 */
const MOST_OPEN_LANES = 12;
/** Of more runs than this each begins as one row. */
const FEW_RUNS = 2;
const FEW_COUNTERS = 3;
/** Of more tracks with slices than this, those with few are gathered; the busiest stay in any case. */
const FEW_TRACKS = 12;
const STAY = 4;
const FEW_SLICES = 10;
const FEW_SHARE = 1 / 200; // of the slices of the busiest
const GATHER_FROM = 3;
/** Of more tracks than this, those that are nested in other tracks begin folded. */
const FEW_TO_NEST = 40;
/** Of a folded group, rows in its summary. */
const MOST_SUMMED = 8;
const MOST_SUMMED_THREADS = 4;

const HOST_KINDS: ReadonlySet<string> = new Set(["thread", "other"]);

const isCounter = (track: Track): boolean => track.drawing === "counter";
const isActivity = (track: Track): boolean => track.drawing === "activity";

const FIRST_GROUP = 2 ** 31;
const DEPTHS = 16;

/** Ids of groups lie beside those of tracks: a group has that of its first track, and its depth. */
export function groupId(firstTrack: number, depth: number): number {
  return FIRST_GROUP + firstTrack * DEPTHS + Math.min(depth, DEPTHS - 1);
}

function newGroup(title: string, depth: number, first: Track | null, gathered = false): Group {
  return { title, depth, id: first ? groupId(first.id, depth) : -1, tracks: [], groups: new Map(), gathered };
}

export function groupTree(tracks: readonly Track[]): Group {
  const root = newGroup("", -1, null);
  for (const track of [...tracks].sort((a, b) => a.sort - b.sort || a.id - b.id)) {
    let group = root;
    track.group.forEach((title, depth) => {
      let next = group.groups.get(title);
      if (!next) group.groups.set(title, (next = newGroup(title, depth, track)));
      group = next;
    });
    group.tracks.push(track);
  }
  gatherAll(root);
  return root;
}

function gatherAll(group: Group): void {
  for (const inner of group.groups.values()) gatherAll(inner);
  const counters = group.tracks.filter(isCounter);
  if (counters.length > FEW_COUNTERS && counters.length < group.tracks.length) gather(group, "Counters", counters);
  const few = withFewSlices(group.tracks);
  if (few.length >= GATHER_FROM) gather(group, "With few slices", few);
}

/** Moves tracks of a group to one inside it. */
function gather(group: Group, title: string, tracks: readonly Track[]): void {
  const inner = newGroup(title, group.depth + 1, tracks[0]!, true);
  inner.tracks.push(...tracks);
  const gone = new Set(tracks);
  group.tracks.splice(0, Infinity, ...group.tracks.filter((track) => !gone.has(track)));
  group.groups.set(`\n${title}`, inner); // beside any that the session has
}

function withFewSlices(tracks: readonly Track[]): Track[] {
  const own = tracks.filter((track) => !track.derived);
  if (own.length <= FEW_TRACKS) return [];
  const bySlices = [...own].sort((a, b) => b.slices - a.slices);
  const stay = new Set(bySlices.slice(0, STAY));
  const few = Math.max(FEW_SLICES, bySlices[0]!.slices * FEW_SHARE);
  const gathered = new Set(own.filter((track) => track.slices <= few && !stay.has(track)).map((track) => track.id));
  return tracks.filter((track) => gathered.has(track.id) || gathered.has(track.samples ?? -1));
}

/** Without the tracks that are not wanted, and the groups that are empty then. `path`: the headings so far, with the name of the track. */
export function pruned(
  group: Group,
  isWanted: (path: readonly string[], track: Track) => boolean,
  path: string[] = [],
): Group {
  const own = group.depth < 0 ? path : [...path, group.title];
  const groups = [...group.groups]
    .map(([key, inner]) => [key, pruned(inner, isWanted, own)] as const)
    .filter(([, { tracks, groups }]) => tracks.length || groups.size);
  return {
    ...group,
    tracks: group.tracks.filter((track) => isWanted([...own, track.name], track)),
    groups: new Map(groups),
  };
}

const allGroups = (group: Group): Group[] =>
  [...group.groups.values()].flatMap((inner) => [inner, ...allGroups(inner)]);

export const tracksIn = (group: Group): Track[] => [
  ...group.tracks,
  ...[...group.groups.values()].flatMap((inner) => tracksIn(inner)),
];

/** The groups around a track, the outermost first. */
export function groupsAround(root: Group, track: number): Group[] {
  for (const inner of root.groups.values()) {
    if (inner.tracks.some((candidate) => candidate.id === track)) return [inner];
    const found = groupsAround(inner, track);
    if (found.length) return [inner, ...found];
  }
  return [];
}

/** The outermost groups: the ranks, where there are several. */
export const outermost = (tracks: readonly Track[]): number[] =>
  [...groupTree(tracks).groups.values()].map((group) => group.id);

const runsOf = (tracks: readonly Track[]): number[] => [...new Set(tracks.map((track) => track.run))];

/**
 * What is folded until the user says otherwise: what would fill the screen. Many runs are a row each, so that all are
 * seen at once; unfolded, the first shows its threads too, the others their devices.
 */
export function foldedAtFirst(tracks: readonly Track[]): Set<number> {
  const busiest = new Map<number, Track>();
  for (const track of tracks) {
    const other = busiest.get(track.run);
    if (track.kind === "thread" && (!other || track.slices > other.slices)) busiest.set(track.run, track);
  }
  const runs = runsOf(tracks);
  const manyRuns = runs.length > FEW_RUNS;
  const stayOpen = new Set(manyRuns ? [] : busiest.values());
  for (const track of tracks) {
    if ([...stayOpen].some((thread) => thread.run === track.run && thread.id === track.samples)) stayOpen.add(track);
  }
  const folded = new Set<number>();
  for (const track of tracks) if (track.lanes > MOST_OPEN_LANES && !stayOpen.has(track)) folded.add(track.id);
  for (const group of allGroups(groupTree(tracks))) {
    const all = tracksIn(group);
    const host = group.groups.size === 0 && all.every((track) => HOST_KINDS.has(track.kind) || isCounter(track));
    const onDemand = all.every((track) => track.on_demand);
    const counters = all.length > FEW_COUNTERS && all.every(isCounter);
    const rank = manyRuns && group.depth === 0;
    const nested = tracks.length > FEW_TO_NEST && group.depth > (runs.length > 1 ? 1 : 0);
    const otherHost = manyRuns && host && all[0]!.run !== runs[0];
    if (group.gathered || onDemand || counters || rank || nested || otherHost) folded.add(group.id);
  }
  return folded;
}

/** The tracks that stand for many in little: what kept each device busy, else the busiest threads. */
export function summaryOf(tracks: readonly Track[]): Track[] {
  const busy = tracks.filter(isActivity);
  if (busy.length) return busy.slice(0, MOST_SUMMED);
  return tracks
    .filter((track) => !track.derived && track.kind !== "ranges")
    .sort((a, b) => b.slices - a.slices)
    .slice(0, MOST_SUMMED_THREADS);
}

/** For each track that means how much of the time something held, the one of its device with the shares of the time. */
export function busyBeside(tracks: readonly Track[]): Map<number, number> {
  const keyOf = (track: Track) => [track.run, ...track.group].join("\n");
  const busy = new Map(tracks.filter(isActivity).map((track) => [keyOf(track), track.id]));
  const beside = new Map<number, number>();
  for (const track of tracks) {
    const found = track.coverage ? busy.get(keyOf(track)) : undefined;
    if (found !== undefined) beside.set(track.id, found);
  }
  return beside;
}
