// What one view asks another to show: beyond the time window and the selected slice that the whole page shares.
import { Store } from "../model/store";
import type { AppState } from "../model/app_state";

export interface LaunchId {
  rank: number;
  id: number;
}

export interface Choices {
  /** The table of the tables view, and the condition on its rows. */
  readonly table: Store<{ name: string | null; where: string }>;
  /** The measured launch of the launches view. */
  readonly launch: Store<LaunchId | null>;
  /** The metrics of the call tree view; none: those that the view begins with. */
  readonly metrics: Store<readonly string[]>;
  /** The cause of the idle view. */
  readonly cause: Store<string | null>;
}

const all = new WeakMap<AppState, Choices>();

export function choicesOf(state: AppState): Choices {
  let choices = all.get(state);
  if (!choices) {
    choices = {
      table: new Store<{ name: string | null; where: string }>({ name: null, where: "" }),
      launch: new Store<LaunchId | null>(null),
      metrics: new Store<readonly string[]>([]),
      cause: new Store<string | null>(null),
    };
    all.set(state, choices);
  }
  return choices;
}
