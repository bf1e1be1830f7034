// What the views have in common.
import { render, type ComponentChildren, type ComponentType, type JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { TableOptions } from "../api/client";
import type { Session, Table } from "../api/protocol";
import { oneLine } from "../model/format";
import type { Range } from "../model/viewport";
import { Palette } from "../timeline/colours";
import { useLoaded, useStore, type Loaded } from "../ui/hooks";
import type { View, ViewContext } from "./context";
import { hasTable } from "./declared";

export interface ViewProps {
  context: ViewContext;
}

/** A view that is one component, for profiles for which the server names it. */
export function panelView(id: string, title: string, key: string | null, Panel: ComponentType<ViewProps>): View {
  return {
    id,
    title,
    key,
    needs: (session) => session.views.includes(id),
    mount(host, context) {
      render(<Panel context={context} />, host);
      return { dispose: () => render(null, host) };
    },
  };
}

/** As useLoaded, but a view that is not on the screen does not ask: it does when it is shown again. */
export function useAsked<T>(
  context: ViewContext,
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const visible = useStore(context.visible);
  const held = useRef(inputs);
  if (visible) held.current = inputs;
  return useLoaded(load, held.current);
}

/** What is shown while the next answer is on its way, too. */
export function latest<T>(loaded: Loaded<T>): T | undefined {
  return loaded.state === "ready" ? loaded.value : loaded.state === "loading" ? loaded.last : undefined;
}

export const within = (range: Range | null): { from?: number; to?: number } =>
  range ? { from: range.start, to: range.end } : {};

/** A table over the time window; undefined until it has come, and where the profile does not have it. */
export function useTable(context: ViewContext, name: string, options: TableOptions = {}): Loaded<Table | null> {
  const window = useStore(context.window);
  const known = hasTable(context.session, name);
  return useAsked<Table | null>(
    context,
    (signal) => (known ? context.client.table(name, { ...within(window), ...options }, signal) : Promise.resolve(null)),
    [name, known, window, JSON.stringify(options)],
  );
}

/** A table of the whole profile, whatever time is chosen. */
export function useWholeTable(context: ViewContext, name: string): Loaded<Table | null> {
  const known = hasTable(context.session, name);
  return useAsked<Table | null>(
    context,
    (signal) => (known ? context.client.table(name, {}, signal) : Promise.resolve(null)),
    [name, known],
  );
}

export function usePalette(context: ViewContext): Palette {
  const theme = useStore(context.theme);
  return useMemo(() => new Palette(theme, context.session), [theme]);
}

/** "loading", the error, or what the value looks like. */
export function Shown<T>({
  of: loaded,
  children,
}: {
  of: Loaded<T>;
  children: (value: NonNullable<T>) => ComponentChildren;
}): JSX.Element | null {
  if (loaded.state === "failed") return <p class="empty">{loaded.text}</p>;
  const value = latest(loaded);
  if (value === undefined) return <p class="empty">{"\u2026"}</p>;
  if (value === null) return null;
  return <div class={loaded.state === "loading" ? "shown stale" : "shown"}>{children(value as NonNullable<T>)}</div>;
}

/** What the tracks call a device: "GPU", "NPU". */
export function deviceWord(session: Session): string {
  return session.tracks.map((track) => /\b([A-Z]PU) \d/.exec(track.group.join(" "))?.[1]).find(Boolean) ?? "GPU";
}

/** "rank 2, GPU 0"; the rank only where it says something. */
export function deviceName(session: Session, rank: number, device: number): string {
  const text = device < 0 ? "host" : `${deviceWord(session)} ${device}`;
  return session.runs.length > 1 || rank > 0 ? `rank ${rank}, ${text}` : text;
}

/** A part of the run with some air at both sides. */
export function around(start: number, duration: number): Range {
  const air = Math.max(duration * 0.05, 1);
  return { start: start - air, end: start + duration + air };
}

/** A text of the profile that would show nothing: empty, or of spaces and invisible signs only. */
export const isBlank = (text: string): boolean => /^[\s\p{C}\p{Z}]*$/u.test(text);

/** A name for one line; one that would not be seen is named as such. */
export const nameText = (text: string, longest?: number): string =>
  isBlank(text) ? (text === "" ? "(no name)" : "(blank name)") : oneLine(text, longest);

export interface BarItem {
  label: string;
  value: number;
  /** What is at the right; the share beside it is made from the total. */
  text: string;
  note?: string;
  title?: string;
  colour?: string;
  onClick?: () => void;
  current?: boolean;
}

function share(value: number, total: number): string {
  const percent = (100 * value) / (total || 1);
  return percent > 0 && percent < 0.05 ? "<0.1 %" : `${percent.toFixed(1)} %`;
}

/** Rows with a bar each, as wide as its share of the largest. */
export function BarList({ items, total }: { items: readonly BarItem[]; total?: number }): JSX.Element {
  const most = Math.max(1e-300, ...items.map((item) => item.value));
  return (
    <ul class="bar-list">
      {items.map((item) => {
        const inside = (
          <>
            <span class="bar-track">
              <i style={{ width: `${(100 * item.value) / most}%`, background: item.colour ?? "var(--blue)" }} />
            </span>
            <span class="bar-label">{item.label}</span>
            <span class="bar-note">{item.note}</span>
            <b>{item.text}</b>
            {total !== undefined && <span class="bar-share">{share(item.value, total)}</span>}
          </>
        );
        return (
          <li class={item.current ? "current" : ""} title={item.title ?? item.label}>
            {item.onClick ? <button onClick={item.onClick}>{inside}</button> : <div>{inside}</div>}
          </li>
        );
      })}
    </ul>
  );
}
