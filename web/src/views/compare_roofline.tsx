// What the ops of both runs compute, and how fast, under the roofs of both devices: hollow in A, filled in B, the same
// op joined by a line.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { ComparisonClient } from "../api/comparison";
import type { Changes, Table } from "../api/protocol";
import { duration, grouped, oneLine, short, withUnit } from "../model/format";
import { SIDES } from "../model/two_axes";
import { Plot, type Frame } from "../ui/chart";
import { useSize } from "../ui/hooks";
import { pairsOfLaunches, pairsOfShapes, type RooflinePair, type RooflinePoint } from "./compare_roofline_model";
import { ratioText } from "./compare_words";
import type { Compared, ViewContext } from "./context";
import { hasTable } from "./declared";
import { Records } from "./records";
import { Roofs, type RoofOf } from "./roofline";
import { domains, roofOf, type DeviceRoof } from "./roofline_model";
import { Shown, useAsked } from "./view";

const SHAPES = "op_shapes";
const LAUNCHES = "compare_launches";
const MOST_SHOWN = 300;
const REACH = 24; // CSS pixels
const AS_LONG = 0.01; // of the time in A

/** Whether both runs have ops with shapes, or measured launches. */
export const haveRooflines = (compared: Compared, changes: Changes): boolean =>
  changes.tables[LAUNCHES] !== undefined || SIDES.every((side) => hasTable(compared[side].session, SHAPES));

interface Props {
  context: ViewContext;
  compared: Compared;
  changes: Changes;
}

export function ComparedRoofline({ context, compared, changes }: Props): JSX.Element {
  const client = useMemo(() => new ComparisonClient(context.client.server), []);
  const loaded = useAsked(
    context,
    async (signal) => {
      const of = (name: string) => Promise.all(SIDES.map((side) => compared[side].client.table(name, {}, signal)));
      const measured = changes.tables[LAUNCHES];
      const [[a, b], pairs] = await Promise.all([
        of("devices"),
        measured
          ? of("launch_metrics").then(([a, b]) => pairsOfLaunches(measured, { a: a!, b: b! }))
          : client.table("compare_shapes", signal).then(pairsOfShapes),
      ]);
      return { roofs: { a: firstRoof(a!), b: firstRoof(b!) }, pairs };
    },
    [],
  );
  return (
    <div class="panel-view">
      <Shown of={loaded}>{({ roofs, pairs }) => <PairsUnderRoofs roofs={roofs} pairs={pairs} />}</Shown>
    </div>
  );
}

/** Of the first device that was used. */
function firstRoof(devices: Table): DeviceRoof | null {
  const records = new Records(devices);
  const first = records.rows.find((row) => records.cell(row, "used") !== false) ?? records.rows[0];
  return first ? roofOf(devices, records.number(first, "rank"), records.number(first, "device")) : null;
}

const sameRoof = (a: DeviceRoof | null, b: DeviceRoof | null): boolean => JSON.stringify(a) === JSON.stringify(b);

function PairsUnderRoofs({
  roofs,
  pairs,
}: {
  roofs: Record<"a" | "b", DeviceRoof | null>;
  pairs: readonly RooflinePair[];
}): JSX.Element {
  const { ref, height } = useSize<HTMLDivElement>();
  const [hover, setHover] = useState<RooflinePair | null>(null);
  const shown = useMemo(() => [...pairs].sort((x, y) => y.total - x.total).slice(0, MOST_SHOWN), [pairs]);
  if (!shown.length) {
    return <p class="empty">Of nothing in either run both is known: what it computes, and what it moves.</p>;
  }
  const one = sameRoof(roofs.a, roofs.b);
  const drawn: RoofOf[] = [];
  if (roofs.a) drawn.push({ roof: roofs.a, of: one ? "" : "A" });
  if (roofs.b && !one) drawn.push({ roof: roofs.b, of: "B" });
  const points = shown.flatMap(({ a, b }) => [a, b].filter((point) => point !== null));
  const { x, y } = domains(
    points,
    drawn.map(({ roof }) => roof),
  );
  const longest = Math.max(1, ...shown.map(({ total }) => total));
  const nearest = (frame: Frame, event: MouseEvent): RooflinePair | null => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let [best, distance]: [RooflinePair | null, number] = [null, REACH ** 2];
    for (const pair of shown) {
      for (const point of [pair.a, pair.b]) {
        if (!point) continue;
        const away = (frame.x(point.intensity) - px) ** 2 + (frame.y(point.flops) - py) ** 2;
        if (away < distance) [best, distance] = [pair, away];
      }
    }
    return best;
  };
  return (
    <>
      <div class="toolbar">
        <h3>{one ? (roofs.a?.name ?? "Device") : `A ${roofs.a?.name ?? "?"}, B ${roofs.b?.name ?? "?"}`}</h3>
        <span class="soft">
          {grouped(shown.length)} of {grouped(pairs.length)}, those that take longest
        </span>
        <span class="gap" />
        <span class="change-scale roofline-scale">
          <i class="hollow" /> A <i class="filled" /> B <i class="slower" /> slower <i class="faster" /> faster{" "}
          <i class="as-long" /> within 1 % <i class="only-here" /> on one side only
        </span>
      </div>
      <div class="told-line" aria-live="polite">
        {hover ? (
          <Told pair={hover} />
        ) : (
          <span class="soft">Hollow in A, filled in B; the size is how long all of them take.</span>
        )}
      </div>
      <div class="fills" ref={ref}>
        {height > 0 && (
          <Plot
            title="Roofline of both"
            height={height - 8}
            x={{ domain: x, log: true, label: "FLOP / byte of device memory", format: short }}
            y={{ domain: y, log: true, label: "FLOP/s", format: short }}
            onPointerMove={(frame, event) => setHover(nearest(frame, event))}
            onPointerLeave={() => setHover(null)}
          >
            {(frame) => (
              <>
                <Roofs roofs={drawn} frame={frame} />
                {shown.map((pair) => (
                  <Pair pair={pair} frame={frame} size={4 + 8 * Math.sqrt(pair.total / longest)} on={pair === hover} />
                ))}
              </>
            )}
          </Plot>
        )}
      </div>
      {drawn.length < (one ? 1 : 2) && (
        <p class="cut-note">The peak rates of {one ? "this device" : "one of the devices"} are not known.</p>
      )}
    </>
  );
}

function changeOf(a: RooflinePoint | null, b: RooflinePoint | null): string {
  if (!a || !b) return "only-here";
  if (Math.abs(b.duration - a.duration) <= AS_LONG * a.duration) return "as-long";
  return b.duration > a.duration ? "slower" : "faster";
}

function Pair({
  pair: { a, b },
  frame,
  size,
  on,
}: {
  pair: RooflinePair;
  frame: Frame;
  size: number;
  on: boolean;
}): JSX.Element {
  const change = changeOf(a, b);
  const dot = (point: RooflinePoint | null, side: string) =>
    point && <circle class={side} cx={frame.x(point.intensity)} cy={frame.y(point.flops)} r={size} />;
  return (
    <g class={`pair ${change}${on ? " on" : ""}`}>
      {a && b && (
        <line x1={frame.x(a.intensity)} y1={frame.y(a.flops)} x2={frame.x(b.intensity)} y2={frame.y(b.flops)} />
      )}
      {dot(a, "hollow")}
      {dot(b, "filled")}
    </g>
  );
}

function Told({ pair: { name, detail, a, b } }: { pair: RooflinePair }): JSX.Element {
  const of = (point: RooflinePoint | null) =>
    point
      ? `${withUnit(point.flops, "FLOP/s")} at ${short(point.intensity)} FLOP/byte, ${duration(point.duration)}`
      : "nothing like it, or not known";
  return (
    <>
      <b title={name.slice(0, 1000)}>{oneLine(name, 60)}</b> <span class="soft">{oneLine(detail, 90)}</span> A {of(a)}{" "}
      {"\u2192"} B {of(b)}
      {a && b && ` (${ratioText(a.duration, b.duration)})`}
    </>
  );
}
