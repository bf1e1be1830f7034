// What the colours on the screen mean: the classes, kinds and causes that the last picture used.
import type { Session } from "../api/protocol";
import { readable } from "../model/format";
import { ACTIVITY_PARTS } from "./activity";
import { cssColour, type ColourMode, type Palette } from "./colours";
import { ACTIVITY, CAUSE } from "./frame";

export interface LegendEntry {
  label: string;
  colour: string;
  group: "activity" | "class" | "kind" | "cause";
}

/** What the lanes of a device's activity show. */
export const ACTIVITY_TEXTS: Record<(typeof ACTIVITY_PARTS)[number], string> = {
  compute: "compute",
  communication: "exposed communication",
  memory: "exposed copies",
};

export function legendOf(seen: Uint8Array, session: Session, palette: Palette, mode: ColourMode): LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  ACTIVITY_PARTS.forEach((part, i) => {
    if (!seen[ACTIVITY + i]) return;
    const label = ACTIVITY_TEXTS[part];
    const colour = cssColour(palette.activity[part]);
    entries.set(label + colour, { group: "activity", label, colour });
  });
  for (let colour = 0; colour < ACTIVITY; ++colour) {
    if (!seen[colour]) continue;
    const low = colour & 255;
    const kind = (colour & 0xffff) >> 8;
    let entry: LegendEntry;
    if (colour & CAUSE) {
      entry = {
        group: "cause",
        label: readable(session.causes[low] ?? "unknown"),
        colour: cssColour(palette.cause(low)),
      };
    } else if (mode !== "class" || palette.isNamedKind(kind)) {
      continue;
    } else if (palette.isDeviceKind(kind)) {
      entry = {
        group: "class",
        label: session.classes[low] ?? "unknown", // as tables and conditions have it
        colour: cssColour(palette.classColour(low)),
      };
    } else {
      entry = {
        group: "kind",
        label: readable(session.kinds[kind] ?? "other"),
        colour: cssColour(palette.kindColour(kind)),
      };
    }
    // "unknown" is a class and a cause, and communication that is exposed has a lane and is a part of another.
    const key = entry.label + entry.colour;
    if (!entries.has(key)) entries.set(key, entry);
  }
  // What names in slices do not say comes first.
  const order = { activity: 0, cause: 1, class: 2, kind: 3 };
  return [...entries.values()].sort((a, b) => order[a.group] - order[b.group]);
}
