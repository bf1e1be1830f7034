// What keys mean on keyboards of several layouts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, control, digit, plain, types, typesOrAt } from "../src/ui/keys";

const press = (key: string, code: string, modifiers: string[] = []) => ({
  key,
  code,
  ctrlKey: modifiers.includes("Control"),
  metaKey: modifiers.includes("Meta"),
  altKey: modifiers.includes("Alt"),
  shiftKey: modifiers.includes("Shift"),
  getModifierState: (name: string) => modifiers.includes(name),
});

test("digits: typed, or at the place of one", () => {
  assert.equal(digit(press("3", "Digit3")), "3");
  assert.equal(digit(press("3", "Numpad3")), "3");
  assert.equal(digit(press('"', "Digit3")), "3", "French, unshifted");
  assert.equal(digit(press("3", "Digit3", ["Shift"])), "3", "French, shifted");
  assert.equal(digit(press("\u0161", "Digit3")), "3", "Czech");
  assert.equal(digit(press("#", "Digit3", ["Shift"])), null, "American, shifted");
  assert.equal(digit(press("/", "Digit7", ["Shift"])), null, "German: search");
  assert.equal(digit(press("/", "Digit9")), null, "B\u00c9PO: search");
  assert.equal(digit(press("[", "Digit8", ["Control", "Alt"])), null, "AltGr of Windows");
  assert.equal(digit(press("[", "Digit8", ["AltGraph"])), null, "AltGr of Linux");
  assert.equal(digit(press("1", "Digit1", ["Control"])), null, "a tab of the browser");
  assert.equal(digit(press("a", "KeyA")), null);
});

test("brackets: typed with AltGr or Option, or at their place", () => {
  const bracket = (event: ReturnType<typeof press>) => typesOrAt(event, "[", "BracketLeft");
  assert.ok(bracket(press("[", "BracketLeft")));
  assert.ok(bracket(press("\u00fc", "BracketLeft")), "German: the key at the place");
  assert.ok(bracket(press("[", "Digit8", ["Control", "Alt"])), "German, Windows");
  assert.ok(bracket(press("[", "Digit8", ["AltGraph"])), "German, Linux");
  assert.ok(bracket(press("[", "Digit5", ["Alt"])), "German, Mac");
  assert.ok(!bracket(press("[", "BracketLeft", ["Control"])), "back, in some browsers");
  assert.ok(!bracket(press("[", "BracketLeft", ["Meta"])));
  assert.ok(!bracket(press("{", "BracketLeft", ["Shift"])));
  assert.ok(!bracket(press("]", "BracketRight")));
});

test("question mark and slash", () => {
  const help = (event: ReturnType<typeof press>) => typesOrAt(event, "?", "Slash", true);
  assert.ok(help(press("?", "Slash", ["Shift"])));
  assert.ok(help(press("?", "Minus", ["Shift"])), "German");
  assert.ok(help(press("?", "KeyM", ["Shift"])), "French");
  assert.ok(!help(press("/", "Slash")));
  const search = (event: ReturnType<typeof press>) => typesOrAt(event, "/", "Slash");
  assert.ok(search(press("/", "Slash")));
  assert.ok(search(press("/", "Digit7", ["Shift"])), "German");
  assert.ok(search(press("-", "Slash")), "German: the key at the place");
  assert.ok(!search(press("?", "Slash", ["Shift"])));
  assert.ok(!search(press("?", "Slash")), "what types another command is that command");
});

test("AltGr is no Ctrl, and neither is a plain key", () => {
  assert.ok(control(press("z", "KeyZ", ["Control"])));
  assert.ok(control(press("z", "KeyZ", ["Meta"])));
  assert.ok(!control(press("\u017c", "KeyZ", ["Control", "Alt"])));
  assert.ok(plain(press("z", "KeyZ", ["Shift"])));
  assert.ok(!plain(press("z", "KeyZ", ["AltGraph"])));
  assert.ok(at(press("\u0446", "KeyW"), "KeyW"), "Cyrillic");
  assert.ok(!at(press("W", "KeyW", ["Shift"]), "KeyW"));
  assert.ok(types(press("]", "Digit9", ["Control", "Alt"]), "]"));
});
