// The ranks of a summary whose timelines are wanted, as they are chosen in the heat map.
import { useMemo, useRef, useState } from "preact/hooks";
import { MOST_RANKS, parseRanks, ranksText } from "../model/rank_page";
import type { Range } from "../model/viewport";
import { useStore } from "../ui/hooks";
import type { ViewContext } from "./context";
import type { DeviceActivity } from "./ranks_model";

export interface ChosenRanks {
  /** As in the field. They are in the address. */
  readonly text: string;
  readonly ranks: ReadonlySet<number>;
  /** When what was clicked was. */
  readonly at: Range | null;
  setText(text: string): void;
  /** With Shift all from the one before; with Ctrl beside those before; without an event alone. */
  choose(rank: number, at: Range, event: MouseEvent | null): void;
}

export const NO_RANKS: ReadonlySet<number> = new Set();

export function useChosenRanks(context: ViewContext, devices: readonly DeviceActivity[]): ChosenRanks {
  const store = context.state.choice("ranks", "");
  const text = useStore(store);
  const [at, setAt] = useState<Range | null>(null);
  const last = useRef<number | null>(null);
  const numbers = useMemo(() => parseRanks(text) ?? [], [text]);
  const ranks = useMemo(() => new Set(numbers), [numbers]);
  return {
    text,
    ranks,
    at,
    setText(typed) {
      store.set(typed);
      setAt(null);
    },
    choose(rank, time, event) {
      const from = last.current;
      setAt(time);
      if (event?.shiftKey && from !== null) {
        store.set(ranksText(between(devices, from, rank)));
        return;
      }
      last.current = rank;
      const others = event?.ctrlKey || event?.metaKey ? numbers : [];
      const kept = others.filter((other) => other !== rank);
      const all = kept.length < others.length ? kept : [...kept.slice(0, MOST_RANKS - 1), rank];
      store.set(ranksText(all.sort((a, b) => a - b)));
    },
  };
}

/** The ranks that there are between two, from the first on as many as may be. */
function between(devices: readonly DeviceActivity[], from: number, to: number): number[] {
  const ranks = [...new Set(devices.map(({ rank }) => rank))].sort((a, b) => (from < to ? a - b : b - a));
  const inside = ranks.filter((rank) => Math.min(from, to) <= rank && rank <= Math.max(from, to));
  return inside.slice(0, MOST_RANKS).sort((a, b) => a - b);
}
