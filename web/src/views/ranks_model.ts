// What many devices did over time, as the heat map of the view shows it. Pure.
//
// A row is what one device did. Of devices that share a row, it is the one that falls behind the median device most, as
// on the page of the report: by the squares of how much longer it computes, copies or is idle in each column. What it
// waits for others in communication does not count.
import type { Table } from "../api/protocol";
import { groupsOf, largestIn, type Group } from "./groups_of_devices";
import { Records } from "./records";

/** What the time of a device goes to, with the column of table `rank_activity` that has it. */
export const STATES = [
  { column: "compute_ns", label: "compute", colour: "c-compute" },
  { column: "exposed_comm_ns", label: "exposed communication", colour: "c-communication" },
  { column: "exposed_memory_ns", label: "exposed copies", colour: "c-memory" },
  { column: "idle_ns", label: "idle", colour: "c-grey" },
] as const;
const COMMUNICATION = 1;

interface Bucket {
  start: number;
  end: number;
  /** By state, ns. */
  times: number[];
}

export interface DeviceActivity {
  rank: number;
  device: number;
  /** Its number among the devices of its rank. */
  place: number;
  buckets: Bucket[];
}

export function devicesOf(table: Table): DeviceActivity[] {
  const records = new Records(table);
  const devices: DeviceActivity[] = [];
  for (const row of records.rows) {
    const [rank, device] = [records.number(row, "rank"), records.number(row, "device")];
    let last = devices[devices.length - 1];
    if (!last || last.rank !== rank || last.device !== device) {
      const place = last?.rank === rank ? last.place + 1 : 0;
      devices.push((last = { rank, device, place, buckets: [] }));
    }
    const start = records.number(row, "start_ns");
    const times = STATES.map(({ column }) => records.number(row, column));
    last.buckets.push({ start, end: start + records.number(row, "duration_ns"), times });
  }
  return devices;
}

/** Time by state of each column; a column is one bucket long, or several where there would be more than `most`. */
export class ActivityMap {
  readonly start: number;
  readonly columnLength: number;
  readonly columns: number;
  /** By device: the times of the first column by state, then those of the next. */
  readonly times: Float64Array[];

  constructor(
    readonly devices: readonly DeviceActivity[],
    most: number,
  ) {
    let [start, end, longest] = [Infinity, -Infinity, 1];
    for (const { buckets } of devices) {
      for (const bucket of buckets) {
        start = Math.min(start, bucket.start);
        end = Math.max(end, bucket.end);
        longest = Math.max(longest, bucket.end - bucket.start);
      }
    }
    this.start = devices.length ? start : 0;
    const length = devices.length ? Math.max(end - start, 1) : 1;
    this.columnLength = longest * Math.ceil(length / longest / most);
    this.columns = Math.ceil(length / this.columnLength);
    this.times = devices.map((device) => this.#spread(device));
  }

  get end(): number {
    return this.start + this.columns * this.columnLength;
  }

  at(device: number, column: number): Float64Array {
    return this.times[device]!.subarray(column * STATES.length, (column + 1) * STATES.length);
  }

  /** What a bucket holds is taken as spread evenly over it. */
  #spread({ buckets }: DeviceActivity): Float64Array {
    const spread = new Float64Array(this.columns * STATES.length);
    for (const { start, end, times } of buckets) {
      for (let at = start; at < end;) {
        const column = Math.min(this.columns - 1, Math.floor((at - this.start) / this.columnLength));
        const until = Math.min(end, this.start + (column + 1) * this.columnLength);
        times.forEach((time, state) => {
          spread[column * STATES.length + state]! += (time * (until - at)) / (end - start);
        });
        if (until <= at) break;
        at = until;
      }
    }
    return spread;
  }
}

const sum = (times: ArrayLike<number>): number => Array.from(times).reduce((total, time) => total + time, 0);

/** Devices of the map of which `drawn` stands for all. */
export interface Band extends Group {
  drawn: number;
}

export function bandsOf(map: ActivityMap, most: number): Band[] {
  const groups = groupsOf(map.devices.length, most);
  const delays = groups.length < map.devices.length ? delaysOf(map) : [];
  return groups.map((group) => ({ ...group, drawn: largestIn(group, (device) => delays[device] ?? 0) }));
}

/** How far each device falls behind the median one. */
function delaysOf(map: ActivityMap): number[] {
  const delays = map.devices.map(() => 0);
  const isWhole = (device: number, column: number) => sum(map.at(device, column)) >= map.columnLength * (1 - 1e-9);
  for (let column = 0; column < map.columns; ++column) {
    const whole = map.devices.map((_, device) => device).filter((device) => isWhole(device, column));
    for (let state = 0; state < STATES.length; ++state) {
      if (state === COMMUNICATION || !whole.length) continue;
      const sorted = whole.map((device) => map.at(device, column)[state]!).sort((a, b) => a - b);
      const usual = sorted[(sorted.length - 1) >> 1]!;
      for (const device of whole) delays[device]! += Math.max(0, map.at(device, column)[state]! - usual) ** 2;
    }
  }
  return delays;
}

/** The least shares of the three strongest of four shades. */
const SHADE_FROM = [0.5, 0.7, 0.9];

/** The state that most of the time went to and its shade from 0 to 3; null where the device is not recorded. */
export function shadeOf(times: ArrayLike<number>): { state: number; shade: number } | null {
  const total = sum(times);
  if (total <= 0) return null;
  let state = 0;
  for (let each = 1; each < times.length; ++each) if (times[each]! > times[state]!) state = each;
  return { state, shade: SHADE_FROM.filter((from) => times[state]! / total >= from).length };
}

/** "compute 61.0 %, idle 39.0 %", the largest first. */
export function sharesText(times: ArrayLike<number>, percent: (value: number) => string): string {
  const total = sum(times) || 1;
  return STATES.map(({ label }, state) => ({ label, share: (100 * times[state]!) / total }))
    .filter(({ share }) => share >= 0.05)
    .sort((a, b) => b.share - a.share)
    .map(({ label, share }) => `${label} ${percent(share)}`)
    .join(", ");
}
