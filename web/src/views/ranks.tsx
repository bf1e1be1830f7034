// What the devices of all ranks did over time, or take more or less time for than the median device, as heat maps. A click
// on a row leads to that device in the timeline; of a summary, it chooses the ranks whose timelines can be opened.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Session, Table, Track } from "../api/protocol";
import { duration, moment, percent } from "../model/format";
import type { Range } from "../model/viewport";
import { Legend, type Frame } from "../ui/chart";
import { useStore } from "../ui/hooks";
import { DataTable } from "../ui/table";
import { NO_RANKS, useChosenRanks } from "./chosen_ranks";
import type { View, ViewContext } from "./context";
import { hasTable } from "./declared";
import { Deviations } from "./deviation_map";
import { DeviceRows, MOST_ROWS, placeText, type DrawnCell, type RowCell } from "./device_rows";
import { longestGaps } from "./gaps";
import { RankChooser } from "./rank_link";
import {
  ActivityMap,
  bandsOf,
  devicesOf,
  shadeOf,
  sharesText,
  STATES,
  type Band,
  type DeviceActivity,
} from "./ranks_model";
import { rankFigures, whoHoldsUp } from "./rank_figures";
import { around, deviceName, latest, panelView, Shown, useTable, type ViewProps } from "./view";

const MOST_COLUMNS = 256;
const OPACITY = [0.35, 0.55, 0.78, 1];
/** Columns that the timeline shows on each side of the one that was clicked. */
const COLUMNS_AROUND = 5;
const TRACKS_ASKED = 8;
const MAPS = [
  { id: "time", label: "Over time" },
  { id: "median", label: "Against the median" },
  { id: "figures", label: "Figures" },
] as const;

const busyTracks = (session: Session): Track[] => session.tracks.filter(({ drawing }) => drawing === "activity");

function Ranks({ context }: ViewProps): JSX.Element {
  const loaded = useTable(context, "rank_activity");
  return (
    <div class="panel-view">
      <Shown of={loaded}>{(table) => <RanksOf context={context} table={table} />}</Shown>
    </div>
  );
}

type Cell = RowCell<Band>;

function RanksOf({ context, table }: { context: ViewContext; table: Table }): JSX.Element {
  const devices = useMemo(() => devicesOf(table), [table]);
  const partChoice = context.state.choice("part", "");
  const mapChoice = context.state.choice(
    "map",
    MAPS[0].id,
    MAPS.map(({ id }) => id),
  );
  const shownMap = useStore(mapChoice);
  const part = readPart(useStore(partChoice), devices.length);
  const [hover, setHover] = useState<Cell | null>(null);
  const chosen = useChosenRanks(context, devices);
  const map = useMemo(() => new ActivityMap(part ? devices.slice(...part) : devices, MOST_COLUMNS), [devices, part]);
  const bands = useMemo(() => bandsOf(map, MOST_ROWS), [map]);
  if (!map.devices.length) return <p class="empty">No device did anything in the chosen time.</p>;
  const first = part?.[0] ?? 0;
  const grouped = bands[0]!.last > 1;
  const ofSummary = context.session.is_summary === true;
  /** Of devices [from, to) the one that was clicked, at some time. */
  const open = (from: number, to: number, drawn: number, time: Range, shown: Range, event: MouseEvent) => {
    const isOne = to - from === 1;
    if (!isOne) partChoice.set(`${first + from}-${first + to}`);
    if (ofSummary) chosen.choose(map.devices[drawn]!.rank, shown, isOne ? event : null);
    else if (isOne) void showInTimeline(context, map.devices[drawn]!, time, shown);
  };
  const openCell = ({ band, column }: Cell, event: MouseEvent) => {
    const start = map.start + column * map.columnLength;
    const time = { start, end: start + map.columnLength };
    open(band.first, band.last, band.drawn, time, timesAround(map, column), event);
  };
  const whole = { start: map.start, end: map.end };
  const marked = ofSummary ? chosen.ranks : NO_RANKS;
  const totals = STATES.map(({ label, colour }, state) => ({
    label,
    colour,
    value: map.times.reduce(
      (sum, times) => sum + times.reduce((t, ns, i) => (i % STATES.length === state ? t + ns : t), 0),
      0,
    ),
  })).filter(({ value }) => value > 0);
  const total = totals.reduce((sum, { value }) => sum + value, 0);
  const told = hover && bands.includes(hover.band) ? hover : null;
  return (
    <>
      <div class="toolbar">
        <h3>{devices.length} devices</h3>
        <span class="segments" role="tablist">
          {MAPS.map(({ id, label }) => (
            <button
              key={id}
              role="tab"
              aria-selected={id === shownMap}
              class={id === shownMap ? "on" : ""}
              onClick={() => mapChoice.set(id)}
            >
              {label}
            </button>
          ))}
        </span>
        {part && (
          <span class="chip on">
            {placesText(devices.slice(...part))}
            <button aria-label="All devices" onClick={() => partChoice.set("")}>
              {"\u00d7"}
            </button>
          </span>
        )}
        <span class="gap" />
        {shownMap === "time" && (
          <span class="told" aria-live="polite">
            {told ? (
              <CellText session={context.session} map={map} cell={told} />
            ) : (
              <span class="soft">
                {grouped
                  ? `Of every ${bands[0]!.last} the one that falls behind the median device most: click for all of them`
                  : `The colour of what most of the time went to, fainter where it is less: click ${
                      ofSummary ? "for its timeline" : "to go there"
                    }`}
              </span>
            )}
          </span>
        )}
      </div>
      <WhoHoldsUp context={context} />
      {ofSummary && <RankChooser context={context} text={chosen.text} at={chosen.at} onText={chosen.setText} />}
      {shownMap === "time" ? (
        <>
          <div class="fills scrolls opens">
            <DeviceRows
              title="What each device did over time"
              devices={map.devices}
              bands={bands}
              x={{ domain: [map.start, map.end], format: (value) => moment(value, map.columnLength) }}
              columnAt={(value) => Math.floor((value - map.start) / map.columnLength)}
              columns={map.columns}
              cellsOf={(band, frame) => cellsOf(band, map, frame)}
              marked={marked}
              onHover={setHover}
              onOpen={openCell}
            />
          </div>
          <div class="legend-line">
            <Legend parts={totals} format={(value) => percent((100 * value) / (total || 1))} />
          </div>
        </>
      ) : shownMap === "figures" ? (
        <Figures
          context={context}
          onOpen={(rank, number) => {
            const drawn = map.devices.findIndex((one) => one.rank === rank && one.device === number);
            if (drawn < 0) return;
            if (ofSummary) chosen.choose(rank, whole, null);
            else void showInTimeline(context, map.devices[drawn]!, whole, whole);
          }}
        />
      ) : (
        <Deviations
          context={context}
          devices={map.devices}
          marked={marked}
          onOpen={(from, to, drawn, event) => open(from, to, drawn, whole, whole, event)}
        />
      )}
    </>
  );
}

/** Said first: it is what the view is opened for. */
function WhoHoldsUp({ context }: ViewProps): JSX.Element | null {
  const words = whoHoldsUp(latest(useTable(context, "stragglers")));
  return words ? <p class="lead holds-up">{words}</p> : null;
}

/** A sortable table of the devices; a row leads to its device in the timeline. */
function Figures({
  context,
  onOpen,
}: {
  context: ViewContext;
  onOpen: (rank: number, device: number) => void;
}): JSX.Element {
  const times = useTable(context, "gpu_time");
  const idle = latest(useTable(context, "idle"));
  const stragglers = latest(useTable(context, "stragglers"));
  return (
    <Shown of={times}>
      {(gpuTime) => (
        <DataTable
          table={rankFigures(gpuTime, idle ?? null, stragglers ?? null)}
          title="The devices of all ranks"
          onOpen={(row) => onOpen(Number(row[0]), Number(row[1]))}
        />
      )}
    </Shown>
  );
}

/** "100-180": the devices from the first of these to before the other. */
function readPart(text: string, devices: number): readonly [number, number] | null {
  const [first, last] = text.split("-").map(Number) as [number, number];
  return text && first < last && last <= devices ? [first, last] : null;
}

/** A column with some of its neighbours. */
function timesAround(map: ActivityMap, column: number): Range {
  const start = map.start + column * map.columnLength;
  return around(start - COLUMNS_AROUND * map.columnLength, (2 * COLUMNS_AROUND + 1) * map.columnLength);
}

/** The ranks of neighbours, or the device of one. */
function placesText(devices: readonly DeviceActivity[]): string {
  const [first, last] = [devices[0]!, devices[devices.length - 1]!];
  return first.rank === last.rank ? placeText(first) : `ranks ${first.rank}\u2013${last.rank}`;
}

function CellText({ session, map, cell }: { session: Session; map: ActivityMap; cell: Cell }): JSX.Element {
  const { rank, device } = map.devices[cell.band.drawn]!;
  const times = map.at(cell.band.drawn, cell.column);
  const start = map.start + cell.column * map.columnLength;
  return (
    <>
      <b>{deviceName(session, rank, device)}</b> at {moment(start, map.columnLength)}, {duration(map.columnLength)}:{" "}
      {sharesText(times, percent) || "not recorded"}
    </>
  );
}

/** The columns of a row; neighbours of one shade are one cell. */
function* cellsOf({ drawn }: Band, map: ActivityMap, frame: Frame): Iterable<DrawnCell> {
  for (let column = 0; column < map.columns;) {
    const shade = shadeOf(map.at(drawn, column));
    const begin = column++;
    const isSame = (other: ReturnType<typeof shadeOf>) =>
      other?.state === shade?.state && other?.shade === shade?.shade;
    while (column < map.columns && isSame(shadeOf(map.at(drawn, column)))) ++column;
    if (!shade) continue;
    const [from, to] = [begin, column].map((each) => frame.x(map.start + each * map.columnLength)) as [number, number];
    yield { from, to, colour: STATES[shade.state]!.colour, opacity: OPACITY[shade.shade]! };
  }
}

/** Selects the longest op or gap of the device in a time. */
async function showInTimeline(
  context: ViewContext,
  { rank, place }: DeviceActivity,
  range: Range,
  viewport: Range,
): Promise<void> {
  const { session, client } = context;
  const group = busyTracks(session)
    .filter((track) => track.rank === rank)
    [place]?.group.join("\n");
  const tracks = session.tracks
    .filter(
      (track) =>
        track.rank === rank &&
        track.group.join("\n") === group &&
        (track.kind === "stream" || track.coverage === "idle"),
    )
    .slice(0, TRACKS_ASKED);
  const lists = await Promise.all(tracks.map((track) => longestGaps(client, track.id, range)));
  const inside = ({ start: from, duration: length }: { start: number; duration: number }) =>
    Math.min(from + length, range.end) - Math.max(from, range.start);
  const slice = lists.flat().sort((a, b) => inside(b) - inside(a))[0];
  context.navigate({ view: "timeline", viewport, ...(slice ? { slice } : {}) });
}

export const ranksView: View = {
  ...panelView("ranks", "Ranks", null, Ranks),
  // Where there is no timeline, the server names it; one device has no neighbours.
  needs: (session) =>
    session.views.includes("ranks") || (hasTable(session, "rank_activity") && busyTracks(session).length > 1),
};
