// The roofline model (S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009): what a launch could reach
// at its intensity, from the peak rates of the device. Pure.
import type { Table } from "../api/protocol";
import { Records } from "./records";

export interface Launch {
  rank: number;
  id: number;
  device: number;
  kernel: string;
  /** The short form of its name. */
  short: string;
  duration: number;
  intensity: number;
  flops: number;
  bound: string;
}

export interface Ceiling {
  label: string;
  flops: number;
}

export interface DeviceRoof {
  name: string;
  /** B/s; 0 where it is not known. */
  bandwidth: number;
  /** The highest first. */
  ceilings: Ceiling[];
}

const PREFIX: Record<string, number> = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };

/** "fp32 19.5 TFLOP/s, tf32 156 TFLOP/s" -> rates of floating-point types; integers have no place in the chart. */
export function peakRates(text: string): Ceiling[] {
  const ceilings: Ceiling[] = [];
  for (const part of text.split(",")) {
    const match = /^\s*(\S+)\s+([\d.]+)\s*([kMGTP]?)(?:FL)?OP/.exec(part);
    if (!match || /^u?int/.test(match[1]!)) continue;
    ceilings.push({ label: match[1]!, flops: Number(match[2]) * (PREFIX[match[3]!] ?? 1) });
  }
  return mergeEqual(ceilings.sort((a, b) => b.flops - a.flops));
}

/** Types of the same rate are one line: "fp16, bf16". */
function mergeEqual(ceilings: Ceiling[]): Ceiling[] {
  const merged: Ceiling[] = [];
  for (const ceiling of ceilings) {
    const last = merged[merged.length - 1];
    if (last && last.flops === ceiling.flops) last.label += `, ${ceiling.label}`;
    else merged.push({ ...ceiling });
  }
  return merged;
}

/** Launches of which both coordinates were measured. */
export function launchesOf(table: Table): Launch[] {
  const records = new Records(table);
  return records.rows.flatMap((row) => {
    const launch = {
      rank: records.number(row, "rank"),
      id: records.number(row, "id"),
      device: records.number(row, "device"),
      kernel: records.text(row, "kernel"),
      short: records.short(row, "kernel"),
      duration: records.number(row, "duration_ns"),
      intensity: records.number(row, "intensity"),
      flops: records.number(row, "flops_per_s"),
      bound: records.text(row, "bound"),
    };
    return launch.intensity > 0 && launch.flops > 0 ? [launch] : [];
  });
}

export function roofOf(table: Table, rank: number, device: number): DeviceRoof | null {
  const records = new Records(table);
  const row =
    records.rows.find((each) => records.number(each, "rank") === rank && records.number(each, "device") === device) ??
    (records.rows.length === 1 ? records.rows[0] : undefined);
  if (!row) return null;
  return {
    name: records.text(row, "name"),
    bandwidth: records.number(row, "memory_bandwidth"),
    ceilings: peakRates(records.text(row, "peak_flops")),
  };
}

/** What the device could reach at an intensity with one of its rates. */
export const attainable = (roof: DeviceRoof, intensity: number, flops: number): number =>
  roof.bandwidth > 0 ? Math.min(flops, intensity * roof.bandwidth) : flops;

/** Whole decades around the points and the corners of the roofs. */
export function domains(points: readonly Pick<Launch, "intensity" | "flops">[], roofs: readonly DeviceRoof[]) {
  const xs = points.map((point) => point.intensity);
  const ys = points.map((point) => point.flops);
  for (const roof of roofs) {
    for (const { flops } of roof.ceilings) {
      ys.push(flops);
      if (roof.bandwidth > 0) xs.push(flops / roof.bandwidth);
    }
  }
  // Room at the right for the names of the ceilings.
  return { x: decades(xs, 0.4), y: decades(ys, 0.1) };
}

function decades(values: readonly number[], room: number): [number, number] {
  if (!values.length) return [1, 10];
  const low = Math.floor(Math.log10(Math.min(...values)) - 0.15);
  const high = Math.ceil(Math.log10(Math.max(...values)) + room);
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}
