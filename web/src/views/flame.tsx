// Flame graphs: from callers to callees, from callees to callers, and of one function both.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { FlameGraph, Session } from "../api/protocol";
import { grouped, percent, readable, short, withUnit } from "../model/format";
import { fromCss, mix, cssColour, type Palette } from "../timeline/colours";
import { copyText } from "../ui/clipboard";
import { useStore } from "../ui/hooks";
import type { ViewContext } from "./context";
import { calleesOf, matchedValue } from "./flame_layout";
import { FlamePane } from "./flame_pane";
import { matchingNames, OTHER, useFlameState } from "./flame_state";
import { showLongest } from "./matches";
import { BarList, latest, nameText, panelView, useAsked, usePalette, within, type ViewProps } from "./view";

type Mode = "down" | "up" | "sandwich";

const MODES: [Mode, string, string][] = [
  ["down", "Top down", "From callers to callees"],
  ["up", "Bottom up", "Each function by its own cost, over it who called it"],
  ["sandwich", "Sandwich", "One function: above it who called it, below it what it called"],
];

/** Of a call tree all frames are of a few kinds; then names tell more. */
const TREE_KINDS = new Set(["root", "entry", "function", "loop", "line", "instruction"]);
const LISTED = 100;
/** The server's name of the width by idle time, where causes are leaves. */
const IDLE = "idle_time";

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

interface Colour {
  css: string;
  /** What it means; null where it only tells names apart. */
  means: string | null;
}

/** The colours of nodes: device ops by their class and other slices by their kind, as in the timeline; by name where the
 * kind says nothing. */
function colouring(graph: FlameGraph, session: Session, palette: Palette, paper: string): (node: number) => Colour {
  const { kinds, classes, causes } = session;
  const byName = graph.names.map((name) => cssColour(palette.slice("name", 0, hash(name), 0)));
  const other = cssColour(mix(palette.kindColour(kinds.indexOf("other")), fromCss(paper), 0.5));
  return (node) => {
    const name = graph.nodes.name[node]!;
    if (graph.names[name] === OTHER) return { css: other, means: null };
    const kind = graph.nodes.kind[node]!;
    if (TREE_KINDS.has(kinds[kind] ?? "")) return { css: byName[name]!, means: null };
    const cause = graph.metric === IDLE && kinds[kind] === "other" ? causes.indexOf(graph.names[name]!) : -1;
    if (cause >= 0) return { css: cssColour(palette.cause(cause)), means: readable(causes[cause]!) };
    const kernel = graph.nodes.class[node]!;
    if (kernel >= 0) return { css: cssColour(palette.classColour(kernel)), means: classes[kernel] ?? "" };
    return { css: cssColour(palette.kindColour(kind)), means: readable(kinds[kind] ?? "") };
  };
}

/** What the colours mean, that of the largest own value first. */
function legendOf(graph: FlameGraph, colour: (node: number) => Colour): { css: string; means: string }[] {
  const found = new Map<string, { css: string; means: string; self: number }>();
  graph.nodes.self.forEach((self, node) => {
    const { css, means } = colour(node);
    if (means === null) return;
    const entry = found.get(means);
    if (entry) entry.self += self;
    else found.set(means, { css, means, self });
  });
  return [...found.values()].sort((a, b) => b.self - a.self);
}

function Flame({ context }: ViewProps): JSX.Element {
  const window = useStore(context.window);
  const chosenMode = context.state.choice<Mode>("flame", "down", ["down", "up", "sandwich"]);
  const chosenMetric = context.state.choice("metric", ""); // "": the one that the server takes
  const mode = useStore(chosenMode);
  const metric = useStore(chosenMetric) || undefined;
  const [name, setName] = useState<string | null>(null);
  const [search, setSearch] = useState("");
  const [steps, setSteps] = useState(false);
  const { client, session } = context;
  const both = mode === "sandwich" && name !== null;
  const loaded = useAsked(
    context,
    async (signal) => {
      const ask = (view: "down" | "up", focus?: string) =>
        client.flame({ view, metric, focus, steps, ...within(window) }, signal);
      if (!both) return { graphs: [await ask(mode === "down" ? "down" : "up")], both, mode };
      const [up, down] = await Promise.all([ask("up", name), ask("down", name)]);
      return { graphs: [up, calleesOf(down, name)], both, mode };
    },
    [window, metric, steps, mode === "sandwich" ? `s ${name}` : mode],
  );
  const shown = latest(loaded);
  const graph = shown?.graphs[0];
  const sandwich = (of: string) => {
    chosenMode.set("sandwich");
    setName(of);
  };
  const list = shown !== undefined && !shown.both && mode === "sandwich";
  return (
    <div class="panel-view flame-view">
      <div class="toolbar">
        <span class="segments" role="tablist">
          {MODES.map(([value, title, about]) => (
            <button
              role="tab"
              aria-selected={mode === value}
              class={mode === value ? "on" : ""}
              title={about}
              onClick={() => chosenMode.set(value)}
            >
              {title}
            </button>
          ))}
        </span>
        {graph && graph.metrics.length > 1 && (
          <label class="soft">
            Width by{" "}
            <select value={graph.metric} onChange={(event) => chosenMetric.set(event.currentTarget.value)}>
              {graph.metrics.map((each) => (
                <option value={each}>{readable(each)}</option>
              ))}
            </select>
          </label>
        )}
        {session.steps.length > 1 && (
          <label class="soft check" title="The iterations as frames of their own">
            <input type="checkbox" checked={steps} onChange={(event) => setSteps(event.currentTarget.checked)} />
            each step apart
          </label>
        )}
        {mode === "sandwich" && name !== null && (
          <button onClick={() => setName(null)} title={name}>
            Another function
          </button>
        )}
        <span class="gap" />
        {graph && search && !list && <Matched graph={graph} search={search} />}
        <input
          type="search"
          class="flame-search"
          placeholder="Highlight names"
          aria-label="Highlight names"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {loaded.state === "failed" && <p class="empty">{loaded.text}</p>}
      {graph && graph.nodes.parent.length === 0 && (
        <p class="empty">
          {window ? "Nothing of this metric lies in the chosen time." : "The profile has no value of this metric."}
        </p>
      )}
      {list && graph && <Functions graph={graph} search={search} onPick={setName} />}
      {!list &&
        graph &&
        graph.nodes.parent.length > 0 &&
        (shown!.both ? (
          <div class="sandwich">
            <h3>Callers</h3>
            <One context={context} graph={graph} upwards search={search} onSandwich={sandwich} />
            <h3>Callees</h3>
            <One context={context} graph={shown!.graphs[1]!} search={search} onSandwich={sandwich} />
          </div>
        ) : (
          <One key={shown!.mode} context={context} graph={graph} search={search} onSandwich={sandwich} />
        ))}
    </div>
  );
}

/** One graph with what leads to its root and what is known of the frame with the cursor. */
function One({
  context,
  graph,
  upwards = false,
  search,
  onSandwich,
}: {
  context: ViewContext;
  graph: FlameGraph;
  upwards?: boolean;
  search: string;
  onSandwich: (name: string) => void;
}): JSX.Element {
  const palette = usePalette(context);
  const { path, nameOf, setRoot, cursor, told, pane } = useFlameState(graph, search);
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper");
  const colour = useMemo(() => colouring(graph, context.session, palette, paper), [graph, palette]);
  const legend = useMemo(() => legendOf(graph, colour), [colour]);
  return (
    <div class="flame-one">
      <Crumbs path={path} nameOf={nameOf} onOpen={setRoot} />
      <FlamePane
        {...pane}
        graph={graph}
        upwards={upwards}
        colour={(node) => colour(node).css}
        theme={context.theme.get()}
        onSandwich={(node) => onSandwich(nameOf(node))}
      />
      {legend.length > 1 && !upwards && (
        <ul class="legend flame-legend" aria-label="Colours">
          {legend.map(({ css, means }) => (
            <li>
              <i style={{ background: css }} />
              {means}
            </li>
          ))}
        </ul>
      )}
      <FrameLine
        context={context}
        graph={graph}
        node={told}
        chosen={cursor}
        onSandwich={() => onSandwich(nameOf(cursor))}
      />
    </div>
  );
}

/** The frames that lead to the one in full width. */
export function Crumbs({
  path,
  nameOf,
  onOpen,
}: {
  path: readonly number[];
  nameOf: (node: number) => string;
  onOpen: (node: number | null) => void;
}): JSX.Element | null {
  if (!path.length) return null;
  return (
    <nav class="crumbs" aria-label="Path to the frame in full width">
      <button onClick={() => onOpen(null)}>all</button>
      {path.map((node, i) => (
        <button
          class={i === path.length - 1 ? "on" : ""}
          title={nameOf(node).slice(0, 1000)}
          onClick={() => onOpen(node)}
        >
          {nameText(nameOf(node), 60)}
        </button>
      ))}
    </nav>
  );
}

function FrameLine({
  context,
  graph,
  node,
  chosen,
  onSandwich,
}: {
  context: ViewContext;
  graph: FlameGraph;
  node: number;
  chosen: number;
  onSandwich: () => void;
}): JSX.Element {
  const { nodes } = graph;
  const name = graph.names[nodes.name[node] ?? -1];
  const timed = context.session.views.includes("timeline");
  return (
    <div class="frame-line" aria-live="polite">
      {name === undefined ? (
        <span class="soft">
          {grouped(nodes.parent.length)} frames, {withUnit(graph.total, graph.unit)} in all. Click a frame to give it
          the full width; arrow keys move, Enter opens, Escape goes back.
        </span>
      ) : (
        <>
          <b title={name.slice(0, 2000)}>{nameText(name)}</b>
          <span>{withUnit(nodes.value[node]!, graph.unit)}</span>
          <span>{percent((100 * nodes.value[node]!) / (graph.total || 1))}</span>
          <span class="soft">self {withUnit(nodes.self[node]!, graph.unit)}</span>
          {nodes.count[node]! > 0 && <span class="soft">{grouped(nodes.count[node]!)} times</span>}
          <span class="soft">
            {readable(context.session.kinds[nodes.kind[node]!] ?? "")}
            {nodes.class[node]! >= 0 && `, ${context.session.classes[nodes.class[node]!] ?? ""}`}
          </span>
        </>
      )}
      <span class="gap" />
      {chosen >= 0 && (
        <>
          <button onClick={onSandwich} title="S">
            Sandwich
          </button>
          {timed && (
            <button onClick={() => showSlice(context, graph, chosen)} title="The longest slice of this name">
              Show in the timeline
            </button>
          )}
          <button onClick={() => void copyText(graph.names[nodes.name[chosen]!] ?? "")}>Copy name</button>
        </>
      )}
    </div>
  );
}

/** Of a frame of merged steps and of one of a call tree there is no slice; their names are looked for. */
function showSlice(context: ViewContext, graph: FlameGraph, node: number): void {
  const name = graph.names[graph.nodes.name[node]!] ?? "";
  showLongest(context, { table: "slices", key: [name] }).catch(() =>
    context.navigate({ view: "timeline", search: name.slice(0, 400) }),
  );
}

function Matched({ graph, search }: { graph: FlameGraph; search: string }): JSX.Element {
  const text = useMemo(() => {
    const matching = matchingNames(graph.names, search);
    const { value, count } = matchedValue(graph, (name) => matching[name]!);
    return count === 0
      ? "no frame"
      : `${short(count)} ${count === 1 ? "frame" : "frames"}, ${withUnit(value, graph.unit)}, ${percent((100 * value) / (graph.total || 1))}`;
  }, [graph, search]);
  return <span class="soft">{text}</span>;
}

/** What to choose from for a sandwich: the functions by what they cost themselves. */
function Functions({
  graph,
  search,
  onPick,
}: {
  graph: FlameGraph;
  search: string;
  onPick: (name: string) => void;
}): JSX.Element {
  const words = search.toLowerCase();
  const roots = graph.nodes.parent
    .flatMap((parent, node) => (parent < 0 ? [node] : []))
    .filter((node) => graph.names[graph.nodes.name[node]!] !== OTHER)
    .filter((node) => graph.names[graph.nodes.name[node]!]!.toLowerCase().includes(words));
  return (
    <div class="scrolls">
      <p class="lead">Choose a function, by what it costs itself:</p>
      <BarList
        total={graph.total}
        items={roots.slice(0, LISTED).map((node) => {
          const name = graph.names[graph.nodes.name[node]!]!;
          return {
            label: nameText(name),
            title: name.slice(0, 1000),
            value: graph.nodes.value[node]!,
            text: withUnit(graph.nodes.value[node]!, graph.unit),
            onClick: () => onPick(name),
          };
        })}
      />
      {roots.length > LISTED && <p class="lead">{grouped(roots.length - LISTED)} more: narrow them by their names.</p>}
    </div>
  );
}

export const flameView = panelView("flame", "Flame graph", "2", Flame);
