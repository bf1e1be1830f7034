// The first page: call trees and measured launches.
import type { JSX } from "preact";
import { counted, duration, grouped, oneLine, percent, readable, short, withUnit } from "../model/format";
import { choicesOf } from "./choices";
import { Card, ROWS, toTable, toView, useRecords } from "./overview_card";
import { Records, totals } from "./records";
import { BarList, latest, useTable, type ViewProps } from "./view";

export function HotPath({ context }: ViewProps): JSX.Element | null {
  const table = latest(useTable(context, "hot_path"));
  if (!table || table.rows.length < 2) return null;
  const records = new Records(table);
  const unit = table.columns.find((column) => column.name === "value")?.unit ?? "";
  return (
    <Card title="Where the cost goes" about="the hot path" onOpen={toView(context, "call_tree")}>
      <ol class="hot-path">
        {records.rows.slice(-14).map((row) => (
          <li>
            <button onClick={toView(context, "call_tree")} title={records.text(row, "name").slice(0, 1000)}>
              <span style={{ paddingLeft: `${Math.min(records.number(row, "depth"), 20) * 8}px` }}>
                {oneLine(records.text(row, "name"))}
              </span>
              <b>{withUnit(records.number(row, "value"), unit)}</b>
              <span class="bar-share">{percent(records.number(row, "pct"))}</span>
            </button>
          </li>
        ))}
      </ol>
    </Card>
  );
}

export function Functions({ context }: ViewProps): JSX.Element | null {
  const table = latest(useTable(context, "functions", { top: 200 }));
  if (!table?.rows.length) return null;
  const records = new Records(table);
  const column = table.columns.find((each) => each.name.endsWith(".exclusive")) ?? null;
  if (!column) return null;
  const rows = records.rows
    .filter((row) => records.number(row, column.name) > 0)
    .sort((a, b) => records.number(b, column.name) - records.number(a, column.name));
  if (!rows.length) return null;
  return (
    <Card
      title="Top functions"
      about={`by ${column.name.replace(/\.exclusive$/, "")} of their own`}
      onOpen={toTable(context, "functions")}
    >
      <BarList
        total={rows.reduce((sum, row) => sum + records.number(row, column.name), 0)}
        items={rows.slice(0, ROWS).map((row) => ({
          label: oneLine(records.text(row, "name")),
          value: records.number(row, column.name),
          text: withUnit(records.number(row, column.name), column.unit ?? ""),
          onClick: toView(context, "flame"),
        }))}
      />
    </Card>
  );
}

export function StallReasons({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "stalls");
  if (!records) return null;
  return (
    <Card title="What instructions waited for" onOpen={toView(context, "stalls")}>
      <BarList
        total={records.sum("value")}
        items={totals(records, "reason", "value")
          .slice(0, ROWS)
          .map(({ key, total }) => ({
            label: readable(key),
            value: total,
            text: short(total),
            colour: "var(--vermillion)",
            onClick: toView(context, "stalls"),
          }))}
      />
    </Card>
  );
}

export function Metrics({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "metrics");
  const shown = records?.rows.filter((row) => records.cell(row, "value") !== null) ?? [];
  if (!records || !shown.length) return null;
  const several = context.session.runs.length > 1;
  return (
    <Card
      title="Measured in all"
      about={counted(shown.length, "metric", "metrics")}
      onOpen={toTable(context, "metrics")}
    >
      <ul class="note-list">
        {shown.slice(0, ROWS).map((row) => (
          <li title={records.text(row, "about")}>
            {several && `rank ${records.text(row, "rank")}: `}
            {oneLine(records.text(row, "name"))}{" "}
            <b>{withUnit(records.number(row, "value"), records.text(row, "unit"))}</b>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function Launches({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "launch_metrics", { sort: "duration_ns", short: "kernel" });
  if (!records) return null;
  const open = (row: (typeof records.rows)[number]) => () => {
    choicesOf(context.state).launch.set({ rank: records.number(row, "rank"), id: records.number(row, "id") });
    context.navigate({ view: "launches" });
  };
  return (
    <Card
      title="Measured launches"
      about={`${grouped(records.rows.length)}, the longest first`}
      onOpen={toView(context, "launches")}
    >
      <BarList
        total={records.sum("duration_ns")}
        items={records.rows.slice(0, ROWS).map((row) => ({
          label: `${records.text(row, "id")}: ${oneLine(records.short(row, "kernel"))}`,
          title: records.text(row, "kernel").slice(0, 1000),
          value: records.number(row, "duration_ns"),
          text: duration(records.number(row, "duration_ns")),
          note: records.text(row, "bound"),
          onClick: open(row),
        }))}
      />
    </Card>
  );
}

export function Findings({ context }: ViewProps): JSX.Element | null {
  const records = useRecords(context, "launch_rules", { sort: "speedup_pct", top: 200 });
  if (!records) return null;
  const rows = records.rows.filter((row) => records.text(row, "severity") !== "information").slice(0, 6);
  if (!rows.length) return null;
  return (
    <Card title="What the profiler's rules found" about="most to gain first" onOpen={toTable(context, "launch_rules")}>
      <ul class="finding-list">
        {rows.map((row) => (
          <li>
            <button
              onClick={() => {
                choicesOf(context.state).launch.set({
                  rank: records.number(row, "rank"),
                  id: records.number(row, "id"),
                });
                context.navigate({ view: "launches" });
              }}
              title={records.text(row, "message").slice(0, 2000)}
            >
              <b>
                {records.cell(row, "speedup_pct") === null
                  ? records.text(row, "severity")
                  : percent(records.number(row, "speedup_pct"))}
              </b>
              <span>
                {readable(records.text(row, "rule"))} in launch {records.text(row, "id")}
              </span>
              <span class="soft">{oneLine(records.text(row, "message"), 200)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
