// The colours of slices: by what they are, by name, by how long they last, or by how they changed. Fills are light enough for dark text in
// both themes. Colours are made in OKLCH (B. Ottosson, 2020), where equal steps look equally far.
import type { Session } from "../api/protocol";
import type { Theme } from "../ui/theme";

export const COLOUR_MODES = ["class", "name", "heat"] as const;
/** Of a run that is compared with another one also by how what has a name changed. */
export const COMPARED_COLOUR_MODES = ["change", ...COLOUR_MODES] as const;
export type ColourMode = (typeof COMPARED_COLOUR_MODES)[number];

/** Lightness, hue in degrees, and chroma. */
type Fill = readonly [number, number, number];

// Found by search: in a table any two differ as far as they can, the common ones most; so do those of different tables,
// which are on different tracks, less. This holds with any of the three deficiencies of colour vision as well:
// test/colours.test.ts has the distances.
const CLASSES: Record<string, Fill> = {
  copy: [0.72, 147, 0.125],
  set: [0.68, 144, 0.057],
  collective: [0.78, 89, 0.137],
  expert_exchange: [0.81, 67, 0.125],
  custom_collective: [0.84, 82, 0.104],
  gemm: [0.72, 239, 0.15],
  moe_gemm: [0.66, 269, 0.15],
  convolution: [0.81, 239, 0.107],
  attention: [0.65, 317, 0.15],
  state_space: [0.65, 355, 0.026],
  normalization: [0.78, 20, 0.109],
  softmax_loss: [0.7, 350, 0.126],
  activation: [0.88, 135, 0.11],
  elementwise: [0.88, 190, 0.096],
  fused: [0.85, 249, 0.047],
  reduction: [0.71, 295, 0.083],
  optimizer: [0.65, 39, 0.088],
  embedding: [0.88, 93, 0.149],
  indexing: [0.82, 40, 0.043],
  kv_cache: [0.85, 158, 0.025],
  sort_scan: [0.83, 112, 0.068],
  quantization: [0.77, 267, 0.081],
  rope: [0.78, 327, 0.11],
  moe_routing: [0.81, 322, 0.07],
  layout: [0.72, 116, 0.115],
  random: [0.68, 84, 0.084],
  pooling: [0.68, 217, 0.058],
};

const KINDS: Record<string, Fill> = {
  framework_op: [0.76, 300, 0.055],
  annotation: [0.87, 281, 0.06],
  device_annotation: [0.87, 281, 0.06],
  python_function: [0.79, 101, 0.083],
  runtime_call: [0.65, 107, 0.026],
  driver_call: [0.86, 96, 0.086],
  os_call: [0.71, 17, 0.034],
  kernel: [0.72, 239, 0.15],
  memcpy: [0.72, 147, 0.125],
  memset: [0.68, 144, 0.057],
  device_collective: [0.78, 89, 0.137],
  synchronization: [0.86, 28, 0.07],
  overhead: [0.86, 195, 0.057],
  profiler_span: [0.78, 260, 0.015],
};

const CAUSES: Record<string, Fill> = {
  synchronization: [0.65, 39, 0.149],
  blocking_copy: [0.75, 174, 0.082],
  data_loading: [0.83, 320, 0.129],
  allocation: [0.83, 78, 0.15],
  compilation: [0.92, 218, 0.054],
  module_load: [0.75, 49, 0.083],
  garbage_collection: [0.73, 306, 0.135],
  lock: [0.65, 280, 0.124],
  io: [0.92, 109, 0.112],
  not_scheduled: [0.71, 122, 0.15],
  no_work: [0.92, 148, 0.056],
  host_code: [0.65, 196, 0.092],
  launch_overhead: [0.83, 180, 0.146],
  dependency: [0.83, 139, 0.143],
  other_rank: [0.68, 107, 0.06],
  profiler_overhead: [0.68, 282, 0.063],
};

const DEVICE_OPS = new Set(["kernel", "memcpy", "memset", "device_collective"]);

const PLAIN: Fill = [0.78, 255, 0.012];
const OKLCH = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)$/;

/** Of a kind of slices: its look, a colour (`oklch(L C H)`) or the name of another kind; without a look its own. */
function fillOf(kind: string, look: string): Fill {
  const [, lightness, chroma, hue] = OKLCH.exec(look) ?? [];
  return hue === undefined ? (KINDS[look || kind] ?? PLAIN) : [Number(lightness), Number(hue), Number(chroma)];
}

/** What is taken from the lightness. */
const DARKER: Record<Theme, number> = { light: 0, dark: 0.03 };

/** Of lanes of activity, as the variables of these names in base.css have them; of the light theme, of the dark one. */
export const ACTIVITY_FILLS: Record<Theme, { compute: string; communication: string; memory: string }> = {
  light: { compute: "#2f7fc1", communication: "#cf7d00", memory: "#2b9a78" },
  dark: { compute: "#4a9ade", communication: "#e08a00", memory: "#38b892" },
};

export const SLICE_TEXT = "#14181c";

function oklch([lightness, hue, chroma]: Fill): [number, number, number] {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = (value: number): number => {
    const clipped = Math.min(1, Math.max(0, value));
    const curved = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
    return Math.round(curved * 255);
  };
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** A pixel as the canvas has it in memory on little-endian machines. */
export const pixel = (r: number, g: number, b: number): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

const channels = (colour: number): [number, number, number] => [
  colour & 255,
  (colour >> 8) & 255,
  (colour >> 16) & 255,
];

export function cssColour(colour: number): string {
  return `rgb(${channels(colour).join(" ")})`;
}

/** `share` of the first colour, the rest of the second. */
export function mix(first: number, second: number, share: number): number {
  const a = channels(first);
  const b = channels(second);
  const [r, g, bl] = a.map((value, i) => Math.round(value * share + b[i]! * (1 - share))) as [number, number, number];
  return pixel(r, g, bl);
}

/** "#rrggbb" to a pixel. */
export function fromCss(text: string): number {
  const value = Number.parseInt(text.trim().slice(1), 16);
  return pixel((value >> 16) & 255, (value >> 8) & 255, value & 255);
}

const HEAT_STEPS = 64;
/** Colours on each side of no change; the strongest is for twice or half the time. */
const CHANGE_STEPS = 16;
const ONLY_HERE: Fill = [0.84, 95, 0.15];
const SAME: Fill = [0.88, 255, 0.008];
/** Durations at both ends of the heat scale, ns. */
const HEAT_FROM = 500;
const HEAT_TO = 50e6;

/** What the numbers in the colours of slices are. */
export type ColourWords = Pick<Session, "kinds" | "looks" | "classes" | "causes">;

/** What a session's `kinds`, `classes` and `causes` look like in one theme. */
export class Palette {
  readonly activity: { readonly compute: number; readonly communication: number; readonly memory: number };
  readonly #kinds: number[];
  readonly #classes: number[];
  readonly #causes: number[];
  readonly #names: number[];
  readonly #heat: number[];
  /** From half the time, over no change, to twice the time. */
  readonly #changes: number[];
  readonly onlyHere: number;
  readonly #notCompared: number;
  /** By kind: whether it is a device op, whose class says more than its kind. */
  readonly #hasClass: boolean[];
  readonly #isNamed: boolean[];
  readonly #isCause: boolean[];

  constructor(
    theme: Theme,
    private readonly words: ColourWords,
  ) {
    const { kinds, looks, classes, causes } = words;
    const of = ([lightness, hue, chroma]: Fill) => pixel(...oklch([lightness - DARKER[theme], hue, chroma]));
    const { compute, communication, memory } = ACTIVITY_FILLS[theme];
    this.activity = { compute: fromCss(compute), communication: fromCss(communication), memory: fromCss(memory) };
    this.#kinds = kinds.map((kind, i) =>
      looks[i] === "communication" ? this.activity.communication : of(fillOf(kind, looks[i]!)),
    );
    this.#hasClass = kinds.map((kind) => DEVICE_OPS.has(kind));
    this.#isNamed = kinds.map((kind, i) => looks[i] === "name" || kind === "other");
    this.#isCause = looks.map((look) => look === "cause");
    this.#classes = classes.map((name) => of(CLASSES[name] ?? PLAIN));
    this.#causes = causes.map((name) => of(CAUSES[name] ?? PLAIN));
    // Neighbouring numbers lie a golden angle apart.
    this.#names = Array.from({ length: 96 }, (_, i) => of([0.79 + ((i % 3) - 1) * 0.05, (i * 137.508) % 360, 0.1]));
    this.#heat = Array.from({ length: HEAT_STEPS }, (_, i) => {
      const share = i / (HEAT_STEPS - 1);
      return of([0.88 - 0.2 * share, 230 - 205 * share, 0.03 + 0.13 * share]);
    });
    this.#changes = Array.from({ length: 2 * CHANGE_STEPS + 1 }, (_, i) => {
      const strength = Math.abs(i - CHANGE_STEPS) / CHANGE_STEPS;
      if (strength === 0) return of(SAME);
      return of([0.86 - 0.19 * strength, i < CHANGE_STEPS ? 245 : 27, 0.04 + 0.12 * strength]);
    });
    this.onlyHere = of(ONLY_HERE);
    this.#notCompared = of(PLAIN);
  }

  /** Of work that takes so many times as long in B as in A; null: that one side alone has; undefined: not compared. */
  change(ratio: number | null | undefined): number {
    if (ratio === undefined) return this.#notCompared;
    if (ratio === null) return this.onlyHere;
    const strength = Math.max(-1, Math.min(1, Math.log2(ratio)));
    return this.#changes[CHANGE_STEPS + Math.round(strength * CHANGE_STEPS)]!;
  }

  slice(mode: ColourMode, colour: number, name: number, duration: number): number {
    if (mode === "name" || (mode === "class" && this.#isNamed[colour >> 8])) {
      return this.#names[name % this.#names.length]!;
    }
    if (mode === "heat") {
      const share = Math.log(Math.max(duration, HEAT_FROM) / HEAT_FROM) / Math.log(HEAT_TO / HEAT_FROM);
      return this.#heat[Math.min(HEAT_STEPS - 1, Math.floor(share * HEAT_STEPS))]!;
    }
    const kind = colour >> 8;
    if (this.#hasClass[kind]) return this.#classes[colour & 255] ?? this.#kinds[kind] ?? 0;
    return this.#kinds[kind] ?? 0;
  }

  cause(index: number): number {
    return this.#causes[index] ?? 0;
  }

  kindColour(index: number): number {
    return this.#kinds[index] ?? 0;
  }

  classColour(index: number): number {
    return this.#classes[index] ?? 0;
  }

  /** Whether slices of a kind are coloured by their names even where others are not. */
  isNamedKind(kind: number): boolean {
    return this.#isNamed[kind] ?? false;
  }

  /** Whether slices of a kind are coloured by a cause, which the low byte of their colour numbers. */
  isCauseKind(kind: number): boolean {
    return this.#isCause[kind] ?? false;
  }

  isDeviceKind(kind: number): boolean {
    return this.#hasClass[kind] ?? false;
  }

  causeCss(name: string): string {
    return cssColour(this.cause(this.words.causes.indexOf(name)));
  }
}
