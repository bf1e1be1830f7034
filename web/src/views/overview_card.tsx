// What the parts of the first page are made of: a frame with a title, rows that lead on.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Table } from "../api/protocol";
import { duration, short } from "../model/format";
import { cssColour } from "../timeline/colours";
import { apart } from "../model/names";
import { choicesOf } from "./choices";
import type { ViewContext } from "./context";
import { rowKey, showLongest, type RowOf } from "./matches";
import { Records } from "./records";
import { deviceName, latest, nameText, usePalette, useTable, type BarItem } from "./view";

export const ROWS = 10;

export const DEVICES = 16;

const ROW = 4; // CSS pixels, as in rows.css
const GAP = 16;

/** The parts of the page in as many columns as there is room for, each part as high as it is. */
export function Cards({ children }: { children: ComponentChildren }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const sizes = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        const card = target as HTMLElement;
        card.style.gridRowEnd = `span ${Math.ceil((card.offsetHeight + GAP) / ROW)}`;
      }
    });
    const observe = () => [...box.current!.children].forEach((card) => sizes.observe(card));
    const cards = new MutationObserver(observe);
    cards.observe(box.current!, { childList: true });
    observe();
    return () => {
      sizes.disconnect();
      cards.disconnect();
    };
  }, []);
  return (
    <div class="cards" ref={box}>
      {children}
    </div>
  );
}

/** A part of the page; its title leads to where there is more. */
export function Card({
  title,
  about,
  onOpen,
  children,
}: {
  title: string;
  about?: string;
  onOpen?: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="card">
      <header>
        <h2>{onOpen ? <button onClick={onOpen}>{title}</button> : title}</h2>
        {about && <span class="soft">{about}</span>}
      </header>
      {children}
    </section>
  );
}

/** A card over a table, when it is there and has rows. */
export function useRecords(
  context: ViewContext,
  name: string,
  options?: { sort?: string; top?: number; where?: string; short?: string },
): Records | null {
  const table: Table | null | undefined = latest(useTable(context, name, options));
  return table && table.rows.length ? new Records(table) : null;
}

export const toTable =
  (context: ViewContext, name: string, where = "") =>
  () => {
    choicesOf(context.state).table.set({ name, where });
    context.navigate({ view: "tables" });
  };

export const toView = (context: ViewContext, view: string) =>
  context.session.views.includes(view) ? () => context.navigate({ view }) : undefined;

/** To the longest slice of a row, where there is a timeline. */
export const toLongest = (context: ViewContext, row: RowOf) =>
  context.session.views.includes("timeline") ? () => void showLongest(context, row).catch(() => undefined) : undefined;

/** A named row as a bar that leads to its longest slice. */
export function named(
  context: ViewContext,
  table: string,
  records: Records,
  value: string,
  more: (row: (typeof records.rows)[number]) => Partial<BarItem> = () => ({}),
): BarItem[] {
  const rows = records.rows.filter((row) => records.number(row, value) > 0).slice(0, ROWS);
  const labels = apart(
    rows.map((row) => ({ full: nameText(records.text(row, "name")), short: nameText(records.short(row, "name")) })),
  );
  return rows.map((row, i) => {
    const name = records.text(row, "name");
    return {
      label: labels[i]!,
      title: name.slice(0, 1000),
      value: records.number(row, value),
      text: duration(records.number(row, value)),
      note: `${short(records.number(row, "count"))}\u00d7`,
      onClick: toLongest(context, { table, key: rowKey(context.session, table, records, row) }),
      ...more(row),
    };
  });
}

export const devicePlace = (context: ViewContext, records: Records, row: (typeof records.rows)[number]) =>
  deviceName(context.session, records.number(row, "rank"), records.number(row, "device"));

export function useClassColour(context: ViewContext): (name: string) => string {
  const palette = usePalette(context);
  return (name) => cssColour(palette.classColour(context.session.classes.indexOf(name)));
}
