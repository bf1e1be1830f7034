// What slows the run down. Findings are of the whole run, or of its steps without warm-up: the chosen time changes
// neither them nor their figures.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Table } from "../api/protocol";
import type { ViewContext } from "./context";
import { FindingCard } from "./finding_card";
import { gainOfAll, wholeText } from "./finding_words";
import { Records } from "./records";
import { panelView, Shown, useWholeTable, type ViewProps } from "./view";

function Findings({ context }: ViewProps): JSX.Element {
  const loaded = useWholeTable(context, "findings");
  return (
    <div class="panel-view">
      <Shown of={loaded}>{(table) => <FindingsOf context={context} table={table} />}</Shown>
    </div>
  );
}

function FindingsOf({ context, table }: { context: ViewContext; table: Table }): JSX.Element {
  const records = useMemo(() => new Records(table), [table]);
  if (!records.rows.length) return <p class="empty">No finding has a potential saving of 3 % of the time or more.</p>;
  return (
    <div class="findings scrolls pad">
      <p class="together">
        {wholeText(records)} <span class="soft">{gainOfAll(records)}</span>
      </p>
      <ol>
        {records.rows.map((row) => (
          <FindingCard context={context} records={records} row={row} />
        ))}
      </ol>
    </div>
  );
}

export const findingsView = panelView("findings", "Findings", "8", Findings);
