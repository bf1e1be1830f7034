// The program's source at a node of the call tree, with what each line costs.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SourceFile, SourceText } from "../api/protocol";
import { bytes, grouped, oneLine, withUnit } from "../model/format";
import { useSize } from "../ui/hooks";
import { costsOf, hottestLine, splitLines, type LineCost, type LineRange } from "./source_lines";
import { latest, useAsked, type ViewProps } from "./view";

const ROW = 18; // as in analyses.css
const SPARE = 20;
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
  const [top, setTop] = useState(0);
  const { ref, height } = useSize<HTMLDivElement>();
  const show = (line: number) => {
    if (ref.current) ref.current.scrollTop = Math.max(0, (line - 1) * ROW - ref.current.clientHeight / 3);
  };
  useEffect(() => {
    if (chosen && height > 0) show(chosen.first);
  }, [source.name, chosen?.first, height > 0]);
  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(lines.length, Math.ceil((top + height) / ROW) + SPARE);
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
      <div
        class="source-scroll"
        ref={ref}
        tabIndex={0}
        role="document"
        aria-label="Source"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div class="source-head">
          <span title={`${source.metric ?? "cost"}: here, and in all that is called from here`}>{source.metric}</span>
          <span title="here and not below">self</span>
        </div>
        <div class="source-body" style={{ height: `${lines.length * ROW}px`, minWidth: `calc(${longest}ch + 290px)` }}>
          {lines.slice(first, last).map((text, i) => {
            const line = first + i + 1;
            const within = chosen !== null && line >= chosen.first && line <= chosen.last;
            return (
              <div
                key={line}
                class={`source-line${within ? " chosen" : ""}`}
                aria-current={within ? "true" : undefined}
                style={{ top: `${(line - 1) * ROW}px` }}
              >
                <Cost cost={costs.get(line)} source={source} />
                <i>{line}</i>
                <code>{text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}\u2026` : text}</code>
              </div>
            );
          })}
        </div>
      </div>
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
