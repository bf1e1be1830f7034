// What the server answers, as docs/viewer-protocol.md has it. Times are ns from the start of the session.

/** How far a profile is. */
export interface ProfileStatus {
  state: "opening" | "ready" | "error";
  share: number;
  what: string;
  error?: string | null;
  inputs: string[];
}

/** Of ranks of a summary that were asked for. */
export interface RanksStatus extends ProfileStatus {
  ranks: number[];
  /** When the timeline begins, in the time of the summary; null before it is open. */
  start: number | null;
}

/** Where the profile of a rank of a summary lies. */
export interface RankTrace {
  rank: number;
  /** As the summary calls it. */
  name: string;
  path: string | null;
  /** Why there is none. */
  error: string | null;
}

export interface Status {
  session: string;
  version: string;
  /** The second profile is compared with the first. */
  against?: boolean;
  profiles: ProfileStatus[];
}

/** Where something took longest on a side, and the slice that it is. */
export interface ChangePlace {
  start: number;
  end: number;
  slice: SliceAt | null;
}

/** What changed between the two profiles. */
export interface Changes {
  words: string;
  per_iteration: boolean;
  tables: Record<string, Table>;
  /** By row of compare_causes. */
  places: { a: ChangePlace | null; b: ChangePlace | null }[];
}

/** Moments of a rank of A and when they are in the rank of B that it is compared with; `residual`: by how much work
 * around them misses that. */
export interface TimesOfRanks {
  rank_a: number;
  rank_b: number;
  a: number[];
  b: number[];
  residual: number[];
}

/** How the device ops of names changed, by the numbers of the names: the time of B over that of A, null where one side
 * alone has any. */
export interface NameChanges {
  name: number[];
  ratio: (number | null)[];
}

/** The same work on the other side. */
export interface PartnerAnswer {
  status: "both" | "only_a" | "only_b" | "orphan" | null;
  key: string;
  partner: SliceAt | null;
}

/** Device ops of A in a time and the same work of B, what takes longest first; the first of `total`. */
export interface AlignedOps {
  pairs: AlignedPair[];
  total: number;
}

export type AlignedPair = Record<"a" | "b", SliceAt>;

export type Drawing = "slices" | "counter" | "activity";
export type Coverage = "idle" | "communication";

export interface Track {
  id: number;
  run: number;
  rank: number;
  kind: string;
  /** Which tiles it is drawn from. */
  drawing: Drawing;
  /** Of what share of the time of its device its slices are. */
  coverage: Coverage | null;
  /** Its slices are not those of the profile. */
  derived: boolean;
  /** Its slices are found when it is shown; a search does not look there. */
  on_demand: boolean;
  group: string[];
  name: string;
  sort: number;
  slices: number;
  lanes: number;
  /** Of a call path: the track with its samples. */
  samples?: number | null;
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

/** What a table is declared as. */
export interface TableInfo {
  name: string;
  about: string;
  subject: string;
  /** One row an event. */
  events: boolean;
  /** The columns that tell of which slices a row is made; none where rows are not made of slices. */
  row_key: string[];
  columns: { name: string; type: string; unit: string; role: "key" | "measure" | "depth" | "moment" | "text" }[];
  options: { name: string; kind: string; default: string; choices: string[]; about: string }[];
}

export interface Session {
  session: string;
  version: string;
  /** What the program makes of the profile, to be saved: "report", "copy". */
  files?: string[];
  title: string;
  span: number;
  start_unix_ns: string | null;
  /** The profile has no times: its events are this many ns apart. */
  event_step: number | null;
  /** Where nearly all slices are, if the whole would be an empty picture. */
  first_window: { start: number; end: number } | null;
  runs: RunInfo[];
  tracks: Track[];
  tables: TableInfo[];
  /** It has no timeline, but the server may find those of its ranks. */
  is_summary?: boolean;
  views: string[];
  /** Nearly all slices are of one kind: what they are, their names say. */
  one_kind?: boolean;
  kinds: string[];
  /** How slices of each of `kinds` are coloured, see colours.ts. */
  looks: string[];
  classes: string[];
  causes: string[];
  steps: StepInfo[];
  notes: { code: string; count: number; text: string }[];
}

/** A slice as it is in lists and links. */
export interface SliceAt {
  track: number;
  slice: number;
  lane: number;
  start: number;
  duration: number;
  name?: string;
}

/** A place in the call tree, and the main metric there and below. */
export interface NodeDetails {
  rank: number;
  id: number;
  kind: string;
  name: string;
  module?: string;
  file?: string;
  line?: number;
  metric?: string;
  unit?: string;
  inclusive?: number;
}

/** How a wait ended, a sentence on that, and who had a part in it. */
export interface WaitDetails {
  end: string;
  by?: string;
  why: string;
  op?: SliceAt;
  held?: SliceAt;
  record?: SliceAt;
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
  /** Of a sample and of a box of a call path: where in the call tree it is. */
  node?: NodeDetails;
  /** That a box of a call path joins. */
  samples?: number;
  launch?: SliceAt | null;
  launched?: SliceAt[]; // the first of them
  launched_count?: number;
  delay?: number | null;
  /** Of a slice that waits: what for. */
  wait?: WaitDetails;
  /** The waits that it ended, that held it, or whose event it recorded; the first of them. */
  waits?: { part: "ended" | "held" | "recorded"; wait: SliceAt; op?: SliceAt; held?: SliceAt }[];
  waits_count?: number;
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
  /** The launches of this kernel that a kernel profiler measured. */
  measured?: { match: LaunchMatch; count: number; launches: MeasuredLaunch[] };
  /** What is doubtful about it. */
  remark?: string;
  /** Of a derived slice: the slice that it is about, and how, as a heading. */
  origin?: SliceAt;
  origin_is?: string;
  /** What says more than its kind: the main cause of a gap, what bounds the run in a part of the critical path. */
  label?: string;
  // Of an idle gap: a sentence on the cause, the parts of the gap, the slice that names the cause.
  why?: string;
  causes?: { cause: string; duration: number }[];
  cause_slice?: SliceAt;
  arguments?: { key: string; value: string }[];
  arguments_error?: string;
}

export interface Flow {
  kind: string;
  from: SliceAt;
  to: SliceAt;
}

/** A source file that the profile holds. */
export interface SourceFile {
  rank: number;
  /** Its number. */
  file: number;
  /** As the call tree names it. */
  name: string;
  stored: string;
  bytes: number;
}

export interface SourceText extends SourceFile {
  text: string;
  shown_bytes: number;
  /** Bytes that are no UTF-8 were replaced. */
  repaired: boolean;
  // What its lines cost, where anything was measured; `total` is of the whole program.
  metric?: string;
  unit?: string;
  total?: number | null;
  lines?: { line: number[]; inclusive: number[]; exclusive: number[] };
}

/** A launch that a kernel profiler measured, and its place in the roofline. */
export interface MeasuredLaunch {
  rank: number;
  id: number;
  duration?: number;
  intensity?: number;
  flops_per_s?: number;
  bound?: string;
  ceiling?: string;
  ceiling_pct?: number;
}

export type LaunchMatch = "none" | "short name and shape" | "name" | "name and shape";

export interface LaunchSlices {
  rank: number;
  id: number;
  match: LaunchMatch;
  slices: SliceAt[];
}

export interface SearchAnswer {
  total: number;
  names: number;
  /** Which of all, in the order of their starts, the first of `matches` is, from 1. */
  first?: number;
  matches: SliceAt[];
}

export type Cell = string | number | boolean | null;

export interface Column {
  /** The column with the unit of each row's figure. */
  unit_of_row?: string;
  name: string;
  type: string;
  unit?: string;
  about?: string;
}

/** Texts of name ids from `first` on, and their short forms, null where these are the same. */
export interface NameBlock {
  first: number;
  names: string[];
  short: (string | null)[];
}

/** A table as `cgpu table --format json` writes it. */
export interface Table {
  about?: string;
  /** "-total_ns", "+name": the column by which the rows come ordered. */
  sorted_by?: string;
  columns: Column[];
  rows: Cell[][];
  /** By row, the short forms of the column that was asked for; null where they are the same. */
  short?: (string | null)[];
}

/** The first rows of a statement of SQL. */
export interface SqlAnswer {
  table: Table;
  /** There are more. */
  isCut: boolean;
}

/** Durations of the slices of one row of a table: as many in each of the bars, of equal width from min to max. */
export interface Distribution {
  key: (string | null)[];
  count: number;
  total: number;
  min: number;
  max: number;
  counts: number[];
}

export interface Distributions {
  /** Of the table, whose cells are the key. */
  columns: string[];
  rows: Distribution[];
}

export interface RowSlices {
  count: number;
  total: number;
  min: number;
  max: number;
  slices: SliceAt[];
}

export interface AreaStatistics {
  from: number;
  to: number;
  slices: number;
  tracks: number;
  tables: Record<string, Table>;
}

/** What the call paths of tracks have at one depth, in a part of the time; times in ns. */
export interface FunctionsAtDepth {
  depth: number;
  from: number;
  to: number;
  /** That were looked at. */
  tracks: number;
  /** Of all functions, summed over the tracks. */
  total: number;
  /** The longest first. */
  functions: {
    /** Of the name, as tiles have it. */
    id: number;
    name: string;
    colour: number;
    time: number;
    /** That have it. */
    tracks: number;
  }[];
}

export interface FlameGraph {
  unit: string;
  metric: string;
  metrics: string[];
  total: number;
  nodes: {
    parent: number[];
    name: number[];
    value: number[];
    self: number[];
    kind: number[];
    /** Of device ops; else -1. */
    class: number[];
    count: number[];
  };
  names: string[];
  /** The short forms of the names; null where they are the same. */
  short: (string | null)[];
}

/** A flame graph of two runs: what each side has in a frame. */
export interface ComparedFlame {
  unit: string;
  metric: string;
  metrics: string[];
  /** Whether values are of one iteration. */
  per_iteration: boolean;
  total: { a: number; b: number };
  nodes: Pick<FlameGraph["nodes"], "parent" | "name" | "kind" | "class"> & Record<"a" | "b", FlameOfSide>;
  names: string[];
  short: (string | null)[];
}

/** `name`: what the side itself calls a frame; -1 where it has none. */
export type FlameOfSide = Pick<FlameGraph["nodes"], "name" | "value" | "self" | "count">;

export type Neighbor = "next" | "previous" | "parent" | "child" | "launch" | "forward" | "backward";
