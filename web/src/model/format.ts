// Numbers as people read them. Nothing here is used for calculation or copied as data.

const MICRO = "\u00b5s";
const NARROW_SPACE = "\u202f";
const ABSENT = "\u2013";

const TIME_UNITS: [number, string][] = [
  [3.6e12, "h"],
  [6e10, "min"],
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, MICRO],
  [1, "ns"],
];

/** Three significant digits and more where the integer part has more. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 100) return Math.round(value).toString();
  if (size >= 10) return value.toFixed(1);
  if (size >= 1) return value.toFixed(2);
  return value.toPrecision(2);
}

/** "1.23 ms". */
export function duration(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return ABSENT;
  const size = Math.abs(ns);
  const [scale, unit] = TIME_UNITS.find(([scale]) => size >= scale && !(scale > 1e9 && size < 10 * scale)) ?? [1, "ns"];
  const value = ns / scale;
  return `${unit === "ns" && Number.isInteger(ns) ? ns : digits(value)} ${unit}`;
}

/** Every digit: "1 234 567 ns". */
export function exact(ns: number): string {
  return `${grouped(ns)} ns`;
}

/** An integer in groups of three digits. */
export function grouped(value: number): string {
  const text = Number.isInteger(value) ? BigInt(value).toString() : value.toString();
  const [whole, fraction] = text.split(".") as [string, string | undefined];
  const groups = whole.replace(/(\d)(?=(\d{3})+$)/g, `$1${NARROW_SPACE}`);
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

/** "1 row", "1 234 rows". */
export const counted = (count: number, one: string, several: string): string =>
  `${grouped(count)} ${count === 1 ? one : several}`;

const SECOND = 1e9;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** From here on moments are written in hours and minutes, as durations are. */
const LONG = 10 * MINUTE;

/** A moment, as exact as a step of the axis needs: "12.345 ms", "2 h 46 min 40.5 s". */
export function moment(ns: number, step = 1): string {
  const size = Math.abs(ns);
  if (size >= LONG) return (ns < 0 ? "-" : "") + longMoment(size, step);
  const [scale, unit] = TIME_UNITS.slice(2).find(([scale]) => size >= scale) ?? [1, "ns"];
  const decimals = Math.max(0, Math.min(12, Math.ceil(Math.log10(scale / Math.max(step, 1e-3)) - 1e-9)));
  return `${(ns / scale).toFixed(decimals)} ${unit}`;
}

/** The step with which moments are written so that no two of them, which differ, look the same. */
export function momentStep(values: readonly unknown[]): number {
  const sorted = values.filter((value): value is number => typeof value === "number").sort((a, b) => a - b);
  let least = Infinity;
  for (let i = 1; i < sorted.length; ++i) {
    const difference = sorted[i]! - sorted[i - 1]!;
    if (difference > 0) least = Math.min(least, difference);
  }
  return least === Infinity ? 1 : Math.max(1, 10 ** Math.floor(Math.log10(least)));
}

function longMoment(ns: number, step: number): string {
  const decimals = Math.max(0, Math.min(9, Math.ceil(Math.log10(SECOND / Math.max(step, 1)) - 1e-9)));
  const unit = SECOND / 10 ** decimals;
  const whole = Math.round(ns / unit) * unit;
  const parts = [
    [Math.floor(whole / HOUR), "h"],
    [Math.floor((whole % HOUR) / MINUTE), "min"],
    [Number(((whole % MINUTE) / SECOND).toFixed(decimals)), "s"],
  ] as const;
  return parts
    .filter(([value]) => value > 0)
    .map(([value, name]) => `${name === "s" ? value.toFixed(decimals) : value} ${name}`)
    .join(" ");
}

const BYTE_UNITS: [number, string][] = [
  [2 ** 40, "TiB"],
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
];

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return ABSENT;
  const [scale, unit] = BYTE_UNITS.find(([scale]) => Math.abs(value) >= scale) ?? [1, "B"];
  return `${scale === 1 ? value : digits(value / scale)} ${unit}`;
}

const COUNT_UNITS: [number, string][] = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e4, "k"],
];

/** A number of anything, short: "1.23 M". */
export function short(value: number): string {
  const found = COUNT_UNITS.find(([scale]) => Math.abs(value) >= scale);
  if (!found) return Number.isInteger(value) ? grouped(value) : digits(value);
  const scale = found[1] === "k" ? 1e3 : found[0];
  return `${digits(value / scale)} ${found[1]}`;
}

export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined) return ABSENT;
  return `${value !== 0 && Math.abs(value) < 10 ? value.toFixed(Math.abs(value) < 0.1 ? 2 : 1) : value.toFixed(1)} %`;
}

/** A number with the unit that a table's column names: ns, B, %, GB/s, FLOP/s, ... */
export function withUnit(value: number, unit: string | undefined): string {
  switch (unit) {
    case undefined:
    case "":
    case "count":
      return short(value);
    case "ns":
      return duration(value);
    case "us":
    case "usec":
      return duration(value * 1e3);
    case "ms":
      return duration(value * 1e6);
    case "s":
    case "sec":
      return duration(value * 1e9);
    case "B":
    case "bytes":
      return bytes(value);
    case "%":
    case "percent":
      return percent(value);
    default:
      return `${short(value)}${/[kMGTP]$/.test(short(value)) ? "" : " "}${unit}`;
  }
}

/** A sentence of the server with the units as the page writes them: "12.5%" as "12.5 %", "30 us" with the letter mu. */
export const withPageUnits = (text: string): string =>
  text.replace(/(\d)%/g, "$1 %").replace(/(\d) us\b/g, `$1 ${MICRO}`);

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const BIDI = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text of the profile as it is, its marks that turn the writing direction written out. */
export function asWritten(text: string): string {
  return text.replace(BIDI, (mark) => `<U+${mark.charCodeAt(0).toString(16).toUpperCase()}>`);
}

/** Grid and block of a launch, as the PyTorch profiler ("grid": [x, y, z]) or Nsight Systems ("gridX", ...) has them. */
export function launchShape(values: readonly { key: string; value: string }[]): string | undefined {
  const of = (key: string) => values.find((one) => one.key === key)?.value;
  const sizes = (name: string): string[] | undefined => {
    const found = of(name)?.match(/\d+/g) ?? ["X", "Y", "Z"].map((axis) => of(name + axis) ?? "");
    return found.length === 3 && found.every((size) => /^\d+$/.test(size)) ? [...found] : undefined;
  };
  const [grid, block] = [sizes("grid"), sizes("block")];
  return grid && block && `${grid.join(" x ")} blocks of ${block.join(" x ")} threads`;
}

/** A text of the profile for one line: no line breaks, no marks that turn the writing direction, not too long. */
export function oneLine(text: string, longest = 300): string {
  const cut = text.length > longest ? text.slice(0, longest) + "\u2026" : text;
  return cut.replace(CONTROL, " ").replace(BIDI, "");
}

/** "host_code" -> "host code" */
export const readable = (name: string): string => name.replace(/_/g, " ");
