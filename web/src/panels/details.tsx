// All about the selected slice.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { MeasuredLaunch, NodeDetails, SliceAt, SliceDetails, WaitDetails } from "../api/protocol";
import {
  asWritten,
  bytes,
  duration,
  exact,
  grouped,
  launchShape,
  moment,
  oneLine,
  percent,
  readable,
  short,
  withUnit,
} from "../model/format";
import { rangeOf, type SliceRef } from "../model/selection";
import { fit } from "../model/viewport";
import { Histogram } from "../ui/chart";
import { copyText } from "../ui/clipboard";
import { useLoaded } from "../ui/hooks";
import { choicesOf } from "../views/choices";
import type { ViewContext } from "../views/context";

const SHORT_TEXT = 240;
const LONGEST_TEXT = 20000;
const SHOWN_LINKS = 12;

export function Details({ context, slice }: { context: ViewContext; slice: SliceRef }): JSX.Element {
  const loaded = useLoaded(
    (signal) => context.client.slice(slice.track, slice.slice, signal),
    [slice.track, slice.slice],
  );
  if (loaded.state === "failed") return <p class="empty">{loaded.text}</p>;
  const details = loaded.state === "ready" ? loaded.value : loaded.last;
  if (!details) return <p class="empty">{"\u2026"}</p>;
  return <Shown context={context} details={details} />;
}

function Shown({ context, details }: { context: ViewContext; details: SliceDetails }): JSX.Element {
  const { session } = context;
  const go = (target: SliceAt) => context.navigate({ slice: target });
  const inCallTree = ({ rank, id }: NodeDetails) => {
    choicesOf(context.state).node.set({ rank, id });
    context.navigate({ view: "call_tree" });
  };
  const zoom = () => context.navigate({ slice: details, viewport: fit(rangeOf(details), session.span) });
  return (
    <div class="details">
      <header>
        <Text class="slice-name" text={details.name} key={details.name} />
        <span class="tag">{details.class ?? readable(details.label ?? details.kind)}</span>
        <button onClick={zoom} title="F">
          Zoom to it
        </button>
        <button onClick={() => context.navigate({ search: details.name.slice(0, 400) })} title="Show all of this name">
          Find all
        </button>
        <button onClick={() => void copyText(details.name)}>Copy name</button>
        {details.node && (
          <button onClick={() => inCallTree(details.node!)} title="The place in the call tree, with its cost">
            Show in the call tree
          </button>
        )}
      </header>
      {details.why && <p class="why">{details.why}</p>}
      {details.remark && <p class="why">{details.remark}</p>}
      <div class="details-columns">
        <Section title="Time">
          <Facts facts={factsOf(details)} />
        </Section>
        {details.node && (
          <Section title="Place in the program">
            <Facts facts={factsOfNode(details.node)} />
          </Section>
        )}
        {details.causes && details.causes.length > 1 && (
          <Section title="Parts of the gap">
            <Facts facts={details.causes.map(({ cause, duration: time }) => [readable(cause), duration(time)])} />
          </Section>
        )}
        {details.cause_slice && (
          <Section title="What the host did">
            <Links slices={[details.cause_slice]} onOpen={go} />
          </Section>
        )}
        {details.origin && (
          <Section title={details.origin_is!}>
            <Links slices={[details.origin]} onOpen={go} />
          </Section>
        )}
        {(details.launch || details.launched?.length) && (
          <Section
            title={
              details.launch
                ? "Launched by"
                : `Launched ${launchedCount(details) === 1 ? "" : grouped(launchedCount(details))}`
            }
          >
            <Links slices={details.launch ? [details.launch] : details.launched!} onOpen={go} />
            {!details.launch && launchedCount(details) > details.launched!.length && (
              <p class="soft">The first {grouped(details.launched!.length)} are listed and have arrows.</p>
            )}
            {details.delay != null && <Facts facts={[["Call to device", duration(details.delay)]]} />}
          </Section>
        )}
        {details.wait && <WaitedFor wait={details.wait} onOpen={go} />}
        {details.waits && <PartsInWaits waits={details.waits} onOpen={go} />}
        {details.stack && details.stack.length > 0 && (
          <Section title={details.launch ? "Stack of the launch" : details.node ? "Call path" : "Stack"}>
            <Links slices={details.stack} onOpen={go} />
          </Section>
        )}
        {details.siblings && details.siblings.count > 1 && <Siblings details={details} />}
        {details.measured && <Measured context={context} measured={details.measured} />}
        {details.arguments_error !== undefined && (
          <Section title="Arguments">
            <p class="why">{oneLine(details.arguments_error)}</p>
          </Section>
        )}
      </div>
      {details.arguments && details.arguments.length > 0 && (
        <Section title="Arguments">
          <dl class="facts arguments">
            {details.arguments.map(({ key, value }) => (
              <div>
                <dt title={key}>{oneLine(key, 80)}</dt>
                <dd>
                  <Text text={argumentText(value)} />
                </dd>
              </div>
            ))}
          </dl>
        </Section>
      )}
    </div>
  );
}

/** Arguments are texts by the protocol; a number or a list is shown all the same. */
const argumentText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function Section({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

type Fact = [string, string, string?];

const launchedCount = (details: SliceDetails): number => details.launched_count ?? details.launched?.length ?? 0;

function factsOf(details: SliceDetails): Fact[] {
  const shape = launchShape(details.arguments ?? []);
  const facts: (Fact | false | undefined)[] = [
    ["Start", moment(details.start), exact(details.start)],
    ["Duration", duration(details.duration), exact(details.duration)],
    details.share_of_step_pct !== undefined && [
      `Share of step${details.step === undefined ? "" : ` ${details.step}`}`,
      percent(details.share_of_step_pct),
    ],
    shape !== undefined && ["Launch", shape],
    details.samples !== undefined && ["Samples", grouped(details.samples)],
    details.bytes !== undefined && ["Size", bytes(details.bytes), `${grouped(details.bytes)} B`],
    details.copy !== undefined && ["Copy", details.copy],
    details.bandwidth !== undefined && ["Bandwidth", withUnit(details.bandwidth, "GB/s")],
    details.process !== undefined && ["Process", details.process],
    details.thread !== undefined && ["Thread", details.thread],
    details.device !== undefined && [
      "Device",
      `${details.device}${details.stream === undefined ? "" : `, stream ${details.stream}`}`,
    ],
    details.category !== undefined && details.category !== "" && ["Category", details.category],
    details.correlation !== undefined && ["Correlation", String(details.correlation)],
  ];
  return facts.filter((fact): fact is Fact => Boolean(fact));
}

function factsOfNode(node: NodeDetails): Fact[] {
  const { file, line, metric, unit, inclusive } = node;
  const facts: (Fact | false)[] = [
    node.kind !== "function" && node.name !== "" && ["Place", node.name],
    file !== undefined && ["Source", line === undefined ? file : `${file}:${line}`],
    node.module !== undefined && ["Module", node.module],
    inclusive !== undefined && [
      `${metric}, whole run`,
      withUnit(inclusive, unit ?? ""),
      `${grouped(inclusive)} ${unit ?? ""}, here and below`,
    ],
  ];
  return facts.filter((fact): fact is Fact => Boolean(fact));
}

function Facts({ facts }: { facts: Fact[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([key, value, title]) => (
        <div>
          <dt>{key}</dt>
          <dd title={title ?? value}>{oneLine(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Links({
  slices,
  onOpen,
  label,
}: {
  slices: readonly SliceAt[];
  onOpen: (slice: SliceAt) => void;
  label?: string;
}): JSX.Element {
  const [all, setAll] = useState(false);
  const shown = all ? slices.slice(0, 1000) : slices.slice(0, SHOWN_LINKS);
  return (
    <ul class="links">
      {shown.map((slice) => (
        <li>
          <button onClick={() => onOpen(slice)}>{oneLine(slice.name ?? "slice")}</button>
          <span class="soft">{label ?? duration(slice.duration)}</span>
        </li>
      ))}
      {slices.length > shown.length && !all && (
        <li>
          <button onClick={() => setAll(true)}>{`${slices.length - shown.length} more`}</button>
        </li>
      )}
    </ul>
  );
}

function WaitedFor({ wait, onOpen }: { wait: WaitDetails; onOpen: (slice: SliceAt) => void }): JSX.Element {
  return (
    <Section title="What it waited for">
      <p class="soft">{wait.why}</p>
      {wait.op && <Links slices={[wait.op]} onOpen={onOpen} />}
      {wait.held && <Links slices={[wait.held]} onOpen={onOpen} label="held back" />}
      {wait.record && <Links slices={[wait.record]} onOpen={onOpen} label="recorded the event" />}
    </Section>
  );
}

const PARTS_IN_WAITS = { ended: "Waits that it ended", held: "What held it back", recorded: "Waits for its event" };

function PartsInWaits({
  waits,
  onOpen,
}: {
  waits: NonNullable<SliceDetails["waits"]>;
  onOpen: (slice: SliceAt) => void;
}): JSX.Element {
  const parts = Object.keys(PARTS_IN_WAITS) as (keyof typeof PARTS_IN_WAITS)[];
  return (
    <>
      {parts.map((part) => {
        const of = waits.filter((one) => one.part === part);
        const slices = of.map((one) => (part === "held" ? one.op! : one.wait));
        return slices.length > 0 ? (
          <Section title={PARTS_IN_WAITS[part]}>
            <Links slices={slices} onOpen={onOpen} />
          </Section>
        ) : null;
      })}
    </>
  );
}

function Siblings({ details }: { details: SliceDetails }): JSX.Element {
  const siblings = details.siblings!;
  const facts: Fact[] = [
    ["Total", duration(siblings.total), exact(siblings.total)],
    ["Mean", duration(siblings.mean)],
    ["Median", duration(siblings.median)],
    ["Shortest, longest", `${duration(siblings.min)}, ${duration(siblings.max)}`],
    ["Longer than", percent(siblings.rank_pct)],
  ];
  return (
    <Section title={`All ${grouped(siblings.count)} of this name`}>
      {siblings.histogram && siblings.histogram.counts.length > 1 && (
        <Histogram
          edges={siblings.histogram.edges}
          counts={siblings.histogram.counts}
          mark={details.duration}
          format={duration}
          height={48}
        />
      )}
      <Facts facts={facts} />
    </Section>
  );
}

/** What a kernel profiler measured of this kernel, launched alone. */
function Measured({
  context,
  measured,
}: {
  context: ViewContext;
  measured: NonNullable<SliceDetails["measured"]>;
}): JSX.Element {
  const { launches, count, match } = measured;
  const open = ({ rank, id, intensity }: MeasuredLaunch) => {
    choicesOf(context.state).launch.set({ rank, id });
    context.navigate({ view: intensity === undefined ? "launches" : "roofline" });
  };
  const placed = launches.find((launch) => launch.intensity !== undefined);
  return (
    <Section title={placed ? "In the roofline" : "Measured alone"}>
      {placed && <Facts facts={rooflineFacts(placed, launches.length > 1)} />}
      <ul class="links">
        {launches.map((launch) => (
          <li>
            <button onClick={() => open(launch)}>Measured launch {launch.id}</button>
            <span class="soft">
              {launch.flops_per_s === undefined
                ? duration(launch.duration ?? null)
                : withUnit(launch.flops_per_s, "FLOP/s")}
            </span>
          </li>
        ))}
      </ul>
      {(match !== "name and shape" || count > launches.length) && (
        <p class="soft">
          {match !== "name and shape" && `Known by its ${match}. `}
          {count > launches.length && `The first ${launches.length} of ${grouped(count)}.`}
        </p>
      )}
    </Section>
  );
}

function rooflineFacts(launch: MeasuredLaunch, isOneOfMany: boolean): Fact[] {
  const facts: (Fact | false)[] = [
    isOneOfMany && ["Measured launch", String(launch.id)],
    ["Achieved", withUnit(launch.flops_per_s!, "FLOP/s")],
    ["Intensity", `${short(launch.intensity!)} FLOP/byte`],
    launch.bound !== undefined && ["Bound", launch.bound],
    launch.ceiling_pct !== undefined && ["Of its ceiling", `${percent(launch.ceiling_pct)} (${launch.ceiling})`],
    launch.duration !== undefined && ["Measured alone", duration(launch.duration)],
  ];
  return facts.filter((fact): fact is Fact => Boolean(fact));
}

/** A text of the profile of any length: its beginning, and on demand the rest. */
function Text({ text: raw, class: name }: { text: string; class?: string }): JSX.Element {
  const text = asWritten(raw);
  const [all, setAll] = useState(false);
  if (text.length <= SHORT_TEXT) return <span class={`text ${name ?? ""}`}>{text}</span>;
  const shown = all ? text.slice(0, LONGEST_TEXT) : text.slice(0, SHORT_TEXT);
  const cut = shown.length < text.length;
  return (
    <span class={`text ${name ?? ""}`}>
      {shown}
      {cut && "\u2026"}
      <button class="more" onClick={() => setAll(!all)}>
        {all ? "less" : `all ${grouped(text.length)} characters`}
      </button>
      {all && cut && <span class="soft"> The first {grouped(LONGEST_TEXT)} are shown; Copy takes all.</span>}
    </span>
  );
}
