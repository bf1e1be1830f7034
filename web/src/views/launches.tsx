// Kernel launches that a kernel profiler measured one by one: a table, and all about the chosen one.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Cell, Table } from "../api/protocol";
import { counted, duration, oneLine, percent, readable } from "../model/format";
import { useStore } from "../ui/hooks";
import { DataTable } from "../ui/table";
import { choicesOf, type LaunchId } from "./choices";
import { InTimeline } from "./in_timeline";
import { besideBaseline, notHeld } from "./launch_baseline";
import { isEqual, Records } from "./records";
import { hasTable } from "./declared";
import { latest, panelView, Shown, useAsked, useTable, type ViewProps } from "./view";

const SEVERITIES = ["error", "warning", "optimization", "information"];

const MOST_STALLS = 8;
const HIDDEN_VALUES = ["rank", "id", "text"];

/** Shown of the chosen launch alone, so that names have room. */
const IN_DETAIL = ["dram_pct", "l2_pct", "l1_pct", "theoretical_occupancy_pct", "stream", "block", "registers"];

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
  const loaded = useTable(context, "launch_metrics", { sort: "-duration_ns" });
  const rules = latest(useTable(context, "launch_rules"));
  return (
    <div class="panel-view">
      <Shown of={loaded}>{(table) => <LaunchesOf context={context} table={table} rules={rules ?? null} />}</Shown>
    </div>
  );
}

const keyOf = (records: Records, row: readonly Cell[]): string =>
  `${records.number(row, "rank")}/${records.number(row, "id")}`;

/** By launch, how many of the profiler's rules say something. */
function rulesByLaunch(table: Table | null): Map<string, number> {
  const counts = new Map<string, number>();
  if (!table) return counts;
  const records = new Records(table);
  for (const row of records.rows) counts.set(keyOf(records, row), (counts.get(keyOf(records, row)) ?? 0) + 1);
  return counts;
}

function LaunchesOf({ context, table, rules }: ViewProps & { table: Table; rules: Table | null }): JSX.Element {
  const store = choicesOf(context.state).launch;
  const chosen = useStore(store);
  const records = useMemo(() => new Records(table), [table]);
  const idOf = (row: readonly Cell[]): LaunchId => ({
    rank: records.number(row, "rank"),
    id: records.number(row, "id"),
  });
  const [rulesOf, setRulesOf] = useState<string | null>(null); // the launch whose rules were asked for last
  const isChosen = (row: readonly Cell[]) =>
    chosen !== null && records.number(row, "id") === chosen.id && records.number(row, "rank") === chosen.rank;
  useEffect(() => {
    const [longest] = records.rows; // what people look at first
    if (!chosen && longest) store.set(idOf(longest));
  }, [records]);
  const extra = useMemo(() => {
    const counts = rulesByLaunch(rules);
    return [
      {
        title: "rules",
        about: "Rules of the profiler that say something about this launch",
        width: 84,
        cell: (row: readonly Cell[]) => {
          const count = counts.get(keyOf(records, row)) ?? 0;
          return count > 0 ? (
            <button class="link" onClick={() => setRulesOf(keyOf(records, row))}>
              {counted(count, "rule", "rules")}
            </button>
          ) : null;
        },
      },
    ];
  }, [records, rules]);
  const hidden = useMemo(
    () =>
      table.columns
        .filter(
          ({ name }, i) =>
            IN_DETAIL.includes(name) ||
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
          extra={rules?.rows.length ? extra : undefined}
          onOpen={(clicked) => store.set(idOf(clicked))}
          isCurrent={isChosen}
        />
      </div>
      {row && (
        <OneLaunch
          key={`${chosen!.rank}/${chosen!.id}`}
          context={context}
          records={records}
          row={row}
          toRules={rulesOf === keyOf(records, row)}
        />
      )}
    </div>
  );
}

interface OneLaunchProps extends ViewProps {
  records: Records;
  row: readonly Cell[];
  /** Scrolls to the rules. */
  toRules: boolean;
}

function OneLaunch({ context, records, row, toRules }: OneLaunchProps): JSX.Element {
  const whereOf = (one: readonly Cell[] | undefined) =>
    one ? `${isEqual("id", records.number(one, "id"))} and ${isEqual("rank", records.number(one, "rank"))}` : "";
  const where = whereOf(row);
  const baselineChoice = context.state.choice("baseline", "");
  const baselineKey = useStore(baselineChoice);
  const key = keyOf(records, row);
  const baseline = baselineKey === key ? undefined : records.rows.find((one) => keyOf(records, one) === baselineKey);
  const ask = (name: string, condition = where) =>
    useAsked(
      context,
      (signal) =>
        condition && hasTable(context.session, name)
          ? context.client.table(name, { where: condition }, signal)
          : Promise.resolve(null),
      [name, condition],
    );
  const rules = ask("launch_rules");
  const values = ask("launch_values");
  const stalls = ask("launch_stalls");
  const baselineValues = latest(ask("launch_values", whereOf(baseline)));
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
        <p class="baseline">
          <button
            aria-pressed={baselineKey === key}
            title="The values of other launches are compared with those of this one"
            onClick={() => baselineChoice.set(baselineKey === key ? "" : key)}
          >
            {baselineKey === key ? "It is the baseline" : "Make it the baseline"}
          </button>{" "}
          {baseline && <Against records={records} row={row} baseline={baseline} />}
        </p>
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
        <Shown of={stalls}>{(table) => <LaunchStalls table={table} />}</Shown>
        <Shown of={rules}>{(table) => <Rules table={table} isSought={toRules} />}</Shown>
      </section>
      <section class="column">
        <Shown of={values}>
          {(table) => (
            <>
              <NotHeld missing={notHeld(table, latest(stalls) ?? null)} />
              <DataTable
                table={baselineValues ? besideBaseline(table, baselineValues) : table}
                hidden={hiddenValues(table)}
                title="All values"
                cells={{
                  value: (value, of) => (value === null ? oneLine(new Records(table).text(of, "text"), 80) : null),
                }}
              />
            </>
          )}
        </Shown>
      </section>
    </div>
  );
}

/** "1.13 s -> 1.15 s, +1.8 %" */
function Against({
  records,
  row,
  baseline,
}: {
  records: Records;
  row: readonly Cell[];
  baseline: readonly Cell[];
}): JSX.Element {
  const [a, b] = [records.number(baseline, "duration_ns"), records.number(row, "duration_ns")];
  const change = a > 0 ? (100 * (b - a)) / a : 0;
  return (
    <span>
      against launch {records.text(baseline, "id")}: {duration(a)} {"\u2192"} {duration(b)},{" "}
      <b class={change > 0 ? "slower" : "faster"}>
        {change < 0 ? "\u2212" : "+"}
        {percent(Math.abs(change))}
      </b>
    </span>
  );
}

/** Why its warps waited, most first. */
function LaunchStalls({ table }: { table: Table }): JSX.Element | null {
  const records = new Records(table);
  if (!records.rows.length) return null;
  return (
    <>
      <h3>Why warps waited</h3>
      <ul class="meters">
        {records.rows.slice(0, MOST_STALLS).map((row) => {
          const share = records.number(row, "pct");
          return (
            <li title={records.text(row, "about")}>
              <span>{readable(records.text(row, "stall"))}</span>
              <span class="meter">
                <i style={{ width: `${Math.min(100, share)}%` }} />
              </span>
              <b>{percent(share)}</b>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** The sections have no column where the report names none. */
function hiddenValues(table: Table): string[] {
  const records = new Records(table);
  return records.rows.some((row) => records.text(row, "section")) ? HIDDEN_VALUES : [...HIDDEN_VALUES, "section"];
}

function NotHeld({ missing }: { missing: readonly string[] }): JSX.Element | null {
  return missing.length ? <p class="soft not-held">Not in this report: {missing.join(", ")}.</p> : null;
}

function Rules({ table, isSought }: { table: Table; isSought: boolean }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isSought) heading.current?.scrollIntoView();
  }, [isSought]);
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
      <h3 ref={heading}>Findings of the profiler's rules</h3>
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
