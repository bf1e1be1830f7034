// The heat map of what each device takes more or less time for than the median device: a row a device, a column for
// what the time goes to.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Session, Table } from "../api/protocol";
import { duration } from "../model/format";
import { Legend, Plot, type Frame } from "../ui/chart";
import type { ViewContext } from "./context";
import {
  deviationBands,
  deviationsOf,
  FEWEST_DEVICES,
  keyOf,
  type Deviation,
  type DeviationBand,
  type Place,
} from "./deviations";
import { deviceName, latest, Shown, useTable } from "./view";

const MOST_BANDS = 128;
const SHADES = 5;

/** Asks for the tables when it is first shown. */
export function Deviations({
  context,
  devices,
  marked,
  onOpen,
}: {
  context: ViewContext;
  /** The devices to show; the median is that of all. */
  devices: readonly Place[];
  /** Ranks whose rows are pointed out. */
  marked: ReadonlySet<number>;
  /** A row of devices [first, last) was clicked, and in it this one. */
  onOpen: (first: number, last: number, drawn: number, event: MouseEvent) => void;
}): JSX.Element {
  const busy = useTable(context, "gpu_time");
  const idle = useTable(context, "idle");
  return (
    <Shown of={busy}>
      {(gpuTime) =>
        idle.state === "loading" && latest(idle) === undefined ? (
          <p class="empty">Why the devices stood idle is being looked for.</p>
        ) : (
          <DeviationMap
            session={context.session}
            gpuTime={gpuTime}
            idle={latest(idle) ?? null}
            devices={devices}
            marked={marked}
            onOpen={onOpen}
          />
        )
      }
    </Shown>
  );
}

interface DeviationMapProps {
  session: Session;
  gpuTime: Table;
  idle: Table | null;
  devices: readonly Place[];
  marked: ReadonlySet<number>;
  onOpen: (first: number, last: number, drawn: number, event: MouseEvent) => void;
}

interface Cell {
  band: DeviationBand;
  column: number;
}

function DeviationMap(props: DeviationMapProps): JSX.Element {
  const { session, devices, marked, onOpen } = props;
  const [hover, setHover] = useState<Cell | null>(null);
  const deviations = useMemo(() => deviationsOf(props.gpuTime, props.idle), [props.gpuTime, props.idle]);
  const bands = useMemo(() => deviationBands(devices, deviations, MOST_BANDS), [devices, deviations]);
  if (props.gpuTime.rows.length < FEWEST_DEVICES) {
    return <p class="empty">Of fewer than {FEWEST_DEVICES} devices no median says what is usual.</p>;
  }
  if (!deviations.length || !bands.length) return <p class="empty">All devices take as long as the median device.</p>;
  const largest = deviations[0]!.largest;
  const grouped = bands[0]!.last > 1;
  const told = hover && bands.includes(hover.band) ? hover : null;
  return (
    <>
      <p class="told above-map" aria-live="polite">
        {told ? (
          <CellText session={session} devices={devices} deviation={deviations[told.column]!} cell={told} />
        ) : (
          <span class="soft">
            {grouped
              ? `Of every ${bands[0]!.last} the one that deviates most: click for all of them`
              : "What each device takes more or less time for than the median device"}
          </span>
        )}
      </p>
      <div class="fills scrolls opens">
        <Map
          devices={devices}
          deviations={deviations}
          bands={bands}
          marked={marked}
          onHover={setHover}
          onOpen={({ band, column }, event) => onOpen(band.first, band.last, band.drawn[column]!, event)}
        />
      </div>
      <div class="legend-line">
        <Legend
          parts={[
            { label: "more than the median", colour: "c-vermillion", value: largest },
            { label: "less than the median", colour: "c-blue", value: largest },
          ]}
          format={(value) => `up to ${duration(value)}`}
        />
      </div>
    </>
  );
}

function CellText({
  session,
  devices,
  deviation,
  cell,
}: {
  session: Session;
  devices: readonly Place[];
  deviation: Deviation;
  cell: Cell;
}): JSX.Element {
  const place = devices[cell.band.drawn[cell.column]!]!;
  const ns = deviation.of.get(keyOf(place)) ?? 0;
  const size = ns === 0 ? "as the median" : `${duration(Math.abs(ns))} ${ns < 0 ? "less" : "more"} than the median`;
  return (
    <>
      <b>{deviceName(session, place.rank, place.device)}</b>: {deviation.name} {size} of {duration(deviation.usual)}
    </>
  );
}

function Map({
  devices,
  deviations,
  bands,
  marked,
  onHover,
  onOpen,
}: {
  devices: readonly Place[];
  deviations: readonly Deviation[];
  bands: readonly DeviationBand[];
  marked: ReadonlySet<number>;
  onHover: (cell: Cell | null) => void;
  onOpen: (cell: Cell, event: MouseEvent) => void;
}): JSX.Element {
  const rowHeight = Math.min(22, Math.max(4, Math.floor(520 / bands.length)));
  const bandAt = (value: number): DeviationBand | undefined => bands[bands.length - 1 - Math.round(value)];
  const at = (frame: Frame, event: MouseEvent): Cell | null => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const band = bandAt(frame.y.invert(event.clientY - box.top));
    const column = Math.round(frame.x.invert(event.clientX - box.left));
    return band && column >= 0 && column < deviations.length ? { band, column } : null;
  };
  const rowLabel = (value: number) => {
    const band = Number.isInteger(value) ? bandAt(value) : undefined;
    if (!band) return "";
    const [first, last] = [devices[band.first]!, devices[band.last - 1]!];
    return first.rank === last.rank ? `${first.rank}, ${first.device}` : `${first.rank}\u2013${last.rank}`;
  };
  return (
    <Plot
      title="What each device takes more or less time for than the median device"
      height={rowHeight * bands.length + 50}
      x={{ domain: [-0.5, deviations.length - 0.5], format: (value) => deviations[value]?.name ?? "" }}
      y={{ domain: [-0.5, bands.length - 0.5], format: rowLabel }}
      onPointerMove={(frame, event) => onHover(at(frame, event))}
      onPointerLeave={() => onHover(null)}
      onClick={(frame, event) => {
        const cell = at(frame, event);
        if (cell) onOpen(cell, event);
      }}
    >
      {(frame) => (
        <>
          {[...pathsOf(devices, deviations, bands, frame)].map(([key, { colour, opacity, data }]) => (
            <path key={key} class={colour} fill-opacity={opacity} d={data} shape-rendering="crispEdges" />
          ))}
          <path class="marked-rows" d={frameOf(devices, bands, marked, frame)} />
        </>
      )}
    </Plot>
  );
}

/** All cells of a shade are one path. */
function pathsOf(
  devices: readonly Place[],
  deviations: readonly Deviation[],
  bands: readonly DeviationBand[],
  frame: Frame,
) {
  const paths = new globalThis.Map<string, { colour: string; opacity: number; data: string }>();
  const [height, width] = [frame.height / bands.length, frame.width / deviations.length];
  const inner = height > 6 ? height - 1 : height;
  bands.forEach((band, row) => {
    deviations.forEach((deviation, column) => {
      const ns = deviation.of.get(keyOf(devices[band.drawn[column]!]!)) ?? 0;
      const shade = Math.round((Math.abs(ns) / deviations[0]!.largest) * SHADES);
      if (shade === 0) return;
      const colour = ns > 0 ? "c-vermillion" : "c-blue";
      const path = paths.get(`${colour} ${shade}`) ?? { colour, opacity: shade / SHADES, data: "" };
      const [x, y] = [frame.left + column * width + 1, frame.top + row * height];
      path.data += `M${x.toFixed(1)} ${y.toFixed(1)}h${(width - 2).toFixed(1)}v${inner.toFixed(1)}h${(2 - width).toFixed(1)}z`;
      paths.set(`${colour} ${shade}`, path);
    });
  });
  return paths;
}

/** Around the rows of these ranks. */
function frameOf(
  devices: readonly Place[],
  bands: readonly DeviationBand[],
  marked: ReadonlySet<number>,
  frame: Frame,
): string {
  if (!marked.size) return "";
  const height = frame.height / bands.length;
  return bands
    .map(({ first, last }, row) =>
      devices.slice(first, last).some(({ rank }) => marked.has(rank))
        ? `M${frame.left} ${(frame.top + row * height).toFixed(1)}h${frame.width}v${height.toFixed(1)}h${-frame.width}z`
        : "",
    )
    .join("");
}
