// How wide the columns of a table are. A number is shown whole, whatever the width that somebody chooses; texts share
// what is left of the page. Every row is a grid of its own, so no width may depend on the rows on the screen. Pure.
import type { Cell, Column } from "../api/protocol";

/** CSS pixels that a text takes. */
export type Measure = (text: string) => number;

/** What a column needs, in CSS pixels. */
export interface ColumnNeed {
  /** It is never narrower. */
  least: number;
  /** Its width until somebody chooses one; of a column that grows, the least of it. */
  first: number;
  /** How much of what is left it takes; 0: it does not grow. */
  share: number;
}

const PADDING = 24; // both sides, and a border
const ARROW = 14; // of the order
const LONGEST_TITLE = 130;
const NARROWEST = 48;
const SAMPLE = 200; // rows whose texts are measured
const LONG = 170; // a text column with longer texts grows
const LONG_FIRST = 220;
const MOST_SHARE = 1400;
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
  const widest = widestOf(numeric ? rows : rows.slice(0, SAMPLE), text, measure);
  const first = Math.max(head, widest) + PADDING;
  if (numeric) return { least: widest + PADDING, first, share: 0 };
  if (first <= LONG + PADDING) return { least: NARROWEST, first, share: 0 };
  return { least: NARROWEST, first: LONG_FIRST, share: Math.min(first, MOST_SHARE) };
}

/** The width in which every cell of a column is whole. */
export const fittedWidth = (rows: readonly Row[], text: (row: Row) => string, measure: Measure): number =>
  Math.min(widestOf(rows, text, measure) + PADDING, MOST_FITTED);

function widestOf(rows: readonly Row[], text: (row: Row) => string, measure: Measure): number {
  let widest = 0;
  for (const row of rows) widest = Math.max(widest, measure(text(row)));
  return Math.ceil(widest);
}

/** The columns of the grid, and the least width of all together. `chosen`: by the user, undefined where not. */
export function gridOf(
  needs: readonly ColumnNeed[],
  chosen: readonly (number | undefined)[],
  extra: readonly number[],
): { template: string; least: number } {
  let least = 0;
  let grows = false;
  const widths = needs.map(({ first, share, ...need }, i) => {
    const own = chosen[i];
    const size = own === undefined ? first : Math.max(own, need.least);
    least += size;
    if (own !== undefined || share === 0) return `${size}px`;
    grows = true;
    return `minmax(${size}px, ${share}fr)`;
  });
  for (const width of extra) {
    least += width;
    widths.push(`${width}px`);
  }
  if (!grows) widths.push("1fr");
  return { template: widths.join(" "), least };
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
