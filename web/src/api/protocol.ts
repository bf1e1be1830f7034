// What the server answers, as docs/viewer-protocol.md has it. Times are ns from the start of the session.

export interface Status {
  session: string;
  state: "opening" | "ready" | "error";
  share: number;
  what: string;
  error?: string | null;
  version: string;
  inputs: string[];
}

export type TrackKind =
  "thread" | "stream" | "async" | "other" | "ranges" | "busy" | "idle" | "steps" | "exposed" | "counter";

export interface Track {
  id: number;
  run: number;
  rank: number;
  kind: TrackKind;
  group: string[];
  name: string;
  sort: number;
  slices: number;
  lanes: number;
  pinned: boolean;
}

export interface RunInfo {
  rank: number;
  format: string;
  file: string;
  host: string;
  clock: string;
}

export interface StepInfo {
  rank: number;
  step: number;
  start: number;
  duration: number;
}

export interface Session {
  session: string;
  version: string;
  title: string;
  span: number;
  start_unix_ns: string | null;
  runs: RunInfo[];
  tracks: Track[];
  tables: { name: string; about: string }[];
  views: string[];
  kinds: string[];
  classes: string[];
  causes: string[];
  steps: StepInfo[];
  notes: { code: string; count: number; text: string }[];
}

/** A slice as it stands in lists and links. */
export interface SliceAt {
  track: number;
  slice: number;
  lane: number;
  start: number;
  duration: number;
  name?: string;
}

export interface SliceDetails extends SliceAt {
  name: string;
  short_name?: string;
  kind: string;
  class?: string;
  category?: string;
  thread?: string;
  process?: string;
  device?: number;
  stream?: number;
  correlation?: number | string;
  bytes?: number;
  copy?: string;
  bandwidth?: number;
  share_of_step_pct?: number;
  step?: number;
  stack?: SliceAt[];
  launch?: SliceAt | null;
  launched?: SliceAt[];
  delay?: number | null;
  siblings?: {
    count: number;
    total: number;
    mean: number;
    median: number;
    min: number;
    max: number;
    rank_pct: number;
    histogram?: { edges: number[]; counts: number[] };
  };
  /** What is doubtful about it. */
  remark?: string;
  /** Of a derived slice: the slice that it is about. */
  origin?: SliceAt;
  // Of an idle gap: main cause, a sentence on it, its parts, the op that ended it, the slice that names the cause.
  cause?: string;
  why?: string;
  causes?: { cause: string; duration: number }[];
  next?: SliceAt;
  cause_slice?: SliceAt;
  arguments?: { key: string; value: string }[];
}

export interface Flow {
  kind: string;
  from: SliceAt;
  to: SliceAt;
}

export interface SearchAnswer {
  total: number;
  names: number;
  matches: SliceAt[];
}

export type Cell = string | number | boolean | null;

export interface Column {
  name: string;
  type: string;
  unit?: string;
  about?: string;
}

/** A table as `cgpu table --format json` writes it. */
export interface Table {
  columns: Column[];
  rows: Cell[][];
}

export interface AreaStatistics {
  from: number;
  to: number;
  slices: number;
  tracks: number;
  tables: Record<string, Table>;
}

export interface FlameGraph {
  unit: string;
  metric: string;
  metrics: string[];
  total: number;
  nodes: { parent: number[]; name: number[]; value: number[]; self: number[]; kind: number[]; count: number[] };
  names: string[];
}

export type Neighbor = "next" | "previous" | "parent" | "child" | "launch" | "forward" | "backward";
