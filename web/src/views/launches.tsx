// Kernel launches that a kernel profiler measured one by one: a table, and all about the chosen one.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Cell, Table } from "../api/protocol";
import { counted, duration, oneLine, percent, readable } from "../model/format";
import { useStore, type Loaded } from "../ui/hooks";
import { DataTable } from "../ui/table";
import { choicesOf, type LaunchId } from "./choices";
import { InTimeline } from "./in_timeline";
import { besideBaseline, notHeld } from "./launch_baseline";
import { LaunchCodeView } from "./launch_code";
import { LaunchSections } from "./launch_sections";
import { MemoryChartOf } from "./memory_chart";
import { isEqual, Records } from "./records";
import { RuleList } from "./rule_list";
import { hasTable } from "./declared";
import { latest, panelView, Shown, useAsked, useTable, type ViewProps } from "./view";

/** What is shown of the chosen launch. */
const PARTS: Record<string, string> = {
  summary: "Summary",
  sections: "Sections",
  memory: "Memory chart",
  code: "Source and SASS",
};

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
  const part = useStore(partOf(context));
  return (
    <div class={part === "summary" ? "split" : "split for-part"}>
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

const partOf = (context: ViewProps["context"]) => context.state.choice("launch_part", "summary", Object.keys(PARTS));

interface OneLaunchProps extends ViewProps {
  records: Records;
  row: readonly Cell[];
  /** Scrolls to the rules. */
  toRules: boolean;
}

function OneLaunch(props: OneLaunchProps): JSX.Element {
  const { context, records, row } = props;
  const store = partOf(context);
  const part = useStore(store);
  useEffect(() => {
    if (props.toRules) store.set("summary");
  }, [props.toRules]);
  const name = `${records.text(row, "id")}: ${oneLine(records.text(row, "kernel"), 400)}`;
  return (
    <div class="launch-parts">
      <div class="toolbar">
        {Object.entries(PARTS).map(([id, title]) => (
          <button aria-pressed={id === part} onClick={() => store.set(id)}>
            {title}
          </button>
        ))}
        {part !== "summary" && (
          <span class="text launch-name" title={name}>
            {name}
          </span>
        )}
      </div>
      {part === "summary" && <Summary {...props} />}
      {part === "sections" && <Sections {...props} />}
      {part === "memory" && <Memory {...props} />}
      {part === "code" && <Code {...props} />}
    </div>
  );
}

const whereOf = (records: Records, row: readonly Cell[]): string =>
  `${isEqual("id", records.number(row, "id"))} and ${isEqual("rank", records.number(row, "rank"))}`;

/** The rows of a table that are of a launch; null where the profile does not have the table. */
function useOfLaunch(context: ViewProps["context"], name: string, where: string, top?: number): Loaded<Table | null> {
  return useAsked(
    context,
    (signal) =>
      where && hasTable(context.session, name)
        ? context.client.table(name, top === undefined ? { where } : { where, top }, signal)
        : Promise.resolve(null),
    [name, where],
  );
}

function Sections({ context, records, row }: OneLaunchProps): JSX.Element {
  const where = whereOf(records, row);
  const sections = useOfLaunch(context, "launch_sections", where);
  const rules = latest(useOfLaunch(context, "launch_rules", where)) ?? null;
  if (sections.state === "ready" && !sections.value) return <p class="empty">The profile has no sections.</p>;
  return <Shown of={sections}>{(table) => <LaunchSections table={table} rules={rules} />}</Shown>;
}

function Memory({ context, records, row }: OneLaunchProps): JSX.Element {
  const values = useOfLaunch(context, "launch_values", whereOf(records, row));
  return <Shown of={values}>{(table) => <MemoryChartOf values={table} />}</Shown>;
}

/** Of long kernels; the server gives no more. */
const MOST_LINES = 100_000;

/** Of what is counted at instructions, the samples by reason. */
const SAMPLES = "metric ~ '^smsp__pcsamp_warps_issue_stalled_' and metric !~ '_not_issued$'";

function Code({ context, records, row }: OneLaunchProps): JSX.Element {
  const where = whereOf(records, row);
  const instructions = useOfLaunch(context, "launch_instructions", where, MOST_LINES);
  const lines = latest(useOfLaunch(context, "launch_lines", where, MOST_LINES));
  const counts = latest(useOfLaunch(context, "instruction_counts", `${where} and ${SAMPLES}`, MOST_LINES)) ?? null;
  if (instructions.state === "ready" && !instructions.value?.rows.length) {
    return (
      <p class="empty">
        The report has no counts at instructions of this launch: `ncu --section SourceCounters` collects them, and
        `-lineinfo` at compilation adds the lines of the source.
      </p>
    );
  }
  return (
    <Shown of={instructions}>
      {(table) => (lines ? <LaunchCodeView instructions={table} lines={lines} counts={counts} /> : "\u2026")}
    </Shown>
  );
}

function Summary({ context, records, row, toRules }: OneLaunchProps): JSX.Element {
  const where = whereOf(records, row);
  const baselineChoice = context.state.choice("baseline", "");
  const baselineKey = useStore(baselineChoice);
  const key = keyOf(records, row);
  const baseline = baselineKey === key ? undefined : records.rows.find((one) => keyOf(records, one) === baselineKey);
  const rules = useOfLaunch(context, "launch_rules", where);
  const values = useOfLaunch(context, "launch_values", where);
  const stalls = useOfLaunch(context, "launch_stalls", where);
  const baselineValues = latest(useOfLaunch(context, "launch_values", baseline ? whereOf(records, baseline) : ""));
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
  if (!records.rows.length) return <p class="soft">The rules of the profiler found nothing for this launch.</p>;
  return (
    <>
      <h3 ref={heading}>Findings of the profiler's rules</h3>
      <RuleList records={records} rows={records.rows} />
    </>
  );
}

export const launchesView = panelView("launches", "Launches", "8", Launches);
