// Where the frames of a flame graph are. Pure. The server gives nodes in pre-order: the part of the tree below a node
// is the run of nodes after it.
import type { FlameGraph } from "../api/protocol";

/** Rows of frames: those of a depth one after the other, from left to right. Shares of the width, 0 to 1. */
export interface FlameLayout {
  /** node, left, right; by row. */
  readonly rows: readonly (readonly Frame[])[];
}

export interface Frame {
  node: number;
  left: number;
  right: number;
}

/** The node after the last below each node. O(nodes). */
export function subtreeEnds(parent: readonly number[]): Uint32Array {
  const ends = Uint32Array.from(parent, (_, i) => i + 1);
  for (let i = parent.length - 1; i >= 0; --i) {
    const above = parent[i]!;
    if (above >= 0 && ends[i]! > ends[above]!) ends[above] = ends[i]!;
  }
  return ends;
}

export function ancestors(parent: readonly number[], node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = parent[at] ?? -1) path.push(at);
  return path.reverse();
}

/** All frames, or with a root only it in full width, over it the frames that lead to it. */
export function layoutFlame(graph: FlameGraph, root: number | null): FlameLayout {
  const { parent, value } = graph.nodes;
  const rows: Frame[][] = [];
  const place = (node: number, depth: number, left: number, right: number) =>
    (rows[depth] ??= []).push({ node, left, right });
  const depth = new Int32Array(parent.length);
  const next = new Float64Array(parent.length); // where the next child begins
  const perValue = 1 / Math.max(root === null ? graph.total : value[root]!, 1e-300);
  let begin = 0;
  let first = 0;
  let end = parent.length;
  if (root !== null) {
    const path = ancestors(parent, root);
    path.forEach((node, i) => place(node, i, 0, 1));
    depth[root] = path.length - 1;
    begin = root + 1;
    end = subtreeEnds(parent)[root]!;
  }
  for (let node = begin; node < end; ++node) {
    const above = parent[node]!;
    const left = above < 0 ? first : next[above]!;
    const right = left + value[node]! * perValue;
    if (above < 0) first = right;
    else next[above] = right;
    next[node] = left;
    depth[node] = above < 0 ? 0 : depth[above]! + 1;
    place(node, depth[node]!, left, right);
  }
  return { rows };
}

/** The frame under a point; x in shares of the width. */
export function frameAt(layout: FlameLayout, row: number, x: number): Frame | null {
  const frames = layout.rows[row];
  if (!frames) return null;
  let low = 0;
  let high = frames.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (frames[middle]!.right > x) high = middle;
    else low = middle + 1;
  }
  const frame = frames[low];
  return frame && frame.left <= x ? frame : null;
}

/** What a function calls, added up over all places that it is called from: the outermost of each path counts. */
export function calleesOf(graph: FlameGraph, name: string): FlameGraph {
  const { nodes } = graph;
  const wanted = graph.names.indexOf(name);
  const ends = subtreeEnds(nodes.parent);
  interface Merged {
    name: number;
    kind: number;
    class: number;
    value: number;
    self: number;
    count: number;
    below: Map<number, Merged>;
  }
  const newNode = (of: number): Merged => ({
    name: of,
    kind: 0,
    class: -1,
    value: 0,
    self: 0,
    count: 0,
    below: new Map(),
  });
  const root = newNode(wanted);
  const add = (into: Merged, node: number) => {
    into.kind = nodes.kind[node]!;
    into.class = nodes.class[node]!;
    into.value += nodes.value[node]!;
    into.self += nodes.self[node]!;
    into.count += nodes.count[node]!;
  };
  for (let node = 0; node < nodes.parent.length; ++node) {
    if (nodes.name[node] !== wanted) continue;
    const merged = new Map<number, Merged>([[node, root]]);
    add(root, node);
    for (let i = node + 1; i < ends[node]!; ++i) {
      const above = merged.get(nodes.parent[i]!)!;
      let here = above.below.get(nodes.name[i]!);
      if (!here) {
        here = newNode(nodes.name[i]!);
        above.below.set(here.name, here);
      }
      add(here, i);
      merged.set(i, here);
    }
    node = ends[node]! - 1;
  }
  const out: FlameGraph["nodes"] = { parent: [], name: [], value: [], self: [], kind: [], class: [], count: [] };
  const stack: [Merged, number][] = wanted >= 0 ? [[root, -1]] : [];
  while (stack.length) {
    const [merged, parent] = stack.pop()!;
    const at = out.parent.push(parent) - 1;
    out.name.push(merged.name);
    out.value.push(merged.value);
    out.self.push(merged.self);
    out.kind.push(merged.kind);
    out.class.push(merged.class);
    out.count.push(merged.count);
    const below = [...merged.below.values()].sort((a, b) => a.value - b.value); // the last is taken first
    for (const child of below) stack.push([child, at]);
  }
  return { ...graph, total: root.value, nodes: out };
}

/** What the frames whose name contains the text cost, none counted inside another. */
export function matchedValue(graph: FlameGraph, matches: (name: number) => boolean): { value: number; count: number } {
  const { parent, name, value } = graph.nodes;
  const ends = subtreeEnds(parent);
  let [sum, count] = [0, 0];
  for (let node = 0; node < parent.length;) {
    if (matches(name[node]!)) {
      sum += value[node]!;
      ++count;
      node = ends[node]!;
    } else {
      ++node;
    }
  }
  return { value: sum, count };
}
