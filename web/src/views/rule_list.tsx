// Findings of the profiler's rules about a measured launch.
import type { JSX } from "preact";
import type { Cell } from "../api/protocol";
import { oneLine, percent, readable } from "../model/format";
import type { Records } from "./records";

const SEVERITIES = ["error", "warning", "optimization", "information"];

/** Those first from which most can be gained, then the most severe. */
export function RuleList({ records, rows }: { records: Records; rows: readonly Cell[][] }): JSX.Element {
  const order = (row: readonly Cell[]) => {
    const at = SEVERITIES.indexOf(records.text(row, "severity"));
    return at < 0 ? SEVERITIES.length : at;
  };
  const sorted = [...rows].sort(
    (a, b) => records.number(b, "speedup_pct") - records.number(a, "speedup_pct") || order(a) - order(b),
  );
  return (
    <ul class="rules">
      {sorted.map((row) => {
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
  );
}
