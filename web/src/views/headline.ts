// The facts at the head of the first page. Pure.
import type { Session, Table } from "../api/protocol";
import { duration, grouped } from "../model/format";
import type { Range } from "../model/viewport";
import { Records } from "./records";

/** What it is called, what it is, and what more there is to say about it. */
export type Fact = [name: string, text: string, title?: string];

function distinct(texts: readonly string[], most = 3): string {
  const found = [...new Set(texts.filter(Boolean))];
  return found.length > most ? `${found.slice(0, most).join(", ")} and ${found.length - most} more` : found.join(", ");
}

/** "8 x NVIDIA H100" */
function models(devices: Table): string {
  const records = new Records(devices);
  const used = records.rows.filter((row) => !records.has("used") || records.number(row, "used") > 0);
  const counts = new Map<string, number>();
  for (const row of used.length ? used : records.rows) {
    const name = records.text(row, "name") || "model not recorded";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count > 1 ? `${count} \u00d7 ${name}` : name)).join(", ");
}

export function headline(session: Session, devices: Table | null, info: Table | null, window: Range | null): Fact[] {
  const facts: Fact[] = [];
  const about = info && new Records(info);
  const said = (key: string): string => {
    const row = about?.rows.find((each) => about.text(each, "key") === key);
    return row ? about!.text(row, "value") : "";
  };
  const count = (title: string, key: string) => {
    const value = Number(said(key));
    if (value > 0) facts.push([title, grouped(value)]);
  };
  if (window) facts.push(["Part of the run", duration(window.end - window.start)]);
  if (session.views.includes("timeline")) facts.push(["Recorded", duration(session.span)]);
  if (session.start_unix_ns) {
    const at = new Date(Number(BigInt(session.start_unix_ns) / 1_000_000n));
    facts.push(["Begun", at.toISOString().replace("T", " ").slice(0, 19) + " UTC"]);
  }
  if (session.runs.length > 1) facts.push(["Ranks", grouped(session.runs.length)]);
  if (devices?.rows.length) facts.push(["Devices", models(devices)]);
  facts.push(["Profile", distinct(session.runs.map((run) => run.format)), said("format_version")]);
  const hosts = distinct(session.runs.map((run) => run.host));
  if (hosts) facts.push(["Machine", hosts]);
  count("Slices", "slices");
  count("On a device", "device_slices");
  count("Measured launches", "profiled_launches");
  count("Call tree", "call_tree_nodes");
  if (session.steps.length) facts.push(["Steps", grouped(session.steps.length)]);
  return facts;
}
