// The memories of a device and what a measured kernel moved between them.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Table } from "../api/protocol";
import { bytes, grouped, percent, short } from "../model/format";
import { memoryChart, type Flow, type Place, type Unit } from "./memory_chart_model";

const BOX = { width: 108, height: 46 };
const COLUMN = 266;
const ROW = 74;
const MARGIN = 16;
const WIDTH = 4 * COLUMN + BOX.width + 2 * MARGIN;
const HEIGHT = 4 * ROW + BOX.height + 2 * MARGIN;
const APART = 8; // from the middle of a path to the arrow of each way
const WIDEST = 6; // of an arrow
const BEND = 40; // from the box that many paths meet at, to where each goes on level

const ONE: Record<Unit, string> = { byte: "bytes", instruction: "instructions", wavefront: "wavefronts" };
const SHORT: Record<Unit, string> = { byte: "", instruction: " inst", wavefront: " wavefronts" };

export function MemoryChartOf({ values }: { values: Table }): JSX.Element {
  const chart = useMemo(() => memoryChart(values), [values]);
  if (!chart) {
    return (
      <p class="empty">
        The report has no traffic of the memories: `ncu --section MemoryWorkloadAnalysis_Chart` collects it.
      </p>
    );
  }
  const places = new Map(chart.places.map((place) => [place.id, place]));
  const most = Math.max(1, ...chart.flows.filter((flow) => flow.unit === "byte").map((flow) => flow.value));
  const inUse = new Set(chart.flows.flatMap((flow) => [flow.from, flow.to]));
  return (
    <div class="memory-chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label="What moved between the memories">
        <defs>
          <marker
            id="memory-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="11"
            markerHeight="11"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0,0 L8,4 L0,8 Z" />
          </marker>
        </defs>
        {chart.flows.map((flow) => (
          <Arrow flow={flow} from={places.get(flow.from)!} to={places.get(flow.to)!} most={most} />
        ))}
        {chart.places.map((place) => (
          <g class={inUse.has(place.id) ? "memory-place" : "memory-place absent"}>
            <rect x={leftOf(place)} y={topOf(place)} width={BOX.width} height={BOX.height} rx="4" />
            <text x={leftOf(place) + BOX.width / 2} y={topOf(place) + (place.hitRate === null ? 28 : 20)}>
              {place.title}
            </text>
            {place.hitRate !== null && (
              <text class="soft" x={leftOf(place) + BOX.width / 2} y={topOf(place) + 37}>
                {place.hitRate} hits
              </text>
            )}
          </g>
        ))}
      </svg>
      <p class="soft">
        An arrow to the left is what was read, one to the right what was written; wide ones moved much. Bytes of the
        caches are sectors of 32 bytes.
        {chart.absent.length > 0 && ` Not in this report: ${chart.absent.join(", ")}.`}
      </p>
    </div>
  );
}

const leftOf = (place: Place): number => MARGIN + place.column * COLUMN;
const topOf = (place: Place): number => MARGIN + place.row * ROW;

function Arrow({ flow, from, to, most }: { flow: Flow; from: Place; to: Place; most: number }): JSX.Element {
  const offset = flow.way === "read" ? -APART : APART;
  const [left, right] = [leftOf(from) + BOX.width + 3, leftOf(to) - 3];
  const [y1, y2] = [topOf(from) + BOX.height / 2 + offset, topOf(to) + BOX.height / 2 + offset];
  const width = flow.value === 0 ? 1 : 1 + (flow.unit === "byte" ? (WIDEST - 1) * (flow.value / most) : 0.5);
  // Level beside the box of its own, where its number is.
  const meetsLeft = from.id === "kernel" || from.id === "l2";
  const bend = meetsLeft ? [left + BEND, y2] : [right - BEND, y1];
  const points = [[left, y1], bend, [right, y2]];
  if (flow.way === "read") points.reverse();
  const exact = `${grouped(flow.value)} ${ONE[flow.unit]} ${flow.way === "read" ? "read" : "written"}`;
  const ofPeak = flow.pct === null ? "" : `, ${percent(flow.pct)} of what the path could move`;
  const share = flow.unit === "byte" && flow.pct !== null && flow.pct > 0 ? ` (${percent(flow.pct)})` : "";
  return (
    <g class={`memory-flow ${flow.way}${flow.value === 0 ? " none" : ""}`}>
      <title>{`${from.title} \u2013 ${to.title}: ${exact}${ofPeak} (${flow.metric})`}</title>
      <polyline points={points.join(" ")} stroke-width={width} marker-end="url(#memory-arrow)" />
      <text
        x={meetsLeft ? left + BEND + 4 : left + 10}
        y={bend[1]! + (flow.way === "read" ? -5 - width / 2 : 13 + width / 2)}
      >
        {flow.unit === "byte" ? bytes(flow.value) : `${short(flow.value)}${SHORT[flow.unit]}`}
        {share}
      </text>
    </g>
  );
}
