// The call tree with its cost in any metrics: rows open and close, the path where the cost goes is marked.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Cell, SourceFile, Table } from "../api/protocol";
import { grouped, oneLine, withUnit } from "../model/format";
import { copyText } from "../ui/clipboard";
import { csv } from "../ui/csv";
import { useSize, useStore } from "../ui/hooks";
import { choicesOf } from "./choices";
import { Records } from "./records";
import { linesOf } from "./source_lines";
import { SourcePane } from "./source_pane";
import { childrenOf, hotPath, lineage, visibleRows, type TreeRow } from "./tree_rows";
import { latest, panelView, useAsked, type ViewProps } from "./view";

const ROW = 24; // as in table.css
const SPARE = 8;
const FIRST_METRICS = 3;
const FOUND_SHOWN = 1000;

interface Column {
  metric: string;
  unit: string;
  about: string;
  total: number;
  inclusive: Float64Array; // NaN: absent
  exclusive: Float64Array;
}

interface Tree {
  names: string[];
  kinds: string[];
  places: string[];
  ranks: number[];
  ids: number[];
  files: string[];
  lines: number[];
  relations: string[];
  callLines: number[];
  parents: number[];
  roots: number[];
  children: number[][];
  columns: Column[];
}

const keyOf = (records: Records, row: Cell[]) => `${records.text(row, "rank")}/${records.text(row, "id")}`;

/** One table a metric; all have the same rows, each in an order of its own. */
function treeOf(tables: readonly Table[], metrics: readonly string[]): Tree {
  const first = new Records(tables[0]!);
  const at = new Map(first.rows.map((row, i) => [keyOf(first, row), i]));
  const parents = first.rows.map((row) => {
    const parent = first.text(row, "parent");
    return parent === "" ? -1 : (at.get(`${first.text(row, "rank")}/${parent}`) ?? -1);
  });
  const { roots, children } = childrenOf(parents);
  const columns = tables.flatMap((table, t): Column[] => {
    const metric = metrics[t]!;
    const [inclusive, exclusive] = ["inclusive", "exclusive"].map((scope) =>
      table.columns.findIndex((column) => column.name === `${metric}.${scope}`),
    );
    if (inclusive === undefined || inclusive < 0) return [];
    const records = new Records(table);
    const rows = new Map(records.rows.map((row) => [keyOf(records, row), row]));
    const values = (column: number | undefined) =>
      Float64Array.from(first.rows, (row) =>
        Number((column !== undefined && rows.get(keyOf(first, row))?.[column]) ?? NaN),
      );
    const of = { inclusive: values(inclusive), exclusive: values(exclusive) };
    return [
      {
        metric,
        unit: table.columns[inclusive]!.unit ?? "",
        about: table.columns[inclusive]!.about ?? metric,
        total: roots.reduce((sum, root) => sum + (of.inclusive[root] || 0), 0),
        ...of,
      },
    ];
  });
  const places = first.rows.map((row) => {
    const file = first.text(row, "file");
    const line = first.text(row, "line");
    return file ? `${file}${line && line !== "0" ? `:${line}` : ""}` : first.text(row, "module");
  });
  return {
    names: first.rows.map((row) => first.text(row, "name")),
    kinds: first.rows.map((row) => first.text(row, "kind")),
    places,
    ranks: first.rows.map((row) => first.number(row, "rank")),
    ids: first.rows.map((row) => first.number(row, "id")),
    files: first.rows.map((row) => first.text(row, "file")),
    lines: first.rows.map((row) => first.number(row, "line")),
    relations: first.rows.map((row) => first.text(row, "relation")),
    callLines: first.rows.map((row) => first.number(row, "call_line")),
    parents,
    roots,
    children,
    columns,
  };
}

interface Metric {
  name: string;
  about: string;
  value: Cell;
}

/** What the view begins with; a metric with the total of one before it tells little new. */
function firstMetrics(metrics: readonly Metric[]): string[] {
  const telling = metrics.filter(({ value }, i) => metrics.findIndex((other) => other.value === value) === i);
  return telling.slice(0, FIRST_METRICS).map((metric) => metric.name);
}

function CallTree({ context }: ViewProps): JSX.Element {
  const { client } = context;
  const choices = choicesOf(context.state);
  const wanted = useStore(choices.metrics);
  const known = useAsked(
    context,
    async (signal): Promise<Metric[]> => {
      const records = new Records(await client.table("metrics", {}, signal));
      return records.rows
        .map((row) => ({
          name: records.text(row, "name"),
          about: records.text(row, "about"),
          value: records.cell(row, "value"),
        }))
        .filter((metric, i, all) => all.findIndex((other) => other.name === metric.name) === i);
    },
    [],
  );
  const metrics = latest(known) ?? [];
  const measured = metrics.filter((metric) => metric.value !== null && metric.value !== 0);
  const shown = wanted.length ? wanted : firstMetrics(measured.length ? measured : metrics);
  const loaded = useAsked(
    context,
    async (signal) => {
      if (!shown.length) return null;
      return treeOf(await Promise.all(shown.map((metric) => client.table("call_tree", { metric }, signal))), shown);
    },
    [shown.join("\n")],
  );
  const sources = useAsked(context, (signal) => client.sources(signal), []);
  const tree = latest(loaded);
  const change = (metric: string, on: boolean) => {
    const next = on ? [...shown, metric] : shown.filter((each) => each !== metric);
    if (next.length) choices.metrics.set(next);
  };
  return (
    <div class="panel-view">
      {known.state === "failed" && <p class="empty">{known.text}</p>}
      {loaded.state === "failed" && <p class="empty">{loaded.text}</p>}
      {tree && (
        <TreeTable
          context={context}
          tree={tree}
          sources={latest(sources)}
          metrics={
            <details class="metric-choice">
              <summary>Metrics</summary>
              <div>
                {(measured.length ? measured : metrics).map((metric) => (
                  <label title={metric.about}>
                    <input
                      type="checkbox"
                      checked={shown.includes(metric.name)}
                      onChange={(event) => change(metric.name, event.currentTarget.checked)}
                    />
                    <b>{metric.name}</b> {metric.about}
                  </label>
                ))}
              </div>
            </details>
          }
        />
      )}
      {tree === undefined && loaded.state === "loading" && <p class="empty">{"\u2026"}</p>}
    </div>
  );
}

interface TreeTableProps extends ViewProps {
  tree: Tree;
  sources: readonly SourceFile[] | undefined;
  metrics: JSX.Element;
}

function TreeTable({ context, tree, sources, metrics }: TreeTableProps): JSX.Element {
  const [sort, setSort] = useState(0);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [cursor, setCursor] = useState(-1);
  const [filter, setFilter] = useState("");
  const [top, setTop] = useState(0);
  const [withSource, setWithSource] = useState(true);
  const { ref, height, width } = useSize<HTMLDivElement>();
  const by = tree.columns[Math.min(sort, tree.columns.length - 1)];
  const value = (node: number) => by?.inclusive[node] || 0;
  const hot = useMemo(() => hotPath(tree.roots, tree.children, value), [tree, by]);
  const hotSet = useMemo(() => new Set(hot), [hot]);
  useEffect(() => setOpen(new Set(hot)), [tree.names, tree.roots.length === 0, tree]);
  const { node: wish } = choicesOf(context.state);
  const wanted = useStore(wish);
  useEffect(() => {
    if (!wanted) return;
    const node = tree.ids.findIndex((id, i) => id === wanted.id && tree.ranks[i] === wanted.rank);
    if (node >= 0) {
      setFilter("");
      setOpen((before) => new Set([...before, ...lineage(tree.parents, node)]));
      setCursor(node);
    }
    wish.set(null);
  }, [tree, wanted]);

  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows: TreeRow[] = useMemo(() => {
    if (!words.length) return visibleRows(tree.roots, tree.children, open, value);
    return tree.names
      .flatMap((name, node) => (words.every((word) => name.toLowerCase().includes(word)) ? [node] : []))
      .sort((a, b) => value(b) - value(a))
      .slice(0, FOUND_SHOWN)
      .map((node) => ({ node, depth: 0 }));
  }, [tree, open, by, filter]);

  const toggle = (node: number, on = !open.has(node)) => {
    const next = new Set(open);
    if (on) next.add(node);
    else next.delete(node);
    setOpen(next);
  };
  const reveal = (node: number) => {
    setFilter("");
    setOpen(new Set([...open, ...lineage(tree.parents, node)]));
    setCursor(node);
  };
  const show = (at: number) => {
    const box = ref.current;
    if (!box) return;
    if (at * ROW < box.scrollTop) box.scrollTop = at * ROW;
    else if ((at + 2) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (at + 2) * ROW - box.clientHeight;
  };
  // The pane with the source may have come up over the row.
  useEffect(() => {
    const at = rows.findIndex((row) => row.node === cursor);
    if (at >= 0) show(at);
  }, [cursor, height]);
  const moveTo = (at: number) => {
    const row = rows[Math.min(Math.max(at, 0), rows.length - 1)];
    if (!row) return;
    setCursor(row.node);
  };
  const keydown = (event: KeyboardEvent) => {
    const at = rows.findIndex((row) => row.node === cursor);
    const page = Math.max(1, Math.floor(height / ROW) - 2);
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
    };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in moves) moveTo(moves[event.key]!);
    else if (event.key === "Home") moveTo(0);
    else if (event.key === "End") moveTo(rows.length - 1);
    else if (cursor < 0) return;
    else if (event.key === "ArrowRight") {
      if (!open.has(cursor) && tree.children[cursor]!.length) toggle(cursor, true);
      else moveTo(at + 1);
    } else if (event.key === "ArrowLeft") {
      if (open.has(cursor)) toggle(cursor, false);
      else moveTo(rows.findIndex((row) => row.node === tree.parents[cursor]));
    } else if (event.key === "Enter") {
      if (words.length) reveal(cursor);
      else toggle(cursor);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const state = (node: number) => `${node === cursor ? " current at-cursor" : ""}${hotSet.has(node) ? " hot" : ""}`;
  const copy = () =>
    void copyText(
      csv(
        [
          "depth",
          "kind",
          "name",
          "place",
          ...tree.columns.flatMap((c) => [`${c.metric}.inclusive`, `${c.metric}.exclusive`]),
        ],
        rows.map(({ node, depth }) => [
          depth,
          tree.kinds[node]!,
          tree.names[node]!,
          tree.places[node]!,
          ...tree.columns.flatMap((c) => [orNull(c.inclusive[node]!), orNull(c.exclusive[node]!)]),
        ]),
      ),
    );
  const template = `minmax(380px, 3fr) ${tree.columns.map(() => "136px 100px").join(" ")} minmax(140px, 1fr)`;
  const least = 380 + tree.columns.length * 236 + 140;
  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW) + SPARE);
  return (
    <div class="fills column">
      <div class="toolbar">
        {metrics}
        <button onClick={() => (setFilter(""), setOpen(new Set(hot)), setCursor(hot[hot.length - 1] ?? -1))}>
          Show the hot path
        </button>
        <button onClick={() => setOpen(new Set())}>Close all</button>
        <span class="soft">{grouped(tree.names.length)} places</span>
        <span class="gap" />
        <input
          type="search"
          placeholder="Find a function"
          aria-label="Find a function"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <button
          aria-pressed={withSource}
          title="The source of the chosen place"
          onClick={() => setWithSource(!withSource)}
        >
          Source
        </button>
        <button onClick={copy} title="Copy the rows that are open">
          Copy as CSV
        </button>
      </div>
      <div
        class="table-scroll"
        ref={ref}
        tabIndex={0}
        role="treegrid"
        aria-label="Call tree"
        onKeyDown={keydown}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div style={{ minWidth: `max(${width > 0 ? "100%" : "0"}, ${least}px)` }}>
          <div class="table-head" role="row" style={{ gridTemplateColumns: template }}>
            <span class="table-extra" role="columnheader">
              place in the program
            </span>
            {tree.columns.map((column, i) => (
              <>
                <span role="columnheader" aria-sort={column === by ? "descending" : "none"}>
                  <button class="number" title={column.about} onClick={() => setSort(i)}>
                    {column.metric}
                  </button>
                </span>
                <span class="table-extra number" role="columnheader" title="here and not below">
                  self
                </span>
              </>
            ))}
            <span class="table-extra" role="columnheader">
              source
            </span>
          </div>
          <div class="table-body" style={{ height: `${rows.length * ROW}px` }}>
            {rows.slice(first, last).map(({ node, depth }, i) => {
              const below = tree.children[node]!.length;
              const isOpen = open.has(node);
              return (
                <div
                  key={node}
                  role="row"
                  aria-level={depth + 1}
                  aria-expanded={below ? isOpen : undefined}
                  class={`table-row opens${state(node)}`}
                  style={{ top: `${(first + i) * ROW}px`, gridTemplateColumns: template }}
                  onClick={() => {
                    setCursor(node);
                    if (words.length) reveal(node);
                    else if (below) toggle(node);
                  }}
                >
                  <span
                    class="tree-name"
                    style={{ paddingLeft: `${8 + Math.min(depth, 40) * 14}px` }}
                    title={tree.names[node]!.slice(0, 2000)}
                  >
                    <i class="twisty">{words.length || !below ? "" : isOpen ? "\u25be" : "\u25b8"}</i>
                    <b class={`tree-${tree.kinds[node]!.replace(/\W/g, "")}`}>{oneLine(tree.names[node]!)}</b>
                  </span>
                  {tree.columns.map((column) => (
                    <>
                      <ValueCell value={column.inclusive[node]!} column={column} bar />
                      <ValueCell value={column.exclusive[node]!} column={column} />
                    </>
                  ))}
                  <span class="soft text" title={tree.places[node]}>
                    {shortPlace(tree.places[node]!)}
                  </span>
                </div>
              );
            })}
          </div>
        </div>
        {rows.length === 0 && <p class="empty">No place has all of these words.</p>}
      </div>
      {withSource && cursor >= 0 && cursor < tree.names.length && (
        <section class="source-pane column" aria-label="Source of the chosen place">
          <SourcePane
            context={context}
            sources={sources}
            metric={by?.metric}
            place={{ rank: tree.ranks[cursor]!, file: tree.files[cursor]!, lines: linesOf(tree, cursor) }}
          />
        </section>
      )}
    </div>
  );
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** The last two folders are enough to know a file by. */
function shortPlace(place: string): string {
  const parts = place.split("/");
  return oneLine(parts.length > 3 ? `\u2026/${parts.slice(-2).join("/")}` : place, 120);
}

function ValueCell({ value, column, bar = false }: { value: number; column: Column; bar?: boolean }): JSX.Element {
  if (Number.isNaN(value) || (value === 0 && !bar)) return <span class="number" />;
  const share = column.total > 0 ? value / column.total : 0;
  const inShares = bar && share <= 1.0000001 && column.unit !== "%";
  return (
    <span class="number" title={`${grouped(value)} ${column.unit}${inShares ? `, ${(100 * share).toFixed(2)} %` : ""}`}>
      {inShares && <i class="cell-bar" style={{ width: `${100 * share}%` }} />}
      <b>{withUnit(value, column.unit)}</b>
      {inShares && <em>{(100 * share).toFixed(share >= 0.9995 ? 0 : 1)} %</em>}
    </span>
  );
}

export const callTreeView = panelView("call_tree", "Call tree", "7", CallTree);
