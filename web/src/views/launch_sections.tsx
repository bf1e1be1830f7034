// A measured launch as its profiler shows it: section by section, with the rules of each below its metrics.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Cell, Table } from "../api/protocol";
import { grouped, oneLine, percent, readable, withUnit } from "../model/format";
import { Records } from "./records";
import { RuleList } from "./rule_list";

const MOST_SHOWN = 400; // letters of a value

interface Shown {
  label: string;
  row: readonly Cell[];
}
interface Section {
  title: string;
  name: string;
  about: string;
  head: Shown[];
  charts: Map<string, Shown[]>;
  rules: Cell[][];
}

function sectionsOf(records: Records, rules: Records | null): Section[] {
  const sections = new Map<string, Section>();
  const others: Section = {
    title: "Rules of other sections",
    name: "",
    about: "",
    head: [],
    charts: new Map(),
    rules: [],
  };
  for (const row of records.rows) {
    const title = records.text(row, "title");
    const section: Section = sections.get(title) ?? {
      title,
      name: records.text(row, "section"),
      about: records.text(row, "about"),
      head: [],
      charts: new Map(),
      rules: [],
    };
    sections.set(title, section);
    const [label, chart] = [records.text(row, "label"), records.text(row, "chart")];
    if (label === "") continue;
    if (chart === "") section.head.push({ label, row });
    else section.charts.set(chart, [...(section.charts.get(chart) ?? []), { label, row }]);
  }
  const all = [...sections.values()];
  for (const rule of rules?.rows ?? []) {
    const of = rules!.text(rule, "section");
    const own = all.find((section) => isCalled(section, of));
    if (own) own.rules.push(rule);
    else others.rules.push(rule);
  }
  return others.rules.length ? [...all, others] : all;
}

/** Pages that were printed name a section by its title and its rules by its identifier: "Launch Statistics", "LaunchStats". */
function isCalled({ name, title }: Section, identifier: string): boolean {
  if (name !== "") return name === identifier;
  return title.replaceAll(" ", "").replace("Statistics", "Stats").includes(identifier);
}

export function LaunchSections({ table, rules }: { table: Table; rules: Table | null }): JSX.Element {
  const records = useMemo(() => new Records(table), [table]);
  const ofRules = useMemo(() => (rules ? new Records(rules) : null), [rules]);
  const sections = useMemo(() => sectionsOf(records, ofRules), [records, ofRules]);
  if (!sections.length) return <p class="empty">The report describes no sections.</p>;
  return (
    <div class="launch-sections scrolls pad">
      {sections.map((section) => (
        <section aria-label={section.title}>
          <h3 title={oneLine(section.about, 2000)}>{section.title}</h3>
          {section.head.length > 0 && (
            <dl>
              {section.head.map(({ label, row }) => (
                <div title={records.text(row, "metric")}>
                  <dt class="text">{oneLine(labelOf(records, { label, row }), 120)}</dt>
                  <dd>{valueText(records, row) ?? <span class="soft">not measured</span>}</dd>
                </div>
              ))}
            </dl>
          )}
          {[...section.charts].map(([title, shown]) => (
            <Chart records={records} title={title} shown={shown} />
          ))}
          {ofRules && section.rules.length > 0 && <RuleList records={ofRules} rows={section.rules} />}
          {!section.rules.length &&
            !section.head.length &&
            ![...section.charts.values()].some((shown) => measured(records, shown).length) && (
              <p class="soft">The report has no metrics of this section.</p>
            )}
        </section>
      ))}
    </div>
  );
}

function valueText(records: Records, row: readonly Cell[]): string | null {
  const [value, unit] = [records.cell(row, "value"), records.text(row, "unit")];
  if (value === null) return oneLine(records.text(row, "text"), MOST_SHOWN) || null;
  if (unit === "%") return percent(Number(value));
  return withUnit(Number(value), unit);
}

/** A metric without a label by its unit and what it counts, as Nsight Compute writes it: "sm: inst executed pipe xu". */
function labelOf(records: Records, { label, row }: Shown): string {
  if (label !== records.text(row, "metric")) return label;
  return readable(label.replace(/\..*/, "").replace("__", ": "));
}

const measured = (records: Records, shown: readonly Shown[]): Shown[] =>
  shown.filter(({ row }) => typeof records.cell(row, "value") === "number");

/** Its metrics as bars, the largest first. Percentages are of 100, all else of the largest. */
function Chart({ records, title, shown }: { records: Records; title: string; shown: Shown[] }): JSX.Element | null {
  const valueOf = ({ row }: Shown) => records.number(row, "value");
  const rows = measured(records, shown).sort((a, b) => valueOf(b) - valueOf(a));
  if (!rows.length) return null;
  const isShare = rows.every(({ row }) => records.text(row, "unit") === "%");
  const most = Math.max(1e-300, isShare ? 100 : 0, ...rows.map(valueOf));
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <ul class="meters">
        {rows.map((one) => (
          <li title={`${records.text(one.row, "metric")}: ${grouped(valueOf(one))}`}>
            <span class="text">{oneLine(labelOf(records, one), 120)}</span>
            <span class="meter">
              <i style={{ width: `${Math.max(0, (100 * valueOf(one)) / most)}%` }} />
            </span>
            <b>{valueText(records, one.row)}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}
