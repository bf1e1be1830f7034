// Why instructions on the device waited, as sampled: a bar a reason. A click shows where, in the call tree.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { percent, readable, short } from "../model/format";
import { choicesOf } from "./choices";
import { Records } from "./records";
import { BarList, panelView, Shown, useTable, type ViewProps } from "./view";

const COLOURS = ["--vermillion", "--orange", "--yellow", "--green", "--sky", "--blue", "--purple"];

function Stalls({ context }: ViewProps): JSX.Element {
  const loaded = useTable(context, "stalls");
  return (
    <div class="panel-view scrolls">
      <Shown of={loaded}>
        {(table) => {
          const records = new Records(table);
          const ranks = [...new Set(records.rows.map((row) => records.number(row, "rank")))];
          return (
            <div class="pad narrow">
              {ranks.map((rank) => (
                <OfRank context={context} records={records} rank={rank} several={ranks.length > 1} />
              ))}
              <p class="soft">
                Samples of instructions that waited. Click a reason to see where in the call tree it is.
              </p>
            </div>
          );
        }}
      </Shown>
    </div>
  );
}

function OfRank({
  context,
  records,
  rank,
  several,
}: ViewProps & { records: Records; rank: number; several: boolean }): JSX.Element {
  const rows = useMemo(() => records.rows.filter((row) => records.number(row, "rank") === rank), [records, rank]);
  const total = rows.reduce((sum, row) => sum + records.number(row, "value"), 0);
  const first = rows[0];
  return (
    <section>
      <h2>
        {several && `Rank ${rank}: `}
        {first && `${percent(records.number(first, "pct"))} of what waited: ${readable(records.text(first, "reason"))}`}
      </h2>
      <BarList
        total={total}
        items={rows.map((row, i) => ({
          label: readable(records.text(row, "reason")),
          note: records.text(row, "about"),
          value: records.number(row, "value"),
          text: short(records.number(row, "value")),
          colour: `var(${COLOURS[Math.min(i, COLOURS.length - 1)]})`,
          onClick: () => {
            choicesOf(context.state).metrics.set([records.text(row, "metric")]);
            context.navigate({ view: "call_tree" });
          },
        }))}
      />
    </section>
  );
}

export const stallsView = panelView("stalls", "Stalls", "6", Stalls);
