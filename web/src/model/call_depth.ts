// The timeline at one depth of the call paths: a row a thread or stream, without headings, as many ranks have room on a
// screen. Pure.
import type { Track } from "../api/protocol";
import type { TrackSettings } from "./layout";

/** The depth of the call paths that is shown: 1 for the outermost frames; null: all, a lane each. */
export type CallDepth = number | null;

const isPath = ({ samples }: Track): boolean => samples != null;

export const pathTracks = (tracks: readonly Track[]): Set<number> => new Set(tracks.filter(isPath).map(({ id }) => id));

/** Of the longest path; 0 where there are no call paths. */
export const deepest = (tracks: readonly Track[]): number =>
  Math.max(0, ...tracks.filter(isPath).map(({ lanes }) => lanes));

export const ALL_DEPTHS = "all";

/** The values that a choice of a depth can have. */
export const depthChoices = (longest: number): string[] => [
  ALL_DEPTHS,
  ...Array.from({ length: longest }, (_, i) => String(i + 1)),
];

export const depthOf = (choice: string): CallDepth => (choice === ALL_DEPTHS ? null : Number(choice));
export const choiceOf = (depth: CallDepth): string => (depth === null ? ALL_DEPTHS : String(depth));

/** "ring (rank 3)": a program and which of its processes. */
const PROCESS = /^(.*) \((.+)\)$/;

/** Of each track what of its headings tells it from the others: "rank 3" where all are of one program. */
function tellingHeadings(tracks: readonly Track[]): string[][] {
  const most = Math.max(0, ...tracks.map(({ group }) => group.length));
  const levels = Array.from({ length: most }, (_, level) => {
    const titles = tracks.flatMap(({ group }) => group[level] ?? []);
    const programs = new Set(titles.flatMap((title) => PROCESS.exec(title)?.[1] ?? []));
    return { isCommon: titles.length === tracks.length && new Set(titles).size === 1, oneProgram: programs.size === 1 };
  });
  return tracks.map(({ group }) =>
    group.flatMap((title, level) => {
      const { isCommon, oneProgram } = levels[level]!;
      if (isCommon) return [];
      return [(oneProgram && PROCESS.exec(title)?.[2]) || title];
    }),
  );
}

/**
 * Call paths get one lane, and what of their headings tells them apart as a part of their names; the samples that they
 * are of are left out.
 */
export function tracksAtDepth(tracks: readonly Track[], depth: CallDepth): readonly Track[] {
  if (depth === null) return tracks;
  const sampled = new Set(tracks.map(({ samples }) => samples));
  const byId = new Map(tracks.map((track) => [track.id, track]));
  const paths = tracks.filter(isPath);
  const headings = new Map(tellingHeadings(paths).map((titles, i) => [paths[i]!.id, titles]));
  const nameOf = ({ id, samples, name }: Track) =>
    [...headings.get(id)!, byId.get(samples ?? -1)?.name ?? name].join(" \u203a ");
  return tracks
    .filter(({ id }) => !sampled.has(id))
    .map((track) => (isPath(track) ? { ...track, lanes: 1, group: [], name: nameOf(track) } : track));
}

/** One deeper or less deep; all depths lie before the first. */
export function depthBeside(depth: CallDepth, by: 1 | -1, longest: number): CallDepth {
  const next = Math.min((depth ?? 0) + by, longest);
  return next > 0 ? next : null;
}

/** A row of one depth is not folded further. */
export function settingsAtDepth(settings: TrackSettings, tracks: readonly Track[], depth: CallDepth): TrackSettings {
  if (depth === null) return settings;
  const paths = pathTracks(tracks);
  return { ...settings, folded: new Set([...settings.folded].filter((id) => !paths.has(id))) };
}
