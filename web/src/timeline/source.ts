// What the parts of a timeline share. Two timelines on one page have two of these with the same stores in them, and so
// the same axis and selection.
import type { Client } from "../api/client";
import type { Names } from "../api/names";
import type { Session, Track } from "../api/protocol";
import type { TileStore } from "../api/tile_store";
import type { TimeAxis } from "../model/axis";
import { settingsAtDepth, tracksAtDepth, type CallDepth } from "../model/call_depth";
import { layout, type Layout, type TrackSettings } from "../model/layout";
import type { Area, Mark, SliceRef } from "../model/selection";
import type { Readable, Store } from "../model/store";
import type { Bounds, Viewport } from "../model/viewport";
import type { Theme } from "../ui/theme";
import type { Target } from "../views/context";
import type { ColourMode } from "./colours";
import type { SearchHits } from "./search_hits";

export const COUNTER_SCALES = ["sight", "zero"] as const;
export type CounterScale = (typeof COUNTER_SCALES)[number];

/** Another run in the same rows: the upper half of a lane is of the one, the lower half of the other. */
export interface Under {
  readonly shown: Readable<boolean>;
  readonly source: TimelineSource;
  /** For the tracks of the one those of the other, by their ids. */
  readonly trackOf: ReadonlyMap<number, number>;
}

export interface TimelineSource {
  readonly client: Client;
  readonly session: Session;
  readonly names: Names;
  readonly tiles: TileStore;
  /** The tracks that this timeline shows: all of the session, or those of one run. */
  readonly tracks: readonly Track[];
  readonly viewport: Store<Viewport>;
  readonly selection: Store<SliceRef | null>;
  readonly area: Store<Area | null>;
  readonly marks: Store<readonly Mark[]>;
  readonly search: Store<string>;
  readonly hits: SearchHits;
  readonly settings: Store<TrackSettings>;
  readonly colourMode: Store<ColourMode>;
  /** Those to choose from. */
  readonly colourModes: readonly ColourMode[];
  /** Where this run is compared with another one: by the name of a device op, as Palette.change takes it. */
  readonly changes?: ReadonlyMap<number, number | null>;
  /** What the ruler counts from, as timeAxis takes it. */
  readonly axisMode: Store<string>;
  readonly axis: Readable<TimeAxis>;
  readonly counterScale: Store<CounterScale>;
  /** The depth of the call paths that is shown. */
  readonly depth: Store<CallDepth>;
  /** Of the longest path; 0 where no depth can be chosen. */
  readonly deepest: number;
  /** The moment under the pointer. */
  readonly cursor: Store<number | null>;
  readonly theme: Readable<Theme>;
  readonly under?: Under;
  /** Where moving and zooming may lead. */
  bounds(): Bounds;
  navigate(target: Target): void;
  changeSettings(change: Partial<TrackSettings>): void;
}

/** The rows of a timeline as its settings and the depth of the call paths have it. */
export function layoutOf({ tracks, settings, depth }: TimelineSource): Layout {
  const at = depth.get();
  return layout(tracksAtDepth(tracks, at), settingsAtDepth(settings.get(), tracks, at));
}

/** Rows that have room for the lanes of both. */
export function tracksOfBoth(tracks: readonly Track[], { source, trackOf }: Under): Track[] {
  const lanes = new Map(source.tracks.map((track) => [track.id, track.lanes]));
  return tracks.map((track) => ({
    ...track,
    lanes: Math.max(track.lanes, lanes.get(trackOf.get(track.id) ?? -1) ?? 0),
  }));
}
