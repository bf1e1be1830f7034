// Windows, history, the address bar, stores.
import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "../src/model/history";
import { areaBetween } from "../src/model/selection";
import { derived, Store } from "../src/model/store";
import { EMPTY_URL_STATE, readUrlState, writeUrlState, type UrlState } from "../src/model/url_state";
import {
  clamp,
  everything,
  fit,
  NARROWEST,
  niceStep,
  panBy,
  reveal,
  timeStep,
  width,
  zoomAt,
} from "../src/model/viewport";
import { randomNumbers } from "./mock/profile.mjs";

const near = (a: number, b: number, by: number) => assert.ok(Math.abs(a - b) <= by, `${a} is not near ${b}`);

test("whatever is done to a window, it stays inside the session and between the narrowest and the widest", () => {
  const random = randomNumbers(11);
  for (const span of [1, 1000, 1e9, 3.6e12]) {
    let view = everything(span);
    for (let i = 0; i < 3000; ++i) {
      const choice = random();
      if (choice < 0.4) view = zoomAt(view, view.start + random() * width(view), Math.exp(random() * 4 - 2), span);
      else if (choice < 0.8) view = panBy(view, random() * 6 - 3, span);
      else if (choice < 0.9) view = fit({ start: random() * span, end: random() * span }, span);
      else view = reveal(view, { start: span * random(), end: span * (1 + random()) }, span);
      assert.ok(Number.isFinite(view.start) && view.end > view.start);
      assert.ok(width(view) >= NARROWEST - 1e-3 && width(view) <= width(everything(span)) + 1e-3);
      assert.ok(view.end > 0 && view.start < Math.max(span, NARROWEST));
    }
  }
});

test("zooming keeps the moment under the pointer where it is", () => {
  const view = { start: 1e9, end: 2e9 };
  const zoomed = zoomAt(view, 1.25e9, 0.01, 1e10);
  near((1.25e9 - zoomed.start) / width(zoomed), 0.25, 1e-9);
  near(width(zoomed), 1e7, 1e-3);
  const back = zoomAt(zoomed, 1.25e9, 100, 1e10);
  near(back.start, view.start, 1e-3);
});

test("panning is undone by panning back, and stops at the ends", () => {
  const view = { start: 4e8, end: 5e8 };
  const there = panBy(panBy(view, 0.3, 1e9), -0.3, 1e9);
  near(there.start, view.start, 1e-3);
  assert.ok(panBy(view, -100, 1e9).start >= -0.02 * width(view) - 1e-6);
  assert.ok(panBy(view, 100, 1e9).end <= 1e9 + 0.02 * width(view) + 1e-6);
  assert.deepEqual(clamp(clamp(view, 1e9), 1e9), clamp(view, 1e9));
});

test("steps of the ruler are round", () => {
  assert.equal(niceStep(0.2), 1);
  assert.equal(niceStep(3), 5);
  assert.equal(niceStep(5), 5);
  assert.equal(niceStep(5.1), 10);
  assert.equal(niceStep(123456), 200000);
});

test("an area is whole ns inside the session and never empty", () => {
  assert.deepEqual(areaBetween(10.7, 2.2, 100, null), { start: 2, end: 11, tracks: null });
  assert.deepEqual(areaBetween(-50, 500, 100, [1]), { start: 0, end: 100, tracks: [1] });
  const empty = areaBetween(100, 100, 100, null);
  assert.ok(empty.end > empty.start && empty.start >= 0);
});

test("history: undo, redo, and a new way after undo", () => {
  const history = new History<number>((a, b) => a === b, 4);
  assert.equal(history.undo(), null);
  for (const place of [1, 2, 2, 3]) history.visit(place);
  assert.equal(history.undo(), 2);
  assert.equal(history.undo(), 1);
  assert.equal(history.undo(), null);
  assert.equal(history.redo(), 2);
  history.visit(9);
  assert.equal(history.redo(), null);
  assert.equal(history.undo(), 2);
  for (const place of [5, 6, 7, 8, 9]) history.visit(place);
  const back = [history.undo(), history.undo(), history.undo(), history.undo()];
  assert.deepEqual(back, [8, 7, 6, null]);
});

const FULL: UrlState = {
  profile: 1,
  view: "timeline",
  viewport: { start: -1.25, end: 123456789012345.5 },
  slice: { track: 3, slice: 4294967295 },
  area: { start: 1, end: 2, tracks: [0, 7] },
  pinned: [5, 1],
  folded: [2, 2147483700],
  order: [1, 2, 3],
  hidden: [9],
  heights: [
    [4, -1],
    [7, 3],
  ],
  marks: [
    { start: 5, end: null, name: "", note: "" },
    { start: 7, end: 9, name: "a, b:~ & \u05d0 100%", note: "" },
    { start: 8, end: null, name: "", note: "first, then: second" },
  ],
  search: "void f<int>(a, b) & <c> \u05d0 100%",
  choices: { colour: "name", table: "kernels where a = 'b' & c" },
};

test("an address restores what it was made from", () => {
  assert.deepEqual(readUrlState(`#${writeUrlState(FULL)}`), FULL);
  assert.deepEqual(readUrlState(""), EMPTY_URL_STATE);
  const noTracks = { ...EMPTY_URL_STATE, area: { start: 0, end: 10, tracks: null } };
  assert.deepEqual(readUrlState(writeUrlState(noTracks)), noTracks);
  const none = { ...EMPTY_URL_STATE, pinned: [] };
  assert.deepEqual(readUrlState(writeUrlState(none)), none);
});

test("nonsense in an address is ignored, part by part", () => {
  assert.deepEqual(
    readUrlState("#t=9~1&slice=1.x&area=a~b&pin=1,-2&fold=1e9&mark=~,x&view=../../etc&q=%E0%A4%A&p=-1"),
    EMPTY_URL_STATE,
  );
  assert.equal(readUrlState("#t=1e99~2e99").viewport, null);
  assert.deepEqual(readUrlState("#t=1~2&slice=zzz").viewport, { start: 1, end: 2 });
  const random = randomNumbers(5);
  for (let i = 0; i < 2000; ++i) {
    // never throws
    readUrlState(Array.from({ length: 30 }, () => String.fromCharCode(32 + Math.floor(random() * 95))).join(""));
  }
});

test("steps of time are round in seconds, minutes, hours and days", () => {
  const second = 1e9;
  assert.equal(timeStep(3), 5);
  assert.equal(timeStep(15 * second), 20 * second);
  assert.equal(timeStep(40 * second), 60 * second);
  assert.equal(timeStep(1000 * second), 1200 * second);
  assert.equal(timeStep(9000 * second), 3 * 3600 * second);
  assert.equal(timeStep(100000 * second), 2 * 86400 * second);
});

test("a store calls back on changes only, and a derived one follows", () => {
  const store = new Store(1);
  const seen: number[] = [];
  const end = store.subscribe((value) => seen.push(value));
  const double = derived(store, (value) => value * 2);
  store.set(1);
  store.set(2);
  end();
  store.update((value) => value + 1);
  assert.deepEqual(seen, [2]);
  assert.equal(double.get(), 6);
});
