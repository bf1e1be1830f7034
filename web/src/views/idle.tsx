// Why the devices were idle: a bar for each, the causes, and the longest gaps of a cause to go to.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Cell, Table, Track } from "../api/protocol";
import { duration, moment, percent, readable } from "../model/format";
import { useStore } from "../ui/hooks";
import { DataTable } from "../ui/table";
import { choicesOf } from "./choices";
import type { ViewContext } from "./context";
import { longestGaps, type Gap } from "./gaps";
import { Records, totals } from "./records";
import { around, BarList, deviceName, panelView, Shown, useAsked, usePalette, useTable, type ViewProps } from "./view";

const DEVICES_SHOWN = 64;
const GAPS_SHOWN = 200;
const TRACKS_ASKED = 16;

function Idle({ context }: ViewProps): JSX.Element {
  const loaded = useTable(context, "idle");
  return (
    <div class="panel-view">
      <Shown of={loaded}>{(table) => <IdleOf context={context} table={table} />}</Shown>
    </div>
  );
}

function IdleOf({ context, table }: { context: ViewContext; table: Table }): JSX.Element {
  const palette = usePalette(context);
  const choices = choicesOf(context.state);
  const cause = useStore(choices.cause);
  const window = useStore(context.window);
  const records = useMemo(() => new Records(table), [table]);
  const causes = totals(records, "cause", "total_ns");
  const total = records.sum("total_ns");
  const tracks = context.session.tracks.filter((track) => track.coverage === "idle").slice(0, TRACKS_ASKED);
  const loaded = useAsked(
    context,
    async (signal) => {
      const range = window ?? { start: 0, end: context.session.span };
      const lists = await Promise.all(tracks.map((track) => longestGaps(context.client, track.id, range, signal)));
      return lists.flat().sort((a, b) => b.duration - a.duration);
    },
    [window],
  );
  if (!records.rows.length) return <p class="empty">No device was idle in the chosen time.</p>;
  const choose = (name: string) => choices.cause.set(name === cause ? null : name);
  return (
    <div class="two-columns">
      <section class="scrolls pad">
        <h2>
          {duration(total)} idle{causes.length > 0 && `, most of it ${readable(causes[0]!.key)}`}
        </h2>
        <BarList
          total={total}
          items={causes.map(({ key, total: value }) => ({
            label: readable(key),
            value,
            text: duration(value),
            colour: palette.causeCss(key),
            title: meaning(records, key),
            current: key === cause,
            onClick: () => choose(key),
          }))}
        />
        <h3>Of each device</h3>
        <Devices context={context} records={records} onChoose={choose} />
        <div class="table-box">
          <DataTable
            table={table}
            onOpen={(row) => choose(records.text(row, "cause"))}
            isCurrent={(row) => records.text(row, "cause") === cause}
            cells={{ cause: (value: Cell) => readable(String(value)) }}
            hidden={context.session.runs.length > 1 ? undefined : ["rank"]}
          />
        </div>
      </section>
      <section class="column">
        <div class="toolbar">
          <h3>Longest gaps</h3>
          {cause !== null && (
            <span class="chip on">
              {readable(cause)}
              <button aria-label="Gaps of all causes" onClick={() => choices.cause.set(null)}>
                {"\u00d7"}
              </button>
            </span>
          )}
        </div>
        <Shown of={loaded}>{(gaps) => <Gaps context={context} gaps={gaps} cause={cause} tracks={tracks} />}</Shown>
      </section>
    </div>
  );
}

function meaning(records: Records, cause: string): string {
  const row = records.rows.find((each) => records.text(each, "cause") === cause);
  return (row && records.text(row, "meaning")) || readable(cause);
}

function Devices({
  context,
  records,
  onChoose,
}: {
  context: ViewContext;
  records: Records;
  onChoose: (cause: string) => void;
}): JSX.Element {
  const palette = usePalette(context);
  const devices = new Map<string, Cell[][]>();
  for (const row of records.rows) {
    const name = deviceName(context.session, records.number(row, "rank"), records.number(row, "device"));
    devices.set(name, [...(devices.get(name) ?? []), row]);
  }
  const sums = new Map(
    [...devices].map(([name, rows]) => [name, rows.reduce((s, r) => s + records.number(r, "total_ns"), 0)]),
  );
  const most = Math.max(1, ...sums.values());
  return (
    <ul class="device-bars">
      {[...devices].slice(0, DEVICES_SHOWN).map(([name, rows]) => (
        <li>
          <span class="device-name">{name}</span>
          <span class="stacked-bar" style={{ background: "var(--hair)" }}>
            {rows.map((row) => {
              const value = records.number(row, "total_ns");
              const text = records.text(row, "cause");
              return (
                <button
                  aria-label={`${readable(text)} ${duration(value)}`}
                  title={`${readable(text)}: ${duration(value)}, ${percent(records.number(row, "pct"))}`}
                  style={{ width: `${(100 * value) / most}%`, background: palette.causeCss(text) }}
                  onClick={() => onChoose(text)}
                />
              );
            })}
          </span>
          <b>{duration(sums.get(name)!)}</b>
        </li>
      ))}
      {devices.size > DEVICES_SHOWN && <li class="soft">{devices.size - DEVICES_SHOWN} more in the table</li>}
    </ul>
  );
}

function Gaps({
  context,
  gaps,
  cause,
  tracks,
}: {
  context: ViewContext;
  gaps: readonly Gap[];
  cause: string | null;
  tracks: readonly Track[];
}): JSX.Element {
  const palette = usePalette(context);
  const { causes } = context.session;
  const shown = gaps.filter((gap) => cause === null || causes[gap.cause] === cause).slice(0, GAPS_SHOWN);
  const most = shown[0]?.duration ?? 1;
  const device = (gap: Gap) => tracks.find((track) => track.id === gap.track)?.group.join(", ") ?? "";
  const go = (gap: Gap) => {
    const { start, duration: length } = gap;
    context.navigate({ view: "timeline", slice: gap, viewport: around(start - length * 0.2, length * 1.4) });
  };
  if (!shown.length) {
    return <p class="empty">Only short gaps{cause === null ? "" : " of this cause"}: the timeline shows them.</p>;
  }
  return (
    <ul class="bar-list scrolls">
      {shown.map((gap) => (
        <li title={device(gap)}>
          <button onClick={() => go(gap)}>
            <span class="bar-track">
              <i
                style={{
                  width: `${(100 * gap.duration) / most}%`,
                  background: palette.cause(gap.cause) ? palette.causeCss(causes[gap.cause]!) : "",
                }}
              />
            </span>
            <span class="bar-label">{readable(causes[gap.cause] ?? "unknown")}</span>
            <span class="bar-note">
              {tracks.length > 1 ? `${device(gap)}, ` : ""}at {moment(gap.start, gap.duration)}
            </span>
            <b>{duration(gap.duration)}</b>
          </button>
        </li>
      ))}
    </ul>
  );
}

export const idleView = panelView("idle", "Idle", "5", Idle);
