// Two runs side by side: what changed, the largest first, above it the words, and both timelines on one axis.
import { render, type JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ComparisonClient } from "../api/comparison";
import type { Cell, Changes, NameChanges, TimesOfRanks } from "../api/protocol";
import { duration, moment } from "../model/format";
import { AXIS_MODES, type AxisMode, type SideName } from "../model/two_axes";
import { width, type Range } from "../model/viewport";
import { useLoaded, useStore } from "../ui/hooks";
import { COMPARED_COLOUR_MODES, type ColourMode } from "../timeline/colours";
import { DataTable } from "../ui/table";
import { ComparedFlameView, haveFlames } from "./compare_flame";
import { AlignedLines, AlignedWords } from "./compare_lines";
import { ComparedMemory, haveMemory } from "./compare_memory";
import { ComparedRoofline, haveRooflines } from "./compare_roofline";
import { ComparedSteps, haveSteps } from "./compare_steps";
import { chips, headline, ranksText, ratioText, signed, tabTitle, withArrows, withoutPartner } from "./compare_words";
import { PAIR_LAYOUTS, TimelinePair, type PairLayout, type SelectedPair } from "./compare_pair";
import type { Compared, View, ViewContext } from "./context";
import { publish } from "./debug";
import { Records } from "./records";
import { nameText, Shown } from "./view";

const MOST_LISTED = 200;
const CAUSES = "compare_causes";
// Tabs that are no tables.
const STEPS = "compare_steps";
const FLAME = "compare_flame_graph";
const ROOFLINE = "compare_roofline";
const MEMORY = "compare_memory_over_time";
const MOMENTS = ["start_a_ns", "end_a_ns", "start_b_ns", "end_b_ns"];

export const compareView: View = {
  id: "compare",
  title: "Compare",
  key: "9",
  needs: (_, isCompared) => isCompared,
  mount(host, context) {
    let pair: TimelinePair | null = null;
    const onPair = (made: TimelinePair) => (pair = made);
    render(<Compare context={context} compared={context.compared!} onPair={onPair} />, host);
    return {
      get commands() {
        return pair?.active.commands;
      },
      keydown: (event) => pair?.keydown(event) ?? false,
      dispose() {
        render(null, host);
        pair?.dispose();
      },
    };
  },
};

interface CompareProps {
  context: ViewContext;
  compared: Compared;
  onPair: (pair: TimelinePair) => void;
}

function Compare({ context, compared, onPair }: CompareProps): JSX.Element {
  const client = useMemo(() => new ComparisonClient(context.client.server), []);
  const loaded = useLoaded(async (signal) => {
    const [changes, times, names] = await Promise.all([
      client.changes(signal),
      client.times(signal),
      client.names(signal),
    ]);
    return { changes, times, names };
  }, []);
  if (loaded.state === "loading") return <p class="empty">Comparing the two runs {"\u2026"}</p>;
  return (
    <Shown of={loaded}>
      {(both) => <Comparison context={context} compared={compared} onPair={onPair} {...both} />}
    </Shown>
  );
}

interface ComparisonProps extends CompareProps {
  changes: Changes;
  times: readonly TimesOfRanks[];
  names: Record<SideName, NameChanges>;
}

function Comparison({ context, compared, onPair, changes, times, names: nameChanges }: ComparisonProps): JSX.Element {
  const names = Object.keys(changes.tables);
  const hasTimelines = compared.a.session.tracks.length > 0 && compared.b.session.tracks.length > 0;
  const first = hasTimelines || changes.tables[CAUSES] ? "changes" : (names[0] ?? "changes");
  const { state } = compared.a; // whichever of the two the other views show
  const pictures = [
    ...(haveSteps(compared) ? [STEPS] : []),
    ...(haveFlames(compared) ? [FLAME] : []),
    ...(haveRooflines(compared, changes) ? [ROOFLINE] : []),
    ...(hasTimelines && haveMemory(compared) ? [MEMORY] : []),
  ];
  const tabs = ["changes", ...pictures, ...names];
  const chosen = state.choice("compared", first, tabs);
  const change = state.choice("change", "");
  const tab = useStore(chosen);
  const current = useStore(change);
  const pair = useMemo(() => (hasTimelines ? new TimelinePair(compared, context, times, nameChanges) : null), []);
  const causes = useMemo(() => changes.tables[CAUSES] && new Records(changes.tables[CAUSES]), []);
  const show = (number: number) => {
    const row = causes?.rows[number];
    const places = changes.places[number];
    change.set(row ? String(number + 1) : "");
    if (!row || !places || !pair) return;
    void pair.showChange(
      places,
      causes.number(row, "b_ns") > causes.number(row, "a_ns") ? "b" : "a",
      causes.text(row, "key"),
    );
  };
  const showRange = (side: SideName, range: Range) => {
    chosen.set("changes");
    pair?.sides[side].source.viewport.set(range);
  };
  useEffect(() => {
    if (!pair) return;
    onPair(pair);
    if (current) show(Number(current) - 1);
  }, []);
  const table = changes.tables[tab];
  return (
    <div class="compare">
      <ChangeHeadline changes={changes} />
      <div class="toolbar">
        <nav class="compare-tabs" aria-label="What is compared; the arrows go from one to the next" onKeyDown={stepTab}>
          {tabs.map((name) => (
            <button
              class={name === tab ? "on" : ""}
              aria-pressed={name === tab}
              tabIndex={name === tab ? 0 : -1}
              onClick={() => chosen.set(name)}
            >
              {name === "changes" ? "Side by side" : tabTitle(name)}
            </button>
          ))}
        </nav>
      </div>
      <div class="compare-main" hidden={tab !== "changes"}>
        <ChangeList changes={changes} causes={causes} current={Number(current) - 1} onShow={show} pair={pair} />
        {pair && <Timelines pair={pair} />}
      </div>
      {tab === STEPS && <ComparedSteps compared={compared} onOpen={showRange} />}
      {tab === FLAME && (
        <ComparedFlameView context={context} compared={compared} pair={pair} onShow={() => chosen.set("changes")} />
      )}
      {tab === ROOFLINE && <ComparedRoofline context={context} compared={compared} changes={changes} />}
      {tab === MEMORY && pair && (
        <ComparedMemory context={context} compared={compared} axes={pair.link.axes} onOpen={showRange} />
      )}
      {table && (
        <>
          <p class="lead">{table.about}</p>
          <DataTable
            key={tab}
            table={table}
            title={tabTitle(tab)}
            moments={MOMENTS}
            onOpen={
              tab === CAUSES && pair
                ? (row) => {
                    chosen.set("changes");
                    show(table.rows.indexOf(row as (typeof table.rows)[number]));
                  }
                : undefined
            }
          />
        </>
      )}
    </div>
  );
}

/** One press of Tab passes them all; the arrows choose. */
function stepTab(event: KeyboardEvent): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (!by) return;
  const buttons = [...(event.currentTarget as Element).querySelectorAll("button")];
  const next = buttons[buttons.indexOf(document.activeElement as HTMLButtonElement) + by];
  next?.focus();
  next?.click();
  event.preventDefault();
  event.stopPropagation();
}

const COLOURS: Record<ColourMode, string> = { change: "change", class: "kind", name: "name", heat: "duration" };

/** What the colours of both timelines say. */
function ColourChoice({ pair }: { pair: TimelinePair }): JSX.Element {
  const mode = useStore(pair.colour);
  return (
    <label class="soft">
      Colour by{" "}
      <select
        aria-label="What the colours of both timelines say"
        value={mode}
        onChange={(event) => pair.colour.set(event.currentTarget.value as ColourMode)}
      >
        {COMPARED_COLOUR_MODES.map((each) => (
          <option value={each}>{COLOURS[each]}</option>
        ))}
      </select>
    </label>
  );
}

/** What the colours of changes mean. */
function ChangeScale({ pair }: { pair: TimelinePair }): JSX.Element | null {
  if (useStore(pair.colour) !== "change") return null;
  return (
    <p
      class="change-scale"
      title="Device ops by the time of their name in B over that in A, of the work that both have; the strongest colours are twice and half the time"
    >
      Timelines: faster <i class="scale" /> slower <i class="only-here" /> on one side only
    </p>
  );
}

const LAYOUTS: Record<PairLayout, string> = { apart: "above each other", rows: "in the same rows" };

/** How the timelines are laid out, and whether lines join what is the same work. */
function LayoutChoice({ pair }: { pair: TimelinePair }): JSX.Element {
  const lines = useStore(pair.lines);
  const layout = useStore(pair.layout);
  return (
    <>
      {layout === "apart" && (
        <label
          class="soft check"
          title="Between the same work of both: of the selected slice, and of the device ops of the selected area"
        >
          <input
            type="checkbox"
            checked={lines === "on"}
            onChange={(event) => pair.lines.set(event.currentTarget.checked ? "on" : "off")}
          />
          lines
        </label>
      )}
      <label class="soft">
        A and B{" "}
        <select
          aria-label="How the two timelines are laid out"
          value={layout}
          onChange={(event) => pair.layout.set(event.currentTarget.value as PairLayout)}
        >
          {PAIR_LAYOUTS.map((each) => (
            <option value={each}>{LAYOUTS[each]}</option>
          ))}
        </select>
      </label>
    </>
  );
}

const AXES: Record<AxisMode, [string, string]> = {
  time: ["by time", "Both from their starts, at the same scale"],
  work: ["by aligned work", "The same work is aligned; the scales differ"],
  step: ["by step", "The same scale, from the start of the same step"],
  place: ["by the chosen change", "The same scale, from where the chosen change begins in both"],
};

function AxisChoice({ pair }: { pair: TimelinePair }): JSX.Element {
  const mode = useStore(pair.mode);
  const { axes } = pair.link;
  return (
    <label class="soft" title={AXES[mode][1]}>
      One axis{" "}
      <select
        aria-label="How the two timelines share an axis"
        value={mode}
        onChange={(event) => pair.mode.set(event.currentTarget.value as AxisMode)}
      >
        {AXIS_MODES.filter((each) => axes.has(each)).map((each) => (
          <option value={each} title={AXES[each][1]}>
            {AXES[each][0]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Which ranks are above each other: the clocks and the pace of others may differ. */
function RankChoice({ pair }: { pair: TimelinePair }): JSX.Element | null {
  const mode = useStore(pair.mode);
  const { axes } = pair.link;
  const current = useStore(axes.current);
  if (axes.ranks.length < 2 || (mode !== "work" && mode !== "step")) return null;
  return (
    <label class="soft" title="Each rank has a map of its own from A to B; the rank of a selected slice is taken">
      of rank{" "}
      <select
        aria-label="The rank that both timelines go by"
        value={axes.ranks.indexOf(current)}
        onChange={(event) => pair.showRanks(axes.ranks[Number(event.currentTarget.value)]!)}
      >
        {axes.ranks.map(({ ranks }, i) => (
          <option value={i}>{ranksText(ranks)}</option>
        ))}
      </select>
    </label>
  );
}

interface ChangeListProps {
  changes: Changes;
  causes: Records | undefined;
  current: number;
  onShow: (number: number) => void;
  pair: TimelinePair | null;
}

/** The change in one line, and the figures that one asks for first. */
function ChangeHeadline({ changes }: { changes: Changes }): JSX.Element {
  const summary = changes.tables["compare_summary"];
  const figures = useMemo(() => {
    const records = summary && new Records(summary);
    const value = (row: readonly Cell[], side: string) =>
      records!.cell(row, side) === null ? null : records!.number(row, side);
    return (records?.rows ?? []).map((row) => ({
      name: records!.text(row, "name"),
      a: value(row, "a"),
      b: value(row, "b"),
    }));
  }, [summary]);
  return (
    <header class="compare-headline">
      <h2>{headline(changes.words)}</h2>
      <ul class="compare-chips" aria-label="Figures of A and B">
        {chips(figures).map(({ name, a, b, change, isBetter }) => (
          <li>
            {name} {a} {"\u2192"} {b} <b class={isBetter === null ? "" : isBetter ? "faster" : "slower"}>{change}</b>
          </li>
        ))}
      </ul>
    </header>
  );
}

/** The words, and what explains the change, the largest first. */
function ChangeList({ changes, causes, current, onShow, pair }: ChangeListProps): JSX.Element {
  const rows = causes?.rows ?? [];
  const most = Math.max(1, ...rows.map((row) => Math.abs(causes!.number(row, "delta_ns"))));
  const listed = rows.slice(0, MOST_LISTED);
  return (
    <aside class="changes" aria-label="What changed">
      <details open={!rows.length}>
        <summary>All in words</summary>
        <pre>{withArrows(changes.words)}</pre>
      </details>
      {rows.length > 0 && (
        <h3>
          What explains it{changes.per_iteration && ", an iteration"}
          <span class="change-colours">
            <i class="slower" /> slower <i class="faster" /> faster
          </span>
        </h3>
      )}
      {pair && <ChangeScale pair={pair} />}
      <ol>
        {listed.map((row, number) => {
          const delta = causes!.number(row, "delta_ns");
          const [a, b] = [causes!.number(row, "a_ns"), causes!.number(row, "b_ns")];
          return (
            <li class={`${delta > 0 ? "slower" : "faster"}${number === current ? " current" : ""}`}>
              <button
                aria-pressed={number === current}
                title={`${causes!.text(row, "key")}\n${duration(a)} \u2192 ${duration(b)}`}
                onClick={() => onShow(number)}
              >
                <span class="change-bar">
                  <i style={{ width: `${(100 * Math.abs(delta)) / most}%` }} />
                </span>
                <b>{signed(delta)}</b>
                <span class="change-text">{nameText(withArrows(causes!.text(row, "text")))}</span>
              </button>
            </li>
          );
        })}
      </ol>
      {rows.length > listed.length && (
        <p class="soft">
          {rows.length - listed.length} smaller ones are in {tabTitle(CAUSES)}.
        </p>
      )}
    </aside>
  );
}

function Timelines({ pair }: { pair: TimelinePair }): JSX.Element {
  const layout = useStore(pair.layout);
  return (
    <div class="compare-timelines">
      <div class="toolbar">
        <AxisChoice pair={pair} />
        <RankChoice pair={pair} />
        <LayoutChoice pair={pair} />
        <ColourChoice pair={pair} />
        <span class="gap" />
        <button onClick={() => pair.showAll()}>Show all</button>
      </div>
      <OneTimeline pair={pair} side="a" />
      <Strip pair={pair} />
      <OneTimeline pair={pair} side="b" hidden={layout === "rows"} />
      {layout === "apart" && <AlignedLines pair={pair} />}
    </div>
  );
}

function OneTimeline({
  pair,
  side,
  hidden = false,
}: {
  pair: TimelinePair;
  side: SideName;
  hidden?: boolean;
}): JSX.Element {
  const both = useStore(pair.layout) === "rows";

  const place = useRef<HTMLDivElement>(null);
  const { timeline, source, profile } = pair.sides[side];
  useEffect(() => {
    place.current!.prepend(timeline.element);
    publish(source, timeline, side === "a" ? "cgpu" : "cgpu_b");
  }, []);
  return (
    <div class="timeline-place" hidden={hidden} ref={place} onPointerEnter={() => pair.link.leading.set(side)}>
      <span class="side-name" title={profile.session.title}>
        <b>{both ? "A above B" : side.toUpperCase()}</b> {profile.session.title}
        {both && `, ${pair.sides.b.profile.session.title}`}
      </span>
    </div>
  );
}

/** Between the timelines: what is selected on both sides, and which moments belong to each other. */
function Strip({ pair }: { pair: TimelinePair }): JSX.Element {
  const layout = useStore(pair.layout);
  const selected = useStore(pair.selected);
  const nothingSelected = pair.link.axes.has("work")
    ? "Select a slice: the same work is marked on the other side."
    : "No work of the two timelines could be aligned.";
  return (
    <div class="compare-strip">
      <span class="told" aria-live="polite">
        {selected ? <SelectedWords selected={selected} /> : nothingSelected}
      </span>
      <span class="gap" />
      {layout === "apart" && <AlignedWords pair={pair} />}
      {layout === "rows" && pair.ownTracksOfB > 0 && (
        <span class="soft">
          {pair.ownTracksOfB} {pair.ownTracksOfB === 1 ? "track" : "tracks"} of B alone not shown
        </span>
      )}
      <Moments pair={pair} />
    </div>
  );
}

function SelectedWords({ selected }: { selected: SelectedPair }): JSX.Element {
  const { name, a, b, answer } = selected;
  const why = answer && withoutPartner(answer, selected.side);
  return (
    <>
      <b>{nameText(name, 120)}</b> {a !== null && `A ${duration(a)}`}
      {a !== null && b !== null && " \u2192 "}
      {b !== null && `B ${duration(b)}`}
      {a !== null && b !== null && ` (${ratioText(a, b)})`}
      {why && (
        <span class="soft">
          {" "}
          {"\u2013"} {why}
        </span>
      )}
    </>
  );
}

/** The moment under the pointer on both sides, and how exact that is. */
function Moments({ pair }: { pair: TimelinePair }): JSX.Element {
  const mode = useStore(pair.mode);
  const view = useStore(pair.sides.a.source.viewport);
  const [a, b] = [useStore(pair.sides.a.source.cursor), useStore(pair.sides.b.source.cursor)];
  const step = width(view) / 1000;
  const scale = pair.link.scale();
  const current = useStore(pair.link.axes.current);
  const residual = a !== null && mode === "work" ? current.residual(a) : 0;
  return (
    <span class="moments">
      {a !== null && b !== null && (
        <>
          A {moment(a, step)} {"\u2194"} B {moment(b, step)}
          {residual > 0 && ` \u00b1 ${duration(residual)}`}
        </>
      )}
      {mode === "work" && <span title="Time that B shows for the work in sight, by that of A"> B {ratio(scale)}</span>}
    </span>
  );
}

const ratio = (value: number): string => `${value.toPrecision(3)} times as long`;
