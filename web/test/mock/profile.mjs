// A generated profile, and the answers of the viewer protocol about it, computed the slow and obvious way. The same
// numbers every time.

const KINDS = [
  "framework_op",
  "annotation",
  "python_function",
  "runtime_call",
  "driver_call",
  "os_call",
  "kernel",
  "memcpy",
  "memset",
  "device_collective",
  "device_annotation",
  "synchronization",
  "overhead",
  "profiler_span",
  "other",
  "idle",
  "exposed_communication",
  "step",
  "range",
  "kernel_gap",
];
const LOOKS = {
  idle: "cause",
  exposed_communication: "communication",
  step: "oklch(0.8 0.075 251)",
  range: "annotation",
  kernel_gap: "oklch(0.88 0.02 30)",
};
const CLASSES = [
  "copy",
  "set",
  "collective",
  "gemm",
  "attention",
  "normalization",
  "elementwise",
  "softmax_loss",
  "fused",
  "unknown",
];
const CAUSES = ["synchronization", "blocking_copy", "data_loading", "launch_overhead", "host_code", "unknown"];
const kind = (name) => KINDS.indexOf(name);

/** Numbers that look random: splitmix of a counter. */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
  };
}

/**
 * threads x lanes of nested host slices, streams of device slices, a busy, an idle and a counter track.
 * Slices are [start, duration, name, colour] by lane, in order of start and without overlap.
 */
export function makeProfile({ threads = 4, lanes = 5, streams = 3, perLane = 4000, span = 2e9, seed = 1 } = {}) {
  const random = randomNumbers(seed);
  const names = [
    "aten::linear",
    "aten::addmm",
    "cudaLaunchKernel",
    "ProfilerStep#7",
    "void cutlass::Kernel2<gemm_bf16_128x64>(Params)",
    "flash_fwd_kernel<Traits<128, 64>>",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
    "Memcpy HtoD (Pageable -> Device)",
    "<script>alert('x')</script> & \"quotes\"",
    "two\nlines\tand a tab",
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd",
    "long ".repeat(20000),
  ];
  while (names.length < 5000) names.push(`module_${names.length}::forward(int, float)`);
  const tracks = [];
  const add = (track, laneSlices) => {
    const id = tracks.length;
    tracks.push({
      id,
      run: 0,
      rank: 0,
      sort: id,
      slices: laneSlices.reduce((sum, lane) => sum + lane.length, 0),
      lanes: Math.max(1, laneSlices.length),
      pinned: false,
      drawing: { busy: "activity", counter: "counter" }[track.kind] ?? "slices",
      coverage: track.kind === "idle" ? "idle" : null,
      derived: ["busy", "idle", "counter"].includes(track.kind),
      on_demand: false,
      laneSlices,
      ...track,
    });
  };
  add({ kind: "busy", group: ["GPU 0: Example"], name: "busy" }, []);
  const fill = (count, from, to, colourOf, density) => {
    const slices = [];
    const pitch = (to - from) / count;
    for (let i = 0; i < count; ++i) {
      const start = Math.floor(from + i * pitch + random() * pitch * 0.3);
      const duration = Math.floor(random() ** 3 * pitch * density);
      const name = Math.floor(random() ** 2 * names.length);
      slices.push([start, duration, name, colourOf(random)]);
    }
    return slices;
  };
  add({ kind: "idle", group: ["GPU 0: Example"], name: "idle" }, [
    fill(300, 0, span, (r) => (kind("idle") << 8) | Math.floor(r() * CAUSES.length), 0.7),
  ]);
  for (let stream = 0; stream < streams; ++stream) {
    add({ kind: "stream", group: ["GPU 0: Example"], name: `stream ${7 + stream}` }, [
      fill(perLane, 0, span, (r) => (kind("kernel") << 8) | Math.floor(r() * CLASSES.length), 0.7),
    ]);
  }
  add({ kind: "counter", group: ["GPU 0: Example"], name: "allocated memory" }, []);
  for (let thread = 0; thread < threads; ++thread) {
    const nested = [];
    for (let lane = 0; lane < lanes; ++lane) {
      nested.push(
        fill(
          Math.ceil(perLane / (lanes - lane)),
          0,
          span,
          (r) =>
            kind(lane ? ["framework_op", "runtime_call", "python_function"][Math.floor(r() * 3)] : "annotation") << 8,
          0.7,
        ),
      );
    }
    add({ kind: "thread", group: ["python (4711)"], name: `thread ${100 + thread}` }, nested);
  }
  return { span, names, tracks, random: seed };
}

function firstReaching(slices, time) {
  let low = 0;
  let high = slices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slices[middle][0] + Math.max(slices[middle][1], 1) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The entries of a tile of one lane: for every bucket all slices that touch it are looked at. */
export function tileEntries(slices, level, index) {
  const bucket = 2 ** level;
  const base = index * 1024;
  const winners = new Array(1024).fill(-1);
  const longer = (a, b) =>
    slices[a][1] > slices[b][1] || (slices[a][1] === slices[b][1] && slices[a][0] < slices[b][0]);
  for (let i = firstReaching(slices, base * bucket); i < slices.length && slices[i][0] < (base + 1024) * bucket; ++i) {
    const [start, duration] = slices[i];
    const first = Math.max(0, Math.floor(start / bucket) - base);
    const last = Math.min(1023, Math.ceil((start + Math.max(duration, 1)) / bucket) - 1 - base);
    for (let b = first; b <= last; ++b) if (winners[b] < 0 || longer(i, winners[b])) winners[b] = i;
  }
  const entries = [];
  for (let b = 0; b < 1024; ++b) {
    if (winners[b] < 0) continue;
    const last = entries[entries.length - 1];
    if (last && last.slice === winners[b] && last.to === b) last.to = b + 1;
    else entries.push({ slice: winners[b], from: b, to: b + 1 });
  }
  return entries;
}

/** Slice numbers of the protocol are those of the track: the lane's first number is what the lanes before it hold. */
export function encodeTile(track, level, index) {
  const lanes = track.laneSlices.map((slices) => tileEntries(slices, level, index));
  const count = lanes.reduce((sum, lane) => sum + lane.length, 0);
  const head = 16 + 4 * (lanes.length + 1);
  const begin = Math.ceil(head / 8) * 8;
  const buffer = new ArrayBuffer(Math.ceil((begin + count * 34) / 8) * 8);
  const bytes = new Uint8Array(buffer);
  bytes.set([..."CGT1"].map((c) => c.charCodeAt(0)));
  new Uint32Array(buffer, 4, 2).set([lanes.length, count]);
  const laneBegin = new Uint32Array(buffer, 16, lanes.length + 1);
  const start = new Float64Array(buffer, begin, count);
  const duration = new Float64Array(buffer, begin + 8 * count, count);
  const slice = new Uint32Array(buffer, begin + 16 * count, count);
  const name = new Uint32Array(buffer, begin + 20 * count, count);
  const from = new Uint16Array(buffer, begin + 28 * count, count);
  const to = new Uint16Array(buffer, begin + 30 * count, count);
  const colour = new Uint16Array(buffer, begin + 32 * count, count);
  let at = 0;
  let before = 0;
  lanes.forEach((entries, lane) => {
    for (const entry of entries) {
      const found = track.laneSlices[lane][entry.slice];
      start[at] = found[0];
      duration[at] = found[1];
      slice[at] = before + entry.slice;
      name[at] = found[2];
      colour[at] = found[3];
      from[at] = entry.from;
      to[at] = entry.to;
      ++at;
    }
    laneBegin[lane + 1] = at;
    before += track.laneSlices[lane].length;
  });
  return buffer;
}

export function encodeActivity(level, index) {
  const buffer = new ArrayBuffer(16 + 3 * 4096);
  new Uint8Array(buffer).set([..."CGA1"].map((c) => c.charCodeAt(0)));
  new Uint32Array(buffer, 4, 1)[0] = 1024;
  const shares = new Float32Array(buffer, 16);
  for (let b = 0; b < 1024; ++b) {
    const time = ((index * 1024 + b) * 2 ** level) / 1e8;
    shares[b] = 0.45 + 0.3 * Math.sin(time);
    shares[1024 + b] = 0.12 + 0.1 * Math.cos(time * 3);
    shares[2048 + b] = 0.05;
  }
  return buffer;
}

export function encodeCounter(level, index) {
  const buffer = new ArrayBuffer(16 + Math.ceil((16 * 26) / 8) * 8);
  new Uint8Array(buffer).set([..."CGC1"].map((c) => c.charCodeAt(0)));
  new Uint32Array(buffer, 4, 1)[0] = 16;
  const values = new Float64Array(buffer, 16, 48);
  const buckets = new Uint16Array(buffer, 16 + 48 * 8, 16);
  for (let i = 0; i < 16; ++i) {
    const value = 1e9 * (2 + Math.sin(((index * 1024 + i * 64) * 2 ** level) / 7e7));
    values[i] = value * 0.95;
    values[16 + i] = value * 1.05;
    values[32 + i] = value;
    buckets[i] = i * 64;
  }
  return buffer;
}

/** What /api/session says. */
export function sessionOf(profile, id) {
  return {
    session: id,
    version: "mock",
    title: "generated profile",
    span: profile.span,
    start_unix_ns: null,
    event_step: null,
    first_window: null,
    runs: [{ rank: 0, format: "mock", file: "generated", host: "", clock: "relative" }],
    tracks: profile.tracks.map(({ laneSlices, ...track }) => track),
    tables: [
      { name: "kernels", about: "", subject: "timeline", events: false, row_key: ["name"], columns: [], options: [] },
    ],
    views: ["timeline"],
    kinds: KINDS,
    looks: KINDS.map((name) => LOOKS[name] ?? ""),
    classes: CLASSES,
    causes: CAUSES,
    steps: [{ rank: 0, step: 7, start: profile.span * 0.2, duration: profile.span * 0.3 }],
    notes: [],
  };
}

/** Where a slice is. */
export function placed(profile, trackId, slice) {
  const track = profile.tracks[trackId];
  let before = 0;
  for (let lane = 0; lane < (track?.laneSlices.length ?? 0); ++lane) {
    const slices = track.laneSlices[lane];
    if (slice < before + slices.length) {
      const [start, duration, name] = slices[slice - before];
      return { track: trackId, slice, lane, start, duration, name: profile.names[name] };
    }
    before += slices.length;
  }
  return null;
}
