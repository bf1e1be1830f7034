// What a view is, and what it is given. See README.md, "Writing a view".
import type { Client } from "../api/client";
import type { Names } from "../api/names";
import type { Session, SliceAt } from "../api/protocol";
import type { AppState } from "../model/app_state";
import type { Readable, Store } from "../model/store";
import type { Area, SliceRef } from "../model/selection";
import type { Range, Viewport } from "../model/viewport";
import type { Theme } from "../ui/theme";

export interface View {
  /** As in the address bar, and as the server names it in `session.views`. */
  readonly id: string;
  readonly title: string;
  /** The key that shows it; null: none is left. */
  readonly key: string | null;
  /** Whether this profile has anything for it, which may be one of two that are compared. A view that has nothing is
   * not offered. */
  needs(session: Session, isCompared: boolean): boolean;
  /** Called once, when the view is first shown. The host is empty and fills the page below the bar. */
  mount(host: HTMLElement, context: ViewContext): MountedView;
}

export interface MountedView {
  /** Ends subscriptions; the host is removed by the caller. */
  dispose(): void;
  /** A key pressed while the view is shown and no field has the focus; true where the view has used it. */
  keydown?(event: KeyboardEvent): boolean;
  /** The commands that it has while it is shown. */
  readonly commands?: readonly Command[];
}

/** Something the user can do, as the palette and the help list it. */
export interface Command {
  readonly title: string;
  readonly group: string;
  /** How the keys are written in the help: "Ctrl+Z", "W". Only for showing. */
  readonly keys?: string;
  run(): void;
}

/** A place to go to. What is left out stays as it is. */
export interface Target {
  view?: string;
  /** The part of the time axis to show. */
  viewport?: Range;
  /** A slice to select; the timeline shows it. null: none. */
  slice?: SliceAt | SliceRef | null;
  /** The area to select, and with it the time window of the other views. null: none, the whole run. */
  area?: (Range & { tracks?: readonly number[] | null }) | null;
  /** What to look for in the timeline. */
  search?: string;
}

/** A profile that is open, and what the page remembers of it. */
export interface ShownProfile {
  readonly client: Client;
  readonly session: Session;
  readonly names: Names;
  readonly state: AppState;
}

/** Two profiles of which the server says what changed from one to the other. */
export interface Compared {
  readonly a: ShownProfile;
  readonly b: ShownProfile;
}

export interface ViewContext {
  readonly client: Client;
  readonly session: Session;
  readonly names: Names;
  /** The selected slice. */
  readonly selection: Store<SliceRef | null>;
  /** The selected area of the timeline. */
  readonly area: Store<Area | null>;
  /** The time that tables and charts are limited to: that of the area; null for the whole run. */
  readonly window: Readable<Range | null>;
  /** The part of the axis that the timeline shows. */
  readonly viewport: Store<Viewport>;
  readonly theme: Readable<Theme>;
  /** All that the page remembers, for views that change it: pins, folds, marks, the text looked for. */
  readonly state: AppState;
  /** Whether this view is the one on the screen: what is not, need not ask the server. */
  readonly visible: Readable<boolean>;
  /** null where the server compares none. */
  readonly compared: Compared | null;
  /** Goes somewhere. Can be undone. */
  navigate(target: Target): void;
}
