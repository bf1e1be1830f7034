// The heat map of what each device takes more or less time for than the median device: a row a device, a column for
// what the time goes to.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Session, Table } from "../api/protocol";
import { duration } from "../model/format";
import { Legend, type Frame } from "../ui/chart";
import type { ViewContext } from "./context";
import { DeviceRows, MOST_ROWS, type DrawnCell, type Place, type RowCell } from "./device_rows";
import { deviationBands, deviationsOf, FEWEST_DEVICES, keyOf, type Deviation, type DeviationBand } from "./deviations";
import { deviceName, latest, Shown, useTable } from "./view";

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
          <p class="empty">Looking for the causes of idle time.</p>
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

type Cell = RowCell<DeviationBand>;

function DeviationMap(props: DeviationMapProps): JSX.Element {
  const { session, devices, marked, onOpen } = props;
  const [hover, setHover] = useState<Cell | null>(null);
  const deviations = useMemo(() => deviationsOf(props.gpuTime, props.idle), [props.gpuTime, props.idle]);
  const bands = useMemo(() => deviationBands(devices, deviations, MOST_ROWS), [devices, deviations]);
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
        <DeviceRows
          title="What each device takes more or less time for than the median device"
          devices={devices}
          bands={bands}
          x={{ domain: [-0.5, deviations.length - 0.5], format: (value) => deviations[value]?.name ?? "" }}
          columnAt={Math.round}
          columns={deviations.length}
          cellsOf={(band, frame) => cellsOf(band, devices, deviations, frame)}
          marked={marked}
          textOf={(band, column) => cellText(deviations[column]!, devices[band.drawn[column]!]!, largest)}
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

/** "+1.2 ms"; "" where the cell has no colour. */
function cellText(deviation: Deviation, place: Place, largest: number): string {
  const ns = deviation.of.get(keyOf(place)) ?? 0;
  if (shadeOf(ns, largest) === 0) return "";
  return `${ns < 0 ? "\u2212" : "+"}${duration(Math.abs(ns))}`;
}

const shadeOf = (ns: number, largest: number): number => Math.round((Math.abs(ns) / largest) * SHADES);

/** Paler where the deviation is smaller; what rounds to none is left out. */
function* cellsOf(
  { drawn }: DeviationBand,
  devices: readonly Place[],
  deviations: readonly Deviation[],
  frame: Frame,
): Iterable<DrawnCell> {
  const width = frame.width / deviations.length;
  for (const [column, { of }] of deviations.entries()) {
    const ns = of.get(keyOf(devices[drawn[column]!]!)) ?? 0;
    const shade = shadeOf(ns, deviations[0]!.largest);
    if (shade === 0) continue;
    const from = frame.left + column * width + 1;
    yield { from, to: from + width - 2, colour: ns > 0 ? "c-vermillion" : "c-blue", opacity: shade / SHADES };
  }
}
