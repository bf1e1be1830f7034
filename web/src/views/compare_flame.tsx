// The flame graph of two runs: how wide each frame is in both, and in its colour whether it takes more or less time.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { ComparisonClient } from "../api/comparison";
import type { ComparedFlame } from "../api/protocol";
import { duration, grouped, percent, readable, withUnit } from "../model/format";
import { rangeOf, type Area } from "../model/selection";
import { Store } from "../model/store";
import { SIDES, type SideName } from "../model/two_axes";
import { fit, width } from "../model/viewport";
import { cssColour } from "../timeline/colours";
import { useStore } from "../ui/hooks";
import { FLAME_WIDTHS, ratioOf, sharesOf, widened, type FlameWidth } from "./compare_flame_model";
import type { TimelinePair } from "./compare_pair";
import { ratioText } from "./compare_words";
import type { Compared, ViewContext } from "./context";
import { Crumbs } from "./flame";
import { FlamePane } from "./flame_pane";
import { useFlameState } from "./flame_state";
import { rowCells } from "./matches";
import { latest, nameText, useAsked, usePalette } from "./view";

const LEAST_CHANGE = 1e-9; // of the larger value

const WIDTHS: Record<FlameWidth, string> = { longer: "the longer side", a: "A", b: "B" };
const NO_AREA = new Store<Area | null>(null);

/** Whether both runs have stacks. */
export const haveFlames = ({ a, b }: Compared): boolean =>
  [a, b].every(({ session }) => session.views.includes("flame"));

interface Props {
  context: ViewContext;
  compared: Compared;
  pair: TimelinePair | null;
  /** Shows both timelines. */
  onShow: () => void;
}

export function ComparedFlameView({ context, compared, pair, onShow }: Props): JSX.Element {
  const client = useMemo(() => new ComparisonClient(context.client.server), []);
  const { state } = compared.a;
  const view = state.choice<"down" | "up">("compared_flame", "down", ["down", "up"]);
  const metric = state.choice("compared_metric", ""); // "": the one that the server takes
  const by = state.choice<FlameWidth>("compared_width", "longer", FLAME_WIDTHS);
  const [shownView, shownMetric, shownWidth] = [useStore(view), useStore(metric) || undefined, useStore(by)];
  const areas = {
    a: useStore(pair?.sides.a.source.area ?? NO_AREA),
    b: useStore(pair?.sides.b.source.area ?? NO_AREA),
  };
  const [ofArea, setOfArea] = useState(true);
  const [search, setSearch] = useState("");
  const chosen = areas.a && areas.b && ofArea ? { a: areas.a, b: areas.b } : null;
  const part = chosen && {
    a_from: chosen.a.start,
    a_to: chosen.a.end,
    b_from: chosen.b.start,
    b_to: chosen.b.end,
  };
  const loaded = useAsked(
    context,
    (signal) => client.flame({ view: shownView, metric: shownMetric, ...part }, signal),
    [shownView, shownMetric, JSON.stringify(part)],
  );
  const flame = latest(loaded);
  return (
    <div class="panel-view flame-view compare-flame">
      <div class="toolbar">
        <span class="segments" role="tablist">
          {(["down", "up"] as const).map((value) => (
            <button
              role="tab"
              aria-selected={shownView === value}
              class={shownView === value ? "on" : ""}
              onClick={() => view.set(value)}
            >
              {value === "down" ? "Top down" : "Bottom up"}
            </button>
          ))}
        </span>
        {flame && flame.metrics.length > 1 && (
          <label class="soft">
            Width by{" "}
            <select value={flame.metric} onChange={(event) => metric.set(event.currentTarget.value)}>
              {flame.metrics.map((each) => (
                <option value={each} title={ABOUT[each]}>
                  {readable(each)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label class="soft" title="A frame that is longer on one side is hatched from where the other one ends">
          of{" "}
          <select
            aria-label="Whose width"
            value={shownWidth}
            onChange={(event) => by.set(event.currentTarget.value as FlameWidth)}
          >
            {FLAME_WIDTHS.map((each) => (
              <option value={each}>{WIDTHS[each]}</option>
            ))}
          </select>
        </label>
        {areas.a && areas.b && (
          <label class="soft check" title="The selected area of the timelines, in place of an iteration">
            <input type="checkbox" checked={ofArea} onChange={(event) => setOfArea(event.currentTarget.checked)} />
            only the selected {duration(width(areas.a))} of A, {duration(width(areas.b))} of B
          </label>
        )}
        <span class="gap" />
        <input
          type="search"
          class="flame-search"
          placeholder="Highlight names"
          aria-label="Highlight names"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {loaded.state === "failed" && <p class="empty">{loaded.text}</p>}
      {flame && flame.nodes.parent.length === 0 && (
        <p class="empty">
          {chosen ? "Nothing of this metric lies in the chosen time." : "Neither run has a value of this metric."}
        </p>
      )}
      {flame && flame.nodes.parent.length > 0 && (
        <BothFlames
          context={context}
          flame={flame}
          by={shownWidth}
          ofArea={chosen !== null}
          search={search}
          onFind={pair && ((side, name) => void showName(pair, compared, side, name).then(onShow))}
        />
      )}
    </div>
  );
}

const ABOUT: Record<string, string> = {
  explained_time:
    "Every nanosecond of a device once, in shares where several ops run, idle time too: it adds up to the change",
  device_time: "The durations of device ops, below what launched them",
  host_time: "What host threads do by themselves at each moment",
};

interface BothProps {
  context: ViewContext;
  flame: ComparedFlame;
  by: FlameWidth;
  ofArea: boolean;
  search: string;
  onFind: ((side: SideName, name: string) => void) | null;
}

function BothFlames({ context, flame, by, ofArea, search, onFind }: BothProps): JSX.Element {
  const palette = usePalette(context);
  const { path, nameOf, setRoot, cursor, told, pane } = useFlameState(flame, search);
  const drawn = useMemo(() => widened(flame, by), [flame, by]);
  const colours = useMemo(
    () => flame.nodes.parent.map((_, node) => cssColour(palette.change(ratioOf(flame, node)))),
    [flame, palette],
  );
  return (
    <div class="flame-one">
      <Crumbs path={path} nameOf={nameOf} onOpen={setRoot} />
      <FlamePane
        {...pane}
        graph={drawn}
        upwards={false}
        colour={(node) => colours[node]!}
        shares={(node) => sharesOf(flame, drawn, node)}
        theme={context.theme.get()}
      />
      <p class="change-scale flame-legend">
        faster <i class="scale" /> slower <i class="only-here" /> on one side only{" "}
        <span title="The colour up to where the shorter side ends; hatched, what the longer side has beyond that">
          <i class="longer-here" /> what one side has beyond the other
        </span>
      </p>
      <BothLine flame={flame} node={told} chosen={cursor} ofArea={ofArea} onFind={onFind} />
    </div>
  );
}

function BothLine({
  flame,
  node,
  chosen,
  ofArea,
  onFind,
}: {
  flame: ComparedFlame;
  node: number;
  chosen: number;
  ofArea: boolean;
  onFind: BothProps["onFind"];
}): JSX.Element {
  const { nodes, total, unit } = flame;
  const name = flame.names[nodes.name[node] ?? -1];
  const what = ofArea ? " in the selected area" : flame.per_iteration ? " an iteration" : "";
  return (
    <div class="frame-line" aria-live="polite">
      {name === undefined ? (
        <span>
          <Values a={total.a} b={total.b} unit={unit} />
          <span class="soft">
            {what}, {grouped(nodes.parent.length)} frames. Click a frame to give it the full width.
          </span>
        </span>
      ) : (
        <>
          <b title={name.slice(0, 2000)}>{nameText(name)}</b>
          <span>
            <Values a={nodes.a.value[node]!} b={nodes.b.value[node]!} unit={unit} />
            <span class="soft">{what}</span>
          </span>
          {total.a !== total.b && (
            <span class="soft" title="Of the change of all">
              {percent((100 * (nodes.b.value[node]! - nodes.a.value[node]!)) / (total.b - total.a))} of the change
            </span>
          )}
          <span class="soft">
            self <Values a={nodes.a.self[node]!} b={nodes.b.self[node]!} unit={unit} />
          </span>
          {nodes.a.count[node]! + nodes.b.count[node]! > 0 && (
            <span class="soft">
              {grouped(nodes.a.count[node]!)} {"\u2192"} {grouped(nodes.b.count[node]!)} times
            </span>
          )}
        </>
      )}
      <span class="gap" />
      {onFind &&
        SIDES.map((side) => {
          const own = flame.names[nodes[side].name[chosen] ?? -1];
          return (
            own !== undefined && (
              <button onClick={() => onFind(side, own)} title="The longest slice of this name, in both timelines">
                Show in {side.toUpperCase()}
              </button>
            )
          );
        })}
    </div>
  );
}

/** "A 1 ms -> B 2 ms: +1 ms (2.00 times as long)" */
function Values({ a, b, unit }: { a: number; b: number; unit: string }): JSX.Element {
  // What is added up in fractions may differ in the last digits of two equal sums.
  const delta = Math.abs(b - a) > LEAST_CHANGE * Math.max(a, b) ? b - a : 0;
  const change = (delta > 0 ? "+" : delta < 0 ? "\u2212" : "") + withUnit(Math.abs(delta), unit);
  const ratio = a > 0 && b > 0 ? ` (${delta === 0 ? "as much" : ratioText(a, b)})` : "";
  return (
    <>
      A {withUnit(a, unit)} {"\u2192"} B {withUnit(b, unit)}:{" "}
      <b class={delta > 0 ? "slower" : delta < 0 ? "faster" : ""}>{change}</b>
      {ratio}
    </>
  );
}

/** Selects the longest slice of a name on a side; the other side follows. */
async function showName(pair: TimelinePair, compared: Compared, side: SideName, name: string): Promise<void> {
  const { slices } = await compared[side].client.row("slices", rowCells(["name"], [name]), { limit: 1 });
  const slice = slices[0];
  if (!slice) return;
  const { source } = pair.sides[side];
  source.selection.set(slice);
  source.viewport.set(fit(rangeOf(slice), source.session.span, 2));
}
