// A heat map of many devices: a row for each, or for a few neighbours, and columns of anything.
import type { JSX } from "preact";
import { Plot, type Axis, type Frame } from "../ui/chart";
import { useSize } from "../ui/hooks";
import type { Group } from "./groups_of_devices";

/** More devices share rows. */
export const MOST_ROWS = 128;

// CSS pixels.
const HIGHEST_ROW = 140;
const LOWEST_ROW = 4;
const LABEL_HEIGHT = 14;
const TEXT_WIDTH = 48;
const AROUND_ROWS = 50;

export interface Place {
  rank: number;
  device: number;
}

export const placeText = ({ rank, device }: Place): string => `${rank}, ${device}`;

/** A cell: where it is drawn in its row, in pixels of the frame, and how. */
export interface DrawnCell {
  from: number;
  to: number;
  colour: string;
  opacity: number;
}

export interface RowCell<Row> {
  band: Row;
  column: number;
}

export function DeviceRows<Row extends Group>({
  title,
  devices,
  bands,
  x,
  columnAt,
  columns,
  cellsOf,
  marked,
  textOf,
  onHover,
  onOpen,
}: {
  title: string;
  devices: readonly Place[];
  /** The rows, from the top. */
  bands: readonly Row[];
  x: Axis;
  /** The column at a place of the axis; those from 0 to `columns` are there. */
  columnAt: (value: number) => number;
  columns: number;
  cellsOf: (band: Row, frame: Frame) => Iterable<DrawnCell>;
  /** Ranks whose rows are pointed out. */
  marked: ReadonlySet<number>;
  /** Written into a cell where the rows are high enough; "" for nothing. */
  textOf?: (band: Row, column: number) => string;
  onHover: (cell: RowCell<Row> | null) => void;
  onOpen: (cell: RowCell<Row>, event: MouseEvent) => void;
}): JSX.Element {
  const { ref, height } = useSize<HTMLDivElement>();
  const rowHeight = Math.min(HIGHEST_ROW, Math.max(LOWEST_ROW, Math.floor((height - AROUND_ROWS) / bands.length)));
  const isOneEach = new Set(devices.map(({ rank }) => rank)).size === devices.length;
  const texts = (band: Row, row: number, frame: Frame) =>
    Array.from({ length: columns }, (_, column) => (
      <text
        class="cell-text"
        x={frame.x(column)}
        y={frame.top + (row + 0.5) * rowHeight}
        text-anchor="middle"
        dominant-baseline="central"
      >
        {frame.width / columns >= TEXT_WIDTH ? textOf!(band, column) : ""}
      </text>
    ));
  const bandAt = (value: number): Row | undefined => bands[bands.length - 1 - Math.round(value)];
  const at = (frame: Frame, event: MouseEvent): RowCell<Row> | null => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const band = bandAt(frame.y.invert(event.clientY - box.top));
    const column = columnAt(frame.x.invert(event.clientX - box.left));
    return band && column >= 0 && column < columns ? { band, column } : null;
  };
  const label = (value: number) => {
    const band = Number.isInteger(value) ? bandAt(value) : undefined;
    if (!band) return "";
    if (band.last - band.first > 1) return `${devices[band.first]!.rank}\u2013${devices[band.last - 1]!.rank}`;
    const place = devices[band.first]!;
    return isOneEach ? `rank ${place.rank}` : placeText(place);
  };
  const labelled = Math.ceil(LABEL_HEIGHT / rowHeight); // every so many rows there is room for a label
  const ticks = bands.flatMap((_, i) => (i % labelled === 0 ? [bands.length - 1 - i] : []));
  const plot = (
    <Plot
      title={title}
      height={rowHeight * bands.length + AROUND_ROWS}
      x={x}
      y={{ domain: [-0.5, bands.length - 0.5], format: label, ticks }}
      onPointerMove={(frame, event) => onHover(at(frame, event))}
      onPointerLeave={() => onHover(null)}
      onClick={(frame, event) => {
        const cell = at(frame, event);
        if (cell) onOpen(cell, event);
      }}
    >
      {(frame) => (
        <>
          {[...pathsOf(bands, cellsOf, frame)].map(([key, { colour, opacity, data }]) => (
            <path key={key} class={colour} fill-opacity={opacity} d={data} shape-rendering="crispEdges" />
          ))}
          {textOf && rowHeight >= LABEL_HEIGHT && bands.map((band, row) => texts(band, row, frame))}
          <path class="marked-rows" d={frameOf(devices, bands, marked, frame)} />
        </>
      )}
    </Plot>
  );
  return (
    <div class="device-rows" ref={ref}>
      {height > 0 && plot}
    </div>
  );
}

/** All cells of a colour and opacity are one path. */
function pathsOf<Row extends Group>(
  bands: readonly Row[],
  cellsOf: (band: Row, frame: Frame) => Iterable<DrawnCell>,
  frame: Frame,
) {
  const paths = new Map<string, { colour: string; opacity: number; data: string }>();
  const height = frame.height / bands.length;
  const inner = height > 6 ? height - 1 : height;
  bands.forEach((band, index) => {
    const y = (frame.top + index * height).toFixed(1);
    for (const { from, to, colour, opacity } of cellsOf(band, frame)) {
      const key = `${colour} ${opacity}`;
      const path = paths.get(key) ?? { colour, opacity, data: "" };
      path.data += `M${from.toFixed(1)} ${y}H${to.toFixed(1)}v${inner.toFixed(1)}H${from.toFixed(1)}z`;
      paths.set(key, path);
    }
  });
  return paths;
}

/** Around the rows of these ranks, neighbours in one. */
function frameOf(
  devices: readonly Place[],
  bands: readonly Group[],
  marked: ReadonlySet<number>,
  frame: Frame,
): string {
  const height = frame.height / bands.length;
  const isMarked = ({ first, last }: Group) => devices.slice(first, last).some(({ rank }) => marked.has(rank));
  let data = "";
  for (let index = 0; index < bands.length && marked.size;) {
    const begin = index++;
    if (!isMarked(bands[begin]!)) continue;
    while (index < bands.length && isMarked(bands[index]!)) ++index;
    const [top, bottom] = [frame.top + begin * height, frame.top + index * height];
    data += `M${frame.left} ${top.toFixed(1)}h${frame.width}V${bottom.toFixed(1)}h${-frame.width}z`;
  }
  return data;
}
