// Where a finding shows in the timeline: the gap, the communication or the device op at the time that it names, and all
// others like it, the longest first.
import type { Cell, Session, SliceAt, Track } from "../api/protocol";
import { rangeOf, sameSlice } from "../model/selection";
import { fit, type Range } from "../model/viewport";
import { choicesOf } from "./choices";
import type { ViewContext } from "./context";
import { causeOf, tableOfCommand } from "./finding_command";
import { rowCells, selectMatch } from "./matches";
import { exactPattern, type Records } from "./records";

const MOST_SLICES = 10_000;
const MOST_AROUND = 100; // slices before and after the beginning of the time
const AIR = 0.2;
const ALL_NAMES = ".";

/** What the slices are that a finding is about. */
interface Subject {
  isOn: (track: Track) => boolean;
  /** A regular expression for their names. */
  pattern: string;
}

/** The first of these that has a slice at the time of the finding. Before the first op of a device is no gap, but what
 * the host did. */
function subjectsOf(command: string): Subject[] {
  const table = tableOfCommand(command);
  const cause = causeOf(table);
  const on = (isOn: Subject["isOn"], pattern = ALL_NAMES): Subject => ({ isOn, pattern });
  const host = on(({ kind }) => kind === "thread");
  if (cause) return [on(({ coverage }) => coverage === "idle", exactPattern(cause)), host];
  if (table?.name === "collectives") return [on(({ coverage }) => coverage === "communication"), host];
  return [on(({ kind }) => kind === "stream"), host];
}

/** The tracks of a subject, of the device or rank that the finding names. */
function tracksOf({ tracks }: Session, { isOn }: Subject, rank: Cell, device: Cell): Track[] {
  const ofRank = tracks.filter((track) => isOn(track) && (rank === null || track.rank === rank));
  const name = new RegExp(`\\b[A-Z]PU ${device}\\b`);
  const ofDevice = device === null ? [] : ofRank.filter((track) => name.test(track.group.join(" ")));
  return ofDevice.length ? ofDevice : ofRank;
}

const shared = (slice: SliceAt, range: Range): number =>
  Math.min(slice.start + slice.duration, range.end) - Math.max(slice.start, range.start);

/** Those of the subject on these tracks that overlap the time, the one that shares most of it first; of nested ones that
 * share as much, the innermost. */
async function slicesAt({ client }: ViewContext, { pattern }: Subject, track: string, range: Range) {
  const ask = (options: { direction?: "previous" }) =>
    client.search(pattern, { regex: true, track, at: range.start, limit: MOST_AROUND, ...options });
  const [before, after] = await Promise.all([ask({ direction: "previous" }), ask({})]);
  return [...before.matches, ...after.matches]
    .filter((slice) => shared(slice, range) >= 0)
    .sort((a, b) => shared(b, range) - shared(a, range) || a.duration - b.duration);
}

/** All slices like the one at a place: of a pattern for many names, those of its name, which derived ones share with what
 * they are made from. */
async function slicesLike({ client, session }: ViewContext, pattern: string, track: string, place: SliceAt) {
  if (pattern !== ALL_NAMES || session.tracks.find(({ id }) => id === place.track)?.derived)
    return (await client.search(pattern, { regex: true, track, limit: MOST_SLICES })).matches;
  return (await client.row("slices", rowCells(["name"], [place.name ?? ""]), {})).slices;
}

/** Selects the slice that shares most of the time that the finding names, and zooms to that time. */
export async function showFinding(context: ViewContext, records: Records, row: readonly Cell[]): Promise<void> {
  const { session } = context;
  const range = { start: records.number(row, "start_ns"), end: records.number(row, "end_ns") };
  for (const subject of subjectsOf(records.text(row, "command"))) {
    const tracks = tracksOf(session, subject, records.cell(row, "rank"), records.cell(row, "device"));
    const track = tracks.map(({ id }) => id).join(",");
    const place = track && (await slicesAt(context, subject, track, range))[0];
    if (!place) continue;
    const alike = await slicesLike(context, subject.pattern, track, place);
    const slices = [...alike].sort((a, b) => b.duration - a.duration || a.start - b.start);
    const at = slices.findIndex((slice) => sameSlice({ ...slice }, { ...place }));
    if (at < 0) slices.unshift(place);
    const title = records.text(row, "title");
    choicesOf(context.state).matches.set({ title, slices, total: slices.length, at: Math.max(at, 0) });
    const viewport = fit(union(range, rangeOf(place)), session.span, AIR);
    return selectMatch(context, { view: "timeline", viewport });
  }
  context.navigate({ view: "timeline", slice: null, viewport: fit(range, session.span, AIR), search: "" });
}

const union = (a: Range, b: Range): Range => ({ start: Math.min(a.start, b.start), end: Math.max(a.end, b.end) });
