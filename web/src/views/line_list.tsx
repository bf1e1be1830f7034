// A long list of lines with their costs at the left: only those in sight are on the page.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSize } from "../ui/hooks";

const ROW = 18; // as in analyses.css
const SPARE = 20;

interface Props {
  count: number;
  /** What assistive technology calls it. */
  label: string;
  /** Above the lines, always in sight. */
  head: ComponentChildren;
  /** CSS width below which it scrolls sideways. */
  minWidth: string;
  line: (i: number) => ComponentChildren;
  isChosen: (i: number) => boolean;
  /** What a click on a line, and arrow keys, choose. */
  onChoose?: (i: number) => void;
  /** The line that the arrow keys start from. */
  current?: number;
  /** Brings a line in sight; a new object does so again. */
  shown: { line: number } | null;
}

export function LineList(props: Props): JSX.Element {
  const { count, isChosen, onChoose, current, shown } = props;
  const [top, setTop] = useState(0);
  const { ref, height } = useSize<HTMLDivElement>();
  useEffect(() => {
    const box = ref.current;
    if (!box || !shown || height === 0) return;
    const at = shown.line * ROW;
    if (at < box.scrollTop || at > box.scrollTop + box.clientHeight - 3 * ROW) {
      box.scrollTop = Math.max(0, at - box.clientHeight / 3);
    }
  }, [shown, height > 0]);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !onChoose || current === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = current + by;
    if (next < 0 || next >= count) return;
    event.preventDefault();
    event.stopPropagation();
    onChoose(next);
  };
  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(count, Math.ceil((top + height) / ROW) + SPARE);
  return (
    <div
      class="source-scroll"
      ref={ref}
      tabIndex={0}
      role="document"
      aria-label={props.label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="source-head">{props.head}</div>
      <div class="source-body" style={{ height: `${count * ROW}px`, minWidth: props.minWidth }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((i) => (
          <div
            key={i}
            class={`source-line${isChosen(i) ? " chosen" : ""}`}
            aria-current={isChosen(i) ? "true" : undefined}
            style={{ top: `${i * ROW}px` }}
            onClick={onChoose && (() => onChoose(i))}
          >
            {props.line(i)}
          </div>
        ))}
      </div>
    </div>
  );
}
