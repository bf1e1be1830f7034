// What one view asks another to show: beyond the time window and the selected slice that the whole page shares.
import type { AppState } from "../model/app_state";
import { mapped, Store } from "../model/store";
import type { Matches } from "./matches";

export interface LaunchId {
  rank: number;
  id: number;
}

/** A node of the call tree of a rank. */
export type NodeId = LaunchId;

export interface TableChoice {
  /** null: the one that the view begins with. */
  name: string | null;
  where: string;
}

export interface Choices {
  /** The table of the tables view, and the condition on its rows. */
  readonly table: Store<TableChoice>;
  /** The measured launch of the launches view. */
  readonly launch: Store<LaunchId | null>;
  /** The metrics of the call tree view; none: those that the view begins with. */
  readonly metrics: Store<readonly string[]>;
  /** The place that the call tree view shall show; it takes the wish away. */
  readonly node: Store<NodeId | null>;
  /** The cause of the idle view. */
  readonly cause: Store<string | null>;
  /** The slices of a row of a table that the timeline goes through. */
  readonly matches: Store<Matches | null>;
}

// In the address: "kernels where count > 3".
const WHERE = " where ";

function readTable(text: string): TableChoice {
  const [name, ...where] = text.split(WHERE) as [string, ...string[]];
  return { name: name || null, where: where.join(WHERE) };
}

const writeTable = ({ name, where }: TableChoice): string => (name ?? "") + (where && WHERE + where);

const all = new WeakMap<AppState, Choices>();

export function choicesOf(state: AppState): Choices {
  let choices = all.get(state);
  if (!choices) {
    choices = {
      table: mapped(state.choice("table", ""), readTable, writeTable),
      launch: new Store<LaunchId | null>(null),
      metrics: new Store<readonly string[]>([]),
      node: new Store<NodeId | null>(null),
      cause: new Store<string | null>(null),
      matches: new Store<Matches | null>(null),
    };
    all.set(state, choices);
  }
  return choices;
}
