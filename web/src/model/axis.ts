// What the time axis counts from: the start of the session, a mark, 1970 (then it shows UTC), or the start in plain ns.
// Labels are round moments; where they would be long, offsets from a moment that is written at the left. Pure.
import type { Session } from "../api/protocol";
import { grouped, moment } from "./format";
import type { Mark } from "./selection";
import { timeStep, width, type Viewport } from "./viewport";

export interface TimeAxis {
  readonly kind: "start" | "mark" | "utc" | "ns" | "events";
  /** Where the axis has its zero, ns from the start of the session; for UTC the midnight before. */
  readonly origin: number;
  /** ns since 1970 at the start of the session, for UTC. */
  readonly unix: bigint;
  /** ns from one event to the next, where the profile has no times. */
  readonly eventStep: number;
}

/** What a session says of its times. */
export type Clock = Pick<Session, "start_unix_ns" | "event_step">;

export const FROM_START: TimeAxis = { kind: "start", origin: 0, unix: 0n, eventStep: 1 };

const SECOND = 1e9;
const DAY = 86400 * SECOND;

/** What the address says for a mark. */
export const markMode = (mark: Mark): string => `mark${mark.start}`;

/** `mode`: "utc", "ns", or as markMode. Of what the profile or the marks do not have: from the start. */
export function timeAxis(mode: string, marks: readonly Mark[], session: Clock): TimeAxis {
  if (session.event_step !== null) return { ...FROM_START, kind: "events", eventStep: session.event_step };
  const startUnix = session.start_unix_ns;
  if (mode === "ns") return { ...FROM_START, kind: "ns" };
  if (mode === "utc" && startUnix !== null) {
    const unix = BigInt(startUnix);
    return { ...FROM_START, kind: "utc", origin: -Number(unix % BigInt(DAY)), unix };
  }
  const mark = marks.find((one) => markMode(one) === mode);
  return mark ? { ...FROM_START, kind: "mark", origin: mark.start } : FROM_START;
}

/** "2026-11-22T19:42:36.123456789" */
function utc(axis: TimeAxis, ns: number): string {
  const total = axis.unix + BigInt(Math.round(ns));
  const milliseconds = total / 1_000_000n;
  const rest = String(total % 1_000_000n).padStart(6, "0");
  return new Date(Number(milliseconds)).toISOString().slice(0, -1) + rest;
}

const timeOfDay = (text: string, decimals: number): string => text.slice(11, decimals ? 20 + decimals : 19);

const decimalsFor = (step: number): number =>
  Math.max(0, Math.min(9, Math.ceil(Math.log10(SECOND / Math.max(step, 1)) - 1e-9)));

const signed = (offset: number, text: string): string => (offset > 0 ? `+${text}` : text);

/** A moment of the session as the axis counts, as exact as a step needs. */
export function axisMoment(axis: TimeAxis, ns: number, step = 1): string {
  switch (axis.kind) {
    case "utc":
      return timeOfDay(utc(axis, ns), decimalsFor(step));
    case "ns":
      return `${grouped(Math.round(ns))} ns`;
    case "events":
      return `event ${grouped(Math.round(ns / axis.eventStep))}`;
    case "mark":
      return signed(ns - axis.origin, moment(ns - axis.origin, step));
    case "start":
      return moment(ns, step);
  }
}

/** A moment of the session outside the timeline: as a number of events where there are no times. */
export function momentIn(session: Clock, ns: number, step = 1): string {
  return session.event_step === null ? moment(ns, step) : axisMoment(timeAxis("", [], session), ns);
}

/** What labels count from: 0, or a round moment before the window where labels from 0 would have too many digits. */
export function baseOf(view: Viewport, step: number): number {
  const farthest = Math.max(Math.abs(view.start), Math.abs(view.end));
  if (farthest < step * 1e5) return 0;
  const round = timeStep(width(view) * 4);
  return Math.floor(view.start / round) * round;
}

export interface Tick {
  moment: number;
  label: string;
}

export interface Ticks {
  /** From the origin of the axis. */
  base: number;
  /** Stands at the left of the labels, "" where they say all. */
  baseText: string;
  ticks: Tick[];
}

export function ticksOf(view: Viewport, step: number, axis: TimeAxis = FROM_START): Ticks {
  const { origin, kind } = axis;
  const own = { start: view.start - origin, end: view.end - origin };
  const fine = kind === "utc" && step < 1e6;
  const base = fine ? Math.floor(own.start / SECOND) * SECOND : kind === "utc" ? 0 : baseOf(own, step);
  const ticks: Tick[] = [];
  for (let i = Math.ceil((own.start - base) / step); base + i * step <= own.end; ++i) {
    const offset = i * step;
    const at = origin + base + offset;
    ticks.push({ moment: at, label: labelOf(axis, at, offset, base !== 0, step) });
  }
  return { base, baseText: baseTextOf(axis, view, base, step), ticks };
}

function labelOf(axis: TimeAxis, at: number, offset: number, hasBase: boolean, step: number): string {
  if (axis.kind === "utc" && step >= DAY) return utc(axis, at).slice(5, 10);
  if (axis.kind === "utc" && !hasBase) return timeOfDay(utc(axis, at), decimalsFor(step));
  if (offset === 0) return hasBase ? "+0" : "0";
  const text =
    axis.kind === "ns"
      ? grouped(offset)
      : axis.kind === "events"
        ? grouped(offset / axis.eventStep)
        : moment(offset, step);
  return hasBase || axis.kind === "mark" ? signed(offset, text) : text;
}

function baseTextOf(axis: TimeAxis, view: Viewport, base: number, step: number): string {
  switch (axis.kind) {
    case "utc": {
      const text = utc(axis, base ? axis.origin + base : Math.max(0, view.start));
      return base ? `${text.slice(0, 10)} ${timeOfDay(text, 0)} +` : text.slice(0, 10);
    }
    case "ns":
      return base ? `${grouped(base)} ns +` : "ns";
    case "events":
      return base ? `event ${grouped(base / axis.eventStep)} +` : "event";
    case "mark":
      return base ? `${signed(base, moment(base, step))} +` : "";
    case "start":
      return base ? `${moment(base, step)} +` : "";
  }
}
