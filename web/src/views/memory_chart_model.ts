// What a measured kernel moved between the memories of its device, from the metrics of a kernel profiler. Pure.
import type { Table } from "../api/protocol";
import { Records } from "./records";

/** Caches and memories move data in sectors of 32 bytes. */
const SECTOR = 32;

export type Unit = "byte" | "instruction" | "wavefront";

export interface Place {
  id: string;
  title: string;
  column: number;
  row: number;
  hitRate: string | null;
}

export interface Flow {
  from: string;
  to: string;
  /** Towards the kernel, or away from it. */
  way: "read" | "write";
  value: number;
  unit: Unit;
  metric: string;
  /** Of what the path could move, %; null where the report does not say it. */
  pct: number | null;
}

export interface MemoryChart {
  places: Place[];
  flows: Flow[];
  /** Titles of the paths of which the report has no metric. */
  absent: string[];
}

const PLACES: [id: string, title: string, column: number, row: number, hitRate: string | null][] = [
  ["kernel", "Kernel", 0, 2, null],
  ["global", "Global", 1, 0, null],
  ["local", "Local", 1, 1, null],
  ["texture", "Texture", 1, 2, null],
  ["surface", "Surface", 1, 3, null],
  ["shared", "Shared", 1, 4, null],
  ["l1", "L1/TEX cache", 2, 1.5, "l1tex__t_sector_hit_rate.pct"],
  ["shared_memory", "Shared memory", 2, 4, null],
  ["l2", "L2 cache", 3, 1.5, "lts__t_sector_hit_rate.pct"],
  ["system", "System memory", 4, 0, null],
  ["peer", "Peer memory", 4, 1.5, null],
  ["device", "Device memory", 4, 3, null],
];

type Source = [metric: string, factor?: number];
type Path = [from: string, to: string, way: Flow["way"], unit: Unit, sources: Source[]];

const instructions = (to: string, way: Flow["way"], ...metrics: string[]): Path => [
  "kernel",
  to,
  way,
  "instruction",
  metrics.map((metric): Source => [metric]),
];
const sectors = (from: string, to: string, way: Flow["way"], ...metrics: string[]): Path => [
  from,
  to,
  way,
  "byte",
  metrics.map((metric): Source => [metric, SECTOR]),
];
const ofFabric = (memory: string, way: string): string[] => [
  `lts__t_sectors_srcunit_tex_aperture_${memory}_op_${way}_lookup_miss.sum`,
  `syslts__t_sectors_srcunit_tex_aperture_${memory}_op_${way}_lookup_miss.sum`,
];

/** Of several metrics of a path, the first that the report has. */
const PATHS: Path[] = [
  instructions("global", "read", "smsp__sass_inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_ld.sum"),
  instructions("global", "write", "smsp__sass_inst_executed_op_global_st.sum", "smsp__inst_executed_op_global_st.sum"),
  instructions("local", "read", "smsp__sass_inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_ld.sum"),
  instructions("local", "write", "smsp__sass_inst_executed_op_local_st.sum", "smsp__inst_executed_op_local_st.sum"),
  instructions("texture", "read", "smsp__inst_executed_op_texture.sum"),
  instructions("surface", "read", "smsp__inst_executed_op_surface_ld.sum"),
  instructions("surface", "write", "smsp__inst_executed_op_surface_st.sum"),
  instructions("shared", "read", "smsp__sass_inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_ld.sum"),
  instructions("shared", "write", "smsp__sass_inst_executed_op_shared_st.sum", "smsp__inst_executed_op_shared_st.sum"),
  sectors("global", "l1", "read", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
  sectors("global", "l1", "write", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
  sectors("local", "l1", "read", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"),
  sectors("local", "l1", "write", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"),
  sectors("texture", "l1", "read", "l1tex__t_sectors_pipe_tex_mem_texture.sum"),
  sectors("surface", "l1", "read", "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum"),
  sectors("surface", "l1", "write", "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum"),
  ["shared", "shared_memory", "read", "wavefront", [["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"]]],
  ["shared", "shared_memory", "write", "wavefront", [["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"]]],
  [
    "l1",
    "l2",
    "read",
    "byte",
    [["l1tex__m_xbar2l1tex_read_bytes.sum"], ["lts__t_sectors_srcunit_tex_op_read.sum", SECTOR]],
  ],
  [
    "l1",
    "l2",
    "write",
    "byte",
    [["l1tex__m_l1tex2xbar_write_bytes.sum"], ["lts__t_sectors_srcunit_tex_op_write.sum", SECTOR]],
  ],
  sectors("l2", "system", "read", ...ofFabric("sysmem", "read")),
  sectors("l2", "system", "write", ...ofFabric("sysmem", "write")),
  sectors("l2", "peer", "read", ...ofFabric("peer", "read")),
  sectors("l2", "peer", "write", ...ofFabric("peer", "write")),
  ["l2", "device", "read", "byte", [["dram__bytes_read.sum"], ["dram__sectors_read.sum", SECTOR]]],
  ["l2", "device", "write", "byte", [["dram__bytes_write.sum"], ["dram__sectors_write.sum", SECTOR]]],
];

/** The chart of a launch, from its table launch_values; null where it has none of the metrics. */
export function memoryChart(values: Table): MemoryChart | null {
  const records = new Records(values);
  const found = new Map<string, number>();
  for (const row of records.rows) {
    const value = records.cell(row, "value");
    if (typeof value === "number") found.set(records.text(row, "metric"), value);
  }
  const flows = PATHS.flatMap(([from, to, way, unit, sources]): Flow[] => {
    const source = sources.find(([metric]) => found.has(metric));
    if (!source) return [];
    const [metric, factor = 1] = source;
    const pct = found.get(`${metric}.pct_of_peak_sustained_elapsed`) ?? null;
    return [{ from, to, way, value: found.get(metric)! * factor, unit, metric, pct }];
  });
  if (!flows.length) return null;
  const titles = new Map(PLACES.map(([id, title]) => [id, title]));
  const absent = PATHS.filter(([from, to, way]) => !flows.some((f) => f.from === from && f.to === to && f.way === way));
  return {
    places: PLACES.map(([id, title, column, row, hitRate]) => {
      const rate = hitRate === null ? undefined : found.get(hitRate);
      return { id, title, column, row, hitRate: rate === undefined ? null : `${rate.toFixed(1)} %` };
    }),
    flows,
    absent: [...new Set(absent.map(([from, to]) => `${titles.get(from)} \u2013 ${titles.get(to)}`))],
  };
}
