// Names in slices: how wide a text is, and what of it fits. Widths are added up by character, which is exact enough for
// cutting and costs nothing for names seen before.
import type { Names } from "../api/names";
import { narrower } from "../model/names";
import { oneLine } from "../model/format";

const MIDDLE_FROM = 6; // ellipses of room: with less a name has only its beginning
const BEGIN_SHARE = 0.6;

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

  /** The text if it fits into the width, else its beginning and end around an ellipsis; empty if not even two letters
   * fit. Where there is room for few letters they are those of the beginning. */
  cut(text: string, available: number): string {
    if (this.fits(text, available)) return text;
    const room = available - this.#ellipsis;
    const letters = [...text];
    const begin = this.#fitting(letters, room > MIDDLE_FROM * this.#ellipsis ? room * BEGIN_SHARE : room);
    if (begin.count < 2) return "";
    const head = letters.slice(0, begin.count).join("");
    if (room <= MIDDLE_FROM * this.#ellipsis) return head + "\u2026";
    const end = this.#fitting(letters.slice(begin.count).reverse(), room - begin.width);
    return `${head}\u2026${end.count ? letters.slice(-end.count).join("") : ""}`;
  }

  /** The first of these texts that fits, else the last of them, cut. */
  fitting(texts: readonly string[], available: number): string {
    for (const text of texts) if (this.fits(text, available)) return text;
    return this.cut(texts[texts.length - 1]!, available);
  }

  #fitting(letters: readonly string[], available: number): { count: number; width: number } {
    let [count, width] = [0, 0];
    for (const letter of letters) {
      const more = width + this.width(letter);
      if (more > available) break;
      width = more;
      ++count;
    }
    return { count, width };
  }

  fits(text: string, available: number): boolean {
    let width = 0;
    for (const character of text) if ((width += this.width(character)) > available) return false;
    return true;
  }
}

const LONGEST = 256;

/** A name as it is written in slices, and shorter ones for where that does not fit. */
export interface Label {
  full: string;
  /** The longest first. */
  forms: readonly string[];
}

export function labelOf(full: string, short: string | null | undefined): Label {
  return { full, forms: short ? [full, ...narrower(oneLine(short, LONGEST))] : [full] };
}

export class Labels {
  #labels = new Map<number, Label>();

  constructor(private readonly names: Pick<Names, "get" | "short">) {}

  get(id: number): Label | undefined {
    let label = this.#labels.get(id);
    if (label) return label;
    const name = this.names.get(id);
    if (name === undefined) return undefined;
    label = labelOf(oneLine(name, LONGEST), this.names.short(id));
    this.#labels.set(id, label);
    return label;
  }
}
