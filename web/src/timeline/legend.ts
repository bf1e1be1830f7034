// What the colours on the screen mean: the classes, kinds and causes that the last picture used.
import type { Session } from "../api/protocol";
import { cssColour, type ColourMode, type Palette } from "./colours";
import { CAUSE } from "./frame";

export interface LegendEntry {
  label: string;
  colour: string;
  group: "class" | "kind" | "cause";
}

const readable = (name: string): string => name.replace(/_/g, " ");

export function legendOf(seen: Uint8Array, session: Session, palette: Palette, mode: ColourMode): LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  for (let colour = 0; colour < seen.length; ++colour) {
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
    } else if (mode !== "class") {
      continue;
    } else if (palette.isDeviceKind(kind)) {
      entry = {
        group: "class",
        label: readable(session.classes[low] ?? "unknown"),
        colour: cssColour(palette.classColour(low)),
      };
    } else {
      entry = {
        group: "kind",
        label: readable(session.kinds[kind] ?? "other"),
        colour: cssColour(palette.kindColour(kind)),
      };
    }
    entries.set(entry.label + entry.colour, entry); // "unknown" is a class and a cause
  }
  // What names in slices do not say comes first.
  const order = { cause: 0, class: 1, kind: 2 };
  return [...entries.values()].sort((a, b) => order[a.group] - order[b.group]);
}
