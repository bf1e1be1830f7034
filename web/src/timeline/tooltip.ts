// What is under the pointer, beside it.
import { axisMoment, type TimeAxis } from "../model/axis";
import { bytes, duration, exact, oneLine, percent, short } from "../model/format";
import { ACTIVITY_TEXTS } from "./legend";
import type { Hit } from "./pane";
import type { Labels } from "./text";

/** Counters that count bytes, by their names: the protocol has no units. */
const BYTES = /\bmemory$|^bytes\b/;

export function counterText(track: string, value: number): string {
  return BYTES.test(track) ? bytes(value) : short(value);
}

const LONGEST_TRACK = 80;

function linesOf(hit: Hit, labels: Labels, axis: TimeAxis): [title: string, text: string, place: string] | null {
  const { slice, reading } = hit;
  const { name } = hit.row.track;
  const track = oneLine(name, LONGEST_TRACK);
  if (slice) {
    const length = slice.duration;
    const times = length >= 1000 ? `${duration(length)} (${exact(length)})` : duration(length);
    return [labels.get(slice.name)?.full ?? "\u2026", times, `${axisMoment(axis, slice.start)} \u00b7 ${track}`];
  }
  if (reading?.kind === "counter") {
    const { minimum, maximum } = reading;
    const low = counterText(name, minimum);
    return [track, minimum === maximum ? low : `${low} to ${counterText(name, maximum)}`, ""];
  }
  if (reading?.kind === "activity") {
    const { compute, communication, memory } = reading;
    const parts: [string, number][] = [
      [ACTIVITY_TEXTS.compute, compute],
      [ACTIVITY_TEXTS.communication, communication],
      [ACTIVITY_TEXTS.memory, memory],
      ["idle", Math.max(0, 1 - compute - communication - memory)],
    ];
    const shown = parts.filter(([, share]) => share > 0.0005);
    return [track, shown.map(([what, share]) => `${what} ${percent(100 * share)}`).join(", "), ""];
  }
  return null;
}

export class Tooltip {
  readonly element = document.createElement("div");

  constructor() {
    this.element.className = "tl-tooltip";
    this.element.hidden = true;
  }

  /** At a point of the element that it lies in; hit null: nowhere. `labels`: of the run that was hit. */
  show(hit: Hit | null, labels: Labels, axis: TimeAxis, x: number, y: number, within: HTMLElement): void {
    const lines = hit && linesOf(hit, labels, axis);
    this.element.hidden = !lines;
    if (!lines) return;
    const tags = ["b", "span", "small"] as const;
    this.element.replaceChildren(
      ...lines.flatMap((line, i) => {
        if (!line) return [];
        const part = document.createElement(tags[i]!);
        part.textContent = line;
        return [part];
      }),
    );
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const below = y + 18;
    this.element.style.left = `${Math.max(4, Math.min(x + 14, within.clientWidth - width - 8))}px`;
    this.element.style.top = `${below + height > within.clientHeight ? below - height - 30 : below}px`;
  }
}
