// The measured launches under the ceilings of their device. A click shows the launch.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Table } from "../api/protocol";
import { duration, oneLine, percent, short, withUnit } from "../model/format";
import { Legend, Plot, type Frame } from "../ui/chart";
import { useSize, useStore } from "../ui/hooks";
import { choicesOf } from "./choices";
import { InTimeline } from "./in_timeline";
import { attainable, domains, launchesOf, roofOf, type DeviceRoof, type Launch } from "./roofline_model";
import { panelView, Shown, useAsked, type ViewProps } from "./view";

const BOUNDS: Record<string, string> = {
  compute: "c-blue",
  memory: "c-green",
  balanced: "c-purple",
  latency: "c-orange",
};
const colourOf = (launch: Launch): string => BOUNDS[launch.bound] ?? "c-grey";

const BESIDE = 230; // pixels that the names of a roof take at the right
const LETTER = 5.8; // CSS pixels, about

function Roofline({ context }: ViewProps): JSX.Element {
  const loaded = useAsked(
    context,
    async (signal) => {
      const [launches, devices] = await Promise.all([
        context.client.table("launch_metrics", { short: "kernel" }, signal),
        context.client.table("devices", {}, signal),
      ]);
      return { launches, devices };
    },
    [],
  );
  return (
    <div class="panel-view">
      <Shown of={loaded}>
        {({ launches, devices }) => <RooflineOf context={context} launches={launches} devices={devices} />}
      </Shown>
    </div>
  );
}

function RooflineOf({
  context,
  launches: table,
  devices,
}: ViewProps & { launches: Table; devices: Table }): JSX.Element {
  const launches = useMemo(() => launchesOf(table), [table]);
  const all = useMemo(
    () => [...new Map(launches.map((launch) => [`${launch.rank}/${launch.device}`, launch])).values()],
    [launches],
  );
  const [device, setDevice] = useState(0);
  const { ref, height } = useSize<HTMLDivElement>();
  const choices = choicesOf(context.state);
  const chosen = useStore(choices.launch);
  const [hover, setHover] = useState<Launch | null>(null);
  useEffect(() => {
    const of = launches.find((launch) => launch.id === chosen?.id && launch.rank === chosen.rank);
    if (of) setDevice(all.findIndex((each) => each.rank === of.rank && each.device === of.device));
  }, [chosen, all]);
  const one = all[Math.min(device, all.length - 1)];
  const shown = launches.filter((launch) => one && launch.rank === one.rank && launch.device === one.device);
  const roof = useMemo(() => (one ? roofOf(devices, one.rank, one.device) : null), [devices, one]);
  const current = shown.find((launch) => launch.id === chosen?.id && launch.rank === chosen.rank) ?? null;
  const told = hover ?? current;
  if (!launches.length) {
    return <p class="empty">No launch has both its floating-point operations and its memory traffic measured.</p>;
  }
  const { x, y } = domains(shown, roof ? [roof] : []);
  const longest = Math.max(1, ...shown.map((launch) => launch.duration));
  const bounds = [...new Set(shown.map((launch) => launch.bound || "unknown"))];
  const open = (launch: Launch) => {
    choices.launch.set({ rank: launch.rank, id: launch.id });
    context.navigate({ view: "launches" });
  };
  const nearest = (frame: Frame, event: MouseEvent): Launch | null => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let [best, distance]: [Launch | null, number] = [null, 24 ** 2];
    for (const launch of shown) {
      const away = (frame.x(launch.intensity) - px) ** 2 + (frame.y(launch.flops) - py) ** 2;
      if (away < distance) [best, distance] = [launch, away];
    }
    return best;
  };
  return (
    <>
      <div class="toolbar">
        <h3>{roof?.name ?? "Device"}</h3>
        {all.length > 1 && (
          <label class="soft">
            Device{" "}
            <select value={device} onChange={(event) => setDevice(Number(event.currentTarget.value))}>
              {all.map((each, i) => (
                <option value={i}>
                  {each.device}
                  {context.session.runs.length > 1 ? ` of rank ${each.rank}` : ""}
                </option>
              ))}
            </select>
          </label>
        )}
        <span class="soft">
          {shown.length} of {table.rows.length} launches have both coordinates
        </span>
        <span class="gap" />
        <Legend parts={bounds.map((bound) => ({ label: bound, value: 1, colour: BOUNDS[bound] ?? "c-grey" }))} />
      </div>
      <div class="told-line" aria-live="polite">
        {told ? (
          <Told launch={told} roof={roof} />
        ) : (
          <span class="soft">
            What limits it gives the colour, how long it took the size. Click a launch to see all about it.
          </span>
        )}{" "}
        {current && told === current && <InTimeline context={context} launch={current} />}
      </div>
      <div class={`fills${hover ? " opens" : ""}`} ref={ref}>
        {height > 0 && (
          <Plot
            title="Roofline"
            height={height - 8}
            x={{ domain: x, log: true, label: "FLOP / byte of device memory", format: short }}
            y={{ domain: y, log: true, label: "FLOP/s", format: short }}
            onPointerMove={(frame, event) => setHover(nearest(frame, event))}
            onPointerLeave={() => setHover(null)}
            onClick={(frame, event) => {
              const launch = nearest(frame, event);
              if (launch) open(launch);
            }}
          >
            {(frame) => (
              <>
                {roof && <Roofs roofs={[{ roof, of: "" }]} frame={frame} />}
                {shown.map((launch) => (
                  <circle
                    class={`dot ${colourOf(launch)}${launch === told ? " on" : ""}`}
                    cx={frame.x(launch.intensity)}
                    cy={frame.y(launch.flops)}
                    r={4 + 8 * Math.sqrt(launch.duration / longest)}
                    tabIndex={0}
                    role="button"
                    aria-label={`Launch ${launch.id}, ${oneLine(launch.kernel, 80)}`}
                    onFocus={() => setHover(launch)}
                    onBlur={() => setHover(null)}
                    onKeyDown={(event) => event.key === "Enter" && open(launch)}
                  />
                ))}
              </>
            )}
          </Plot>
        )}
      </div>
      {!roof?.ceilings.length && (
        <p class="cut-note">The peak rates of this device are not known: no ceilings are drawn.</p>
      )}
    </>
  );
}

function Told({ launch, roof }: { launch: Launch; roof: DeviceRoof | null }): JSX.Element {
  const above = roof?.ceilings.filter((each) => each.flops >= launch.flops) ?? [];
  const nearest = above[above.length - 1];
  const limit = roof && nearest ? attainable(roof, launch.intensity, nearest.flops) : 0;
  return (
    <>
      <b title={launch.kernel.slice(0, 1000)}>
        {launch.id}: {oneLine(launch.short, 80)}
      </b>{" "}
      {withUnit(launch.flops, "FLOP/s")} at {short(launch.intensity)} FLOP/byte, {duration(launch.duration)}
      {launch.bound && `, ${launch.bound} bound`}
      {limit > 0 && `; ${percent((100 * launch.flops) / limit)} of the ceiling over it (${nearest!.label})`}
    </>
  );
}

/** A roof, and whose it is, where there are two. */
export interface RoofOf {
  roof: DeviceRoof;
  of: "" | "A" | "B";
}

/** The slope of the memory and a level a type, each with its name where it ends, over the lines of all: those of the
 * second roof are left of those of the first. */
export function Roofs({ roofs, frame }: { roofs: readonly RoofOf[]; frame: Frame }): JSX.Element {
  return (
    <>
      {roofs.map((each) => (
        <RoofLines {...each} frame={frame} />
      ))}
      {roofs.map((each) => (
        <RoofLabels {...each} frame={frame} />
      ))}
    </>
  );
}

/** From where to where the roof is memory's, FLOP/byte. */
function slopeOf(roof: DeviceRoof, frame: Frame): [from: number, to: number] {
  const [low, high] = frame.x.domain;
  const top = Math.max(...roof.ceilings.map((each) => each.flops), 0) || frame.y.domain[1];
  return [Math.max(low, frame.y.domain[0] / roof.bandwidth), Math.min(high, top / roof.bandwidth)];
}

function RoofLines({ roof, frame, of }: RoofOf & { frame: Frame }): JSX.Element {
  const [low, high] = frame.x.domain;
  const [from, to] = slopeOf(roof, frame);
  return (
    <g class={`roof ${of && `of-${of.toLowerCase()}`}`}>
      {roof.bandwidth > 0 && to > from && (
        <line
          x1={frame.x(from)}
          y1={frame.y(from * roof.bandwidth)}
          x2={frame.x(to)}
          y2={frame.y(to * roof.bandwidth)}
        />
      )}
      {roof.ceilings.map(({ flops }) => {
        const corner = roof.bandwidth > 0 ? Math.min(Math.max(flops / roof.bandwidth, low), high) : low;
        return <line x1={frame.x(corner)} y1={frame.y(flops)} x2={frame.x(high)} y2={frame.y(flops)} />;
      })}
    </g>
  );
}

function RoofLabels({ roof, frame, of }: RoofOf & { frame: Frame }): JSX.Element {
  const [from, to] = slopeOf(roof, frame);
  let labelled = -Infinity; // y of the last label: no two over each other
  return (
    <g class="roof-labels">
      {roof.bandwidth > 0 && to > from && <SlopeLabel roof={roof} frame={frame} from={from} to={to} of={of} />}
      {roof.ceilings.map(({ label, flops }) => {
        const y = frame.y(flops);
        if (y - labelled <= 14) return null;
        labelled = y;
        const right = frame.x(frame.x.domain[1]) - (of === "B" ? BESIDE : 4);
        const text = `${of} ${label} ${withUnit(flops, "FLOP/s")}`.trim();
        const width = text.length * LETTER;
        return (
          <>
            <rect x={right - width} y={y - 14} width={width} height={12} />
            <text x={right} y={y - 4} text-anchor="end">
              {text}
            </text>
          </>
        );
      })}
    </g>
  );
}

function SlopeLabel({
  roof,
  frame,
  from,
  to,
  of,
}: {
  roof: DeviceRoof;
  frame: Frame;
  from: number;
  to: number;
  of: string;
}): JSX.Element {
  const share = of === "A" ? 0.6 : of === "B" ? 0.35 : 0.5;
  const at = from * (to / from) ** share;
  const [x, y] = [frame.x(at), frame.y(at * roof.bandwidth)];
  const angle =
    (Math.atan2(frame.y(to * roof.bandwidth) - frame.y(from * roof.bandwidth), frame.x(to) - frame.x(from)) * 180) /
    Math.PI;
  return (
    <text x={x} y={y - 6} text-anchor="middle" transform={`rotate(${angle.toFixed(1)} ${x} ${y})`}>
      {of} memory {withUnit(roof.bandwidth, "B/s")}
    </text>
  );
}

export const rooflineView = panelView("roofline", "Roofline", "9", Roofline);
