// What the colours on the screen mean, in a line; what does not fit into it can be asked for.
import type { JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { useSize } from "../ui/hooks";
import type { ColourMode } from "./colours";
import type { LegendEntry } from "./legend";

interface LegendProps {
  entries: readonly LegendEntry[];
  mode: ColourMode;
}

export function LegendBar({ entries, mode }: LegendProps): JSX.Element {
  const { ref, width } = useSize<HTMLUListElement>();
  const [hidden, setHidden] = useState(0);
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    // Entries that do not fit have gone to a second line, which cannot be seen.
    const items = [...(ref.current?.children ?? [])] as HTMLElement[];
    const line = items[0]?.offsetTop ?? 0;
    setHidden(items.filter((item) => item.offsetTop > line + item.offsetHeight / 2).length);
  }, [entries, mode, width]);
  return (
    <>
      <ul class="legend" ref={ref} aria-label="Colours">
        <Items entries={entries} mode={mode} />
      </ul>
      {hidden > 0 && (
        <button
          class="legend-more"
          aria-expanded={open}
          title="All colours on the screen"
          onClick={() => setOpen(!open)}
          onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
        >
          {hidden} more
        </button>
      )}
      {open && hidden > 0 && (
        <ul class="legend legend-all" aria-label="All colours">
          <Items entries={entries} mode={mode} />
        </ul>
      )}
    </>
  );
}

function Items({ entries, mode }: LegendProps): JSX.Element {
  return (
    <>
      {mode === "heat" && (
        <li class="heat-scale">
          short
          <i class="heat" />
          long
        </li>
      )}
      {entries.map((entry) => (
        <li>
          <i style={{ background: entry.colour }} />
          {entry.label}
        </li>
      ))}
    </>
  );
}
