// The overview: the verdict, how busy the devices were, where the time went, and last what was recorded. Everything
// leads on.
import type { JSX } from "preact";
import { grouped, oneLine, readable } from "../model/format";
import { useStore } from "../ui/hooks";
import { ExportMenu } from "./export_menu";
import { headline } from "./headline";
import { Card, Cards, toTable } from "./overview_card";
import {
  Devices,
  Streams,
  Steps,
  IdleCauses,
  Classes,
  Kernels,
  Transfers,
  Collectives,
  Stragglers,
  Queue,
  MemoryPeaks,
} from "./overview_device";
import { Ops, Calls, LaunchDelay, Ranges, GraphOps, LongestNames } from "./overview_host";
import { HotPath, Functions, StallReasons, Metrics, Launches, Findings } from "./overview_tree";
import { Verdict } from "./verdict";
import { latest, panelView, useTable, type ViewProps } from "./view";

function Overview({ context }: ViewProps): JSX.Element {
  return (
    <div class="panel-view scrolls overview">
      <Title context={context} />
      <Verdict context={context} />
      <Cards>
        <Devices context={context} />
        <Streams context={context} />
        <Steps context={context} />
        <IdleCauses context={context} />
        <Classes context={context} />
        <Kernels context={context} />
        <Ops context={context} />
        <Calls context={context} />
        <Transfers context={context} />
        <Collectives context={context} />
        <Stragglers context={context} />
        <LaunchDelay context={context} />
        <Queue context={context} />
        <Ranges context={context} />
        <GraphOps context={context} />
        <LongestNames context={context} />
        <MemoryPeaks context={context} />
        {context.session.views.includes("call_tree") && <RecordedTree context={context} />}
        <StallReasons context={context} />
        <Launches context={context} />
        <Findings context={context} />
        <Notes context={context} />
        <AllTables context={context} />
      </Cards>
      <Facts context={context} />
    </div>
  );
}

/** Of profiles that have a call tree of their own; a timeline has its flame graph. */
function RecordedTree({ context }: ViewProps): JSX.Element {
  return (
    <>
      <Metrics context={context} />
      <HotPath context={context} />
      <Functions context={context} />
    </>
  );
}

function Title({ context }: ViewProps): JSX.Element {
  return (
    <header class="headline-top">
      <h1 class="text">{oneLine(context.session.title, 200)}</h1>
      <ExportMenu context={context} />
    </header>
  );
}

/** What was recorded, where and when. */
function Facts({ context }: ViewProps): JSX.Element {
  const { session } = context;
  const window = useStore(context.window);
  const devices = latest(useTable(context, "devices"));
  const info = latest(useTable(context, "info"));
  const facts = headline(session, devices ?? null, info ?? null, window);
  return (
    <footer class="headline">
      <ul class="fact-strip">
        {facts.map(([key, value, title]) => (
          <li title={title}>
            <span>{key}</span>
            <b>{value}</b>
          </li>
        ))}
      </ul>
    </footer>
  );
}

function Notes({ context }: ViewProps): JSX.Element | null {
  const { notes } = context.session;
  if (!notes.length) return null;
  return (
    <Card title="Caveats" about={`${notes.length}`} onOpen={toTable(context, "notes")}>
      <ul class="note-list">
        {notes.slice(0, 6).map((note) => (
          <li>
            {oneLine(note.text, 400)} <span class="soft">({grouped(note.count)})</span>
          </li>
        ))}
        {notes.length > 6 && <li class="soft">{notes.length - 6} more</li>}
      </ul>
    </Card>
  );
}

/** Tables that other cards are made of. */
const IN_CARDS = new Set([
  ...["gpu_time", "streams", "steps", "idle", "kernel_classes", "kernels", "ops", "api", "transfers", "collectives"],
  ...["launches", "queue", "ranges", "slices", "et_ops", "memory", "metrics", "functions", "launch_metrics", "stalls"],
]);

/** Where nothing of this is there, the way to what is. */
function AllTables({ context }: ViewProps): JSX.Element | null {
  const { tables } = context.session;
  if (tables.some((table) => IN_CARDS.has(table.name))) return null;
  return (
    <Card title="What there is">
      <ul class="note-list">
        {tables.map(({ name, about }) => (
          <li>
            <button class="link" onClick={toTable(context, name)}>
              {readable(name)}
            </button>{" "}
            <span class="soft">{about}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export const overviewView = panelView("overview", "Overview", "0", Overview);
