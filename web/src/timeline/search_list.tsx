// The slices that the search has found, in the order of their starts: a click shows one in the timeline.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { SliceAt, Table } from "../api/protocol";
import { grouped } from "../model/format";
import { rangeOf, sameSlice } from "../model/selection";
import { reveal } from "../model/viewport";
import { useStore } from "../ui/hooks";
import { DataTable } from "../ui/table";
import type { TimelineSource } from "./source";

const MOMENTS = ["start"];

interface SearchListProps {
  source: TimelineSource;
  /** The first of them. */
  matches: readonly SliceAt[];
  total: number;
  onClose: () => void;
}

export function SearchList({ source, matches, total, onClose }: SearchListProps): JSX.Element {
  const selected = useStore(source.selection);
  const table = useMemo(() => tableOf(source, matches), [matches]);
  const show = (slice: SliceAt) =>
    source.navigate({ slice, viewport: reveal(source.viewport.get(), rangeOf(slice), source.session.span) });
  const title =
    matches.length < total ? `The first ${grouped(matches.length)} of ${grouped(total)} matches` : "Matches";
  return (
    <div
      class="search-list"
      role="dialog"
      aria-label="Matches"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        onClose();
        event.stopPropagation();
      }}
    >
      <DataTable
        table={table}
        title={title}
        moments={MOMENTS}
        onOpen={(_, index) => show(matches[index]!)}
        isCurrent={(row) => sameSlice(matches[table.rows.indexOf(row as Table["rows"][number])]!, selected)}
      />
    </div>
  );
}

function tableOf({ tracks }: TimelineSource, matches: readonly SliceAt[]): Table {
  const places = new Map(tracks.map(({ id, group, name }) => [id, [...group, name].join(" \u203a ")]));
  return {
    sorted_by: "+start",
    columns: [
      { name: "start", type: "int", unit: "ns", about: "from the start of the profile" },
      { name: "duration", type: "int", unit: "ns" },
      { name: "name", type: "text" },
      { name: "track", type: "text" },
    ],
    rows: matches.map(({ track, start, duration, name }) => [start, duration, name ?? "", places.get(track) ?? ""]),
  };
}
