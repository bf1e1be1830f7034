// All views, in the order of their tabs. A new one is a file beside this and a line here.
import type { Session } from "../api/protocol";
import { callTreeView } from "./call_tree";
import { compareView } from "./compare";
import type { View } from "./context";
import { findingsView } from "./findings";
import { flameView } from "./flame";
import { idleView } from "./idle";
import { launchesView } from "./launches";
import { memoryView } from "./memory";
import { overviewView } from "./overview";
import { ranksView } from "./ranks";
import { rooflineView } from "./roofline";
import { sqlView } from "./sql";
import { stallsView } from "./stalls";
import { stepsView } from "./steps";
import { tablesView } from "./tables";
import { timelineView } from "./timeline";

export const ALL_VIEWS: readonly View[] = [
  compareView,
  overviewView,
  findingsView,
  timelineView,
  flameView,
  tablesView,
  stepsView,
  ranksView,
  idleView,
  memoryView,
  callTreeView,
  stallsView,
  launchesView,
  rooflineView,
  sqlView,
];

/** The views that have something to show for this profile. */
export function viewsFor(session: Session, isCompared = false): View[] {
  return ALL_VIEWS.filter((view) => view.needs(session, isCompared));
}
