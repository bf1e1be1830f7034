// What can be done in the timeline, by key and in the palette. How W, A, S and D move is in motion.ts.
import type { Neighbor } from "../api/protocol";
import type { Command } from "../views/context";
import { depthBeside } from "../model/call_depth";
import { areaBetween, rangeOf } from "../model/selection";
import { outermost } from "../model/groups";
import { at, isMenuKey, plain, typesOrAt } from "../ui/keys";
import type { Navigation } from "./navigation";
import type { Direction } from "./search_hits";
import type { Timeline } from "./timeline";
import { hideTracks, openSelectedMenu, resizeTrack, showAllTracks } from "./track_menu";

/** A command and when a key press means it. */
interface Bound extends Command {
  when?(event: KeyboardEvent): boolean;
}

const MOST_TRACKS = 2000;
const AXIS_COMMANDS = [
  ["start", "Ruler from the start"],
  ["utc", "Ruler in UTC, where the profile tells it"],
  ["ns", "Ruler in ns"],
] as const;

const code =
  (name: string, shift = false) =>
  (event: KeyboardEvent) =>
    at(event, name, shift);
const character = (text: string, place: string) => (event: KeyboardEvent) => typesOrAt(event, text, place);
const typed = (text: string) => (event: KeyboardEvent) =>
  event.key === text && !event.ctrlKey && !event.metaKey && !event.altKey;
const key = (name: string) => (event: KeyboardEvent) => plain(event) && event.key === name;

/** `stepMatch`: goes through the slices of a row or finding, or of the search. */
export function timelineCommands(
  timeline: Timeline,
  navigation: Navigation,
  focusSearch: () => void,
  stepMatch: (direction: Direction) => void = (direction) => void navigation.search(direction),
): Bound[] {
  const { source } = timeline;
  const { span } = source.session;
  const setFolded = (folded: boolean) =>
    source.changeSettings({ folded: new Set(folded ? source.tracks.map((track) => track.id) : []) });
  const drop = () => {
    if (source.search.get()) source.search.set("");
    else if (source.selection.get()) source.navigate({ slice: null });
    else source.navigate({ area: null });
  };
  const step = (edge: "first" | "last", to: Neighbor) => {
    if (source.selection.get()) void navigation.go(to);
    else timeline.selectInSight(edge);
  };
  const ranks = new Set(source.tracks.map((track) => track.run)).size > 1 ? "ranks" : "groups";
  const foldOutermost = (folded?: boolean) => {
    const groups = outermost(source.tracks);
    const { folded: before } = source.settings.get();
    const fold = folded ?? !groups.every((id) => before.has(id)); // one open: back to where all are seen
    const own = new Set(groups);
    source.changeSettings({ folded: new Set([...[...before].filter((id) => !own.has(id)), ...(fold ? groups : [])]) });
  };
  const selectArea = () => {
    const slice = source.selection.get();
    const range = slice ? rangeOf(slice) : source.viewport.get();
    source.navigate({ area: areaBetween(range.start, range.end, span, null) });
  };
  const pinSelected = () => {
    const slice = source.selection.get();
    if (slice) timeline.togglePin(slice.track);
  };
  const ofSelected = (change: (track: number) => void) => () => {
    const slice = source.selection.get();
    if (slice) change(slice.track);
  };
  const hide = (track: number) => hideTracks(source, [track]);
  const showHidden = () => showAllTracks(source);
  const taller = (track: number) => resizeTrack(source, track, 1);
  const lower = (track: number) => resizeTrack(source, track, -1);
  const nextMode = () =>
    source.colourMode.update((mode) => {
      const modes = source.colourModes;
      return modes[(modes.indexOf(mode) + 1) % modes.length]!;
    });
  const changeDepth = (by: 1 | -1) => () => source.depth.update((depth) => depthBeside(depth, by, source.deepest));
  const depthCommands: Bound[] = [
    { title: "Call paths at one depth: one deeper", keys: ".", when: character(".", "Period"), run: changeDepth(1) },
    {
      title: "Call paths: less deep, at last all depths",
      keys: ",",
      when: character(",", "Comma"),
      run: changeDepth(-1),
    },
    { title: "Call paths at the innermost depth", run: () => source.depth.set(source.deepest) },
    { title: "Call paths with all depths", run: () => source.depth.set(null) },
  ].map((command) => ({ group: "Tracks", ...command }));
  const press = (code: string) => () => timeline.motion.press(code);
  return [
    { group: "Axis", title: "Zoom in", keys: "W", run: press("KeyW") },
    { group: "Axis", title: "Zoom out", keys: "S", run: press("KeyS") },
    { group: "Axis", title: "Earlier", keys: "A", run: press("KeyA") },
    { group: "Axis", title: "Later", keys: "D", run: press("KeyD") },
    { group: "Axis", title: "Fit the selection, or all", keys: "F", when: code("KeyF"), run: () => timeline.fit() },
    {
      group: "Slices",
      title: "Next in the lane; the first in sight where none is selected",
      keys: "\u2192",
      when: key("ArrowRight"),
      run: () => step("first", "next"),
    },
    {
      group: "Slices",
      title: "Previous in the lane; the last in sight",
      keys: "\u2190",
      when: key("ArrowLeft"),
      run: () => step("last", "previous"),
    },
    {
      group: "Slices",
      title: "Slice around it",
      keys: "\u2191",
      when: key("ArrowUp"),
      run: () => step("first", "parent"),
    },
    {
      group: "Slices",
      title: "First slice in it",
      keys: "\u2193",
      when: key("ArrowDown"),
      run: () => step("first", "child"),
    },
    {
      group: "Slices",
      title: "Follow the link: what it launched, its backward",
      keys: "]",
      when: character("]", "BracketRight"),
      run: () => void navigation.follow(),
    },
    {
      group: "Slices",
      title: "Against the link: its launch, its forward",
      keys: "[",
      when: character("[", "BracketLeft"),
      run: () => void navigation.goBack(),
    },
    { group: "Selection", title: "Select this time as the area", keys: "R", when: code("KeyR"), run: selectArea },
    {
      group: "Selection",
      title: "Mark the pointer; the selection where it is there or away",
      keys: "M",
      when: code("KeyM"),
      run: () => timeline.mark(),
    },
    {
      group: "Selection",
      title: "Remove all marks",
      keys: "Shift+M",
      when: code("KeyM", true),
      run: () => source.marks.set([]),
    },
    ...AXIS_COMMANDS.map(([mode, title]) => ({ group: "Axis", title, run: () => source.axisMode.set(mode) })),
    { group: "Selection", title: "Drop search, slice, area", keys: "Esc", when: key("Escape"), run: drop },
    {
      group: "Search",
      title: "Search slices",
      keys: "/",
      when: character("/", "Slash"),
      run: focusSearch,
    },
    { group: "Search", title: "Next match", keys: "N", when: code("KeyN"), run: () => stepMatch("next") },
    {
      group: "Search",
      title: "Previous match",
      keys: "Shift+N",
      when: code("KeyN", true),
      run: () => stepMatch("previous"),
    },
    {
      group: "Slices",
      title: "Menu of the selected slice",
      keys: "Shift+F10",
      when: isMenuKey,
      run: () => void openSelectedMenu(timeline),
    },
    { group: "Tracks", title: "Hide the track of the slice", keys: "H", when: code("KeyH"), run: ofSelected(hide) },
    { group: "Tracks", title: "Show all hidden tracks", keys: "Shift+H", when: code("KeyH", true), run: showHidden },
    {
      group: "Tracks",
      title: "Make the track of the slice taller",
      keys: "+",
      when: typed("+"),
      run: ofSelected(taller),
    },
    {
      group: "Tracks",
      title: "Make the track of the slice lower",
      keys: "-",
      when: typed("-"),
      run: ofSelected(lower),
    },
    { group: "Tracks", title: "Pin the track of the slice", keys: "P", when: code("KeyP"), run: pinSelected },
    { group: "Tracks", title: "Colour by class, name, duration", keys: "C", when: code("KeyC"), run: nextMode },
    {
      group: "Tracks",
      title: "Counters from 0 or between the values in sight",
      run: () => source.counterScale.update((scale) => (scale === "zero" ? "sight" : "zero")),
    },
    ...(source.deepest ? depthCommands : []),
    { group: "Tracks", title: `Fold all ${ranks}`, run: () => foldOutermost(true) },
    { group: "Tracks", title: `Unfold all ${ranks}`, run: () => foldOutermost(false) },
    {
      group: "Tracks",
      title: `Fold or unfold all ${ranks}`,
      keys: "G",
      when: code("KeyG"),
      run: () => foldOutermost(),
    },
    { group: "Tracks", title: "Fold all tracks", run: () => setFolded(true) },
    { group: "Tracks", title: "Unfold all tracks", run: () => setFolded(false) },
    ...source.colourModes.map((mode) => ({
      group: "Tracks",
      title: `Colour by ${mode === "heat" ? "duration" : mode}`,
      run: () => source.colourMode.set(mode),
    })),
    ...source.tracks.slice(0, MOST_TRACKS).map((track) => ({
      group: "Track",
      title: [...track.group, track.name].join(" \u203a "),
      run: () => timeline.revealTrack(track.id),
    })),
  ];
}

/** Runs the command that a key press means. */
export function runKey(commands: readonly Bound[], event: KeyboardEvent): boolean {
  const command = commands.find((candidate) => candidate.when?.(event));
  command?.run();
  return command !== undefined;
}
