// The iterations: what each spent its time on, as stacked bars and as a table. A click zooms the timeline to the step.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Cell, Session, StepInfo, Table } from "../api/protocol";
import { duration, percent } from "../model/format";
import type { Range } from "../model/viewport";
import { Legend, Plot, type Frame } from "../ui/chart";
import { useStore } from "../ui/hooks";
import { DataTable } from "../ui/table";
import type { ViewContext } from "./context";
import { cutSteps, Records } from "./records";
import { around, panelView, Shown, useTable, type ViewProps } from "./view";

export const PARTS: readonly { column: string; label: string; colour: string }[] = [
  { column: "kernel_ns", label: "kernels", colour: "c-compute" },
  { column: "memcpy_ns", label: "copies", colour: "c-memory" },
  { column: "memset_ns", label: "memsets", colour: "c-green-soft" },
  { column: "communication_ns", label: "communication", colour: "c-communication" },
  { column: "runtime_ns", label: "runtime calls", colour: "c-yellow" },
  { column: "dataloader_ns", label: "data loading", colour: "c-purple" },
  { column: "cpu_ns", label: "host code", colour: "c-sky" },
  { column: "other_ns", label: "other", colour: "c-idle" },
];

/** Rows of the table of steps over the chosen time, some of which that cuts. */
export class StepRows {
  readonly #cut: Set<string>;

  constructor(
    readonly records: Records,
    private readonly session: Session,
    window: Range | null,
  ) {
    this.#cut = cutSteps(session.steps, window);
  }

  isCut(row: readonly Cell[]): boolean {
    return this.#cut.has(`${this.records.number(row, "rank")}/${this.records.text(row, "step")}`);
  }

  /** The step of a row without what a chosen time cuts. */
  wholeStep(row: readonly Cell[]): StepInfo | undefined {
    const [rank, number] = [this.records.number(row, "rank"), this.records.number(row, "step")];
    return this.session.steps.find((step) => step.rank === rank && step.step === number);
  }

  /** What rows spent on each part, ns, without those that took nothing. */
  sums(rows: readonly (readonly Cell[])[]): { label: string; colour: string; value: number }[] {
    return PARTS.map(({ label, colour, column }) => ({
      label,
      colour,
      value: rows.reduce((sum, row) => sum + this.records.number(row, column), 0),
    })).filter(({ value }) => value > 0);
  }

  /** "3 steps, 20.3 ms on average; 2 of them cut: ..." */
  title(rows: readonly (readonly Cell[])[]): string {
    const whole = rows.filter((row) => !this.isCut(row));
    const total = whole.reduce((sum, row) => sum + this.records.number(row, "duration_ns"), 0);
    const cut = rows.length - whole.length;
    const mean = whole.length ? `, ${duration(total / whole.length)} on average` : "";
    const parts = cut ? `; ${cut === rows.length ? "" : `${cut} `}cut: only what lies in the chosen time counts` : "";
    return `${rows.length} ${rows.length === 1 ? "step" : "steps"}${mean}${parts}`;
  }
}

function Steps({ context }: ViewProps): JSX.Element {
  const loaded = useTable(context, "steps");
  return (
    <div class="panel-view">
      <Shown of={loaded}>{(table) => <StepsOf context={context} table={table} />}</Shown>
    </div>
  );
}

function StepsOf({ context, table }: { context: ViewContext; table: Table }): JSX.Element {
  const window = useStore(context.window);
  const records = useMemo(() => new Records(table), [table]);
  const steps = useMemo(() => new StepRows(records, context.session, window), [records]);
  const ranks = useMemo(() => [...new Set(records.rows.map((row) => records.number(row, "rank")))], [records]);
  const [rank, setRank] = useState<number | null>(null);
  const [hover, setHover] = useState<readonly Cell[] | null>(null);
  const rankShown = rank !== null && ranks.includes(rank) ? rank : (ranks[0] ?? 0);
  const rows = useMemo(
    () => records.rows.filter((row) => records.number(row, "rank") === rankShown),
    [records, rankShown],
  );
  if (!records.rows.length) return <p class="empty">No iteration lies in the chosen time.</p>;
  const go = (row: readonly Cell[]) => {
    const [start, length] = [records.number(row, "start_ns"), records.number(row, "duration_ns")];
    const known = steps.wholeStep(row);
    context.navigate({
      view: "timeline",
      viewport: around(known?.start ?? start, known?.duration ?? length),
      area: { start: known?.start ?? start, end: (known?.start ?? start) + (known?.duration ?? length) },
    });
  };
  const sums = steps.sums(rows);
  const total = rows.reduce((sum, row) => sum + records.number(row, "duration_ns"), 0);
  const told = hover && rows.includes(hover as Cell[]) ? hover : null;
  return (
    <>
      <div class="toolbar">
        <h3>{steps.title(rows)}</h3>
        {ranks.length > 1 && (
          <label class="soft">
            Rank{" "}
            <select value={rankShown} onChange={(event) => setRank(Number(event.currentTarget.value))}>
              {ranks.map((each) => (
                <option value={each}>{each}</option>
              ))}
            </select>
          </label>
        )}
        <span class="gap" />
        <span class="told" aria-live="polite">
          {told ? <StepText steps={steps} row={told} /> : <span class="soft">Click a step to zoom to it</span>}
        </span>
      </div>
      <StepBars
        records={records}
        rows={rows}
        height={260}
        longest={rows.reduce((most, row) => Math.max(most, records.number(row, "duration_ns")), 1)}
        onHover={setHover}
        onOpen={go}
        current={told}
      />
      <div class="legend-line">
        <Legend parts={sums} format={(value) => percent((100 * value) / (total || 1))} />
      </div>
      <div class="fills">
        <DataTable
          table={table}
          onOpen={go}
          hidden={ranks.length > 1 ? undefined : ["rank"]}
          cells={{ step: String, complete: (value, row) => (steps.isCut(row) ? "cut" : value === 0 ? "no" : "yes") }}
          isCurrent={(row) => row === told}
        />
      </div>
    </>
  );
}

export function StepText({ steps, row }: { steps: StepRows; row: readonly Cell[] }): JSX.Element {
  const { records } = steps;
  const length = records.number(row, "duration_ns");
  const parts = PARTS.filter((part) => records.number(row, part.column) > 0);
  return (
    <>
      <b>Step {records.text(row, "step")}</b> {duration(length)}:{" "}
      {parts
        .map((part) => `${part.label} ${percent((100 * records.number(row, part.column)) / (length || 1))}`)
        .join(", ")}
      {steps.isCut(row)
        ? " (the part in the chosen time)"
        : records.cell(row, "complete") === 0
          ? " (not complete)"
          : ""}
    </>
  );
}

/** One bar a step; all rectangles of a part are one path, so that thousands of steps draw at once. `longest`: what the
 * height stands for, ns. */
export function StepBars({
  records,
  rows,
  height,
  longest,
  onHover,
  onOpen,
  current,
}: {
  records: Records;
  rows: readonly (readonly Cell[])[];
  height: number;
  longest: number;
  onHover: (row: readonly Cell[] | null) => void;
  onOpen: (row: readonly Cell[]) => void;
  current: readonly Cell[] | null;
}): JSX.Element {
  const at = (frame: Frame, event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    return rows[Math.floor(frame.x.invert(event.clientX - box.left) + 0.5)] ?? null;
  };
  const labels = (index: number) => (Number.isInteger(index) && rows[index] ? records.text(rows[index]!, "step") : "");
  return (
    <div class="opens">
      <Plot
        title="Time of the steps"
        height={height}
        x={{ domain: [-0.5, rows.length - 0.5], label: "step", format: labels }}
        y={{ domain: [0, longest * 1.04], format: duration }}
        onPointerMove={(frame, event) => onHover(at(frame, event))}
        onPointerLeave={() => onHover(null)}
        onClick={(frame, event) => {
          const row = at(frame, event);
          if (row) onOpen(row);
        }}
      >
        {(frame) => {
          const slot = frame.width / rows.length;
          const width = Math.min(Math.max(slot * 0.82, slot - 6, Math.min(slot, 1)), 90);
          const below = rows.map(() => 0);
          return (
            <>
              {current && (
                <rect
                  class="hover-band"
                  x={frame.x(rows.indexOf(current)) - slot / 2}
                  width={slot}
                  y={frame.top}
                  height={frame.height}
                />
              )}
              {PARTS.map((part) => {
                let path = "";
                rows.forEach((row, i) => {
                  const value = records.number(row, part.column);
                  if (value <= 0) return;
                  const top = frame.y(below[i]! + value);
                  const size = frame.y(below[i]!) - top;
                  below[i]! += value;
                  const left = (frame.x(i) - width / 2).toFixed(1);
                  path += `M${left} ${top.toFixed(1)}h${width.toFixed(1)}v${size.toFixed(1)}H${left}z`;
                });
                return <path class={part.colour} d={path} />;
              })}
            </>
          );
        }}
      </Plot>
    </div>
  );
}

export const stepsView = panelView("steps", "Steps", "4", Steps);
