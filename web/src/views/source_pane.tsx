// The program's source at a node of the call tree, with what each line costs.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SourceFile, SourceText } from "../api/protocol";
import { bytes, grouped, oneLine, withUnit } from "../model/format";
import { LineList } from "./line_list";
import { costsOf, hottestLine, splitLines, type LineCost, type LineRange } from "./source_lines";
import { latest, useAsked, type ViewProps } from "./view";

const LONGEST_LINE = 2000;
const TAB = " ".repeat(8);

export interface SourcePlace {
  rank: number;
  /** As the profile calls the file. */
  file: string;
  lines: LineRange | null;
}

interface Props extends ViewProps {
  place: SourcePlace;
  /** Those that the profile has; undefined while that is not known. */
  sources: readonly SourceFile[] | undefined;
  metric: string | undefined;
}

export function SourcePane({ context, place, sources, metric }: Props): JSX.Element {
  const known = sources?.find((source) => source.rank === place.rank && source.name === place.file);
  const loaded = useAsked(
    context,
    (signal) => (known ? context.client.source(known.rank, known.file, metric, signal) : Promise.resolve(null)),
    [known, metric],
  );
  if (!place.file) return <p class="source-note">The profile does not say in which file this is.</p>;
  if (!sources) return <p class="source-note">{"\u2026"}</p>;
  if (!known) {
    return (
      <p class="source-note">
        The profile says that this is in <span class="text">{placeText(place)}</span>, and does not hold that file.
      </p>
    );
  }
  if (loaded.state === "failed") return <p class="source-note">{loaded.text}</p>;
  const source = latest(loaded);
  if (!source || source.name !== place.file) return <p class="source-note">{"\u2026"}</p>;
  return <Source source={source} lines={place.lines} />;
}

const placeText = ({ file, lines }: SourcePlace): string => oneLine(lines ? `${file}:${lines.first}` : file, 400);

function Source({ source, lines: chosen }: { source: SourceText; lines: LineRange | null }): JSX.Element {
  const lines = useMemo(() => splitLines(source.text), [source]);
  const costs = useMemo(() => costsOf(source), [source]);
  const hottest = useMemo(() => hottestLine(costs), [costs]);
  const longest = useMemo(
    () => lines.reduce((most, line) => Math.max(most, Math.min(line.replace(/\t/g, TAB).length, LONGEST_LINE)), 0),
    [lines],
  );
  const [shown, setShown] = useState<{ line: number } | null>(null);
  const show = (line: number) => setShown({ line: line - 1 });
  useEffect(() => {
    if (chosen) show(chosen.first);
  }, [source.name, chosen?.first]);
  return (
    <>
      <div class="toolbar">
        <h3 class="text" title={source.name}>
          {oneLine(source.stored, 200)}
        </h3>
        <span class="soft source-remarks">{remarksOn(source, chosen, lines.length).join(" ")}</span>
        <span class="gap" />
        {hottest !== null && <button onClick={() => show(hottest)}>Hottest line</button>}
      </div>
      <LineList
        count={lines.length}
        label="Source"
        minWidth={`calc(${longest}ch + 290px)`}
        head={
          <>
            <span title={`${source.metric ?? "cost"}: here, and in all that is called from here`}>{source.metric}</span>
            <span title="here and not below">self</span>
          </>
        }
        isChosen={(i) => chosen !== null && i + 1 >= chosen.first && i + 1 <= chosen.last}
        shown={shown}
        line={(i) => {
          const text = lines[i]!;
          return (
            <>
              <Cost cost={costs.get(i + 1)} source={source} />
              <i>{i + 1}</i>
              <code>{text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}\u2026` : text}</code>
            </>
          );
        }}
      />
    </>
  );
}

/** What is not as it should be, in sentences. */
function remarksOn(source: SourceText, chosen: LineRange | null, count: number): string[] {
  const cut = source.shown_bytes < source.bytes;
  const remarks = [];
  if (source.name.replace(/^\.\//, "") !== source.stored) remarks.push(`The profile calls it ${source.name}.`);
  if (cut) remarks.push(`The first ${bytes(source.shown_bytes)} of ${bytes(source.bytes)}.`);
  if (source.repaired) remarks.push("It is not UTF-8: what is not, is replaced.");
  if (chosen && chosen.first > count) {
    remarks.push(`Line ${grouped(chosen.first)} is ${cut ? "in what was cut" : "not in it: it is another version"}.`);
  }
  return remarks;
}

function Cost({ cost, source }: { cost: LineCost | undefined; source: SourceText }): JSX.Element {
  if (!cost) return <span class="source-cost" />;
  const unit = source.unit ?? "";
  const share = source.total ? cost.inclusive / source.total : 0;
  const text = (value: number) => (value === 0 ? "" : withUnit(value, unit));
  return (
    <span
      class="source-cost"
      title={
        `here and below: ${grouped(cost.inclusive)} ${unit}, ${(100 * share).toFixed(2)} % of all; ` +
        `here: ${grouped(cost.exclusive)} ${unit}`
      }
    >
      <u style={{ width: `${100 * Math.min(1, share)}%` }} />
      <b>{text(cost.inclusive)}</b>
      <b>{text(cost.exclusive)}</b>
    </span>
  );
}
