// Memory over time: the counters of the allocators as areas, one chart a device, and the peaks. A click goes to that
// moment in the timeline.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Client } from "../api/client";
import type { Track } from "../api/protocol";
import { BUCKETS, decodeCounterTile } from "../api/tiles";
import { momentIn } from "../model/axis";
import { bytes } from "../model/format";
import type { Range } from "../model/viewport";
import { addCounter, newCounterRaster, type CounterRaster } from "../timeline/counters";
import { levelFor, pixelBuckets } from "../timeline/raster";
import { Legend, Plot, type Frame } from "../ui/chart";
import { useStore } from "../ui/hooks";
import { DataTable } from "../ui/table";
import type { View, ViewContext } from "./context";
import { stepPath } from "./step_path";
import { panelView, Shown, useAsked, useTable, type ViewProps } from "./view";

export const POINTS = 2000;
const CHARTS = 24;
/** By the name of a counter, the same in every chart. */
const COLOURS = ["blue", "orange", "green", "purple", "vermillion", "sky", "yellow", "grey"];

interface Series {
  track: Track;
  raster: CounterRaster;
}

/** Totals of an allocator; of other counters the unit is not known. */
const IN_BYTES = /^(allocated|reserved) memory$|\((B|bytes)\)$/i;

export const isMemory = (track: Track): boolean => track.drawing === "counter" && IN_BYTES.test(track.name);

/** What a counter does in a range, at POINTS points. */
export async function counterIn(
  client: Client,
  track: Track,
  range: Range,
  signal: AbortSignal,
): Promise<CounterRaster> {
  const level = levelFor((range.end - range.start) / POINTS);
  const size = BUCKETS * 2 ** level;
  const buckets = pixelBuckets(range, POINTS, level);
  const raster = newCounterRaster(POINTS);
  const indices: number[] = [];
  for (let index = Math.max(0, Math.floor(range.start / size)); index * size < range.end; ++index) indices.push(index);
  const tiles = await Promise.all(
    indices.map(async (index) =>
      decodeCounterTile(await client.tile("counter", track.id, level, index, signal), level, index),
    ),
  );
  for (const tile of tiles) addCounter(raster, tile, buckets);
  return raster;
}

const load = async (context: ViewContext, track: Track, range: Range, signal: AbortSignal): Promise<Series> => ({
  track,
  raster: await counterIn(context.client, track, range, signal),
});

function Memory({ context }: ViewProps): JSX.Element {
  const window = useStore(context.window);
  const range = useMemo(() => window ?? { start: 0, end: Math.max(context.session.span, 1) }, [window]);
  const groups = useMemo(() => {
    const found = new Map<string, Track[]>();
    for (const track of context.session.tracks.filter(isMemory)) {
      const name = track.group.join(", ");
      found.set(name, [...(found.get(name) ?? []), track]);
    }
    return [...found];
  }, []);
  const colours = useMemo(() => colourByName(context.session.tracks.filter(isMemory)), []);
  const peaks = useTable(context, "memory");
  return (
    <div class="panel-view scrolls">
      {groups.slice(0, CHARTS).map(([name, tracks]) => (
        <Chart key={name} context={context} name={name} tracks={tracks} colours={colours} range={range} />
      ))}
      {groups.length > CHARTS && (
        <p class="cut-note">{groups.length - CHARTS} more devices: the timeline has their counters.</p>
      )}
      <Shown of={peaks}>
        {(table) => (
          <div class="table-box pad-x" style={{ height: `${Math.min(14, table.rows.length + 3) * 24}px` }}>
            <DataTable
              table={table}
              title="Peaks"
              empty="No event of an allocator lies in the chosen time."
              cells={{ device: (value) => (value === -1 ? "host" : String(value)) }}
            />
          </div>
        )}
      </Shown>
    </div>
  );
}

/** The colour of each kind of memory. Exported for tests. */
export function colourByName(tracks: readonly Pick<Track, "name">[]): Map<string, string> {
  const names = [...new Set(tracks.map(({ name }) => name))].sort();
  return new Map(names.map((name, i) => [name, COLOURS[i % COLOURS.length]!]));
}

function Chart({
  context,
  name,
  tracks,
  colours,
  range,
}: {
  context: ViewContext;
  name: string;
  tracks: readonly Track[];
  colours: ReadonlyMap<string, string>;
  range: Range;
}): JSX.Element {
  const loaded = useAsked(
    context,
    (signal) => Promise.all(tracks.map((track) => load(context, track, range, signal))),
    [range, name],
  );
  const [hover, setHover] = useState<number | null>(null);
  return (
    <section class="memory-chart">
      <Shown of={loaded}>
        {(unordered) => {
          // The largest is drawn first, the others before it.
          const series = [...unordered].sort((a, b) => highest(b.raster) - highest(a.raster));
          const most = Math.max(1, ...series.map(({ raster }) => highest(raster)));
          const unit = unitFor(most);
          const at = hover === null ? -1 : Math.floor(hover * POINTS);
          return (
            <>
              <header>
                <h3>{name}</h3>
                <Legend
                  parts={series.map(({ track, raster }) => ({
                    label: track.name,
                    value: (at >= 0 ? raster.last[at] : highest(raster)) ?? 0,
                    colour: `c-${colours.get(track.name)}`,
                  }))}
                  format={(value) => (Number.isFinite(value) ? bytes(value) : "\u2013")}
                />
                <span class="soft">
                  {at >= 0
                    ? momentIn(
                        context.session,
                        range.start + hover! * (range.end - range.start),
                        (range.end - range.start) / POINTS,
                      )
                    : "peaks"}
                </span>
              </header>
              <div class="opens">
                <Plot
                  title={`Memory of ${name}`}
                  height={220}
                  x={{
                    domain: [range.start, range.end],
                    format: (value) => momentIn(context.session, value, (range.end - range.start) / 100),
                  }}
                  y={{
                    domain: [0, (most * 1.05) / unit.size],
                    format: (value) => `${Number(value.toPrecision(6))} ${unit.name}`,
                  }}
                  onPointerMove={(frame, event) => setHover(shareAt(frame, event))}
                  onPointerLeave={() => setHover(null)}
                  onClick={(frame, event) => {
                    const middle = range.start + shareAt(frame, event) * (range.end - range.start);
                    const half = (range.end - range.start) / 40;
                    context.navigate({ view: "timeline", viewport: { start: middle - half, end: middle + half } });
                  }}
                >
                  {(frame) => (
                    <>
                      {series.map(({ track, raster }) => {
                        const { line, area } = stepPath(raster, { ...frame, y: (value) => frame.y(value / unit.size) });
                        const colour = colours.get(track.name);
                        return (
                          <>
                            <path class={`area-fill c-${colour}`} d={area} />
                            <path class="area-line" style={{ stroke: `var(--${colour})` }} d={line} />
                          </>
                        );
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
            </>
          );
        }}
      </Shown>
    </section>
  );
}

/** So that the ticks are round numbers of it. */
export function unitFor(most: number): { size: number; name: string } {
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(names.length - 1, Math.max(0, Math.floor(Math.log2(most) / 10)));
  return { size: 1024 ** power, name: names[power]! };
}

export const highest = (raster: CounterRaster): number => raster.maximum.reduce((a, b) => (b > a ? b : a), 0);

export function shareAt(frame: Frame, event: MouseEvent): number {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  return Math.min(Math.max((event.clientX - box.left - frame.left) / frame.width, 0), 1 - 1e-9);
}

/** Events that say no totals make no curve: their numbers are among the tables. */
export const memoryView: View = {
  ...panelView("memory", "Memory", "6", Memory),
  needs: (session) => session.tracks.some(isMemory),
};
