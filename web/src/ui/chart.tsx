// Charts in SVG: axes, grid and scales here; a view draws its marks into the frame that it is given.
import type { ComponentChildren, JSX } from "preact";
import { niceStep } from "../model/viewport";
import { useSize } from "./hooks";

export interface Scale {
  /** From a value to pixels. */
  (value: number): number;
  /** From pixels to a value. */
  invert(pixel: number): number;
  readonly ticks: readonly number[];
  readonly domain: readonly [number, number];
}

/** Linear from `domain` to pixels; the ticks are round numbers inside the domain. */
export function linearScale(domain: readonly [number, number], pixels: readonly [number, number], every = 70): Scale {
  const [low, high] = domain[1] > domain[0] ? domain : [domain[0], domain[0] + 1];
  const perUnit = (pixels[1] - pixels[0]) / (high - low);
  const scale = (value: number) => pixels[0] + (value - low) * perUnit;
  const most = Math.max(2, Math.floor(Math.abs(pixels[1] - pixels[0]) / every));
  const step = roundStep((high - low) / most);
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12); ++i) ticks.push(i * step);
  return Object.assign(scale, {
    invert: (pixel: number) => low + (pixel - pixels[0]) / perUnit,
    ticks,
    domain: [low, high] as const,
  });
}

/** Logarithmic; ticks at powers of ten, at 2 and 5 as well where there are few. Both ends must be above 0. */
export function logScale(domain: readonly [number, number], pixels: readonly [number, number]): Scale {
  const low = Math.log10(domain[0]);
  const high = Math.max(Math.log10(domain[1]), low + 1e-6);
  const perDecade = (pixels[1] - pixels[0]) / (high - low);
  const scale = (value: number) => pixels[0] + (Math.log10(value) - low) * perDecade;
  const factors = high - low < 2 ? [1, 2, 5] : [1];
  const skip = Math.max(1, Math.ceil((high - low) / Math.max(2, Math.abs(pixels[1] - pixels[0]) / 50)));
  const ticks: number[] = [];
  for (let power = Math.floor(low); power <= high; ++power) {
    if (power % skip !== 0) continue;
    for (const factor of factors) {
      const value = factor * 10 ** power;
      if (value >= domain[0] * (1 - 1e-9) && value <= domain[1] * (1 + 1e-9)) ticks.push(value);
    }
  }
  return Object.assign(scale, {
    invert: (pixel: number) => 10 ** (low + (pixel - pixels[0]) / perDecade),
    ticks,
    domain: [domain[0], domain[1]] as const,
  });
}

function roundStep(atLeast: number): number {
  if (!(atLeast > 0)) return 1;
  if (atLeast > 1) return niceStep(atLeast);
  const power = 10 ** Math.floor(Math.log10(atLeast));
  return power * ([1, 2, 5].find((factor) => factor * power >= atLeast * (1 - 1e-9)) ?? 10);
}

export interface Axis {
  domain: readonly [number, number];
  log?: boolean;
  label?: string;
  format?: (value: number) => string;
  /** Instead of round numbers that have room. */
  ticks?: readonly number[];
}

export interface Frame {
  x: Scale;
  y: Scale;
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface PlotProps {
  x: Axis;
  y: Axis;
  /** In CSS pixels; the width is that of the place it is in. */
  height: number;
  title: string;
  children: (frame: Frame) => ComponentChildren;
  onPointerMove?: (frame: Frame, event: PointerEvent) => void;
  onPointerLeave?: () => void;
  onClick?: (frame: Frame, event: MouseEvent) => void;
}

/** Below its line; at the right edge so that it is not cut off. */
const placeOfTick = (x: number, width: number) =>
  x > width - 24 ? { x: width - 2, "text-anchor": "end" as const } : { x, "text-anchor": "middle" as const };

/** A chart with both axes. `children` draws the marks, in pixels of the SVG. */
export function Plot(props: PlotProps): JSX.Element {
  const { ref, width } = useSize<HTMLDivElement>();
  const left = 64;
  const top = 10;
  const inner = { width: Math.max(1, width - left - 16), height: Math.max(1, props.height - top - 40) };
  const scaleOf = (axis: Axis, pixels: [number, number], every: number) => {
    const scale = axis.log ? logScale(axis.domain, pixels) : linearScale(axis.domain, pixels, every);
    return axis.ticks ? Object.assign(scale, { ticks: axis.ticks }) : scale;
  };
  const frame: Frame = {
    x: scaleOf(props.x, [left, left + inner.width], 90),
    y: scaleOf(props.y, [top + inner.height, top], 40),
    left,
    top,
    ...inner,
  };
  const text = (axis: Axis, value: number) => (axis.format ? axis.format(value) : String(value));
  return (
    <div class="plot" ref={ref}>
      {width > 0 && (
        <svg
          width={width}
          height={props.height}
          role="img"
          aria-label={props.title}
          onPointerMove={props.onPointerMove && ((event) => props.onPointerMove!(frame, event))}
          onPointerLeave={props.onPointerLeave}
          onClick={props.onClick && ((event) => props.onClick!(frame, event))}
        >
          {frame.y.ticks.map((value) => (
            <g key={`y${value}`}>
              <line class="grid" x1={left} x2={left + inner.width} y1={frame.y(value)} y2={frame.y(value)} />
              <text class="tick" x={left - 8} y={frame.y(value)} text-anchor="end" dominant-baseline="central">
                {text(props.y, value)}
              </text>
            </g>
          ))}
          {frame.x.ticks.map((value) => (
            <g key={`x${value}`}>
              <line class="grid" x1={frame.x(value)} x2={frame.x(value)} y1={top} y2={top + inner.height} />
              <text class="tick" {...placeOfTick(frame.x(value), width)} y={top + inner.height + 16}>
                {text(props.x, value)}
              </text>
            </g>
          ))}
          {props.x.label && (
            <text class="axis" x={left + inner.width} y={props.height - 4} text-anchor="end">
              {props.x.label}
            </text>
          )}
          {props.y.label && (
            <text class="axis" x={left + 6} y={top + 10}>
              {props.y.label}
            </text>
          )}
          {props.children(frame)}
        </svg>
      )}
    </div>
  );
}

export interface Part {
  label: string;
  value: number;
  /** A CSS class that sets `fill` and `background`: c-compute, c-communication, ... (chart.css). */
  colour: string;
  title?: string;
}

/** One bar of several parts, and what they are. Parts without value are left out. */
export function StackedBar({
  parts,
  total,
  format,
  legend = true,
}: {
  parts: readonly Part[];
  total: number;
  format: (value: number) => string;
  legend?: boolean;
}): JSX.Element {
  const shown = parts.filter((part) => part.value > 0);
  return (
    <div class="stacked">
      <div class="stacked-bar">
        {shown.map((part) => (
          <span
            class={part.colour}
            style={{ width: `${(100 * part.value) / Math.max(total, 1e-300)}%` }}
            title={part.title ?? `${part.label}: ${format(part.value)}`}
          />
        ))}
      </div>
      {legend && <Legend parts={shown} format={format} />}
    </div>
  );
}

export function Legend({ parts, format }: { parts: readonly Part[]; format?: (value: number) => string }): JSX.Element {
  return (
    <ul class="legend">
      {parts.map((part) => (
        <li>
          <i class={part.colour} />
          {part.label}
          {format && <b>{format(part.value)}</b>}
        </li>
      ))}
    </ul>
  );
}

/** Bars side by side, e.g. how durations are distributed. `mark` is a value to point out. */
export function Histogram({
  edges,
  counts,
  mark,
  format,
  height = 72,
}: {
  edges: readonly number[];
  counts: readonly number[];
  mark?: number;
  format: (value: number) => string;
  height?: number;
}): JSX.Element {
  const most = Math.max(1, ...counts);
  const bars = counts.length;
  const at =
    mark === undefined ? -1 : Math.min(bars - 1, Math.max(0, edges.findIndex((edge, i) => i > 0 && mark <= edge) - 1));
  return (
    <figure class="histogram">
      <svg
        viewBox={`0 0 ${bars * 10} ${height}`}
        height={height}
        preserveAspectRatio="none"
        role="img"
        aria-label="Distribution"
      >
        {counts.map((count, i) => {
          const size = count === 0 ? 0 : Math.max(2, (count / most) * (height - 2));
          return (
            <rect class={i === at ? "here" : ""} x={i * 10 + 0.5} width={9} y={height - size} height={size}>
              <title>{`${format(edges[i] ?? 0)} to ${format(edges[i + 1] ?? 0)}: ${count}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{format(edges[0] ?? 0)}</span>
        <span>{format(edges[edges.length - 1] ?? 0)}</span>
      </figcaption>
    </figure>
  );
}
