// What a timeline of a profile shares with all that the page remembers of it.
import { TileStore } from "../api/tile_store";
import { FROM_START, timeAxis, type TimeAxis } from "../model/axis";
import { ALL_DEPTHS, choiceOf, deepest, depthChoices, depthOf, pathTracks, type CallDepth } from "../model/call_depth";
import { mapped, Store, type Readable } from "../model/store";
import { COLOUR_MODES, type ColourMode } from "../timeline/colours";
import { SearchHits } from "../timeline/search_hits";
import { COUNTER_SCALES, type TimelineSource } from "../timeline/source";
import type { Theme } from "../ui/theme";
import type { ShownProfile } from "./context";

/** `allDepths`: no depth of the call paths can be chosen. */
export function timelineSource(profile: ShownProfile, theme: Readable<Theme>, allDepths = false): TimelineSource {
  const { client, session, names, state } = profile;
  const axisMode = state.choice("ruler", "start");
  const axis = new Store<TimeAxis>(FROM_START);
  const readAxis = () => axis.set(timeAxis(axisMode.get(), state.marks.get(), session));
  readAxis();
  axisMode.subscribe(readAxis);
  state.marks.subscribe(readAxis);
  const paths = pathTracks(session.tracks);
  const longest = allDepths || client.server.copy ? 0 : deepest(session.tracks);
  const depth = longest
    ? mapped(state.choice("depth", ALL_DEPTHS, depthChoices(longest)), depthOf, choiceOf)
    : new Store<CallDepth>(null);
  return {
    client,
    session,
    names,
    theme,
    viewport: state.viewport,
    selection: state.selection,
    area: state.area,
    tracks: session.tracks,
    tiles: new TileStore(client, undefined, (track) => (paths.has(track) ? depth.get() : null)),
    depth,
    deepest: longest,
    marks: state.marks,
    search: state.search,
    hits: SearchHits.of(profile),
    settings: state.settings,
    colourMode: state.choice<ColourMode>("colour", session.one_kind ? "name" : "class", COLOUR_MODES),
    colourModes: COLOUR_MODES,
    axisMode,
    axis,
    counterScale: state.choice("counters", "sight", COUNTER_SCALES),
    cursor: new Store<number | null>(null),
    bounds: () => session.span,
    navigate: (target) => state.navigate(target),
    changeSettings: (change) => state.changeSettings(change),
  };
}
