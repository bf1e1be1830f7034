// A tree as rows: what is open, in which order, and which way the cost goes. Pure.

/** Children of each node, from the parents. */
export function childrenOf(parents: readonly number[]): { roots: number[]; children: number[][] } {
  const children: number[][] = parents.map(() => []);
  const roots: number[] = [];
  parents.forEach((parent, i) => (parent < 0 || parent === i ? roots : children[parent]!).push(i));
  return { roots, children };
}

export interface TreeRow {
  node: number;
  depth: number;
}

/** The nodes whose ancestors are all open, each below its parent; siblings by falling value. */
export function visibleRows(
  roots: readonly number[],
  children: readonly (readonly number[])[],
  open: ReadonlySet<number>,
  value: (node: number) => number,
): TreeRow[] {
  const rows: TreeRow[] = [];
  const sorted = (nodes: readonly number[]) => [...nodes].sort((a, b) => value(a) - value(b) || b - a);
  const stack: TreeRow[] = sorted(roots).map((node) => ({ node, depth: 0 }));
  while (stack.length) {
    const row = stack.pop()!;
    rows.push(row);
    if (!open.has(row.node)) continue;
    for (const node of sorted(children[row.node]!)) stack.push({ node, depth: row.depth + 1 });
  }
  return rows;
}

/** From a root down to the most expensive child, as long as it has that share of its parent. */
export function hotPath(
  roots: readonly number[],
  children: readonly (readonly number[])[],
  value: (node: number) => number,
  share = 0.5,
): number[] {
  const largest = (nodes: readonly number[]) =>
    nodes.reduce((best, node) => (best < 0 || value(node) > value(best) ? node : best), -1);
  const path: number[] = [];
  for (let at = largest(roots); at >= 0 && value(at) > 0;) {
    path.push(at);
    const next = largest(children[at]!);
    if (next < 0 || value(next) < share * value(at)) break;
    at = next;
  }
  return path;
}

/** The node and all above it. */
export function lineage(parents: readonly number[], node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0 && path.length <= parents.length; at = parents[at]!) path.push(at);
  return path;
}
