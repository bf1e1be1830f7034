import assert from "node:assert/strict";
import { test } from "node:test";
import { cssColour, fromCss, mix, Palette, pixel, SLICE_TEXT } from "../src/timeline/colours";
import { CAUSE } from "../src/timeline/frame";
import { legendOf } from "../src/timeline/legend";
import type { Session } from "../src/api/protocol";

const KINDS = ["framework_op", "annotation", "python_function", "runtime_call", "os_call", "kernel", "memcpy", "other"];
const CLASSES = ["copy", "collective", "gemm", "attention", "normalization", "elementwise", "reduction", "unknown"];
const CAUSES = ["synchronization", "blocking_copy", "data_loading", "launch_overhead", "dependency", "host_code"];

/** WCAG 2: relative luminance. */
function luminance(colour: number): number {
  const [r, g, b] = [0, 8, 16].map((shift) => {
    const value = ((colour >> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const contrast = (a: number, b: number) =>
  (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

for (const theme of ["light", "dark"] as const) {
  test(`names can be read on every fill, ${theme}`, () => {
    const palette = new Palette(theme, KINDS, CLASSES, CAUSES);
    const text = fromCss(SLICE_TEXT);
    const fills: number[] = [
      ...KINDS.map((_, i) => palette.kindColour(i)),
      ...CLASSES.map((_, i) => palette.classColour(i)),
      ...CAUSES.map((_, i) => palette.cause(i)),
    ];
    for (let i = 0; i < 200; ++i) {
      fills.push(palette.slice("name", 0, i, 1), palette.slice("heat", 0, 0, 10 ** (i / 20)));
    }
    for (const fill of fills) {
      const ratio = contrast(fill, text);
      assert.ok(ratio >= 4.5, `${cssColour(fill)}: ${ratio.toFixed(2)}`);
    }
  });

  test(`classes, kinds and causes look different from each other, ${theme}`, () => {
    const palette = new Palette(theme, KINDS, CLASSES, CAUSES);
    const all = (count: number, of: (i: number) => number) => new Set(Array.from({ length: count }, (_, i) => of(i)));
    assert.equal(all(CLASSES.length, (i) => palette.classColour(i)).size, CLASSES.length);
    assert.equal(all(CAUSES.length, (i) => palette.cause(i)).size, CAUSES.length);
    assert.equal(all(5, (i) => palette.kindColour(i)).size, 5);
  });
}

test("a device op has the colour of its class, anything else that of its kind", () => {
  const palette = new Palette("light", KINDS, CLASSES, CAUSES);
  assert.equal(palette.slice("class", (5 << 8) | 2, 0, 0), palette.classColour(2));
  assert.equal(palette.slice("class", 0 << 8, 0, 0), palette.kindColour(0));
});

test("pixels: channels, mixing, CSS", () => {
  assert.equal(fromCss("#010203"), pixel(1, 2, 3));
  assert.equal(cssColour(pixel(1, 2, 3)), "rgb(1 2 3)");
  assert.equal(mix(pixel(100, 0, 0), pixel(0, 100, 0), 0.5), pixel(50, 50, 0));
});

test("the legend has what the picture used, causes first", () => {
  const palette = new Palette("dark", KINDS, CLASSES, CAUSES);
  const session = { kinds: KINDS, classes: CLASSES, causes: CAUSES } as unknown as Session;
  const seen = new Uint8Array(2 * CAUSE);
  seen[(5 << 8) | 2] = seen[0] = seen[CAUSE | 3] = 1;
  const labels = (mode: "class" | "name") => legendOf(seen, session, palette, mode).map((entry) => entry.label);
  assert.deepEqual(labels("class"), ["launch overhead", "gemm", "framework op"]);
  assert.deepEqual(labels("name"), ["launch overhead"]);
});
