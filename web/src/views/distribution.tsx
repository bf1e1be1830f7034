// How long the slices of each row of a table last: a small histogram in the row, a large one beside the table.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Cell, Distribution } from "../api/protocol";
import { duration, grouped } from "../model/format";
import { useStore } from "../ui/hooks";
import type { ExtraColumn } from "../ui/table";
import type { ViewContext } from "./context";
import { hasSlices } from "./declared";
import { rowKey } from "./matches";
import type { Records } from "./records";
import { latest, useAsked, within } from "./view";

const WIDTH = 116;
const HEIGHT = 16;

/** Of a row of a table; undefined where there is none, or not yet. */
export type DistributionOf = (records: Records, row: readonly Cell[]) => Distribution | undefined;

/** Those of a table over the time window. */
export function useDistributions(context: ViewContext, table: string, names?: "base" | "full"): DistributionOf {
  const window = useStore(context.window);
  const wanted = hasSlices(context.session, table) && context.session.views.includes("timeline");
  const loaded = latest(
    useAsked(
      context,
      async (signal) => {
        if (!wanted) return null;
        const { rows } = await context.client.distributions(table, { ...within(window), names }, signal);
        return { table, rows: new Map(rows.map((row) => [JSON.stringify(row.key), row])) };
      },
      [table, names, window],
    ),
  );
  return useMemo(
    () => (records, row) =>
      loaded?.table === table
        ? loaded.rows.get(JSON.stringify(rowKey(context.session, table, records, row)))
        : undefined,
    [loaded, table],
  );
}

/** The edges of the bars. */
export function edgesOf({ min, max, counts }: Distribution): number[] {
  return Array.from({ length: counts.length + 1 }, (_, i) => min + ((max - min) * i) / counts.length);
}

/** A column for a table: how the durations of the row are distributed. */
export function distributionColumn(of: DistributionOf, records: Records, cut: boolean): ExtraColumn {
  return {
    title: "durations",
    about: `From the shortest to the longest of its slices${cut ? ", in the chosen time" : ""}; the higher, the more`,
    width: WIDTH + 20,
    cell: (row) => <Bars distribution={of(records, row)} />,
  };
}

function Bars({ distribution }: { distribution: Distribution | undefined }): JSX.Element | null {
  if (!distribution) return null;
  const { counts, count, min, max } = distribution;
  const title = `${grouped(count)} \u00d7 ${min === max ? duration(min) : `${duration(min)} to ${duration(max)}`}`;
  const most = Math.max(1, ...counts);
  const width = WIDTH / counts.length;
  let path = "";
  counts.forEach((value, i) => {
    if (value === 0) return;
    const size = Math.max(1.5, (value / most) * HEIGHT);
    const left = min === max ? (WIDTH - width) / 2 : i * width;
    path += `M${left.toFixed(1)} ${HEIGHT}v${(-size).toFixed(1)}h${(width - 0.5).toFixed(1)}V${HEIGHT}z`;
  });
  return (
    <svg class="row-bars" width={WIDTH} height={HEIGHT} role="img" aria-label={`Durations: ${title}`}>
      <title>{title}</title>
      <path d={path} />
    </svg>
  );
}
