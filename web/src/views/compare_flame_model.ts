// A flame graph of two runs as one of those that are drawn. Pure.
import type { ComparedFlame, FlameGraph } from "../api/protocol";
import type { FrameShares } from "./flame_canvas";

/** Whose width a frame has: that of the longer side, or of one side. */
export const FLAME_WIDTHS = ["longer", "a", "b"] as const;
export type FlameWidth = (typeof FLAME_WIDTHS)[number];

/** The frames with these widths. Where it is the longer side, a frame has room for what lies in it: what it costs by
 * itself on the side where that is more, and the widths of those below it. */
export function widened(flame: ComparedFlame, by: FlameWidth): FlameGraph {
  const { nodes } = flame;
  const { a, b } = nodes;
  const one = by === "longer" ? null : nodes[by];
  const self = one ? one.self : a.self.map((own, i) => Math.max(own, b.self[i]!));
  const value = one ? one.value : [...self];
  if (!one) {
    for (let i = value.length - 1; i >= 0; --i) {
      const above = nodes.parent[i]!;
      if (above >= 0) value[above] = value[above]! + value[i]!;
    }
  }
  const total = value.reduce((sum, each, i) => sum + (nodes.parent[i]! < 0 ? each : 0), 0);
  const count = one ? one.count : a.count.map((times, i) => Math.max(times, b.count[i]!));
  return { ...flame, total, nodes: { ...nodes, value, self, count } };
}

/** How much of a frame's width both sides have, and how much one of them has. */
export function sharesOf({ nodes: { a, b } }: ComparedFlame, drawn: FlameGraph, node: number): FrameShares {
  const width = drawn.nodes.value[node]!;
  if (!(width > 0)) return { both: 1, any: 1 };
  const [less, more] = [a.value[node]!, b.value[node]!].sort((x, y) => x - y) as [number, number];
  return { both: Math.min(1, less / width), any: Math.min(1, more / width) };
}

/** B over A, as Palette.change takes it; null where one side alone has the frame. */
export function ratioOf({ nodes: { a, b } }: ComparedFlame, node: number): number | null {
  const [before, after] = [a.value[node]!, b.value[node]!];
  return before > 0 && after > 0 ? after / before : null;
}
