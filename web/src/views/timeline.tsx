// The view with the timeline: its bar, the timeline itself, legend, and the drawer with details.
import { render, type JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { duration } from "../model/format";
import { axisMoment, markMode } from "../model/axis";
import { byTime, markTitle } from "../model/selection";
import { everything, width } from "../model/viewport";
import { Drawer } from "../panels/drawer";
import { FunctionsPanel } from "../panels/functions";
import { Marks } from "../panels/marks";
import type { ColourMode } from "../timeline/colours";
import { runKey, timelineCommands } from "../timeline/commands";
import type { Frame } from "../timeline/frame";
import { legendOf, type LegendEntry } from "../timeline/legend";
import { LegendBar } from "../timeline/legend_bar";
import { Navigation } from "../timeline/navigation";
import { SearchBox } from "../timeline/search_box";
import type { TimelineSource } from "../timeline/source";
import { Timeline } from "../timeline/timeline";
import { hiddenMenu } from "../timeline/track_menu";
import { useStore } from "../ui/hooks";
import type { View, ViewContext } from "./context";
import { publish } from "./debug";
import { MatchBar, stepMatch } from "./matches";
import { VerdictStrip } from "./verdict";
import { timelineSource } from "./timeline_source";

export const timelineView: View = {
  id: "timeline",
  title: "Timeline",
  key: "1",
  needs: (session) => session.views.includes("timeline") && session.tracks.length > 0,
  mount(host, context) {
    const source = timelineSource(context, context.theme);
    const timeline = new Timeline(source);
    const navigation = new Navigation(source);
    const focusSearch = () => host.querySelector<HTMLInputElement>(".search-input")?.select();
    const commands = timelineCommands(
      timeline,
      navigation,
      focusSearch,
      (direction) => stepMatch(context, direction) || void navigation.search(direction),
    );
    const ends = [
      context.visible.subscribe((visible) => timeline.setVisible(visible)),
      context.client.server.connection.subscribe((connection) => connection === "ok" && source.tiles.retry()),
    ];
    publish(source, timeline);
    render(<TimelineView context={context} source={source} timeline={timeline} navigation={navigation} />, host);
    return {
      commands,
      keydown: (event) => timeline.motion.keydown(event) || runKey(commands, event),
      dispose() {
        for (const end of ends) end();
        timeline.dispose();
        render(null, host);
      },
    };
  },
};

interface Parts {
  context: ViewContext;
  source: TimelineSource;
  timeline: Timeline;
  navigation: Navigation;
}

function TimelineView(parts: Parts): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const marks = useStore(parts.source.marks);
  const depth = useStore(parts.source.depth);
  const [listed, setListed] = useState(false);
  useEffect(() => {
    place.current!.prepend(parts.timeline.element);
    parts.timeline.onMarkClicked = () => setListed(true);
  }, []);
  return (
    <div class="timeline-view">
      <VerdictStrip context={parts.context} tiles={parts.source.tiles} />
      <Toolbar {...parts} marks={marks.length} onMarks={() => setListed(!listed)} />
      <div class={depth === null ? "timeline-place" : "timeline-place at-depth"} ref={place}>
        <AxisChoice {...parts} />
        {listed && marks.length > 0 && <Marks source={parts.source} onClose={() => setListed(false)} />}
        {depth !== null && <FunctionsPanel source={parts.source} depth={depth} />}
      </div>
      <StatusLine {...parts} />
      <Drawer context={parts.context} />
    </div>
  );
}

const MODES: [ColourMode, string][] = [
  ["class", "kind"],
  ["name", "name"],
  ["heat", "duration"],
];

/** What the ruler counts from; it is shown beside it. */
function AxisChoice({ source }: Parts): JSX.Element {
  const mode = useStore(source.axisMode);
  const marks = useStore(source.marks);
  const axis = useStore(source.axis);
  if (axis.kind === "events") return <span class="axis-choice">by event</span>;
  return (
    <select
      class="axis-choice"
      aria-label="What the ruler counts from"
      title="What the ruler counts from"
      value={axis.kind === "mark" ? mode : axis.kind}
      onChange={(event) => source.axisMode.set(event.currentTarget.value)}
    >
      <option value="start">from the start</option>
      {source.session.start_unix_ns !== null && <option value="utc">UTC</option>}
      <option value="ns">in ns</option>
      {byTime(marks).map((mark) => (
        <option value={markMode(mark)}>from {markTitle(mark, marks)}</option>
      ))}
    </select>
  );
}

interface ToolbarProps extends Parts {
  marks: number;
  onMarks: () => void;
}

function Toolbar({ context, source, timeline, navigation, marks, onMarks }: ToolbarProps): JSX.Element {
  const mode = useStore(source.colourMode);
  const scale = useStore(source.counterScale);
  const hasCounters = useMemo(() => source.tracks.some(({ drawing }) => drawing === "counter"), []);
  const { filter, hidden } = useStore(source.settings);
  const whole = () => source.navigate({ viewport: everything(source.session.span) });
  return (
    <div class="toolbar">
      <input
        class="track-filter"
        type="search"
        placeholder="Filter tracks"
        aria-label="Filter tracks"
        value={filter}
        onInput={(event) => source.changeSettings({ filter: event.currentTarget.value })}
      />
      <SearchBox source={source} navigation={navigation} />
      <MatchBar context={context} />
      <span class="gap" />
      {hidden.size > 0 && (
        <button
          aria-haspopup="menu"
          onClick={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            hiddenMenu(source, box.left, box.bottom + 2);
          }}
        >
          Hidden ({hidden.size})
        </button>
      )}
      {source.deepest > 0 && <DepthChoice source={source} />}
      {marks > 0 && <button onClick={onMarks}>Marks ({marks})</button>}
      {hasCounters && (
        <label class="soft" title="Counters are drawn from 0 on; else between the values in sight">
          <input
            type="checkbox"
            checked={scale === "zero"}
            onChange={(event) => source.counterScale.set(event.currentTarget.checked ? "zero" : "sight")}
          />{" "}
          counters from 0
        </label>
      )}
      <label class="soft">
        Colour by{" "}
        <select value={mode} onChange={(event) => source.colourMode.set(event.currentTarget.value as ColourMode)}>
          {MODES.map(([value, text]) => (
            <option value={value}>{text}</option>
          ))}
        </select>
      </label>
      <button onClick={() => timeline.fit()} title="F">
        Fit selection
      </button>
      <button onClick={whole}>Show all</button>
    </div>
  );
}

/** The depth at which call paths are drawn; at the left end all. */
function DepthChoice({ source }: { source: TimelineSource }): JSX.Element {
  const depth = useStore(source.depth);
  const longest = source.deepest;
  const text = depth === null ? "all" : `${depth} of ${longest}`;
  return (
    <label
      class="soft depth-choice"
      title={
        "Call paths at one depth, a row a thread or stream; a path that is not as deep shows its innermost function. Keys: , and ."
      }
    >
      Depth{" "}
      <input
        type="range"
        min={0}
        max={longest}
        value={depth ?? 0}
        aria-valuetext={depth === null ? "all depths" : text}
        onInput={(event) => source.depth.set(Number(event.currentTarget.value) || null)}
      />
      <output>{text}</output>
    </label>
  );
}

const LEGEND_MS = 250;

function StatusLine({ source, timeline, context }: Parts): JSX.Element {
  const [legend, setLegend] = useState<LegendEntry[]>([]);
  const [pending, setPending] = useState(0);
  const mode = useStore(source.colourMode);
  const cursor = useStore(source.cursor);
  const axis = useStore(source.axis);
  const view = useStore(source.viewport);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let last: Frame;
    timeline.onDrawn = (frame) => {
      last = frame;
      timer ??= setTimeout(() => {
        timer = null;
        setLegend(legendOf(last.seen, context.session, timeline.palette, source.colourMode.get()));
        setPending(source.tiles.pending);
      }, LEGEND_MS);
    };
    return () => {
      timeline.onDrawn = null;
      if (timer) clearTimeout(timer);
    };
  }, []);
  return (
    <div class="status-line">
      <LegendBar entries={legend} mode={mode} />
      {pending > 0 && <span class="soft">loading</span>}
      {cursor !== null && <span class="moment">{axisMoment(axis, cursor, width(view) / 1000)}</span>}
      <span class="soft moment" title="Length of the window">
        {duration(width(view))} wide
      </span>
    </div>
  );
}
