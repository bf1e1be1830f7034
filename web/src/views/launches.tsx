// Kernel launches that a kernel profiler measured one by one: a table, and all about the chosen one.
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Cell, Table } from "../api/protocol";
import { duration, grouped, oneLine, percent, readable } from "../model/format";
import { useStore } from "../ui/hooks";
import { DataTable } from "../ui/table";
import { choicesOf, type LaunchId } from "./choices";
import { InTimeline } from "./in_timeline";
import { isEqual, Records } from "./records";
import { hasTable } from "./declared";
import { panelView, Shown, useAsked, useTable, type ViewProps } from "./view";

const SEVERITIES = ["error", "warning", "optimization", "information"];

const HIDDEN_VALUES = ["rank", "id", "text"];

/** What is shown as bars, each of what the unit could sustain. */
const UTILISATION: [string, string][] = [
  ["compute_pct", "Compute"],
  ["memory_pct", "Memory"],
  ["dram_pct", "Device memory"],
  ["l2_pct", "L2 cache"],
  ["l1_pct", "L1 cache"],
  ["achieved_occupancy_pct", "Achieved occupancy"],
  ["theoretical_occupancy_pct", "Theoretical occupancy"],
];

function Launches({ context }: ViewProps): JSX.Element {
  const loaded = useTable(context, "launch_metrics");
  return (
    <div class="panel-view">
      <Shown of={loaded}>{(table) => <LaunchesOf context={context} table={table} />}</Shown>
    </div>
  );
}

function LaunchesOf({ context, table }: ViewProps & { table: Table }): JSX.Element {
  const store = choicesOf(context.state).launch;
  const chosen = useStore(store);
  const records = useMemo(() => new Records(table), [table]);
  const idOf = (row: readonly Cell[]): LaunchId => ({
    rank: records.number(row, "rank"),
    id: records.number(row, "id"),
  });
  const isChosen = (row: readonly Cell[]) =>
    chosen !== null && records.number(row, "id") === chosen.id && records.number(row, "rank") === chosen.rank;
  useEffect(() => {
    if (chosen || !records.rows.length) return;
    // The longest is what people look at first.
    const longest = records.rows.reduce((best, row) =>
      records.number(row, "duration_ns") > records.number(best, "duration_ns") ? row : best,
    );
    store.set(idOf(longest));
  }, [records]);
  const hidden = useMemo(
    () =>
      table.columns
        .filter(
          ({ name }, i) =>
            table.rows.every((row) => (row[i] ?? null) === null) ||
            (["rank", "device"].includes(name) && table.rows.every((row) => row[i] === table.rows[0]?.[i])),
        )
        .map((column) => column.name),
    [table],
  );
  const row = records.rows.find(isChosen);
  return (
    <div class="split">
      <div class="split-top">
        <DataTable
          table={table}
          hidden={hidden}
          title="Measured launches"
          onOpen={(clicked) => store.set(idOf(clicked))}
          isCurrent={isChosen}
        />
      </div>
      {row && <OneLaunch key={`${chosen!.rank}/${chosen!.id}`} context={context} records={records} row={row} />}
    </div>
  );
}

function OneLaunch({ context, records, row }: ViewProps & { records: Records; row: readonly Cell[] }): JSX.Element {
  const where = `${isEqual("id", records.number(row, "id"))} and ${isEqual("rank", records.number(row, "rank"))}`;
  const ask = (name: string) =>
    useAsked(
      context,
      (signal) =>
        hasTable(context.session, name) ? context.client.table(name, { where }, signal) : Promise.resolve(null),
      [name, where],
    );
  const rules = ask("launch_rules");
  const values = ask("launch_values");
  const bars = UTILISATION.filter(([column]) => records.cell(row, column) !== null);
  const facts: [string, string][] = [
    ["Grid", records.text(row, "grid")],
    ["Block", records.text(row, "block")],
    ["Duration", duration(records.cell(row, "duration_ns") as number | null)],
    ["Registers", records.text(row, "registers")],
    ["Bound", records.text(row, "bound")],
    ["Stream", records.text(row, "stream")],
  ];
  return (
    <div class="launch">
      <section class="scrolls pad">
        <h2 class="text">
          {records.text(row, "id")}: {oneLine(records.text(row, "kernel"), 400)}
        </h2>
        <InTimeline context={context} launch={{ rank: records.number(row, "rank"), id: records.number(row, "id") }} />
        <ul class="fact-strip">
          {facts
            .filter(([, value]) => value !== "")
            .map(([key, value]) => (
              <li>
                <span>{key}</span>
                <b>{value}</b>
              </li>
            ))}
        </ul>
        {bars.length > 0 && (
          <ul class="meters">
            {bars.map(([column, title]) => {
              const value = records.number(row, column);
              return (
                <li>
                  <span>{title}</span>
                  <span class="meter">
                    <i style={{ width: `${Math.min(100, value)}%` }} />
                  </span>
                  <b>{percent(value)}</b>
                </li>
              );
            })}
          </ul>
        )}
        <Shown of={rules}>{(table) => <Rules table={table} />}</Shown>
      </section>
      <section class="column">
        <Shown of={values}>
          {(table) => (
            <DataTable
              table={table}
              hidden={HIDDEN_VALUES}
              title="All values"
              cells={{ value: (value, of) => valueCell(new Records(table), value, of) }}
            />
          )}
        </Shown>
      </section>
    </div>
  );
}

/** A value whose unit stands in the next column. */
function valueCell(records: Records, value: Cell, row: readonly Cell[]): string {
  if (typeof value === "number") return grouped(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
  return value === null ? oneLine(records.text(row, "text"), 80) : String(value);
}

function Rules({ table }: { table: Table }): JSX.Element {
  const records = new Records(table);
  const order = (row: readonly Cell[]) => {
    const at = SEVERITIES.indexOf(records.text(row, "severity"));
    return at < 0 ? SEVERITIES.length : at;
  };
  const rows = [...records.rows].sort(
    (a, b) => records.number(b, "speedup_pct") - records.number(a, "speedup_pct") || order(a) - order(b),
  );
  if (!rows.length) return <p class="soft">The rules of the profiler found nothing for this launch.</p>;
  return (
    <>
      <h3>Findings of the profiler's rules</h3>
      <ul class="rules">
        {rows.map((row) => {
          const speedup = records.cell(row, "speedup_pct");
          const severity = records.text(row, "severity");
          return (
            <li class={`rule-${SEVERITIES.includes(severity) ? severity : "information"}`}>
              <header>
                <b>{readable(records.text(row, "rule"))}</b>
                <span class="soft">{records.text(row, "section")}</span>
                <span class="gap" />
                {speedup !== null && (
                  <span class="tag" title="The profiler's estimate of what could be gained">
                    {percent(Number(speedup))} of the {records.text(row, "scope") || "kernel"}
                  </span>
                )}
                <span class="tag">{severity}</span>
              </header>
              <p class="text">{oneLine(records.text(row, "message"), 4000)}</p>
            </li>
          );
        })}
      </ul>
    </>
  );
}

export const launchesView = panelView("launches", "Launches", "8", Launches);
