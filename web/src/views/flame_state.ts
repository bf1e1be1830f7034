// What one flame graph shows of its tree: the frame in full width, the cursor, the names that are looked for.
import { useEffect, useMemo, useState } from "preact/hooks";
import { ancestors } from "./flame_layout";

/** The server's name for all that is too small to be shown. */
export const OTHER = "(other)";

interface Tree {
  names: readonly string[];
  nodes: { parent: readonly number[]; name: readonly number[] };
}

/** By name, whether it has these words in it. */
export function matchingNames(names: readonly string[], search: string): boolean[] {
  const words = search.toLowerCase();
  return names.map((name) => name.toLowerCase().includes(words));
}

/** Another tree begins anew. */
export function useFlameState(tree: Tree, search: string) {
  const [root, setRoot] = useState<number | null>(null);
  const [cursor, setCursor] = useState(-1);
  const [hover, setHover] = useState(-1);
  useEffect(() => {
    setRoot(null);
    setCursor(-1);
    setHover(-1);
  }, [tree]);
  const matching = useMemo(() => (search ? matchingNames(tree.names, search) : null), [tree, search]);
  const path = root === null || root >= tree.nodes.parent.length ? [] : ancestors(tree.nodes.parent, root);
  const nameOf = (node: number) => tree.names[tree.nodes.name[node] ?? -1] ?? "";
  return {
    /** The frames that lead to the one in full width, and it. */
    path,
    nameOf,
    setRoot,
    cursor,
    /** The frame that is described: under the pointer, else with the cursor. */
    told: hover >= 0 ? hover : cursor,
    /** Of a FlamePane. */
    pane: {
      root: path.length ? root : null,
      matches: matching && ((name: number) => matching[name]!),
      cursor,
      hover,
      onHover: setHover,
      onCursor: setCursor,
      onOpen: (node: number) => {
        setCursor(node);
        if (nameOf(node) !== OTHER) setRoot(node);
      },
      onBack: () => setRoot(path.length > 1 ? path[path.length - 2]! : null),
    },
  };
}
