// The tables of the profile in SQL: a statement, and its rows, which lead into the timeline.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Cell, SqlAnswer, Table } from "../api/protocol";
import { grouped } from "../model/format";
import { useStore } from "../ui/hooks";
import { DataTable } from "../ui/table";
import type { ViewContext } from "./context";
import { tableInfo } from "./declared";
import { showLongest } from "./matches";
import { Records } from "./records";
import { completions, leadOf, placeOfTrouble, type Completion } from "./sql_words";
import { around, panelView, type ViewProps } from "./view";

const FIRST_STATEMENT = `SELECT name, count(*) AS n, sum(duration_ns) AS total_ns, max(duration_ns) AS longest_ns
FROM slices
GROUP BY name
ORDER BY total_ns DESC
LIMIT 20`;

const EXAMPLES: readonly [string, string][] = [
  ["Where the time of all slices went, by name", FIRST_STATEMENT],
  [
    "The longest kernels, each with the way to its place in the timeline",
    `SELECT slice, name, start_ns, duration_ns
FROM slices
WHERE kind = 'kernel'
ORDER BY duration_ns DESC
LIMIT 50`,
  ],
  [
    "For how long anything ran on each stream",
    `SELECT rank, device, stream, count(*) AS n, span_union(start_ns, start_ns + duration_ns) AS busy_ns
FROM slices
WHERE stream IS NOT NULL
GROUP BY rank, device, stream`,
  ],
  [
    "What each thread did in calls of half a millisecond and more",
    `SELECT rank, thread, name, count(*) AS n, percentile(duration_ns, 95) AS p95_ns
FROM slices
WHERE device IS NULL AND duration_ns >= 500000
GROUP BY rank, thread, name
ORDER BY sum(duration_ns) DESC`,
  ],
];

const MOMENTS = ["start_ns", "end_ns"];

type Result =
  | { state: "none" }
  | { state: "running"; last?: SqlAnswer }
  | { state: "ready"; answer: SqlAnswer; ms: number }
  | { state: "failed"; text: string };

/** One statement at a time; what is run ends what runs. */
function useStatement({ client }: ViewContext) {
  const [result, setResult] = useState<Result>({ state: "none" });
  const stopRunning = useRef<() => void>(() => undefined);
  const stop = () => {
    stopRunning.current();
    stopRunning.current = () => undefined;
  };
  const run = async (statement: string) => {
    stop();
    const id = crypto.randomUUID?.() ?? String(Math.random());
    const controller = new AbortController();
    stopRunning.current = () => {
      controller.abort();
      void client.stopSql(id).catch(() => undefined);
      setResult({ state: "failed", text: "Stopped." });
    };
    setResult((old) => ({ state: "running", last: old.state === "ready" ? old.answer : undefined }));
    const begin = performance.now();
    try {
      const answer = await client.sql(statement, id, controller.signal);
      if (controller.signal.aborted) return;
      stopRunning.current = () => undefined;
      setResult({ state: "ready", answer, ms: performance.now() - begin });
    } catch (error) {
      if (controller.signal.aborted) return;
      stopRunning.current = () => undefined;
      setResult({ state: "failed", text: error instanceof Error ? error.message : String(error) });
    }
  };
  useEffect(() => {
    const leave = () => stopRunning.current();
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, []);
  return { result, run, stop };
}

function Sql({ context }: ViewProps): JSX.Element {
  const { session } = context;
  const kept = context.state.choice("sql", FIRST_STATEMENT);
  const linked = useStore(kept);
  const [text, setText] = useState(linked);
  const [found, setFound] = useState<Completion[]>([]);
  const [table, setTable] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const { result, run, stop } = useStatement(context);
  useEffect(() => setText(linked), [linked]);
  useEffect(() => {
    const place = result.state === "failed" ? placeOfTrouble(text, result.text) : null;
    if (place) field.current!.setSelectionRange(...place);
  }, [result]);

  const isRunning = result.state === "running";
  const begin = (statement = text) => {
    setFound([]);
    setText(statement);
    kept.set(statement);
    void run(statement);
  };
  const edited = ({ value, selectionStart }: HTMLTextAreaElement) => {
    setText(value);
    setFound(completions(value, selectionStart, session.tables));
  };
  /** Puts a word in the place of what is from `start` to the cursor. */
  const write = (word: string, start?: number) => {
    const box = field.current!;
    box.focus();
    box.setRangeText(word, start ?? box.selectionStart, box.selectionEnd, "end");
    setText(box.value);
    setFound([]);
  };
  const keydown = (event: KeyboardEvent) => {
    const first = found[0];
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) begin();
    else if (event.key === "Tab" && !event.shiftKey && first) write(first.word, first.start);
    else if (event.key === "Escape" && found.length) setFound([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="panel-view sql-view">
      <nav class="table-list" aria-label="Tables and their columns">
        {session.tables.map(({ name, about }) => (
          <>
            <button
              class={name === table ? "on" : ""}
              aria-expanded={name === table}
              title={about}
              onClick={() => setTable(name === table ? null : name)}
            >
              {name}
            </button>
            {name === table && (
              <ul>
                <li>
                  <button onClick={() => setText(`SELECT * FROM ${name} LIMIT 100`)} title="Writes this statement">
                    SELECT * FROM {name}
                  </button>
                </li>
                {tableInfo(session, name)?.columns.map((column) => (
                  <li>
                    <button
                      onClick={() => write(column.name)}
                      title={`${column.type}${column.unit && `, ${column.unit}`}`}
                    >
                      {column.name}
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </>
        ))}
      </nav>
      <div class="table-main">
        <div class="sql-statement">
          <textarea
            ref={field}
            aria-label="Statement of SQL"
            spellcheck={false}
            rows={7}
            value={text}
            onInput={(event) => edited(event.currentTarget)}
            onKeyDown={keydown}
            onBlur={() => setFound([])}
          />
          <div class="toolbar">
            {isRunning ? (
              <button onClick={stop}>Stop</button>
            ) : (
              <button onClick={() => begin()} title="Ctrl+Enter" disabled={!text.trim()}>
                Run
              </button>
            )}
            {found.length > 0 ? (
              <span class="sql-words" role="listbox" aria-label="Words that go on here">
                {found.map(({ word, start, about }, i) => (
                  <button
                    role="option"
                    aria-selected={i === 0}
                    title={about}
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={() => write(word, start)}
                  >
                    {word}
                    {i === 0 && <kbd>Tab</kbd>}
                  </button>
                ))}
              </span>
            ) : (
              <span class="soft about">
                SQLite's SQL over all tables of the whole run, read only. Ctrl+Enter runs it. A row with a slice, a
                start or a name leads to its place in the timeline.
              </span>
            )}
          </div>
        </div>
        {result.state === "none" ? <Examples onChoose={begin} /> : <Rows context={context} result={result} />}
      </div>
    </div>
  );
}

function Examples({ onChoose }: { onChoose: (statement: string) => void }): JSX.Element {
  return (
    <ul class="sql-examples">
      {EXAMPLES.map(([title, statement]) => (
        <li>
          <button onClick={() => onChoose(statement)} title={statement}>
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Rows({ context, result }: ViewProps & { result: Result }): JSX.Element | null {
  const [trouble, setTrouble] = useState("");
  const answer = result.state === "ready" ? result.answer : result.state === "running" ? result.last : undefined;
  useEffect(() => setTrouble(""), [answer]);
  if (result.state === "failed") {
    return (
      <p class="sql-trouble" role="alert">
        {result.text}
      </p>
    );
  }
  if (!answer) return <p class="empty">Running{"\u2026"}</p>;
  return (
    <div class={result.state === "running" ? "shown stale" : "shown"}>
      <SqlTable context={context} table={answer.table} onTrouble={setTrouble} />
      <p class="cut-note" role="status">
        {grouped(answer.table.rows.length)} {answer.table.rows.length === 1 ? "row" : "rows"}
        {result.state === "ready" && ` in ${readableMs(result.ms)}`}
        {answer.isCut && "; there are more, which LIMIT and ORDER BY choose from, and cgpu sql gives whole"}
        {trouble && ` \u2014 ${trouble}`}
      </p>
    </div>
  );
}

const readableMs = (ms: number): string =>
  ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;

interface SqlTableProps extends ViewProps {
  table: Table;
  onTrouble: (text: string) => void;
}

function SqlTable({ context, table, onTrouble }: SqlTableProps): JSX.Element {
  const records = useMemo(() => new Records(table), [table]);
  const leads = context.session.views.includes("timeline") && table.rows.some((row) => leadOf(records, row) !== null);
  const open = async (row: readonly Cell[]) => {
    onTrouble("");
    const lead = leadOf(records, row);
    try {
      if (!lead) return;
      if ("range" in lead) {
        context.navigate({ view: "timeline", viewport: around(lead.range.start, lead.range.end - lead.range.start) });
      } else if ("slice" in lead) {
        const slice = await context.client.place(lead.slice);
        const air = Math.max(3 * slice.duration, 500);
        context.navigate({ view: "timeline", slice, viewport: around(slice.start - air, slice.duration + 2 * air) });
      } else {
        await showLongest(context, { table: "slices", key: [lead.name] });
      }
    } catch {
      onTrouble("no slice of the timeline belongs to this row");
    }
  };
  return (
    <DataTable
      table={table}
      title="Result"
      empty="No rows."
      moments={MOMENTS}
      titles={Object.fromEntries(table.columns.map(({ name }) => [name, name]))}
      onOpen={leads ? (row) => void open(row) : undefined}
    />
  );
}

export const sqlView = panelView("sql", "SQL", null, Sql);
