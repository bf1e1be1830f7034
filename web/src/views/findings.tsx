// What slows the run down: each finding with what it could give back, its evidence, what to do, and its place in the
// timeline.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Cell, Table } from "../api/protocol";
import { duration, percent } from "../model/format";
import type { ViewContext } from "./context";
import { gainOfAll } from "./gain_of_all";
import { Records } from "./records";
import { around, panelView, Shown, useTable, type ViewProps } from "./view";

function Findings({ context }: ViewProps): JSX.Element {
  const loaded = useTable(context, "findings");
  return (
    <div class="panel-view">
      <Shown of={loaded}>{(table) => <FindingsOf context={context} table={table} />}</Shown>
    </div>
  );
}

function FindingsOf({ context, table }: { context: ViewContext; table: Table }): JSX.Element {
  const records = useMemo(() => new Records(table), [table]);
  if (!records.rows.length) return <p class="empty">Nothing was found that would give back 3 % of the time or more.</p>;
  const together = gainOfAll(records);
  return (
    <div class="findings scrolls pad">
      <ol>
        {records.rows.map((row) => (
          <Finding context={context} records={records} row={row} />
        ))}
      </ol>
      {together && <p class="together">{together}</p>}
    </div>
  );
}

function Finding({
  context,
  records,
  row,
}: {
  context: ViewContext;
  records: Records;
  row: readonly Cell[];
}): JSX.Element {
  const severity = records.text(row, "severity");
  const start = records.cell(row, "start_ns");
  const gains = records.cell(row, "recoverable_ns") !== null;
  const show = () => {
    const [from, to] = [records.number(row, "start_ns"), records.number(row, "end_ns")];
    const length = Math.max(to - from, 1);
    context.navigate({
      view: "timeline",
      area: { start: from, end: from + length },
      viewport: around(from - length * 0.2, length * 1.4),
    });
  };
  return (
    <li class={`finding ${severity}`}>
      <h2>
        <span class="severity">{severity}</span> {records.text(row, "title")}
      </h2>
      {gains && (
        <p class="gain">
          could give back <b>{duration(records.number(row, "recoverable_ns"))}</b> (
          {percent(records.number(row, "recoverable_pct"))} of the time;{" "}
          {duration(records.number(row, "recoverable_low_ns"))} to{" "}
          {duration(records.number(row, "recoverable_high_ns"))}), confidence {records.text(row, "confidence")}
        </p>
      )}
      <p>{records.text(row, "evidence")}</p>
      <p class="suggestion">{records.text(row, "suggestion")}</p>
      <p class="soft">
        {start !== null && <button onClick={show}>Show in the timeline</button>}{" "}
        <code>{records.text(row, "command")}</code>
      </p>
    </li>
  );
}

export const findingsView = panelView("findings", "Findings", "8", Findings);
