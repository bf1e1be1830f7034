// What the page remembers, its address bar and its undo.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session, SliceDetails, Track } from "../src/api/protocol";
import { AppState } from "../src/model/app_state";
import { ProfileStates } from "../src/model/profile_states";
import { choicesOf } from "../src/views/choices";
import { mockTrack } from "./mock/track";

const track = (id: number, pinned = false, lanes = 1): Track =>
  mockTrack(id, "thread", ["g"], `t${id}`, { slices: 1, lanes, pinned });
const SESSION = {
  session: "x",
  span: 1e9,
  tracks: [{ ...track(0), slices: 5 }, track(1, true), track(2, false, 99)],
  steps: [],
  runs: [],
} as unknown as Session;

function barWith(hash: string) {
  const bar = {
    hash,
    entries: 0,
    read: () => bar.hash,
    write(next: string, newEntry: boolean) {
      bar.hash = next;
      if (newEntry) ++bar.entries;
    },
  };
  return bar;
}

function open(hash = "") {
  const bar = barWith(hash);
  const client = {
    profile: 0,
    slice: async (track: number, slice: number) =>
      ({ track, slice, lane: 2, start: 100, duration: 50, name: "n", kind: "kernel" }) as SliceDetails,
  };
  return { bar, state: new AppState(SESSION, ["overview", "timeline"], bar, client) };
}

test("a new page shows the timeline, all of it, with what the server pins and long tracks folded", () => {
  const { state } = open();
  assert.equal(state.view.get(), "timeline");
  assert.deepEqual(state.settings.get().pinned, [1]);
  assert.deepEqual([...state.settings.get().folded], [2]);
  assert.ok(state.viewport.get().start <= 0 && state.viewport.get().end >= 1e9);
});

test("an address written by one page is restored by another", async () => {
  const first = open();
  first.state.navigate({
    viewport: { start: 1e6, end: 2e6 },
    slice: { track: 2, slice: 7, lane: 2, start: 100, duration: 50 },
  });
  first.state.navigate({
    area: { start: 5, end: 10, tracks: [1] },
    view: "overview",
    viewport: { start: 1e6, end: 2e6 },
  });
  first.state.changeSettings({ pinned: [2, 0], folded: new Set([1]) });
  const second = open(`#${first.state.hash()}`);
  await new Promise((done) => setTimeout(done, 0));
  assert.equal(second.state.view.get(), "overview");
  assert.deepEqual(second.state.viewport.get(), { start: 1e6, end: 2e6 });
  assert.deepEqual(second.state.area.get(), { start: 5, end: 10, tracks: [1] });
  assert.deepEqual(second.state.selection.get(), { track: 2, slice: 7, lane: 2, start: 100, duration: 50 });
  assert.deepEqual(second.state.settings.get().pinned, [2, 0]);
  assert.deepEqual([...second.state.settings.get().folded], [1]);
  assert.equal(second.state.hash(), first.state.hash());
});

test("an address of another profile leads to something that is there", () => {
  const { state } = open("#view=roofline&t=5000000000~9000000000&pin=77,1&area=3000000000~4000000000@55");
  assert.equal(state.view.get(), "timeline");
  assert.ok(state.viewport.get().start < 1e9);
  assert.deepEqual(state.settings.get().pinned, [1]);
  const area = state.area.get()!;
  assert.ok(area.start < area.end && area.end <= 1e9);
  assert.equal(area.tracks, null);
});

test("undo goes back over navigation of every kind; a new view is an entry of the browser", () => {
  const { state, bar } = open();
  const whole = state.viewport.get();
  state.navigate({ viewport: { start: 100, end: 200 } });
  state.navigate({ view: "overview" });
  state.navigate({ area: { start: 1, end: 9 } });
  assert.equal(bar.entries, 1);
  assert.deepEqual(state.window.get(), { start: 1, end: 9 });
  state.undo();
  assert.equal(state.area.get(), null);
  assert.equal(state.window.get(), null);
  state.undo();
  assert.equal(state.view.get(), "timeline");
  state.undo();
  assert.deepEqual(state.viewport.get(), whole);
  assert.equal(state.undo(), false);
  state.redo();
  assert.deepEqual(state.viewport.get(), { start: 100, end: 200 });
});

test("undo takes back pins, folds and orders too, but not what was typed into the filter", () => {
  const { state } = open();
  const first = state.settings.get();
  state.changeSettings({ pinned: [2, 1] });
  state.navigate({ viewport: { start: 100, end: 200 } });
  state.changeSettings({ folded: new Set([0]), filter: "gpu" });
  state.undo();
  assert.deepEqual([...state.settings.get().folded], [2]);
  assert.equal(state.settings.get().filter, "gpu");
  state.undo();
  assert.deepEqual(state.settings.get().pinned, [2, 1]);
  state.undo();
  assert.deepEqual(state.settings.get().pinned, first.pinned);
  state.redo();
  assert.deepEqual(state.settings.get().pinned, [2, 1]);
});

test("undo shows what was folded then, though showing the slice of that place unfolds it", () => {
  const { state } = open();
  const slice = { track: 2, slice: 7, lane: 0, start: 5, duration: 1 };
  state.selection.subscribe((selected) => selected && state.changeSettings({ folded: new Set() }));
  state.navigate({ slice });
  state.changeSettings({ folded: new Set([2, 1]) });
  state.navigate({ slice: null });
  state.undo();
  assert.deepEqual([...state.settings.get().folded], [2, 1]);
  assert.equal(state.redo(), true);
  assert.equal(state.selection.get(), null);
});

test("what views let choose stands in the address, under their own keys", () => {
  const first = open();
  const colour = first.state.choice("colour", "class", ["class", "name"]);
  assert.equal(first.state.hash().includes("colour"), false, "not as at first");
  colour.set("name");
  first.state.choice("table", "").set("kernels");
  const hash = first.state.hash();
  const second = open(`#${hash}`);
  assert.equal(second.state.hash(), hash, "before anybody has asked for them");
  assert.equal(second.state.choice("colour", "class", ["class", "name"]).get(), "name");
  assert.equal(second.state.choice("table", "").get(), "kernels");
  assert.equal(second.state.hash(), hash);
  second.bar.hash = "#colour=none&table=ops";
  second.state.readAddress();
  assert.equal(second.state.choice("colour", "class", ["class", "name"]).get(), "class", "nothing that is unknown");
  assert.equal(second.state.choice("table", "").get(), "ops");
});

test("the chosen table and its condition are in the address", () => {
  const first = open();
  const choices = choicesOf(first.state);
  assert.deepEqual(choices.table.get(), { name: null, where: "" });
  assert.equal(first.state.hash().includes("table"), false);
  choices.table.set({ name: "kernels", where: "name ~ 'a where b' and count > 3" });
  const second = open(`#${first.state.hash()}`);
  assert.deepEqual(choicesOf(second.state).table.get(), choices.table.get());
  second.bar.hash = "";
  second.state.readAddress();
  assert.deepEqual(choicesOf(second.state).table.get(), { name: null, where: "" });
});

test("two profiles side by side: each keeps its own state, the address is that of the one that is shown", async () => {
  const make = (hash: string) => {
    const bar = barWith(hash);
    const slice = async () => Promise.reject(new Error("not asked for"));
    const views = ["overview", "timeline"];
    const states = new ProfileStates(2, bar, (profile, own) => new AppState(SESSION, views, own, { profile, slice }));
    return { bar, states };
  };
  const { bar, states } = make("#view=overview&t=1~1000");
  assert.equal(states.shown.get(), 0);
  assert.equal(states.all[0]!.view.get(), "overview");
  assert.equal(states.all[1]!.view.get(), "timeline", "the address is not about this one");
  const first = states.all[0]!.hash();
  assert.ok(!/(^|&)p=/.test(first), "of the first profile the address says what it always did");

  states.show(1);
  assert.equal(states.current, states.all[1]);
  assert.equal(bar.entries, 1);
  assert.match(bar.hash, /^p=1&/);
  states.current.navigate({ viewport: { start: 5, end: 500 } });
  states.all[0]!.navigate({ view: "timeline" });
  assert.match(bar.hash, /^p=1&.*t=5~500/, "what is not shown does not write the address");
  assert.equal(states.all[0]!.viewport.get().end, 1000);

  const again = make(`#${bar.hash}`).states;
  assert.equal(again.shown.get(), 1);
  assert.deepEqual(again.current.viewport.get(), { start: 5, end: 500 });
  assert.ok(again.all[0]!.viewport.get().end >= 1e9);

  bar.hash = `#${first}`; // Back
  states.readAddress();
  assert.equal(states.shown.get(), 0);
  assert.equal(states.current.view.get(), "overview");
  assert.equal(make("#p=7&t=1~9").states.shown.get(), 0, "there is no such profile");
  await new Promise((done) => setTimeout(done, 400)); // what waited to be settled
  assert.equal(bar.hash.replace(/^#/, ""), first);
});
