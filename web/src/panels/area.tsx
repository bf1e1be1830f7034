// What lies inside the selected area: the tables of the report over this time and these tracks.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Cell, Column } from "../api/protocol";
import { momentIn } from "../model/axis";
import { duration, grouped } from "../model/format";
import type { Area } from "../model/selection";
import { fit } from "../model/viewport";
import { useLoaded } from "../ui/hooks";
import { DataTable } from "../ui/table";
import type { ViewContext } from "../views/context";
import { titleOf } from "../views/declared";

/** While the area is being dragged nothing is asked for. */
const SETTLED_MS = 200;

export function useSettled<T>(value: T, ms = SETTLED_MS): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export function AreaStatisticsPanel({ context, area }: { context: ViewContext; area: Area }): JSX.Element {
  const settled = useSettled(area);
  const [chosen, setChosen] = useState<string | null>(null);
  const loaded = useLoaded(
    (signal) => context.client.area(settled.start, settled.end, settled.tracks, signal),
    [settled],
  );
  const statistics = loaded.state === "ready" ? loaded.value : loaded.state === "loading" ? loaded.last : undefined;
  const names = statistics ? Object.keys(statistics.tables) : [];
  const current = chosen !== null && names.includes(chosen) ? chosen : names[0];
  const table = current === undefined ? undefined : statistics?.tables[current];
  const byName = (columns: readonly Column[]) => columns.findIndex((column) => column.name === "name");
  const open = (row: readonly Cell[]) => {
    const at = table ? byName(table.columns) : -1;
    if (at >= 0 && row[at] !== null) context.navigate({ search: String(row[at]) });
  };
  return (
    <div class="area">
      <header>
        <b>{duration(area.end - area.start)}</b>
        <span class="soft">from {momentIn(context.session, area.start, (area.end - area.start) / 100)}</span>
        <span class="soft">
          {area.tracks
            ? `${grouped(area.tracks.length)} ${area.tracks.length === 1 ? "track" : "tracks"}`
            : "all tracks"}
        </span>
        {statistics && <span class="soft">{grouped(statistics.slices)} slices</span>}
        <span class="segments" role="tablist">
          {names.map((name) => (
            <button
              role="tab"
              aria-selected={name === current}
              class={name === current ? "on" : ""}
              onClick={() => setChosen(name)}
            >
              {titleOf(name)}
            </button>
          ))}
        </span>
        <span class="gap" />
        <button onClick={() => context.navigate({ viewport: fit(area, context.session.span) })}>Zoom to it</button>
        {area.tracks && (
          <button onClick={() => context.navigate({ area: { ...area, tracks: null } })}>All tracks</button>
        )}
        <button onClick={() => context.navigate({ area: null })} aria-label="Drop the area">
          {"\u00d7"}
        </button>
      </header>
      {loaded.state === "failed" && <p class="empty">{loaded.text}</p>}
      {table && <DataTable key={current} table={table} onOpen={byName(table.columns) >= 0 ? open : undefined} />}
      {statistics && !names.length && <p class="empty">No slice of these tracks lies in this time.</p>}
    </div>
  );
}
