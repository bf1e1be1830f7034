// A flame graph on the screen: its canvas, pointer and keys.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FlameGraph } from "../api/protocol";
import { useSize } from "../ui/hooks";
import { FlameCanvas, ROW, type FlamePicture, type FrameShares } from "./flame_canvas";
import { layoutFlame } from "./flame_layout";

export interface FlamePaneProps {
  graph: FlameGraph;
  root: number | null;
  upwards: boolean;
  colour: (node: number) => string;
  shares?: (node: number) => FrameShares;
  matches: ((name: number) => boolean) | null;
  cursor: number;
  hover: number;
  theme: string;
  onHover: (node: number) => void;
  onCursor: (node: number) => void;
  onOpen: (node: number) => void;
  onBack: () => void;
  onSandwich?: (node: number) => void;
}

export function FlamePane(props: FlamePaneProps): JSX.Element {
  const { graph, root, upwards, cursor } = props;
  const { ref, width, height } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<FlameCanvas | null>(null);
  const [scroll, setScroll] = useState(0);
  const layout = useMemo(() => layoutFlame(graph, root), [graph, root]);
  const rows = layout.rows.length;
  const style = getComputedStyle(document.documentElement);
  const picture: FlamePicture = {
    ...props,
    layout,
    ink: style.getPropertyValue("--ink"),
    paper: style.getPropertyValue("--paper"),
  };
  useLayoutEffect(() => {
    if (!canvas.current || width === 0) return;
    painter.current ??= new FlameCanvas(canvas.current);
    painter.current.resize(width, height);
    painter.current.draw(picture, scroll);
  });
  useEffect(() => {
    // Where a graph grows upwards its root is at the bottom.
    if (ref.current) ref.current.scrollTop = upwards ? ref.current.scrollHeight : 0;
  }, [graph, root, upwards, height]);

  const at = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return painter.current?.at(picture, event.clientX - box.left, event.clientY - box.top, scroll)?.node ?? -1;
  };
  const moveTo = (node: number | undefined) => {
    if (node === undefined) return;
    props.onCursor(node);
    const row = layout.rows.findIndex((frames) => frames.some((frame) => frame.node === node));
    const box = ref.current;
    if (!box || row < 0 || !painter.current) return;
    const top = painter.current.rowTop(picture, row, rows);
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
  };
  const keydown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { parent } = graph.nodes;
    const row = layout.rows.find((frames) => frames.some((frame) => frame.node === cursor));
    const column = row?.findIndex((frame) => frame.node === cursor) ?? -1;
    const outward = upwards ? "ArrowUp" : "ArrowDown";
    if (event.key === "Escape" || event.key === "Backspace") {
      if (root === null) return;
      props.onBack();
    } else if (row === undefined) {
      if (!/^Arrow|^Enter$/.test(event.key)) return;
      moveTo(root ?? layout.rows[0]?.[0]?.node);
    } else if (event.key === outward) {
      moveTo(layout.rows.flatMap((frames) => frames.filter((frame) => parent[frame.node] === cursor))[0]?.node);
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      if (parent[cursor]! >= 0) moveTo(parent[cursor]);
    } else if (event.key === "ArrowRight") {
      moveTo(row[column + 1]?.node);
    } else if (event.key === "ArrowLeft") {
      moveTo(row[column - 1]?.node);
    } else if (event.key === "Enter") {
      props.onOpen(cursor);
    } else if (event.key.toLowerCase() === "s" && props.onSandwich) {
      props.onSandwich(cursor);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="flame-scroll"
      ref={ref}
      tabIndex={0}
      role="application"
      aria-label="Flame graph"
      onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
      onKeyDown={keydown}
    >
      <div class="flame-sheet" style={{ height: `${rows * ROW}px` }}>
        <canvas
          ref={canvas}
          style={{ width: `${width}px`, height: `${height}px` }}
          onPointerMove={(event) => props.onHover(at(event))}
          onPointerLeave={() => props.onHover(-1)}
          onClick={(event) => {
            const node = at(event);
            if (node >= 0) props.onOpen(node);
          }}
        />
      </div>
    </div>
  );
}
