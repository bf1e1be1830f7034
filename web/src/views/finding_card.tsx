// A finding as a card: its title, a bar of what it could save, the evidence, what to do, its place in the timeline and
// the table that shows more.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Cell } from "../api/protocol";
import { percent, withPageUnits } from "../model/format";
import type { ViewContext } from "./context";
import { hasTable, titleOf } from "./declared";
import { tableOfCommand } from "./finding_command";
import { showFinding } from "./finding_place";
import { savingOf, type Saving } from "./finding_words";
import { toTable } from "./overview_card";
import type { Records } from "./records";

export interface FindingProps {
  context: ViewContext;
  records: Records;
  row: readonly Cell[];
}

export function FindingCard({ context, records, row }: FindingProps): JSX.Element {
  const severity = records.text(row, "severity");
  const saving = savingOf(records, row);
  return (
    <li class={`finding ${severity}`}>
      <h2>{withPageUnits(records.text(row, "title"))}</h2>
      <p class="finding-figures">
        <span class={`severity ${severity}`}>{severity}</span>
        {saving && <SavingBar saving={saving} />}
        {saving && <span class="soft">confidence {records.text(row, "confidence")}</span>}
      </p>
      <p>{withPageUnits(records.text(row, "evidence"))}</p>
      <p class="suggestion">{withPageUnits(records.text(row, "suggestion"))}</p>
      <p class="finding-links">
        <ShowButton context={context} records={records} row={row} />
        <TableLink context={context} command={records.text(row, "command")} />
      </p>
    </li>
  );
}

/** The share of the whole that a finding could save besides those before it, with the least, and what it saves alone. */
export function SavingBar({ saving, isShort = false }: { saving: Saving; isShort?: boolean }): JSX.Element {
  const { share, low, high, text } = saving;
  const least = low < share ? `; at least ${percent(low)}` : "";
  const alone = high > share ? `; ${percent(high)} by itself, without the findings before it` : "";
  return (
    <span class="saving" title={`Potential saving: ${text}, ${percent(share)} of the time${least}${alone}`}>
      <span class="meter">
        <i class="most" style={{ width: `${Math.min(100, high)}%` }} />
        <i style={{ width: `${Math.min(100, share)}%` }} />
      </span>
      <b>{percent(share)}</b>
      {!isShort && <span class="soft">saves {text}</span>}
    </span>
  );
}

/** Where the finding has a place in the timeline; of a rank that others wait for, the way to the ranks. */
export function ShowButton({
  context,
  records,
  row,
  isShort = false,
}: FindingProps & { isShort?: boolean }): JSX.Element | null {
  const [failed, setFailed] = useState<string | null>(null);
  const { views } = context.session;
  if (records.cell(row, "start_ns") === null) {
    const isOfRanks = records.text(row, "rule") === "straggler" && hasTable(context.session, "rank_activity");
    return isOfRanks ? (
      <button onClick={() => context.navigate({ view: "ranks" })} title="Who waits for whom, and for how long">
        Show the ranks
      </button>
    ) : null;
  }
  if (!views.includes("timeline")) return null;
  const show = () =>
    showFinding(context, records, row).catch((error: unknown) =>
      setFailed(error instanceof Error ? error.message : String(error)),
    );
  return (
    <>
      <button
        onClick={() => void show()}
        aria-label="Show in the timeline"
        title="Zooms to where it is longest; N goes to the next place"
      >
        {isShort ? "Show" : "Show in the timeline"}
      </button>
      {failed !== null && <span class="soft">{failed}</span>}
    </>
  );
}

/** The table with the rows that a finding is made of; its command line where this profile has no such table. */
function TableLink({ context, command }: { context: ViewContext; command: string }): JSX.Element {
  const table = tableOfCommand(command);
  if (!table || !hasTable(context.session, table.name)) return <code>{command}</code>;
  return (
    <button class="link" title={command} onClick={toTable(context, table.name, table.where)}>
      Table: {titleOf(table.name)}
      {table.where && `, ${table.where}`}
    </button>
  );
}
