// How wide the columns of a table are, in CSS pixels. Numbers are always whole. Every column begins with what its cells
// and its heading need, up to a limit; what is left of the page makes cut headings and then cut texts whole. Every row
// is a grid of its own, so no width may depend on the rows on the screen. Pure.
import type { Cell, Column } from "../api/protocol";

/** CSS pixels that a text takes. */
export type Measure = (text: string) => number;

/** What a column needs, in CSS pixels. */
export interface ColumnNeed {
  /** It is never narrower. */
  least: number;
  /** Its width where the page has no room to spare. */
  first: number;
  /** With the whole heading. */
  headed: number;
  /** With every text whole. */
  whole: number;
}

export const CELL_PADDING = 10; // at either side, as in table.css
const PADDING = 2 * CELL_PADDING + 4; // and what rounding takes
const ARROW = 14; // of the order
const LONGEST_TITLE = 130;
const NARROWEST = 48;
const SAMPLE = 2000; // rows whose texts are measured
const LONG = 170; // a text column with longer texts grows
const LONG_FIRST = 220;
const MOST_WHOLE = 1400;
const MOST_FITTED = 2400;

type Row = readonly Cell[];

/** `text`: what is written in a row. `title`: the width of the heading. */
export function columnNeed(
  rows: readonly Row[],
  text: (row: Row) => string,
  numeric: boolean,
  title: number,
  measure: Measure,
): ColumnNeed {
  const head = Math.min(title, LONGEST_TITLE) + ARROW;
  const headed = title + ARROW + PADDING;
  const widest = widestOf(rows, text, measure, numeric ? Infinity : MOST_WHOLE);
  const first = Math.max(head, widest) + PADDING;
  if (numeric) return { least: widest + PADDING, first, headed, whole: first };
  if (first <= LONG + PADDING) return { least: NARROWEST, first, headed, whole: first };
  return { least: NARROWEST, first: LONG_FIRST, headed, whole: Math.min(first, MOST_WHOLE) };
}

/** The width in which every cell of a column is whole. */
export const fittedWidth = (rows: readonly Row[], text: (row: Row) => string, measure: Measure): number =>
  widestOf(rows, text, measure, MOST_FITTED) + PADDING;

/** The widest of all numbers or, with a limit, of as many texts as can be measured at once. */
function widestOf(rows: readonly Row[], text: (row: Row) => string, measure: Measure, most: number): number {
  const measured = most === Infinity ? rows : rows.slice(0, SAMPLE);
  let widest = 0;
  for (const row of measured) {
    widest = Math.max(widest, measure(text(row)));
    if (widest >= most) return most;
  }
  return Math.ceil(widest);
}

/**
 * The widths of the columns, then of the extra ones, and that of all together. `chosen`: by the user, undefined where
 * not. `room`: of the page.
 */
export function columnWidths(
  needs: readonly ColumnNeed[],
  chosen: readonly (number | undefined)[],
  extra: readonly number[],
  room: number,
): { widths: number[]; total: number } {
  const widths = needs.map(({ first, least }, i) => Math.max(chosen[i] ?? first, least));
  const sum = () => [...widths, ...extra].reduce((a, b) => a + b, 0);
  const grow = (wanted: (need: ColumnNeed) => number) => {
    const lacks = needs.map((need, i) => (chosen[i] === undefined ? Math.max(0, wanted(need) - widths[i]!) : 0));
    const lacking = lacks.reduce((a, b) => a + b, 0);
    const share = lacking > 0 ? Math.min(1, Math.max(0, room - sum()) / lacking) : 0;
    lacks.forEach((lack, i) => (widths[i]! += Math.floor(lack * share)));
  };
  grow((need) => need.headed);
  grow((need) => need.whole);
  return { widths: [...widths, ...extra], total: sum() };
}

/** Measures with tabular digits, each as wide as the others. `width`: of one character. */
export function tabularMeasure(width: (character: string) => number): Measure {
  return (text) => {
    let sum = 0;
    for (const character of text) sum += width(character >= "0" && character <= "9" ? "0" : character);
    return sum;
  };
}

export const isNumeric = (column: Column): boolean => /int|float|real|double|number/.test(column.type);
