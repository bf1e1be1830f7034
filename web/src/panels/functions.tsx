// The functions at the depth of the call paths that the timeline shows: their colours, and how long each is in the rows
// and in the window.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { FunctionsAtDepth } from "../api/protocol";
import { pathTracks } from "../model/call_depth";
import { duration, exact, grouped, oneLine, percent } from "../model/format";
import { cssColour, Palette } from "../timeline/colours";
import { layoutOf, type TimelineSource } from "../timeline/source";
import { useLoaded, useStore } from "../ui/hooks";
import { useSettled } from "./area";

const MOST_ROWS = 500;

/** The tracks of call paths among the rows; null where these are all. */
function shownPaths(source: TimelineSource): number[] | null {
  const paths = pathTracks(source.tracks);
  const { pinned, main } = layoutOf(source);
  const shown = new Set([...pinned, ...main].flatMap((row) => (row.kind === "track" ? [row.track.id] : [])));
  const ids = [...paths].filter((id) => shown.has(id));
  return ids.length === paths.size ? null : ids;
}

export function FunctionsPanel({ source, depth }: { source: TimelineSource; depth: number }): JSX.Element {
  const settings = useStore(source.settings);
  const view = useSettled(useStore(source.viewport));
  const shown = useMemo(() => shownPaths(source), [settings, depth]);
  const theme = useStore(source.theme);
  const mode = useStore(source.colourMode);
  const { span } = source.session;
  const palette = useMemo(() => new Palette(theme, source.session), [theme]);
  const [, namesCame] = useState(0);
  useEffect(() => source.names.subscribe(() => namesCame((count) => count + 1)), []);
  const from = Math.min(Math.max(0, Math.floor(view.start)), span - 1);
  const to = Math.max(from + 1, Math.min(span, Math.ceil(view.end)));
  const loaded = useLoaded<FunctionsAtDepth>(
    (signal) =>
      shown?.length === 0
        ? Promise.resolve({ depth, from, to, tracks: 0, total: 0, functions: [] })
        : source.client.functions(depth, { from, to }, shown, signal),
    [depth, from, to, String(shown)],
  );
  const answer = loaded.state === "ready" ? loaded.value : loaded.state === "loading" ? loaded.last : undefined;
  const rows = answer?.functions.slice(0, MOST_ROWS) ?? [];
  return (
    <aside class="functions" aria-label="Functions at this depth" aria-busy={loaded.state === "loading"}>
      <header>
        <b>
          Functions at depth {depth} of {source.deepest}
        </b>
        <button
          class="icon"
          aria-label="Show all depths"
          title="Show all depths"
          onClick={() => source.depth.set(null)}
        >
          {"\u00d7"}
        </button>
        {answer && (
          <span class="soft" title="A row that is not as deep counts with its innermost function">
            {duration(answer.total)} of {grouped(answer.tracks)} {answer.tracks === 1 ? "row" : "rows"} in this window
          </span>
        )}
      </header>
      {loaded.state === "failed" && <p class="empty">{loaded.text}</p>}
      {answer && !rows.length && <p class="empty">No call path lies in this window.</p>}
      <ol>
        {rows.map((row) => (
          <FunctionRow
            key={row.id}
            source={source}
            row={row}
            answer={answer!}
            colour={mode === "heat" ? null : cssColour(palette.slice("name", row.colour, row.id, row.time))}
          />
        ))}
      </ol>
      {answer && answer.functions.length > MOST_ROWS && (
        <p class="soft">and {grouped(answer.functions.length - MOST_ROWS)} more with less time</p>
      )}
    </aside>
  );
}

interface RowProps {
  source: TimelineSource;
  row: FunctionsAtDepth["functions"][number];
  answer: FunctionsAtDepth;
  /** null where slices are not coloured by function. */
  colour: string | null;
}

function FunctionRow({ source, row, answer, colour }: RowProps): JSX.Element {
  const search = useStore(source.search);
  source.names.get(row.id); // which its short form comes with
  const found = search === row.name;
  const share = (100 * row.time) / answer.total;
  return (
    <li>
      <button
        aria-pressed={found}
        title={`${row.name}\n${exact(row.time)}, ${grouped(row.tracks)} of ${grouped(answer.tracks)} rows`}
        onClick={() => source.search.set(found ? "" : row.name)}
      >
        <i style={{ background: colour ?? "none" }} />
        <span class="name">{oneLine(source.names.short(row.id) ?? row.name)}</span>
        <span class="number">{duration(row.time)}</span>
        <span class="number share">{percent(share)}</span>
      </button>
    </li>
  );
}
