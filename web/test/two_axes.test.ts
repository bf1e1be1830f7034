// The axis of one profile on that of another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LinkedWindows, type LinkedWindow } from "../src/model/linked_windows";
import { Store } from "../src/model/store";
import { rankAxes, stepAnchors, TwoAxes, type AxisMode } from "../src/model/two_axes";
import { clamp, everything, panBy, type Viewport } from "../src/model/viewport";
import { chips, headline, ranksText, ratioText, tabTitle, withoutPartner } from "../src/views/compare_words";

const TIMES = { rank_a: 0, rank_b: 0, a: [100, 200, 300], b: [1100, 1150, 1400], residual: [0, 7, 2] };
/** Another rank, which is not held up. */
const OTHER_TIMES = { rank_a: 1, rank_b: 1, a: [100, 200], b: [105, 205], residual: [0, 0] };
const step = (number: number, start: number, rank = 0) => ({ rank, step: number, start, duration: 10 });

test("by work: through the points, linear between them, at their distance outside", () => {
  const axes = new TwoAxes(rankAxes([TIMES], [], []));
  const at = (moment: number) => axes.across(moment, "a", "work");
  assert.deepEqual([50, 100, 150, 200, 250, 300, 350].map(at), [1050, 1100, 1125, 1150, 1275, 1400, 1450]);
  for (const moment of [-3, 100, 133, 299, 1000]) {
    assert.equal(Math.round(axes.across(at(moment), "b", "work")), moment);
  }
  assert.deepEqual(axes.windowAcross({ start: 150, end: 250 }, "a", "work"), { start: 1125, end: 1275 });
  assert.deepEqual(
    [50, 150, 250, 350].map((moment) => axes.current.get().residual(moment)),
    [7, 7, 7, 2],
  );
});

test("without points or steps both count from their starts", () => {
  const axes = new TwoAxes(rankAxes([], [], []));
  for (const mode of ["time", "work", "step", "place"] as const) {
    assert.deepEqual(axes.windowAcross({ start: 3, end: 9 }, "b", mode), { start: 3, end: 9 }, mode);
    assert.equal(axes.has(mode), mode === "time", mode);
  }
  assert.equal(axes.current.get().residual(5), 0);
});

test("each rank has its own time; ranks that are not compared go by the current one", () => {
  const steps = [step(3, 30), step(3, 33, 1)];
  const axes = new TwoAxes(rankAxes([TIMES, OTHER_TIMES], steps, [step(3, 130), step(3, 35, 1)]));
  const [first, second] = axes.ranks;
  assert.equal(axes.current.get(), first);
  assert.deepEqual([axes.across(150, "a", "work"), axes.across(150, "a", "work", second)], [1125, 155]);
  assert.deepEqual([axes.across(30, "a", "step"), axes.across(33, "a", "step", second)], [130, 35]);
  assert.equal(axes.of("b", 1), second);
  assert.equal(axes.of("b", 7), first);
  axes.current.set(second!);
  assert.deepEqual(axes.windowAcross({ start: 110, end: 120 }, "a", "work"), { start: 115, end: 125 });
  assert.equal(axes.of("a", 7), second);
  const same = { ...OTHER_TIMES, rank_b: 0 }; // two ranks of A against the only one of B
  const onto = new TwoAxes(rankAxes([TIMES, same], [], []));
  onto.current.set(onto.ranks[1]!);
  assert.equal(onto.of("b", 0), onto.ranks[1], "the one that is shown stays");
  assert.deepEqual(
    onto.ranks.map(({ ranks }) => ranksText(ranks)),
    ["0", "1 in A, 0 in B"],
  );
});

test("steps belong together by number, else by order; those of one rank", () => {
  const ranks = { a: 0, b: 0 };
  const a = [step(3, 30), step(4, 40), step(5, 50), step(3, 33, 1)];
  assert.deepEqual(stepAnchors(a, [step(4, 140), step(5, 170), step(6, 200)], ranks), [
    { a: 40, b: 140 },
    { a: 50, b: 170 },
  ]);
  assert.deepEqual(stepAnchors(a, [step(8, 180), step(9, 190)], ranks), [
    { a: 30, b: 180 },
    { a: 40, b: 190 },
  ]);
  assert.deepEqual(stepAnchors([], [step(1, 5)], ranks), []);
  const [withoutWork, ...others] = rankAxes([], [step(3, 33, 4)], [step(3, 100, 2)]);
  assert.deepEqual([withoutWork.ranks, withoutWork.steps, others], [{ a: 4, b: 2 }, [{ a: 33, b: 100 }], []]);
});

test("by step: the same scale, from the step in the middle of the window", () => {
  const axes = new TwoAxes(rankAxes([TIMES], [step(4, 40), step(5, 50)], [step(4, 140), step(5, 170)]));
  assert.deepEqual(axes.windowAcross({ start: 41, end: 47 }, "a", "step"), { start: 141, end: 147 });
  assert.deepEqual(axes.windowAcross({ start: 48, end: 54 }, "a", "step"), { start: 168, end: 174 });
  assert.deepEqual(axes.windowAcross({ start: 0, end: 6 }, "a", "step"), { start: 100, end: 106 });
  assert.deepEqual(axes.windowAcross({ start: 172, end: 178 }, "b", "step"), { start: 52, end: 58 });
});

function linked(mode: AxisMode, spans = { a: 1000, b: 1000 }) {
  const window = (span: number): LinkedWindow => ({
    session: { span },
    viewport: new Store<Viewport>({ start: 0, end: 100 }),
    cursor: new Store<number | null>(null),
  });
  const [a, b] = [window(spans.a), window(spans.b)];
  const link = new LinkedWindows({ a, b }, new TwoAxes(rankAxes([TIMES, OTHER_TIMES], [], [])), new Store(mode));
  return { a, b, link };
}

test("either window moves the other, and the pointer too", () => {
  const { a, b, link } = linked("work");
  assert.deepEqual(b.viewport.get(), { start: 1000, end: 1100 });
  a.viewport.set({ start: 200, end: 300 });
  assert.deepEqual(b.viewport.get(), { start: 1150, end: 1400 });
  assert.equal(link.scale(), 2.5);
  b.viewport.set({ start: 1100, end: 1150 });
  assert.deepEqual(a.viewport.get(), { start: 100, end: 200 });
  assert.equal(link.leading.get(), "b");
  b.cursor.set(1125);
  assert.equal(a.cursor.get(), 150);
  b.cursor.set(null);
  assert.equal(a.cursor.get(), null);
  link.axes.current.set(link.axes.ranks[1]!); // of another rank, by B, which was moved last
  assert.deepEqual(b.viewport.get(), { start: 1100, end: 1150 });
  assert.deepEqual(a.viewport.get(), { start: 1095, end: 1145 });
  link.mode.set("time");
  assert.deepEqual(a.viewport.get(), { start: 1100, end: 1150 });
});

test("one may move to wherever one of both has something", () => {
  const { a, b, link } = linked("time", { a: 400, b: 2000 });
  assert.deepEqual(link.boundsOf("a"), { start: 0, end: 2000 });
  a.viewport.set({ start: 1000, end: 1100 }); // behind the end of A
  a.viewport.update((view) => panBy(view, 0.5, link.boundsOf("a")));
  assert.deepEqual(a.viewport.get(), { start: 1050, end: 1150 }, "not back to where A has something");
  assert.deepEqual(b.viewport.get(), { start: 1050, end: 1150 });
  for (let i = 0; i < 100; ++i) a.viewport.update((view) => panBy(view, 0.5, link.boundsOf("a")));
  assert.equal(a.viewport.get().end, 2002);
  link.mode.set("work"); // moment 0 of B is -1000 of A, its end 900
  assert.deepEqual(link.boundsOf("a"), { start: -1000, end: 900 });
  assert.deepEqual(link.boundsOf("b"), { start: 0, end: 2000 });
  const whole = everything(link.boundsOf("a"));
  assert.ok(whole.start < -1000 && whole.end > 900);
  assert.deepEqual(clamp({ start: -5000, end: 5000 }, { start: -1000, end: 900 }), whole);
});

test("two places are shown above each other and stay so", () => {
  const { a, b, link } = linked("time");
  link.place({ a: 500, b: 900 }, 10, 30);
  assert.deepEqual(
    [a.viewport.get(), b.viewport.get()],
    [
      { start: 490, end: 530 },
      { start: 890, end: 930 },
    ],
  );
  assert.equal(link.mode.get(), "place");
  a.viewport.set({ start: 480, end: 600 });
  assert.deepEqual(b.viewport.get(), { start: 880, end: 1000 });
});

test("while nobody sees both, each has its own window", () => {
  const { a, b, link } = linked("time");
  link.setActive(false);
  a.viewport.set({ start: 5, end: 6 });
  assert.deepEqual(b.viewport.get(), { start: 0, end: 100 });
  link.setActive(true);
  assert.deepEqual(b.viewport.get(), { start: 5, end: 6 });
  link.dispose();
  a.viewport.set({ start: 7, end: 8 });
  assert.deepEqual(b.viewport.get(), { start: 5, end: 6 });
});

test("words", () => {
  assert.equal(
    headline("An iteration: 1 us -> 2 us, -5.0 % (-1 us).\nDevice ops: 1 -> 2.\n"),
    "An iteration: 1 \u00b5s \u2192 2 \u00b5s, \u22125.0 % (\u22121 \u00b5s).",
  );
  assert.equal(ratioText(100, 130), "+30.0 %");
  assert.equal(ratioText(100, 75), "\u221225.0 %");
  assert.equal(ratioText(100, 250), "2.50 times");
  assert.equal(ratioText(5, 5), "the same");
  assert.deepEqual(
    chips([
      { name: "idle_ns", a: 2e6, b: 1e6 },
      { name: "busy_ns", a: 1e6, b: 1e6 },
      { name: "peak_memory_bytes", a: null, b: 5 },
    ]).map(({ name, change, isBetter }) => [name, change, isBetter]),
    [
      ["busy", "the same", null],
      ["idle", "\u221250.0 %", true],
    ],
  );
  assert.equal(ratioText(0, 5), "");
  assert.equal(tabTitle("compare_call_tree"), "Call tree");
  const slice = { track: 0, slice: 0, lane: 0, start: 0, duration: 1 };
  assert.equal(withoutPartner({ status: "both", key: "x", partner: slice }, "a"), "");
  assert.equal(
    withoutPartner({ status: "both", key: "x", partner: null }, "a"),
    "nothing like it at the same work in B",
  );
  assert.equal(withoutPartner({ status: "only_b", key: "x", partner: null }, "b"), "only B has this work");
});
