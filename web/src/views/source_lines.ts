// Which lines of a source file a node of the call tree stands for, and what lines cost. Pure.
import type { SourceText } from "../api/protocol";

export interface PlacedNodes {
  readonly kinds: readonly string[];
  readonly files: readonly string[];
  /** 0: not known. */
  readonly lines: readonly number[];
  /** How each hangs on its parent: "call", "inlined_call" or "lexical". */
  readonly relations: readonly string[];
  /** Of a function, the line that calls it; 0 where a node stands for that line. */
  readonly callLines: readonly number[];
  readonly children: readonly (readonly number[])[];
}

export interface LineRange {
  first: number;
  last: number;
}

/** The line of a node; of a loop, down to the last line that is known to be in it. */
export function linesOf(nodes: PlacedNodes, node: number): LineRange | null {
  const first = nodes.lines[node]!;
  if (!(first > 0)) return null;
  let last = first;
  if (nodes.kinds[node] === "loop") {
    const stack = [...nodes.children[node]!];
    while (stack.length) {
      const below = stack.pop()!;
      last = Math.max(last, nodes.callLines[below]!);
      if (nodes.relations[below] !== "lexical" || nodes.files[below] !== nodes.files[node]) continue;
      last = Math.max(last, nodes.lines[below]!);
      stack.push(...nodes.children[below]!);
    }
  }
  return { first, last };
}

/** The lines of a text, however they end. The end of the last one begins no other. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
  return lines;
}

export interface LineCost {
  inclusive: number;
  exclusive: number;
}

export function costsOf({ lines }: SourceText): Map<number, LineCost> {
  return new Map(
    (lines?.line ?? []).map((line, i) => [line, { inclusive: lines!.inclusive[i]!, exclusive: lines!.exclusive[i]! }]),
  );
}

/** Where to look first: the line that costs most by itself; where none does, here and below. */
export function hottestLine(costs: ReadonlyMap<number, LineCost>): number | null {
  let best: [number, LineCost] | null = null;
  for (const [line, cost] of costs) {
    const ahead = best === null ? 1 : cost.exclusive - best[1].exclusive || cost.inclusive - best[1].inclusive;
    if (ahead > 0) best = [line, cost];
  }
  return best?.[0] ?? null;
}
