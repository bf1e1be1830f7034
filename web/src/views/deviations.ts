// What each device takes more or less time for than the median device, as on the page of the report. Pure.
import type { Table } from "../api/protocol";
import { readable } from "../model/format";
import type { Place } from "./device_rows";
import { groupsOf, largestIn, type Group } from "./groups_of_devices";
import { Records } from "./records";

/** Of fewer devices no median says what is usual. */
export const FEWEST_DEVICES = 4;
const MOST_COLUMNS = 10;

/** What time goes to, and how much of it each device takes more than the median one; ns. */
export interface Deviation {
  readonly name: string;
  readonly usual: number;
  /** Of all devices, without its sign. */
  readonly largest: number;
  readonly of: ReadonlyMap<string, number>;
}

/** Of a device, in the map of a deviation. */
export const keyOf = ({ rank, device }: Place): string => `${rank}/${device}`;

/** What a device is busy with is in `gpu_time`, the causes of its idle time in `idle`. What deviates most comes first. */
export function deviationsOf(gpuTime: Table, idle: Table | null): Deviation[] {
  const times = new Map<string, Map<string, number>>(); // by what it goes to, then by device
  const add = (name: string, device: string, ns: number) => {
    const of = times.get(name) ?? new Map<string, number>();
    times.set(name, of.set(device, (of.get(device) ?? 0) + ns));
  };
  const busy = new Records(gpuTime);
  const placeIn = (records: Records, row: (typeof gpuTime.rows)[number]) =>
    keyOf({ rank: records.number(row, "rank"), device: records.number(row, "device") });
  const devices = new Set<string>();
  for (const row of busy.rows) {
    const device = placeIn(busy, row);
    devices.add(device);
    add("compute", device, busy.number(row, "compute_ns"));
    add("communication", device, busy.number(row, "exposed_comm_ns"));
    add("copies", device, busy.number(row, "exposed_memory_ns"));
    if (!idle) add("idle", device, busy.number(row, "idle_ns"));
  }
  const causes = idle ? new Records(idle) : null;
  for (const row of causes?.rows ?? []) {
    const device = placeIn(causes!, row);
    if (devices.has(device)) add(readable(causes!.text(row, "cause")), device, causes!.number(row, "total_ns"));
  }
  const all = [...times].map(([name, of]) => {
    const sorted = [...devices].map((device) => of.get(device) ?? 0).sort((a, b) => a - b);
    const usual = sorted[(sorted.length - 1) >> 1] ?? 0;
    const deviations = new Map([...devices].map((device) => [device, (of.get(device) ?? 0) - usual]));
    return { name, usual, largest: largestOf(deviations), of: deviations };
  });
  return all
    .filter(({ largest }) => largest > 0)
    .sort((a, b) => b.largest - a.largest)
    .slice(0, MOST_COLUMNS);
}

function largestOf(deviations: ReadonlyMap<string, number>): number {
  let largest = 0;
  for (const ns of deviations.values()) largest = Math.max(largest, Math.abs(ns));
  return largest;
}

/** Devices that share a row: of each deviation the device that has the largest stands for them. */
export interface DeviationBand extends Group {
  /** By deviation, the index of the device. */
  drawn: number[];
}

export function deviationBands(
  devices: readonly Place[],
  deviations: readonly Deviation[],
  most: number,
): DeviationBand[] {
  return groupsOf(devices.length, most).map((group) => ({
    ...group,
    drawn: deviations.map(({ of }) => largestIn(group, (index) => Math.abs(of.get(keyOf(devices[index]!)) ?? 0))),
  }));
}
