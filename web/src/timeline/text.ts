// Names in slices: how wide a text is, and what of it fits. Widths are added up by character, which is exact enough for
// cutting and costs nothing for names seen before.
import type { TrackKind } from "../api/protocol";
import { oneLine } from "../model/format";

export class TextMeasure {
  #widths = new Map<string, number>();
  #ellipsis: number;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    font: string,
  ) {
    this.context.font = font;
    this.#ellipsis = this.width("\u2026");
  }

  /** Of one character. */
  width(character: string): number {
    let width = this.#widths.get(character);
    if (width === undefined) this.#widths.set(character, (width = this.context.measureText(character).width));
    return width;
  }

  /** The text if it fits into the width, else its beginning with an ellipsis; empty if not even two letters fit. */
  cut(text: string, available: number): string {
    let width = 0;
    let fitting = 0; // letters that fit together with an ellipsis
    let count = 0;
    for (const character of text) {
      width += this.width(character);
      if (width > available) return count < 2 || fitting < 2 ? "" : text.slice(0, fitting) + "\u2026";
      ++count;
      if (width + this.#ellipsis <= available) fitting += character.length;
    }
    return text;
  }

  fits(text: string, available: number): boolean {
    let width = 0;
    for (const character of text) if ((width += this.width(character)) > available) return false;
    return true;
  }
}

const LONGEST = 256;

/** A name as it is written in slices, and a shorter one for where that does not fit. */
export interface Label {
  full: string;
  short: string;
}

/** "void at::native::foo<4, int>(float)" -> "foo". Names that are no C++ functions stay. */
export function shortName(name: string): string {
  let text = name.replace(/^(?:void|static|inline) /, "").replace(/\(anonymous namespace\)::/g, "");
  if (!/^[\w:~]+\s*[<(]/.test(text)) {
    return /^[\w~]+(::[\w~]+)+$/.test(text) && !text.startsWith("aten::")
      ? text.slice(text.lastIndexOf("::") + 2)
      : text;
  }
  text = text.slice(0, text.search(/[<(]/)).trimEnd();
  return text.slice(text.lastIndexOf("::") + 2 === 1 ? 0 : text.lastIndexOf("::") + 2) || name;
}

export class Labels {
  #labels = new Map<number, Label>();
  #causes = new Map<number, Label>();

  constructor(private readonly nameOf: (id: number) => string | undefined) {}

  /** Gaps have the names of causes, which are written as words. */
  get(id: number, track?: TrackKind): Label | undefined {
    const labels = track === "idle" ? this.#causes : this.#labels;
    let label = labels.get(id);
    if (label) return label;
    const name = this.nameOf(id);
    if (name === undefined) return undefined;
    const full = oneLine(track === "idle" ? name.replace(/_/g, " ") : name, LONGEST);
    label = { full, short: shortName(full) };
    labels.set(id, label);
    return label;
  }
}
