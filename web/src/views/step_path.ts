// The path of a counter in a chart: its value holds until the next one. Pure.
import type { CounterRaster } from "../timeline/counters";

interface Place {
  left: number;
  width: number;
  y(value: number): number;
}

/** SVG paths: the line, and the area between it and 0. Both go through the extremes within each point. */
export function stepPath(raster: CounterRaster, place: Place): { line: string; area: string } {
  const points = raster.last.length;
  const x = (p: number) => (place.left + (p / points) * place.width).toFixed(1);
  const y = (value: number) => place.y(value).toFixed(1);
  let line = "";
  let area = "";
  let begin = -1;
  const close = (p: number) => {
    if (begin >= 0) area += `H${x(p)}V${y(0)}H${x(begin)}z`;
    begin = -1;
  };
  for (let p = 0; p < points; ++p) {
    const last = raster.last[p]!;
    if (Number.isNaN(last)) {
      if (begin >= 0) line += `H${x(p)}`;
      close(p);
      continue;
    }
    const steps = `V${y(raster.maximum[p]!)}V${y(raster.minimum[p]!)}V${y(last)}`;
    if (begin < 0) {
      begin = p;
      line += `M${x(p)} ${y(last)}`;
      area += `M${x(p)} ${y(0)}`;
    }
    const unchanged = p > 0 && raster.last[p - 1] === last && raster.minimum[p] === last && raster.maximum[p] === last;
    if (unchanged) continue;
    line += `H${x(p)}${steps}`;
    area += `H${x(p)}${steps}`;
  }
  if (begin >= 0) line += `H${x(points)}`;
  close(points);
  return { line, area };
}
