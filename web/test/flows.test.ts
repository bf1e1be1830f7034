// Arrows lie over the names of neither of the slices that they join.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawArrow, type Stand } from "../src/timeline/flows";

/** The ends of the curve and its points, and the corners of the head. */
function drawn(from: Stand, to: Stand) {
  const points: [number, number][] = [];
  const head: [number, number][] = [];
  let at: [number, number] = [0, 0];
  const context = {
    beginPath: () => undefined,
    stroke: () => undefined,
    fill: () => undefined,
    moveTo: (x: number, y: number) => (at = [x, y]),
    lineTo: (x: number, y: number) => head.push([x, y]),
    bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number) {
      for (let t = 0; t <= 1; t += 0.02) {
        const mix = (p: number, q: number, r: number, s: number) =>
          p * (1 - t) ** 3 + 3 * q * t * (1 - t) ** 2 + 3 * r * t ** 2 * (1 - t) + s * t ** 3;
        points.push([mix(at[0], ax, bx, x), mix(at[1], ay, by, y)]);
      }
    },
  };
  drawArrow(context as unknown as CanvasRenderingContext2D, from, to, "#000", "#fff", 1);
  return { points, head };
}

const inside = ([, y]: [number, number], { top, bottom }: Stand) => y > top + 0.01 && y < bottom - 0.01;

test("an arrow goes from edge to edge, upwards, downwards and in a row", () => {
  const call = { x: 100, top: 300, bottom: 318 };
  for (const kernel of [
    { x: 400, top: 40, bottom: 58 },
    { x: 50, top: 500, bottom: 518 },
    { x: 140, top: 319, bottom: 337 },
    { x: 900, top: 300, bottom: 318 },
  ]) {
    const { points, head } = drawn(call, kernel);
    const room = Math.max(kernel.top - call.bottom, call.top - kernel.bottom);
    for (const point of room > 7 || room < 0 ? [...points, ...head] : points) {
      assert.ok(!inside(point, call), `${point} is over the call`);
      assert.ok(!inside(point, kernel), `${point} is over the kernel`);
    }
    assert.equal(points[0]![0], call.x);
    assert.ok(Math.abs(points[points.length - 1]![0] - kernel.x) < 2);
  }
});
