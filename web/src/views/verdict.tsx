// What a profile opens on: the run in one line, and the first findings, each with its place in the timeline.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { TileStore } from "../api/tile_store";
import type { Cell } from "../api/protocol";
import { withPageUnits } from "../model/format";
import { useStore } from "../ui/hooks";
import type { ViewContext } from "./context";
import { SavingBar, ShowButton } from "./finding_card";
import { causeWords, savingOf } from "./finding_words";
import { Records } from "./records";
import { deviceWord, latest, useWholeTable, type ViewProps } from "./view";
import { verdictParts, whyUtilizationIsUnknown } from "./verdict_words";

const CARDS = 3;

export function Verdict({ context }: ViewProps): JSX.Element | null {
  const [gpuTime, idle, steps] = ["gpu_time", "idle", "steps"].map((name) => latest(useWholeTable(context, name)));
  const findings = latest(useWholeTable(context, "findings"));
  const records = useMemo(() => findings && new Records(findings), [findings]);
  const whyUnknown = whyUtilizationIsUnknown(context.session.notes);
  const parts = verdictParts(deviceWord(context.session), whyUnknown, gpuTime, idle, steps);
  if (!parts.length && !records?.rows.length) return null;
  return (
    <section class="verdict" aria-label="Verdict">
      <p class="verdict-line">
        {parts.map((part) => (
          <b title={part}>{part}</b>
        ))}
      </p>
      {records && <FirstFindings context={context} records={records} />}
    </section>
  );
}

function FirstFindings({ context, records }: { context: ViewContext; records: Records }): JSX.Element {
  const more = records.rows.length - CARDS;
  return (
    <ol class="first-findings">
      {records.rows.slice(0, CARDS).map((row) => (
        <FirstFinding context={context} records={records} row={row} />
      ))}
      {more > 0 && context.session.views.includes("findings") && (
        <li class="more">
          <button onClick={() => context.navigate({ view: "findings" })}>{more} more</button>
        </li>
      )}
    </ol>
  );
}

function FirstFinding({
  context,
  records,
  row,
}: {
  context: ViewContext;
  records: Records;
  row: readonly Cell[];
}): JSX.Element {
  const severity = records.text(row, "severity");
  const saving = savingOf(records, row);
  const title = withPageUnits(records.text(row, "title"));
  return (
    <li class={`finding ${severity}`}>
      <b class="first-title" title={`${title}\n${withPageUnits(records.text(row, "evidence"))}`}>
        {firstTitle(context, records, row)}
      </b>
      {saving ? <SavingBar saving={saving} isShort /> : <span class={`severity ${severity}`}>{severity}</span>}
      <ShowButton context={context} records={records} row={row} isShort />
    </li>
  );
}

/** "Straggler: rank 1" */
function firstTitle({ session }: ViewContext, records: Records, row: readonly Cell[]): string {
  const words = causeWords(records.text(row, "rule"));
  const isOfRank = records.text(row, "rule") === "straggler" && session.runs.length > 1;
  return isOfRank ? `${words}: rank ${records.number(row, "rank")}` : words;
}

/** The same above the timeline, where it can be folded away. It asks only once the first picture is there. */
export function VerdictStrip({ context, tiles }: ViewProps & { tiles: TileStore }): JSX.Element {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    const end = tiles.subscribe(() => {
      if (tiles.pending > 0) return;
      end();
      setDrawn(true);
    });
    return end;
  }, []);
  const choice = context.state.choice("verdict", "shown", ["shown", "hidden"]);
  const isShown = useStore(choice) === "shown";
  return (
    <div class={`verdict-strip ${isShown ? "" : "hidden"}`}>
      {isShown && isDrawn && <Verdict context={context} />}
      <button
        class="icon"
        aria-expanded={isShown}
        title={isShown ? "Hide the verdict" : "Show the verdict"}
        aria-label={isShown ? "Hide the verdict" : "Show the verdict"}
        onClick={() => choice.set(isShown ? "hidden" : "shown")}
      >
        {isShown ? "\u25b4" : "\u25be"}
      </button>
    </div>
  );
}
