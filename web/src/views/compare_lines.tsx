// Lines from the work of one timeline to the same work in the other one: of the selected slice, and of the device ops of
// the selected area, red where B takes longer and blue where it takes less.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { SliceAt } from "../api/protocol";
import { grouped } from "../model/format";
import type { SliceRef } from "../model/selection";
import { SIDES } from "../model/two_axes";
import { width } from "../model/viewport";
import { cssColour, fromCss, mix } from "../timeline/colours";
import { useStore } from "../ui/hooks";
import type { TimelinePair } from "./compare_pair";

const OF_AREA = 0.5; // how strongly they are drawn
const OF_SLICE = 0.9;

const FILL = 0.2; // of that, between the two lines of a slice

type Ends = Record<"a" | "b", SliceRef | SliceAt>;

/** Over both timelines; takes no part in what the pointer does. */
export function AlignedLines({ pair }: { pair: TimelinePair }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let scheduled = 0;
    const redraw = () => {
      scheduled ||= requestAnimationFrame(() => {
        scheduled = 0;
        if (canvas.current?.isConnected) draw(canvas.current, pair);
      });
    };
    const ends = [
      pair.lines.subscribe(redraw),
      pair.aligned.subscribe(redraw),
      ...SIDES.map((side) => pair.sides[side].source.selection.subscribe(redraw)),
    ];
    for (const side of SIDES) pair.sides[side].timeline.onDrawn = redraw;
    redraw();
    return () => {
      for (const end of ends) end();
      for (const side of SIDES) pair.sides[side].timeline.onDrawn = null;
      cancelAnimationFrame(scheduled);
    };
  }, [pair]);
  return <canvas class="aligned-lines" ref={canvas} />;
}

/** How many ops of the selected area have a line. */
export function AlignedWords({ pair }: { pair: TimelinePair }): JSX.Element | null {
  const aligned = useStore(pair.aligned);
  const lines = useStore(pair.lines);
  if (!aligned || lines === "off") return null;
  const { total, pairs } = aligned;
  return (
    <span class="soft">
      {grouped(total)} aligned device {total === 1 ? "op" : "ops"} in the area
      {total > pairs.length && `, lines of the ${grouped(pairs.length)} longest`}
    </span>
  );
}

function draw(canvas: HTMLCanvasElement, pair: TimelinePair): void {
  const box = canvas.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(box.width * ratio));
  canvas.height = Math.max(1, Math.round(box.height * ratio));
  if (pair.lines.get() === "off") return;
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, -box.left * ratio, -box.top * ratio);
  const [a, b] = SIDES.map((side) => pair.sides[side].source.selection.get());
  const ink = fromCss(getComputedStyle(document.documentElement).getPropertyValue("--ink"));
  const pairs = pair.aligned.get()?.pairs ?? [];
  for (const ends of [...pairs].reverse()) line(context, pair, ends, ink, OF_AREA);
  if (a && b) line(context, pair, { a, b }, ink, OF_SLICE);
}

/** From the lower edge of the slice of A to the upper one of that of B; nothing where one of them is out of sight. */
function line(context: CanvasRenderingContext2D, pair: TimelinePair, ends: Ends, ink: number, strength: number): void {
  const [a, b] = SIDES.map((side) => edgeOf(pair, side, ends[side]));
  if (!a || !b) return;
  const change = pair.sides.a.timeline.palette.change(ends.b.duration / ends.a.duration || 1);
  const colour = cssColour(mix(change, ink, 0.75));
  context.beginPath();
  context.moveTo(a.left, a.y);
  context.lineTo(b.left, b.y);
  context.lineTo(b.right, b.y);
  context.lineTo(a.right, a.y);
  context.closePath();
  context.fillStyle = context.strokeStyle = colour;
  context.globalAlpha = strength * FILL;
  context.fill();
  context.globalAlpha = strength;
  context.lineWidth = 1.5;
  context.stroke();
}

/** Where the ends of a slice are, CSS pixels of the page; null where it cannot be seen. */
function edgeOf(pair: TimelinePair, side: "a" | "b", slice: SliceRef | SliceAt) {
  const { timeline, source } = pair.sides[side];
  const place = timeline.placeOf(slice.track, slice.lane);
  const view = source.viewport.get();
  if (!place || slice.start >= view.end || slice.start + slice.duration < view.start) return null;
  const x = (moment: number) => {
    const share = Math.min(1, Math.max(0, (moment - view.start) / width(view)));
    return place.x + share * place.width;
  };
  return {
    left: x(slice.start),
    right: x(slice.start + slice.duration),
    y: side === "a" ? place.y + place.height : place.y,
  };
}
