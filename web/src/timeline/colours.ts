// The colours of slices: by what they are, by name, or by how long they last. Fills are light enough for dark text in
// both themes. Colours are made in OKLCH (B. Ottosson, 2020), so that hues of one lightness look equally light.
import type { Theme } from "../ui/theme";

export type ColourMode = "class" | "name" | "heat";

/** Hue in degrees and chroma. */
type Hue = readonly [number, number];

const CLASSES: Record<string, Hue> = {
  copy: [162, 0.1],
  set: [162, 0.05],
  collective: [66, 0.14],
  expert_exchange: [50, 0.14],
  custom_collective: [80, 0.13],
  gemm: [252, 0.115],
  moe_gemm: [264, 0.13],
  convolution: [236, 0.11],
  attention: [300, 0.13],
  state_space: [318, 0.11],
  normalization: [345, 0.1],
  softmax_loss: [0, 0.11],
  activation: [196, 0.09],
  elementwise: [210, 0.05],
  fused: [200, 0.1],
  reduction: [282, 0.075],
  optimizer: [25, 0.1],
  embedding: [112, 0.12],
  indexing: [112, 0.06],
  kv_cache: [128, 0.11],
  sort_scan: [100, 0.1],
  quantization: [276, 0.12],
  rope: [322, 0.065],
  moe_routing: [332, 0.06],
  layout: [90, 0.055],
  random: [45, 0.045],
  pooling: [228, 0.06],
};

const KINDS: Record<string, Hue> = {
  framework_op: [256, 0.055],
  annotation: [302, 0.065],
  device_annotation: [302, 0.065],
  python_function: [125, 0.05],
  runtime_call: [92, 0.1],
  driver_call: [78, 0.085],
  os_call: [35, 0.035],
  kernel: [252, 0.115],
  memcpy: [162, 0.1],
  memset: [162, 0.05],
  device_collective: [66, 0.14],
  synchronization: [22, 0.115],
  overhead: [0, 0.02],
  profiler_span: [260, 0.015],
  range: [302, 0.065],
  step: [240, 0.06],
  exposed_communication: [55, 0.15],
};

const CAUSES: Record<string, Hue> = {
  synchronization: [25, 0.14],
  blocking_copy: [162, 0.11],
  data_loading: [302, 0.12],
  allocation: [100, 0.12],
  module_load: [78, 0.11],
  garbage_collection: [345, 0.11],
  lock: [8, 0.08],
  host_code: [252, 0.11],
  launch_overhead: [58, 0.13],
  dependency: [196, 0.09],
  other_rank: [128, 0.11],
  profiler_overhead: [280, 0.04],
};

const DEVICE_OPS = new Set(["kernel", "memcpy", "memset", "device_collective"]);

const PLAIN: Hue = [255, 0.012];

const LIGHTNESS: Record<Theme, number> = { light: 0.8, dark: 0.72 };

export const SLICE_TEXT = "#14181c";

function oklch(lightness: number, [hue, chroma]: Hue): [number, number, number] {
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
/** Durations at both ends of the heat scale, ns. */
const HEAT_FROM = 500;
const HEAT_TO = 50e6;

/** What a session's `kinds`, `classes` and `causes` look like in one theme. */
export class Palette {
  readonly #kinds: number[];
  readonly #classes: number[];
  readonly #causes: number[];
  readonly #names: number[];
  readonly #heat: number[];
  /** By kind: whether it is a device op, whose class says more than its kind. */
  readonly #hasClass: boolean[];

  constructor(
    theme: Theme,
    kinds: readonly string[],
    classes: readonly string[],
    private readonly causeNames: readonly string[],
  ) {
    const lightness = LIGHTNESS[theme];
    const of = (hue: Hue, more = 0) => pixel(...oklch(lightness + more, hue));
    this.#kinds = kinds.map((kind) => of(KINDS[kind] ?? PLAIN));
    this.#hasClass = kinds.map((kind) => DEVICE_OPS.has(kind));
    this.#classes = classes.map((name) => of(CLASSES[name] ?? PLAIN));
    this.#causes = causeNames.map((name) => of(CAUSES[name] ?? PLAIN));
    // Neighbouring numbers lie a golden angle apart.
    this.#names = Array.from({ length: 96 }, (_, i) => of([(i * 137.508) % 360, 0.1], ((i % 3) - 1) * 0.045));
    this.#heat = Array.from({ length: HEAT_STEPS }, (_, i) => {
      const share = i / (HEAT_STEPS - 1);
      return of([230 - 205 * share, 0.03 + 0.13 * share], 0.1 - 0.19 * share);
    });
  }

  slice(mode: ColourMode, colour: number, name: number, duration: number): number {
    if (mode === "name") return this.#names[name % this.#names.length]!;
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

  isDeviceKind(kind: number): boolean {
    return this.#hasClass[kind] ?? false;
  }

  causeCss(name: string): string {
    return cssColour(this.cause(this.causeNames.indexOf(name)));
  }
}
