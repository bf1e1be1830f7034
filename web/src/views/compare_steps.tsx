// The iterations of two runs as stacked bars above each other, at one scale. A click shows the step in its timeline.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Cell, Table } from "../api/protocol";
import { duration } from "../model/format";
import { SIDES, type SideName } from "../model/two_axes";
import { Legend } from "../ui/chart";
import { useLoaded } from "../ui/hooks";
import type { Compared } from "./context";
import { hasTable } from "./declared";
import { Records } from "./records";
import { StepBars, StepRows, StepText } from "./steps";
import { Shown } from "./view";

const HEIGHT = 230;

/** Whether both runs have marks of iterations. */
export const haveSteps = (compared: Compared): boolean =>
  SIDES.every((side) => compared[side].session.steps.length > 0 && hasTable(compared[side].session, "steps"));

interface Props {
  compared: Compared;
  onOpen: (side: SideName, range: { start: number; end: number }) => void;
}

export function ComparedSteps({ compared, onOpen }: Props): JSX.Element {
  const loaded = useLoaded(async (signal) => {
    const [a, b] = await Promise.all(SIDES.map((side) => compared[side].client.table("steps", {}, signal)));
    return { a: a!, b: b! };
  }, []);
  return <Shown of={loaded}>{(tables) => <StepsOfBoth compared={compared} tables={tables} onOpen={onOpen} />}</Shown>;
}

function StepsOfBoth({ compared, tables, onOpen }: Props & { tables: Record<SideName, Table> }): JSX.Element {
  const records = useMemo(() => ({ a: new Records(tables.a), b: new Records(tables.b) }), [tables]);
  const rankOf = (side: SideName) => (row: readonly Cell[]) => records[side].number(row, "rank");
  const ranks = useMemo(
    () => [...new Set(SIDES.flatMap((side) => records[side].rows.map(rankOf(side))))].sort((x, y) => x - y),
    [records],
  );
  const [rank, setRank] = useState(ranks[0] ?? 0);
  const rowsOf = (side: SideName) => records[side].rows.filter((row) => rankOf(side)(row) === rank);
  const rows = useMemo(() => ({ a: rowsOf("a"), b: rowsOf("b") }), [records, rank]);
  const longest = Math.max(
    1,
    ...SIDES.flatMap((side) => rows[side].map((row) => records[side].number(row, "duration_ns"))),
  );
  return (
    <div class="panel-view scrolls compare-steps">
      {ranks.length > 1 && (
        <label class="soft">
          Rank{" "}
          <select value={rank} onChange={(event) => setRank(Number(event.currentTarget.value))}>
            {ranks.map((each) => (
              <option value={each}>{each}</option>
            ))}
          </select>
        </label>
      )}
      {SIDES.map((side) => (
        <StepsOfSide
          key={side}
          side={side}
          compared={compared}
          records={records[side]}
          rows={rows[side]}
          longest={longest}
          onOpen={onOpen}
        />
      ))}
    </div>
  );
}

interface SideProps extends Props {
  side: SideName;
  records: Records;
  rows: readonly (readonly Cell[])[];
  longest: number;
}

function StepsOfSide({ side, compared, records, rows, longest, onOpen }: SideProps): JSX.Element {
  const { session } = compared[side];
  const steps = useMemo(() => new StepRows(records, session, null), [records]);
  const [hover, setHover] = useState<readonly Cell[] | null>(null);
  const told = hover && rows.includes(hover) ? hover : null;
  const open = (row: readonly Cell[]) => {
    const known = steps.wholeStep(row);
    if (known) onOpen(side, { start: known.start, end: known.start + known.duration });
  };
  return (
    <section>
      <header class="toolbar">
        <h3>
          {side.toUpperCase()} {session.title}: {steps.title(rows)}
        </h3>
        <span class="gap" />
        <span class="told" aria-live="polite">
          {told ? (
            <StepText steps={steps} row={told} />
          ) : (
            <span class="soft">Click a step to see it in the timeline</span>
          )}
        </span>
      </header>
      <StepBars
        records={records}
        rows={rows}
        height={HEIGHT}
        longest={longest}
        onHover={setHover}
        onOpen={open}
        current={told}
      />
      <div class="legend-line">
        <Legend parts={steps.sums(rows)} format={(value) => `${duration(value / rows.length)} a step`} />
      </div>
    </section>
  );
}
