// What can be done in the timeline, by key and in the palette. How W, A, S and D move is in motion.ts.
import type { Command } from "../views/context";
import { areaBetween, rangeOf } from "../model/selection";
import type { ColourMode } from "./colours";
import type { Navigation } from "./navigation";
import type { Timeline } from "./timeline";

/** A command and when a key press means it. */
interface Bound extends Command {
  when?(event: KeyboardEvent): boolean;
}

const MODES: ColourMode[] = ["class", "name", "heat"];
const MOST_TRACKS = 2000;

const plain = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.metaKey && !event.altKey;
const code =
  (name: string, shift = false) =>
  (event: KeyboardEvent) =>
    plain(event) && event.code === name && event.shiftKey === shift;
const key = (name: string) => (event: KeyboardEvent) => plain(event) && event.key === name;

export function timelineCommands(timeline: Timeline, navigation: Navigation, focusSearch: () => void): Bound[] {
  const { source } = timeline;
  const { span } = source.session;
  const setFolded = (folded: boolean) =>
    source.changeSettings({ folded: new Set(folded ? source.tracks.map((track) => track.id) : []) });
  const drop = () => {
    if (source.search.get()) source.search.set("");
    else if (source.selection.get()) source.navigate({ slice: null });
    else source.navigate({ area: null });
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
  const nextMode = () => source.colourMode.update((mode) => MODES[(MODES.indexOf(mode) + 1) % MODES.length]!);
  const press = (code: string) => () => timeline.motion.press(code);
  return [
    { group: "Axis", title: "Zoom in", keys: "W", run: press("KeyW") },
    { group: "Axis", title: "Zoom out", keys: "S", run: press("KeyS") },
    { group: "Axis", title: "Earlier", keys: "A", run: press("KeyA") },
    { group: "Axis", title: "Later", keys: "D", run: press("KeyD") },
    { group: "Axis", title: "Fit the selection, or all", keys: "F", when: code("KeyF"), run: () => timeline.fit() },
    {
      group: "Slices",
      title: "Next in the lane",
      keys: "\u2192",
      when: key("ArrowRight"),
      run: () => void navigation.go("next"),
    },
    {
      group: "Slices",
      title: "Previous in the lane",
      keys: "\u2190",
      when: key("ArrowLeft"),
      run: () => void navigation.go("previous"),
    },
    {
      group: "Slices",
      title: "Slice around it",
      keys: "\u2191",
      when: key("ArrowUp"),
      run: () => void navigation.go("parent"),
    },
    {
      group: "Slices",
      title: "First slice in it",
      keys: "\u2193",
      when: key("ArrowDown"),
      run: () => void navigation.go("child"),
    },
    {
      group: "Slices",
      title: "Follow the link: what it launched, its backward",
      keys: "]",
      when: key("]"),
      run: () => void navigation.follow(),
    },
    {
      group: "Slices",
      title: "Against the link: its launch, its forward",
      keys: "[",
      when: key("["),
      run: () => void navigation.goBack(),
    },
    { group: "Selection", title: "Select this time as the area", keys: "R", when: code("KeyR"), run: selectArea },
    {
      group: "Selection",
      title: "Mark the selection or the pointer",
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
    { group: "Selection", title: "Drop search, slice, area", keys: "Esc", when: key("Escape"), run: drop },
    {
      group: "Search",
      title: "Search slices",
      keys: "/",
      when: (event) => plain(event) && (event.key === "/" || (event.code === "Slash" && !event.shiftKey)),
      run: focusSearch,
    },
    { group: "Search", title: "Next match", keys: "N", when: code("KeyN"), run: () => void navigation.search("next") },
    {
      group: "Search",
      title: "Previous match",
      keys: "Shift+N",
      when: code("KeyN", true),
      run: () => void navigation.search("previous"),
    },
    { group: "Tracks", title: "Pin the track of the slice", keys: "P", when: code("KeyP"), run: pinSelected },
    { group: "Tracks", title: "Colour by class, name, duration", keys: "C", when: code("KeyC"), run: nextMode },
    { group: "Tracks", title: "Fold all tracks", run: () => setFolded(true) },
    { group: "Tracks", title: "Unfold all tracks", run: () => setFolded(false) },
    ...MODES.map((mode) => ({
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
