// What the server declares of the tables of the profile, and what the page calls them. Pure.
import type { Session, TableInfo } from "../api/protocol";
import { readable } from "../model/format";

export const tableInfo = (session: Session, name: string): TableInfo | undefined =>
  session.tables.find((table) => table.name === name);

export const hasTable = (session: Session, name: string): boolean => tableInfo(session, name) !== undefined;

export const hasOption = (session: Session, table: string, option: string): boolean =>
  tableInfo(session, table)?.options.some(({ name }) => name === option) ?? false;

/** The columns that tell the rows of a table apart where these are made of slices, else none. */
export const rowColumns = (session: Session, table: string): readonly string[] =>
  tableInfo(session, table)?.row_key ?? [];

/** Whether each row of a table is made of several slices. */
export const hasSlices = (session: Session, table: string): boolean => {
  const info = tableInfo(session, table);
  return info !== undefined && info.row_key.length > 0 && !info.events;
};

/** The texts that say which row it is. */
export const namingColumns = (session: Session, table: string): string[] =>
  (tableInfo(session, table)?.columns ?? [])
    .filter(({ type, role }) => type === "text" && role === "key")
    .map(({ name }) => name);

/** Those that say when something was. */
export const momentColumns = (session: Session, table: string): string[] =>
  (tableInfo(session, table)?.columns ?? []).filter(({ role }) => role === "moment").map(({ name }) => name);

const TITLES: Record<string, string> = {
  info: "About the profile",
  api: "Calls",
  os_calls: "System calls",
  threads: "Host threads",
  processes: "Host processes",
  gpu_time: "Device time",
  idle: "Idle causes",
  idle_streams: "Idle time of streams",
  queue: "Launch queue",
  launch_metrics: "Measured launches",
  launch_rules: "Rules of the launches",
  launch_values: "Values of the launches",
  launch_sections: "Sections of the launches",
  launch_instructions: "Instructions of the launches",
  launch_lines: "Lines of the launches",
  instruction_counts: "Counts at instructions",
  et_ops: "Ops of the op graph",
  et_shapes: "Shapes of the op graph",
  kernel_grids: "Kernels by grid",
  activities: "Calls and device ops",
  api_trace: "Trace of calls",
  device_trace: "Trace of device ops",
  launch_trace: "Trace of launches",
  range_trace: "Trace of ranges",
  range_kernels: "Kernels by range",
  ascend_overlap: "Overlap as recorded",
  slices: "All slices",
};

export const titleOf = (table: string): string => {
  const text = TITLES[table] ?? readable(table);
  return text[0]!.toUpperCase() + text.slice(1);
};
