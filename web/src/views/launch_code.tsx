// The source, or the PTX, of a measured launch beside its machine instructions, with what was sampled at each. What is
// chosen on one side is marked on the other.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Table } from "../api/protocol";
import { counted, grouped, oneLine, percent, readable, short } from "../model/format";
import {
  heatOf,
  hottest,
  KINDS,
  launchCode,
  stallsAt,
  type CodeLine,
  type Instruction,
  type LineKind,
} from "./launch_code_model";
import { LineList } from "./line_list";

const TITLES: Record<LineKind, string> = { source: "Source", ptx: "PTX" };
const MOST_STALLS = 4;

interface Props {
  instructions: Table;
  lines: Table;
  /** Of the reasons why warps waited; null until it has come. */
  counts: Table | null;
}

/** The places of what is chosen, and those that were chosen by a click rather than by what they belong to. */
interface Chosen {
  side: "lines" | "instructions";
  at: number;
}

export function LaunchCodeView({ instructions, lines, counts }: Props): JSX.Element {
  const code = useMemo(() => launchCode(instructions, lines), [instructions, lines]);
  const kinds = KINDS.filter((kind) => code.lines[kind]);
  const [wished, setWished] = useState<LineKind>("source");
  const kind = kinds.includes(wished) ? wished : kinds[0];
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [shown, setShown] = useState<{ lines: { line: number } | null; instructions: { line: number } | null }>({
    lines: null,
    instructions: null,
  });
  const hasSamples = code.instructions.some(({ samples }) => samples !== null && samples > 0);
  const total = code.instructions.reduce((sum, one) => sum + heatOf(one, hasSamples), 0);
  const ofKind = kind ? code.lines[kind]! : [];

  const key =
    chosen === null || !kind
      ? null
      : chosen.side === "lines"
        ? (ofKind[chosen.at]?.key ?? null)
        : (code.instructions[chosen.at]?.lines[kind] ?? null);
  const isOfLine = (i: number) => key !== null && kind !== undefined && code.instructions[i]!.lines[kind] === key;
  const isChosen = (i: number) =>
    chosen?.side === "instructions" ? chosen.at === i : chosen?.side === "lines" && isOfLine(i);

  const choose = (side: Chosen["side"], at: number) => {
    setChosen({ side, at });
    if (!kind) {
      setShown({ lines: null, instructions: { line: at } });
    } else if (side === "lines") {
      const own = code.instructions
        .map((one, i) => ({ one, i }))
        .filter(({ one }) => one.lines[kind] === ofKind[at]!.key);
      const hot = hottest(
        own.map(({ one }) => one),
        hasSamples,
      )[0];
      const first = own[hot ?? 0]?.i;
      setShown({ lines: { line: at }, instructions: first === undefined ? null : { line: first } });
    } else {
      const line = ofKind.findIndex((one) => one.key === code.instructions[at]!.lines[kind]);
      setShown({ lines: line < 0 ? null : { line }, instructions: { line: at } });
    }
  };
  const nextHottest = (side: Chosen["side"]) => {
    const places = hottest(side === "lines" ? ofKind : code.instructions, hasSamples);
    const now = chosen?.side === side ? places.indexOf(chosen.at) : -1;
    const next = places[(now + 1) % places.length];
    if (next !== undefined) choose(side, next);
  };
  const words = hasSamples ? "samples" : "executed";
  const head = (
    <>
      <span title={hasSamples ? "samples of warps that were here" : "times that a warp executed it"}>{words}</span>
      <span title="times that a warp executed it">executed</span>
      <span title="why most of the warps here waited">stall</span>
    </>
  );
  const marked = new Set(code.instructions.filter((_, i) => isChosen(i)).map(({ offset }) => offset));
  return (
    <div class="launch-code">
      <div class="code-panes">
        {kind && (
          <section class="column" aria-label={TITLES[kind]}>
            <div class="toolbar">
              {kinds.map((one) => (
                <button
                  aria-pressed={one === kind}
                  onClick={() => {
                    setWished(one);
                    setChosen(null);
                  }}
                >
                  {TITLES[one]}
                </button>
              ))}
              <span class="soft source-remarks">{remark(kind, ofKind)}</span>
              <span class="gap" />
              <button onClick={() => nextHottest("lines")} title="Again: the next one">
                Hottest line
              </button>
            </div>
            <LineList
              count={ofKind.length}
              label={TITLES[kind]}
              head={head}
              minWidth="640px"
              isChosen={(i) => key !== null && ofKind[i]!.key === key}
              onChoose={(i) => choose("lines", i)}
              current={chosen?.side === "lines" ? chosen.at : ofKind.findIndex((one) => one.key === key)}
              shown={shown.lines}
              line={(i) => <LineRow one={ofKind[i]!} kind={kind} total={total} hasSamples={hasSamples} />}
            />
          </section>
        )}
        <section class="column" aria-label="SASS">
          <div class="toolbar">
            <h3>SASS</h3>
            <span class="soft source-remarks">
              {kind ? "" : "The report has no line of the source for it: compile with -lineinfo. "}
              {counted(code.instructions.length, "instruction", "instructions")}; reports have no text of operands
            </span>
            <span class="gap" />
            <button onClick={() => nextHottest("instructions")} title="Again: the next one">
              Hottest instruction
            </button>
          </div>
          <LineList
            count={code.instructions.length}
            label="SASS"
            head={head}
            minWidth="640px"
            isChosen={isChosen}
            onChoose={(i) => choose("instructions", i)}
            current={chosen?.side === "instructions" ? chosen.at : code.instructions.findIndex((_, i) => isOfLine(i))}
            shown={shown.instructions}
            line={(i) => (
              <InstructionRow
                one={code.instructions[i]!}
                kind={kind}
                isOfLine={isOfLine(i)}
                total={total}
                hasSamples={hasSamples}
              />
            )}
          />
        </section>
      </div>
      <p class="code-foot">
        {marked.size ? (
          <Marked
            instructions={code.instructions.filter(({ offset }) => marked.has(offset))}
            counts={counts}
            marked={marked}
            total={total}
            hasSamples={hasSamples}
          />
        ) : (
          <span class="soft">
            {`${grouped(total)} ${words === "samples" ? "samples" : "executed instructions"} in all. `}
            Click a line or an instruction: what belongs to it is marked on the other side.
          </span>
        )}
      </p>
    </div>
  );
}

function remark(kind: LineKind, lines: readonly CodeLine[]): string {
  if (lines.some(({ text }) => text !== "")) return "";
  return kind === "source"
    ? "The report names the lines, and has no text of the source."
    : "The report names the lines, and has no text of the PTX.";
}

function Heat({ one, total, hasSamples }: { one: CodeLine | Instruction; total: number; hasSamples: boolean }) {
  const heat = heatOf(one, hasSamples);
  const share = total > 0 ? heat / total : 0;
  const facts = [
    `${grouped(heat)} ${hasSamples ? "samples" : "executed"}, ${(100 * share).toFixed(2)} % of all`,
    one.notIssued === null ? "" : `${grouped(one.notIssued)} of them while nothing was issued`,
    one.executed === null ? "" : `executed ${grouped(one.executed)} times by warps`,
    one.threads === null ? "" : `${grouped(one.threads)} times by threads`,
  ];
  return (
    <span class="source-cost" title={facts.filter(Boolean).join("; ")}>
      <u style={{ width: `${100 * Math.min(1, share)}%` }} />
      <b>{heat > 0 ? `${short(heat)}  ${percent(100 * share)}` : ""}</b>
      <b>{one.executed ? short(one.executed) : ""}</b>
      <b class="stall">{readable(one.stall)}</b>
    </span>
  );
}

const fileName = (path: string): string => path.replace(/^.*\//, "");

function LineRow({
  one,
  kind,
  total,
  hasSamples,
}: {
  one: CodeLine;
  kind: LineKind;
  total: number;
  hasSamples: boolean;
}) {
  const unknown = one.line === null;
  return (
    <>
      <Heat one={one} total={total} hasSamples={hasSamples} />
      <i>{one.line ?? ""}</i>
      <code title={kind === "source" ? oneLine(`${one.file}:${one.line ?? ""}`, 400) : undefined}>
        {unknown ? (
          <span class="soft">instructions without a line</span>
        ) : (
          <span>{one.text || `${oneLine(fileName(one.file), 80)}:${one.line}  `}</span>
        )}
        {!one.text && <span class="soft">{counted(one.instructions, "instruction", "instructions")}</span>}
      </code>
    </>
  );
}

interface InstructionRowProps {
  one: Instruction;
  kind: LineKind | undefined;
  isOfLine: boolean;
  total: number;
  hasSamples: boolean;
}

function InstructionRow({ one, kind, isOfLine, total, hasSamples }: InstructionRowProps) {
  const place = one.line === null ? "" : `${fileName(one.file)}:${one.line}`;
  const ptx = one.lines.ptx.slice(1);
  return (
    <>
      <Heat one={one} total={total} hasSamples={hasSamples} />
      <i class={isOfLine ? "of-line" : ""}>{one.offset.toString(16).padStart(4, "0")}</i>
      <code title={oneLine(one.line === null ? "" : `${one.file}:${one.line}`, 400)}>
        <span class="operation">{one.operation || "?"}</span>
        <span class="soft">{kind === "ptx" ? ptx && `PTX ${ptx}` : place}</span>
      </code>
    </>
  );
}

interface MarkedProps {
  instructions: readonly Instruction[];
  counts: Table | null;
  marked: ReadonlySet<number>;
  total: number;
  hasSamples: boolean;
}

/** What is chosen, in a line: how much of all, and why its warps waited. */
function Marked({ instructions, counts, marked, total, hasSamples }: MarkedProps): JSX.Element {
  const heat = instructions.reduce((sum, one) => sum + heatOf(one, hasSamples), 0);
  const stalls = useMemo(() => (counts ? stallsAt(counts, marked) : []), [counts, [...marked].join()]);
  return (
    <>
      <b>{counted(instructions.length, "instruction", "instructions")}</b>
      {`: ${grouped(heat)} ${hasSamples ? "samples" : "executed"}, ${percent(total > 0 ? (100 * heat) / total : 0)} of all`}
      {hasSamples && stalls.length > 0 && (
        <span class="soft">
          {stalls
            .slice(0, MOST_STALLS)
            .map(({ stall, samples }) => ` \u00b7 ${readable(stall)} ${percent((100 * samples) / Math.max(1, heat))}`)
            .join("")}
        </span>
      )}
    </>
  );
}
