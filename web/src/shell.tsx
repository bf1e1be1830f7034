// The frame around the views: tabs, the time window, keys, commands, and what is said when the server is gone.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Client } from "./api/client";
import type { Names } from "./api/names";
import type { Session } from "./api/protocol";
import type { AppState } from "./model/app_state";
import type { ProfileStates } from "./model/profile_states";
import { momentIn } from "./model/axis";
import { duration } from "./model/format";
import { Store } from "./model/store";
import { NotesButton } from "./panels/notes";
import { Banner } from "./ui/banner";
import { CommandPalette } from "./ui/command_palette";
import { Help } from "./ui/help";
import { useStore } from "./ui/hooks";
import { control, digit, typesOrAt } from "./ui/keys";
import { canStartAgain, Logo, startAgain } from "./ui/pages";
import { theme, toggleTheme } from "./ui/theme";
import { summaryAddress } from "./ui/way_back";
import { choicesOf } from "./views/choices";
import { titleOf } from "./views/declared";
import { waysOut } from "./views/export_menu";
import { tablesView } from "./views/tables";
import type { Command, Compared, MountedView, View, ViewContext } from "./views/context";

export interface ShellProps {
  client: Client;
  names: Names;
  session: Session;
  state: AppState;
  views: readonly View[];
  version: string;
  /** All that are side by side. */
  profiles: { states: ProfileStates; titles: readonly string[] };
  compared: Compared | null;
  /** What the summary is called whose ranks these are, if they are. */
  summary?: string;
}

type Overlay = "none" | "commands" | "help";

export function Shell(props: ShellProps): JSX.Element {
  const { state, session, views } = props;
  const current = useStore(state.view);
  const [overlay, setOverlay] = useState<Overlay>("none");
  const [message, setMessage] = useState<string | null>(null);
  const mounted = useRef(new Map<string, MountedView>());

  const commands = useMemo<Command[]>(
    () => [
      ...views.map((view) => ({
        group: "View",
        title: `Show ${view.title.toLowerCase()}`,
        keys: view.key ?? undefined,
        run: () => {
          state.navigate({ view: view.id });
          focusView(view.id);
        },
      })),
      { group: "Page", title: "Search for commands", keys: "Ctrl+K", run: () => setOverlay("commands") },
      { group: "Page", title: "Keys and gestures", keys: "?", run: () => setOverlay("help") },
      { group: "Page", title: "Undo the last navigation", keys: "Ctrl+Z, Alt+\u2190", run: () => void state.undo() },
      { group: "Page", title: "Redo", keys: "Ctrl+Y, Alt+\u2192", run: () => void state.redo() },
      { group: "Page", title: "Light or dark", run: toggleTheme },
      { group: "Page", title: "Show the whole run in all views", run: () => state.navigate({ area: null }) },
      ...(views.some(({ id }) => id === tablesView.id)
        ? session.tables.map(({ name }) => ({
            group: "Table",
            title: titleOf(name) === name ? name : `${titleOf(name)} (${name})`,
            run: () => {
              choicesOf(state).table.set({ name, where: "" });
              state.navigate({ view: tablesView.id });
            },
          }))
        : []),
      ...session.steps.slice(0, 200).map((step) => ({
        group: "Step",
        run: () =>
          state.navigate({
            view: "timeline",
            viewport: around(step),
            area: { start: step.start, end: step.start + step.duration },
          }),
        title: `Go to step ${step.step}${session.runs.length > 1 ? ` of rank ${step.rank}` : ""}`,
      })),
      ...exportCommands(props, setMessage),
    ],
    [views, session],
  );
  useFocusGivenBack();
  const ofView = () => mounted.current.get(state.view.get())?.commands ?? [];

  // At once: between a dialog's end and the next frame keys would be taken for those of the dialog.
  useLayoutEffect(() => {
    const keydown = (event: KeyboardEvent) => {
      if (handleGlobalKey(event, state, views, setOverlay)) {
        event.preventDefault();
        return;
      }
      if (isTyping(event) || overlay !== "none") return;
      if (mounted.current.get(state.view.get())?.keydown?.(event)) event.preventDefault();
    };
    window.addEventListener("keydown", keydown);
    return () => window.removeEventListener("keydown", keydown);
  }, [overlay]);

  const opensAnother = canStartAgain && props.client.server.engine !== null;
  return (
    <div class="shell">
      <header class="bar">
        <a
          class="brand"
          href="#"
          title={`cgpu ${props.version}${opensAnother ? ": open another file" : ""}`}
          onClick={(event) => {
            event.preventDefault();
            if (opensAnother) startAgain();
          }}
        >
          <Logo />
        </a>
        {props.summary !== undefined && <WayBack summary={props.summary} />}
        <nav class="tabs" aria-label="Views">
          {views.map((view) => (
            <button
              key={view.id}
              class={view.id === current ? "on" : ""}
              aria-current={view.id === current ? "page" : undefined}
              title={view.key === null ? view.title : `${view.title} (${view.key})`}
              onClick={() => state.navigate({ view: view.id })}
            >
              {view.title}
            </button>
          ))}
        </nav>
        <RunTitle {...props} />
        {views.some((view) => view.id === "timeline") && <WindowChip state={state} />}
        <NotesButton notes={session.notes} />
        <button class="icon" title="Light or dark" aria-label="Light or dark" onClick={toggleTheme}>
          {"\u25d0"}
        </button>
        <button class="icon" title="Commands (Ctrl+K)" aria-label="Commands" onClick={() => setOverlay("commands")}>
          {"\u2318"}
        </button>
        <button class="icon" title="Keys and gestures (?)" aria-label="Help" onClick={() => setOverlay("help")}>
          ?
        </button>
      </header>
      <Banner connection={props.client.server.connection} />
      {message && (
        <div class="banner" role="alert">
          {message} <button onClick={() => setMessage(null)}>Close</button>
        </div>
      )}
      <div class="views">
        {views.length === 0 && (
          <p class="empty">This profile has nothing that the viewer can show. Its tables: cgpu table FILE --list</p>
        )}
        {views.map((view) => (
          <ViewHost key={view.id} view={view} mounted={mounted.current} {...props} />
        ))}
      </div>
      {overlay === "commands" && (
        <CommandPalette commands={[...ofView(), ...commands]} onClose={() => setOverlay("none")} />
      )}
      {overlay === "help" && <Help commands={[...ofView(), ...commands]} onClose={() => setOverlay("none")} />}
    </div>
  );
}

function exportCommands(props: ShellProps, say: (message: string) => void): Command[] {
  return waysOut(props).map(({ name, run }) => ({
    group: "Export",
    title: name,
    run: () => void run().catch((error: Error) => say(error.message)),
  }));
}

function WayBack({ summary }: { summary: string }): JSX.Element {
  return (
    <a class="button way-back" href={summaryAddress()} title={`Back to ${summary}, and to other ranks`}>
      {"\u2190"} {summary}
    </a>
  );
}

/** Which profile is shown; where there are several, the way to the others. */
function RunTitle({ session, profiles: { states, titles } }: ShellProps): JSX.Element {
  const files = session.runs.map((run) => run.file).join("\n");
  if (titles.length === 1) {
    return (
      <span class="run-title" title={files}>
        {session.title}
      </span>
    );
  }
  return (
    <select
      class="run-title"
      aria-label="Profile"
      title={files}
      value={states.shown.get()}
      onChange={(event) => states.show(Number(event.currentTarget.value))}
    >
      {titles.map((title, number) => (
        <option value={number}>{title}</option>
      ))}
    </select>
  );
}

/** The step with some air. */
function around(range: { start: number; duration: number }) {
  const air = range.duration * 0.05;
  return { start: range.start - air, end: range.start + range.duration + air };
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return !!target && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

function handleGlobalKey(
  event: KeyboardEvent,
  state: AppState,
  views: readonly View[],
  setOverlay: (update: Overlay) => void,
): boolean {
  if (control(event) && (event.code === "KeyK" || (event.shiftKey && event.code === "KeyP"))) {
    setOverlay("commands");
    return true;
  }
  if (isTyping(event)) return false;
  // Where there is nothing left to undo, the browser goes back: from a rank to the summary.
  if (event.altKey && event.key === "ArrowLeft") return state.undo();
  if (event.altKey && event.key === "ArrowRight") return state.redo();
  if (control(event) && event.code === "KeyZ") return (event.shiftKey ? state.redo() : state.undo(), true);
  if (control(event) && event.code === "KeyY") return (state.redo(), true);
  if (typesOrAt(event, "?", "Slash", true)) return (setOverlay("help"), true);
  const key = digit(event);
  const view = key === null ? undefined : views.find((candidate) => candidate.key === key);
  if (!view) return false;
  state.navigate({ view: view.id });
  focusView(view.id);
  return true;
}

/** After a key has shown a view, Tab goes on in it, not through the tabs. */
function focusView(id: string): void {
  requestAnimationFrame(() => document.getElementById(`view-${id}`)?.focus({ preventScroll: true }));
}

/** A list that a choice was made from with the pointer gives the keys back; so does any field on Escape. */
function useFocusGivenBack(): void {
  useEffect(() => {
    let byPointer = false;
    const pointer = () => (byPointer = true);
    const keydown = (event: KeyboardEvent) => {
      if (event.key === "Tab") byPointer = false;
      const field = event.target;
      if (event.key === "Escape" && !event.defaultPrevented && isTyping(event) && field instanceof HTMLElement)
        field.blur();
    };
    const change = (event: Event) => {
      if (byPointer && event.target instanceof HTMLSelectElement) event.target.blur();
    };
    const ends = [listen("pointerdown", pointer), listen("keydown", keydown), listen("change", change)];
    return () => ends.forEach((end) => end());
  }, []);
}

function listen<K extends keyof DocumentEventMap>(type: K, listener: (event: DocumentEventMap[K]) => void): () => void {
  document.addEventListener(type, listener);
  return () => document.removeEventListener(type, listener);
}

/** A view's place on the page. It is mounted when first shown and stays, hidden, after that. */
function ViewHost({
  view,
  mounted,
  ...props
}: ShellProps & { view: View; mounted: Map<string, MountedView> }): JSX.Element {
  const { state } = props;
  const shown = useStore(state.view) === view.id;
  const host = useRef<HTMLDivElement>(null);
  const visible = useMemo(() => new Store(false), []);
  useEffect(() => {
    if (shown && !mounted.has(view.id)) {
      const context: ViewContext = {
        client: props.client,
        session: props.session,
        names: props.names,
        selection: state.selection,
        area: state.area,
        window: state.window,
        viewport: state.viewport,
        theme,
        visible,
        navigate: (target) => state.navigate(target),
        state,
        compared: props.compared,
      };
      visible.set(true);
      mounted.set(view.id, view.mount(host.current!, context));
    }
    visible.set(shown);
  }, [shown]);
  useEffect(
    () => () => {
      mounted.get(view.id)?.dispose();
      mounted.delete(view.id);
    },
    [],
  );
  return <div class="view" id={`view-${view.id}`} tabIndex={-1} ref={host} hidden={!shown} />;
}

/** What time the views are limited to. */
function WindowChip({ state }: { state: AppState }): JSX.Element {
  const range = useStore(state.window);
  if (!range)
    return (
      <span class="chip soft" title="Drag in the timeline to choose a part of the run">
        Whole run
      </span>
    );
  const size = range.end - range.start;
  return (
    <span class="chip on" title="All views are limited to this time">
      {momentIn(state.session, range.start, size / 100)} {"\u2013"} {momentIn(state.session, range.end, size / 100)}
      <span class="soft">{duration(size)}</span>
      <button aria-label="Show the whole run" title="Show the whole run" onClick={() => state.navigate({ area: null })}>
        {"\u00d7"}
      </button>
    </span>
  );
}
