// The context menus of the timeline: of a slice, of a track, of a heading. By the pointer, by the menu key or Shift+F10
// on a name, and of the selected slice.
import { groupTree, tracksIn, type Group } from "../model/groups";
import { HIGHEST, LOWEST, type Row } from "../model/layout";
import { oneLine } from "../model/format";
import { fit, width } from "../model/viewport";
import { rangeOf, type SliceRef } from "../model/selection";
import { copyText } from "../ui/clipboard";
import { openMenu, type MenuEntry, type MenuItem } from "../ui/menu";
import { refOf, type Pane } from "./pane";
import type { TimelineSource } from "./source";
import type { Timeline } from "./timeline";

/** Letters of a name that are searched. */
const LONGEST_SEARCH = 400;
const MOST_HIDDEN_LISTED = 20;

const withId = (group: Group, id: number): Group | null => {
  if (group.id === id) return group;
  for (const inner of group.groups.values()) {
    const found = withId(inner, id);
    if (found) return found;
  }
  return null;
};

/** Hides tracks; they are not pinned any more. */
export function hideTracks(source: TimelineSource, ids: readonly number[]): void {
  const { hidden, pinned } = source.settings.get();
  source.changeSettings({
    hidden: new Set([...hidden, ...ids]),
    pinned: pinned.filter((id) => !ids.includes(id)),
  });
}

export const showAllTracks = (source: TimelineSource): void => source.changeSettings({ hidden: new Set() });

/** One step higher or lower. */
export function resizeTrack(source: TimelineSource, track: number, by: 1 | -1): void {
  const heights = new Map(source.settings.get().heights);
  const size = Math.max(LOWEST, Math.min(HIGHEST, (heights.get(track) ?? 0) + by));
  if (size === 0) heights.delete(track);
  else heights.set(track, size);
  source.changeSettings({ heights });
}

function togglePin(source: TimelineSource, track: number): void {
  const { pinned } = source.settings.get();
  source.changeSettings({
    pinned: pinned.includes(track) ? pinned.filter((id) => id !== track) : [...pinned, track],
  });
}

function toggleFold(source: TimelineSource, id: number): void {
  const folded = new Set(source.settings.get().folded);
  if (!folded.delete(id)) folded.add(id);
  source.changeSettings({ folded });
}

const copyItem = (name: string): MenuItem => ({ title: "Copy name", run: () => void copyText(name) });

function filterItems(source: TimelineSource, text: string): MenuItem[] {
  const items = [{ title: "Filter tracks by this name", run: () => source.changeSettings({ filter: text }) }];
  if (source.settings.get().filter)
    items.push({ title: "Show all tracks again", run: () => source.changeSettings({ filter: "" }) });
  return items;
}

function hiddenItems(source: TimelineSource): MenuItem[] {
  const count = source.settings.get().hidden.size;
  if (!count) return [];
  return [{ title: `Show ${count} hidden ${count === 1 ? "track" : "tracks"}`, run: () => showAllTracks(source) }];
}

function trackItems(source: TimelineSource, id: number): MenuEntry[] {
  const track = source.tracks.find((one) => one.id === id);
  if (!track) return [];
  const { pinned, folded, heights } = source.settings.get();
  const size = heights.get(id) ?? 0;
  const items: MenuEntry[] = [
    {
      title: pinned.includes(id) ? "Unpin track" : "Pin track to the top",
      keys: "P",
      run: () => togglePin(source, id),
    },
    { title: folded.has(id) ? "Unfold track" : "Fold track", run: () => toggleFold(source, id) },
    { title: "Hide track", run: () => hideTracks(source, [id]) },
  ];
  if (size < HIGHEST) items.push({ title: "Taller", run: () => resizeTrack(source, id, 1) });
  if (size > LOWEST) items.push({ title: "Lower", run: () => resizeTrack(source, id, -1) });
  items.push(...hiddenItems(source));
  return items;
}

/** Of a row, by its name. */
export function rowMenu(source: TimelineSource, row: Row, x: number, y: number): void {
  if (row.kind === "track") {
    const name = oneLine(row.track.name);
    const items = [...trackItems(source, row.track.id), "line" as const, copyItem(row.track.name)];
    return openMenu(name, [...items, ...filterItems(source, name)], x, y);
  }
  const group = withId(groupTree(source.tracks), row.id);
  const inside = group ? tracksIn(group).map((track) => track.id) : [];
  const items: MenuEntry[] = [
    { title: row.folded ? "Unfold" : "Fold", run: () => toggleFold(source, row.id) },
    {
      title: row.tracks === 1 ? "Hide its track" : `Hide its ${row.tracks} tracks`,
      run: () => hideTracks(source, inside),
    },
    ...hiddenItems(source),
    "line",
    copyItem(row.title),
    ...filterItems(source, oneLine(row.title)),
  ];
  openMenu(oneLine(row.title), items, x, y);
}

/** Of a slice, with what there is for its track. */
export function sliceMenu(source: TimelineSource, slice: SliceRef, name: string, x: number, y: number): void {
  const items: MenuEntry[] = [
    {
      title: "Zoom to this slice",
      keys: "F",
      run: () => source.navigate({ slice, viewport: fit(rangeOf(slice), source.session.span) }),
    },
    {
      title: "Find all of this name",
      run: () => source.navigate({ slice, viewport: source.viewport.get(), search: name.slice(0, LONGEST_SEARCH) }),
    },
    copyItem(name),
    "line",
    ...trackItems(source, slice.track),
  ];
  openMenu(oneLine(name), items, x, y);
}

/** Of the slice there, else of the row. */
export function openMenuAt(timeline: Timeline, pane: Pane, event: MouseEvent): void {
  event.preventDefault();
  const { source } = timeline;
  const { clientX: x, clientY: y } = event;
  const hit = timeline.hitAt(pane, event);
  const slice = hit && !hit.under ? refOf(hit) : null;
  const name = slice && source.names.get(hit!.slice!.name);
  const row = pane.rowAt(y - pane.element.getBoundingClientRect().top);
  if (slice && name) sliceMenu(source, slice, name, x, y);
  else if (row) rowMenu(source, row, x, y);
}

/** Of the selected slice, beside it: for keys. */
export async function openSelectedMenu(timeline: Timeline): Promise<void> {
  const { source } = timeline;
  const slice = source.selection.get();
  if (!slice) return;
  const { name } = await source.client.slice(slice.track, slice.slice);
  const place = timeline.placeOf(slice.track, slice.lane);
  if (!place) return;
  const view = source.viewport.get();
  const x = place.x + (Math.max(0, slice.start - view.start) / width(view)) * place.width;
  sliceMenu(source, slice, name, Math.min(x, place.x + place.width), place.y + place.height);
}

/** What is hidden, each to be shown again. */
export function hiddenMenu(source: TimelineSource, x: number, y: number): void {
  const { hidden } = source.settings.get();
  const tracks = source.tracks.filter((track) => hidden.has(track.id));
  const show = (id: number) => source.changeSettings({ hidden: new Set([...hidden].filter((other) => other !== id)) });
  const items: MenuEntry[] = [{ title: "Show all", run: () => showAllTracks(source) }, "line"];
  for (const track of tracks.slice(0, MOST_HIDDEN_LISTED)) {
    items.push({ title: oneLine([...track.group, track.name].join(" \u203a ")), run: () => show(track.id) });
  }
  openMenu("Hidden tracks", items, x, y);
}
