// Memory of both runs over one axis, a chart for each counter, the largest first. A click shows that moment in both timelines.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Track } from "../api/protocol";
import { bytes, moment } from "../model/format";
import { SIDES, type AxisMode, type RankAxes, type SideName, type TwoAxes } from "../model/two_axes";
import { width, type Range } from "../model/viewport";
import type { CounterRaster } from "../timeline/counters";
import { Plot } from "../ui/chart";
import { useStore } from "../ui/hooks";
import { counterPairs, resampled, titleOf } from "./compare_memory_model";
import type { Compared, ViewContext } from "./context";
import { counterIn, highest, isMemory, POINTS, shareAt, unitFor } from "./memory";
import { stepPath } from "./step_path";
import { Shown, useAsked } from "./view";

const CHARTS = 24;
const MODES: [AxisMode, string][] = [
  ["time", "by time"],
  ["work", "by aligned work"],
  ["step", "by step"],
];

/** Whether both runs have counters of memory. */
export const haveMemory = (compared: Compared): boolean =>
  SIDES.every((side) => compared[side].session.tracks.some(isMemory));

interface Props {
  context: ViewContext;
  compared: Compared;
  axes: TwoAxes;
  onOpen: (side: SideName, range: Range) => void;
}

export function ComparedMemory({ context, compared, axes, onOpen }: Props): JSX.Element {
  const modes = MODES.filter(([mode]) => axes.has(mode));
  const chosen = compared.a.state.choice<AxisMode>(
    "memory_axis",
    "time",
    modes.map(([mode]) => mode),
  );
  const mode = useStore(chosen);
  const pairs = useMemo(
    () => counterPairs(compared.a.session.tracks.filter(isMemory), compared.b.session.tracks.filter(isMemory)),
    [],
  );
  const span = (side: SideName) => Math.max(compared[side].session.span, 1);
  // All of both, in the time of A.
  const range = useMemo(
    () => ({
      start: Math.min(0, ...axes.ranks.map((each) => axes.across(0, "b", mode, each))),
      end: Math.max(span("a"), ...axes.ranks.map((each) => axes.across(span("b"), "b", mode, each))),
    }),
    [mode],
  );
  const loaded = useAsked(
    context,
    async (signal) => {
      const load = async (side: SideName, track: Track | null, ranks: RankAxes): Promise<CounterRaster | null> => {
        if (!track) return null;
        const whole = { start: 0, end: span(side) };
        const raster = await counterIn(compared[side].client, track, whole, signal);
        return resampled(raster, whole, range, (at) => (side === "a" ? at : axes.across(at, "a", mode, ranks)));
      };
      const charts = await Promise.all(
        pairs.map(async (pair): Promise<CounterChart> => {
          const ranks = pair.a ? axes.of("a", pair.a.rank) : axes.of("b", pair.b!.rank);
          const [a, b] = await Promise.all([load("a", pair.a, ranks), load("b", pair.b, ranks)]);
          return { title: titleOf(pair), ranks, a, b, most: Math.max(a ? highest(a) : 0, b ? highest(b) : 0) };
        }),
      );
      return charts.filter(({ most }) => most > 0).sort((x, y) => y.most - x.most);
    },
    [mode],
  );
  return (
    <div class="panel-view scrolls compare-memory">
      <div class="toolbar">
        <label class="soft">
          One axis{" "}
          <select value={mode} onChange={(event) => chosen.set(event.currentTarget.value as AxisMode)}>
            {modes.map(([value, title]) => (
              <option value={value}>{title}</option>
            ))}
          </select>
        </label>
        <span class="gap" />
        <span class="change-scale">
          <i class="line-a" /> A <i class="line-b" /> B
        </span>
      </div>
      <Shown of={loaded}>
        {(charts) => (
          <>
            {charts.slice(0, CHARTS).map((chart) => (
              <BothCounters key={chart.title} chart={chart} axes={axes} mode={mode} range={range} onOpen={onOpen} />
            ))}
            {charts.length > CHARTS && (
              <p class="cut-note">{charts.length - CHARTS} more counters: the timelines have them.</p>
            )}
            {!charts.length && <p class="empty">All counters of memory are 0 in both runs.</p>}
          </>
        )}
      </Shown>
    </div>
  );
}

interface CounterChart extends Record<SideName, CounterRaster | null> {
  title: string;
  ranks: RankAxes;
  most: number;
}

interface CounterProps extends Pick<Props, "axes" | "onOpen"> {
  chart: CounterChart;
  mode: AxisMode;
  range: Range;
}

function BothCounters({ chart, axes, mode, range, onOpen }: CounterProps): JSX.Element {
  const [hover, setHover] = useState<number | null>(null);
  const unit = unitFor(chart.most);
  const at = hover === null ? -1 : Math.floor(hover * POINTS);
  const here = range.start + (hover ?? 0) * width(range);
  const step = width(range) / POINTS;
  const text = (side: SideName) => {
    const raster = chart[side];
    const value = raster ? (at >= 0 ? raster.last[at]! : highest(raster)) : NaN;
    return Number.isFinite(value) ? bytes(value) : "\u2013";
  };
  return (
    <section class="memory-chart">
      <header>
        <h3>{chart.title}</h3>
        <span class="told">
          A <b>{text("a")}</b> {"\u2192"} B <b>{text("b")}</b>
        </span>
        <span class="soft">
          {at < 0
            ? "peaks"
            : `at ${moment(here, step)} of A, ${moment(axes.across(here, "a", mode, chart.ranks), step)} of B`}
        </span>
      </header>
      <div class="opens">
        <Plot
          title={`${chart.title} of both`}
          height={220}
          x={{ domain: [range.start, range.end], format: (value) => moment(value, width(range) / 100) }}
          y={{
            domain: [0, (chart.most * 1.05) / unit.size],
            format: (value) => `${Number(value.toPrecision(6))} ${unit.name}`,
          }}
          onPointerMove={(frame, event) => setHover(shareAt(frame, event))}
          onPointerLeave={() => setHover(null)}
          onClick={(frame, event) => {
            const middle = range.start + shareAt(frame, event) * width(range);
            onOpen("a", { start: middle - width(range) / 40, end: middle + width(range) / 40 });
          }}
        >
          {(frame) => (
            <>
              {SIDES.map((side) => {
                const raster = chart[side];
                const place = { ...frame, y: (value: number) => frame.y(value / unit.size) };
                return raster && <path class={`memory-of-${side}`} d={stepPath(raster, place).line} />;
              })}
              {hover !== null && (
                <line
                  class="hover-line"
                  x1={frame.left + hover * frame.width}
                  x2={frame.left + hover * frame.width}
                  y1={frame.top}
                  y2={frame.top + frame.height}
                />
              )}
            </>
          )}
        </Plot>
      </div>
    </section>
  );
}
