import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ACTIVITY_FILLS, cssColour, fromCss, mix, Palette, pixel, SLICE_TEXT } from "../src/timeline/colours";
import { ACTIVITY, CAUSE } from "../src/timeline/frame";
import { legendOf } from "../src/timeline/legend";
import type { Session } from "../src/api/protocol";

// The common ones of each, then the others.
const COMMON_CLASSES = [
  ...["copy", "collective", "gemm", "moe_gemm", "convolution", "attention", "normalization", "softmax_loss"],
  ...["activation", "elementwise", "reduction", "optimizer", "embedding", "unknown"],
];
const CLASSES = [
  ...COMMON_CLASSES,
  ...["set", "expert_exchange", "custom_collective", "kv_cache", "rope", "quantization", "moe_routing", "state_space"],
  ...["sort_scan", "random", "pooling", "layout", "indexing", "fused"],
];
const COMMON_CAUSES = [
  ...["synchronization", "blocking_copy", "data_loading", "allocation", "module_load", "garbage_collection"],
  ...["host_code", "launch_overhead", "dependency"],
];
const CAUSES = [
  ...COMMON_CAUSES,
  ...["lock", "other_rank", "profiler_overhead", "compilation", "io", "not_scheduled", "no_work"],
];
const HOST = ["framework_op", "annotation", "python_function", "runtime_call", "driver_call", "os_call"];
const LOOKS = looksOfLanes();
const KINDS = [...HOST, "kernel", "memcpy", "other", ...LOOKS.keys()];
const WORDS = {
  kinds: KINDS,
  looks: KINDS.map((kind) => LOOKS.get(kind) ?? ""),
  classes: CLASSES,
  causes: CAUSES,
};

/** Of each kind of slices that a lane of the program declares. */
function looksOfLanes(): Map<string, string> {
  const folder = "../src/tiles/lanes";
  const files = readdirSync(folder).filter((file) => file.endsWith("_lane.cpp"));
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, "utf8"));
  return new Map(
    texts.flatMap((text) => [...text.matchAll(/\{"(\w+)", "([^"]*)"\}/g)]).map(([, kind, look]) => [kind!, look!]),
  );
}

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

type Matrix = readonly (readonly number[])[];

/** Full deficiencies as G. Machado et al. simulate them (2009), on linear RGB; and what share of a distance is due. */
const VISIONS: readonly (readonly [string, Matrix, number])[] = [
  [
    "normal vision",
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
    1,
  ],
  [
    "protanopia",
    [
      [0.152286, 1.052583, -0.204868],
      [0.114503, 0.786281, 0.099216],
      [-0.003882, -0.048116, 1.051998],
    ],
    0.5,
  ],
  [
    "deuteranopia",
    [
      [0.367322, 0.860646, -0.227968],
      [0.280085, 0.672501, 0.047413],
      [-0.01182, 0.04294, 0.968881],
    ],
    0.5,
  ],
  [
    "tritanopia",
    [
      [1.255528, -0.076749, -0.178779],
      [-0.078411, 0.930809, 0.147602],
      [0.004733, 0.691367, 0.3039],
    ],
    0.4,
  ],
];

/** In OKLab, where 0.02 is just noticed. */
function distance(a: number, b: number, vision: Matrix): number {
  const [x, y] = [oklab(seenWith(vision, a)), oklab(seenWith(vision, b))];
  return Math.hypot(x[0]! - y[0]!, x[1]! - y[1]!, x[2]! - y[2]!);
}

function seenWith(vision: Matrix, colour: number): number[] {
  const rgb = [0, 8, 16].map((shift) => {
    const value = ((colour >> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return vision.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, factor, i) => sum + factor * rgb[i]!, 0),
      ),
    ),
  );
}

function oklab([r, g, b]: number[]): number[] {
  const l = Math.cbrt(0.4122214708 * r! + 0.5363325363 * g! + 0.0514459929 * b!);
  const m = Math.cbrt(0.2119034982 * r! + 0.6806995451 * g! + 0.1073969566 * b!);
  const s = Math.cbrt(0.0883024619 * r! + 0.2817188376 * g! + 0.6299787005 * b!);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

interface Named {
  table: string;
  name: string;
  colour: number;
}

const COMMON = new Set([
  ...COMMON_CLASSES.map((name) => `class ${name}`),
  ...COMMON_CAUSES.map((name) => `cause ${name}`),
  ...["framework_op", "annotation", "python_function", "runtime_call", "exposed_communication"].map(
    (name) => `kind ${name}`,
  ),
]);

/** Communication all of them. */
const COLLECTIVES = new Set(["collective", "expert_exchange", "custom_collective"]);

function leastDistance(a: Named, b: Named): number {
  if (COLLECTIVES.has(a.name) && COLLECTIVES.has(b.name)) return 0.035;
  const common = [a, b].filter((each) => COMMON.has(`${each.table} ${each.name}`)).length;
  if (a.table === b.table) return [0.035, 0.055, 0.09][common]!;
  return [0.02, 0.03, 0.05][common]!;
}

for (const theme of ["light", "dark"] as const) {
  test(`names can be read on every fill, ${theme}`, () => {
    const palette = new Palette(theme, WORDS);
    const text = fromCss(SLICE_TEXT);
    const fills: number[] = [
      ...KINDS.map((_, i) => palette.kindColour(i)),
      ...CLASSES.map((_, i) => palette.classColour(i)),
      ...CAUSES.map((_, i) => palette.cause(i)),
    ];
    for (const ratio of [null, undefined, 0.1, 0.5, 0.7, 0.9, 1, 1.1, 1.4, 2, 9]) fills.push(palette.change(ratio));
    for (let i = 0; i < 200; ++i) {
      fills.push(palette.slice("name", 0, i, 1), palette.slice("heat", 0, 0, 10 ** (i / 20)));
    }
    for (const fill of fills) {
      const ratio = contrast(fill, text);
      assert.ok(ratio >= 4.5, `${cssColour(fill)}: ${ratio.toFixed(2)}`);
    }
  });

  test(`classes, causes and kinds of the host can be told apart, with any colour vision, ${theme}`, () => {
    const palette = new Palette(theme, WORDS);
    const colours: Named[] = [
      ...CLASSES.map((name, i) => ({ table: "class", name, colour: palette.classColour(i) })),
      ...CAUSES.map((name, i) => ({ table: "cause", name, colour: palette.cause(i) })),
      ...KINDS.filter((name) => HOST.includes(name) || ["step", "exposed_communication"].includes(name)).map(
        (name) => ({
          table: "kind",
          name,
          colour: palette.kindColour(KINDS.indexOf(name)),
        }),
      ),
    ];
    colours.forEach((a, i) =>
      colours.slice(0, i).forEach((b) => {
        const least = leastDistance(a, b);
        VISIONS.forEach(([vision, matrix, share]) => {
          const found = distance(a.colour, b.colour, matrix);
          const text = `${a.table} ${a.name} and ${b.table} ${b.name}, ${vision}: ${found.toFixed(3)}`;
          assert.ok(found >= least * share, `${text} of ${(least * share).toFixed(3)}`);
        });
      }),
    );
  });

  test(`what was taken for each other is far apart, ${theme}`, () => {
    const palette = new Palette(theme, WORDS);
    const ofClass = (name: string) => palette.classColour(CLASSES.indexOf(name));
    const ofCause = (name: string) => palette.cause(CAUSES.indexOf(name));
    const ofKind = (name: string) => palette.kindColour(KINDS.indexOf(name));
    for (const [a, b] of [
      [ofClass("gemm"), ofClass("convolution")],
      [ofClass("gemm"), ofCause("host_code")],
      [ofClass("convolution"), ofCause("host_code")],
      [ofClass("gemm"), ofKind("framework_op")],
      [ofCause("launch_overhead"), ofClass("collective")],
      [ofCause("launch_overhead"), ofKind("exposed_communication")],
      [ofClass("collective"), ofKind("exposed_communication")],
    ] as const) {
      const [, normal] = VISIONS[0]!;
      assert.ok(distance(a, b, normal) >= 0.065, `${cssColour(a)} and ${cssColour(b)}`);
    }
  });
}

/** The variables of a theme, as the style sheets have them: those of the dark one where it has its own. */
function variablesOf(theme: "light" | "dark"): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of ["base", "timeline"]) {
    const text = readFileSync(`src/style/${file}.css`, "utf8");
    for (const [, selector, body] of text.matchAll(/^(:root[^{]*)\{([^}]*)\}/gm)) {
      if (selector!.includes("dark") && theme === "light") continue;
      for (const [, name, value] of body!.matchAll(/--([\w-]+):\s*([^;]+);/g)) found.set(name!, value!);
    }
  }
  return found;
}

for (const theme of ["light", "dark"] as const) {
  test(`texts and marks of the canvas stand out from the paper, ${theme}`, () => {
    const variables = variablesOf(theme);
    const paper = fromCss(variables.get("paper")!);
    const against = (name: string) => contrast(fromCss(variables.get(name)!), paper);
    for (const text of ["ink", "soft", "mark"]) {
      assert.ok(against(text) >= 4.5, `text in ${text}: ${against(text).toFixed(2)}`);
    }
    const marks = ["accent", "mark", "flow-launch", "flow-backward", "flow-wait", "purple"];
    const ofCharts = ["blue", "orange", "green", "yellow", "vermillion", "sky", "grey"];
    for (const mark of [...marks, ...ofCharts, "compute", "communication", "memory"]) {
      assert.ok(against(mark) >= 3, `${mark}: ${against(mark).toFixed(2)}`);
    }
    const band = contrast(fromCss(variables.get("soft")!), fromCss(variables.get("band")!));
    assert.ok(band >= 4.5, `notes of headings: ${band.toFixed(2)}`);
  });
}

test("lanes of activity have the colours of the page's charts", () => {
  const [light, dark] = readFileSync("src/style/base.css", "utf8").split('[data-theme="dark"]') as [string, string];
  for (const [css, fills] of [
    [light, ACTIVITY_FILLS.light],
    [dark, ACTIVITY_FILLS.dark],
  ] as const) {
    for (const [name, fill] of Object.entries(fills))
      assert.ok(css.includes(`--${name}: ${fill};`), `${name}: ${fill}`);
  }
});

test("a device op has the colour of its class, anything else that of its kind", () => {
  const palette = new Palette("light", WORDS);
  assert.equal(palette.slice("class", (KINDS.indexOf("kernel") << 8) | 2, 0, 0), palette.classColour(2));
  assert.equal(palette.slice("class", 0 << 8, 0, 0), palette.kindColour(0));
});

test("slower is red, faster blue, the more the stronger; what is not compared is grey", () => {
  const palette = new Palette("light", WORDS);
  const redness = (ratio: number) => {
    const colour = palette.change(ratio);
    return (colour & 255) - ((colour >> 16) & 255);
  };
  const ratios = [0.1, 0.5, 0.7, 0.9, 1, 1.1, 1.4, 2, 9];
  ratios.slice(1).forEach((ratio, i) => assert.ok(redness(ratio) >= redness(ratios[i]!), `${ratio}`));
  assert.ok(redness(2) > 80 && redness(0.5) < -80 && Math.abs(redness(1)) < 12);
  assert.equal(palette.change(2), palette.change(50));
  assert.equal(palette.change(null), palette.onlyHere);
  const [, normal] = VISIONS[0]!;
  for (const [vision, matrix] of VISIONS) {
    for (const [a, b] of [
      [2, 0.5],
      [2, 1],
      [0.5, 1],
    ] as const) {
      const far = distance(palette.change(a), palette.change(b), matrix ?? normal);
      assert.ok(far > 0.05, `${a} and ${b}, ${vision}: ${far.toFixed(3)}`);
    }
  }
});

test("a frame of a call path has the colour of its function", () => {
  const words = { kinds: [...KINDS, "function"], looks: [...WORDS.looks, "name"], classes: CLASSES, causes: CAUSES };
  const palette = new Palette("light", words);
  const frame = (name: number) => palette.slice("class", KINDS.length << 8, name, 5);
  assert.equal(frame(7), palette.slice("name", 0, 7, 0));
  assert.notEqual(frame(7), frame(8));
  assert.ok(palette.isNamedKind(KINDS.indexOf("other")), "which says nothing");
  assert.ok(!palette.isNamedKind(KINDS.indexOf("kernel")));
});

test("slices of lanes look as the lanes declare it", () => {
  const palette = new Palette("light", WORDS);
  const ofKind = (name: string) => palette.kindColour(KINDS.indexOf(name));
  const plain = ofKind("other");
  assert.ok(LOOKS.size >= 6);
  for (const [kind, look] of LOOKS) {
    const number = KINDS.indexOf(kind);
    if (look === "name") assert.ok(palette.isNamedKind(number), kind);
    else if (look === "cause") assert.ok(palette.isCauseKind(number), kind);
    else if (look === "communication") assert.equal(ofKind(kind), palette.activity.communication);
    else if (KINDS.includes(look)) assert.equal(ofKind(kind), ofKind(look));
    else assert.notEqual(ofKind(kind), plain, `${kind}: ${look}`);
  }
});

test("pixels: channels, mixing, CSS", () => {
  assert.equal(fromCss("#010203"), pixel(1, 2, 3));
  assert.equal(cssColour(pixel(1, 2, 3)), "rgb(1 2 3)");
  assert.equal(mix(pixel(100, 0, 0), pixel(0, 100, 0), 0.5), pixel(50, 50, 0));
});

test("the legend has what the picture used, causes first", () => {
  const palette = new Palette("dark", WORDS);
  const session = WORDS as unknown as Session;
  const seen = new Uint8Array(ACTIVITY + 3);
  const kernel = KINDS.indexOf("kernel") << 8;
  seen[kernel | CLASSES.indexOf("gemm")] = seen[0] = seen[CAUSE | CAUSES.indexOf("launch_overhead")] = 1;
  const labels = (mode: "class" | "name") => legendOf(seen, session, palette, mode).map((entry) => entry.label);
  assert.deepEqual(labels("class"), ["launch overhead", "gemm", "framework op"]);
  assert.deepEqual(labels("name"), ["launch overhead"]);
  seen[ACTIVITY] = seen[ACTIVITY + 1] = seen[KINDS.indexOf("exposed_communication") << 8] = 1;
  assert.deepEqual(labels("class"), [
    ...["compute", "exposed communication"], // once, though the lane of that has it too
    ...["launch overhead", "gemm", "framework op"],
  ]);
});
