// A track as the answer about a session has it.
import type { Track } from "../../src/api/protocol";

const LANES: Record<string, Partial<Track>> = {
  busy: { drawing: "activity" },
  idle: { coverage: "idle" },
  exposed: { coverage: "communication" },
  critical_path: { on_demand: true },
  layers: { on_demand: true },
  call_path: {},
  counter: { drawing: "counter" },
};

export const mockTrack = (
  id: number,
  kind: string,
  group: string[],
  name: string,
  more: Partial<Track> = {},
): Track => ({
  id,
  run: 0,
  rank: 0,
  kind,
  drawing: "slices",
  coverage: null,
  derived: kind in LANES,
  on_demand: false,
  group,
  name,
  sort: id,
  slices: 10,
  lanes: 1,
  pinned: false,
  ...LANES[kind],
  ...more,
});
