// Takes the pictures of docs/gallery again, of the examples and of profiles that are made here.
//   node gallery.mjs [NAME...]            all, or those whose names begin so
//   node gallery.mjs --sizes [NAME...]    those of SIZES: twelve profiles in two sizes, light and dark, four on a sheet
// Environment: CGPU, CHROMIUM, as for the tests in a browser (test/browser/support.mjs).
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  builtTrace,
  CGPU,
  clickSlice,
  newTab,
  newWindow,
  ROOT,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  stateOf,
  until,
} from "./test/browser/support.mjs";

const example = (name) => join(ROOT, "examples", name);

/** Shows a part of the run, in shares of it. */
async function show(page, server, from, to) {
  const { span } = await server.json("/api/p/0/session");
  await page.evaluate(([a, b]) => window.cgpu.show(a, b), [span * from, span * to]);
  await settled(page);
}

/** Selects the first match of a search from a share of the run on. */
async function select(page, server, text, share) {
  const { span } = await server.json("/api/p/0/session");
  const at = Math.round(span * share);
  const { matches } = await server.json(
    `/api/p/0/search?q=${encodeURIComponent(text)}&at=${at}&direction=next&limit=1&own=1`,
  );
  await clickSlice(page, matches[0]);
}

/** Two runs of the trace builder, of which the second waits more. */
async function twoRuns(folder) {
  const options = ["--model", "llm", "--steps", 6, "--layers", 4];
  const before = await builtTrace(folder, "before.json", ...options);
  const after = await builtTrace(folder, "after.json", ...options, "--idle", "synchronization", "--seed", 2);
  return [before, "--against", after];
}

/** The summaries of a job of a thousand ranks, of which eight load their input longer, and two compute longer. */
async function manyRanks(folder) {
  const job = join(folder, "job");
  execFileSync(join(dirname(CGPU), "job_builder"), [job, "--ranks", "1000"]);
  execFileSync(CGPU, ["merge", join(job, "summaries"), "-o", join(folder, "job.cgpu")], { stdio: "ignore" });
  return join(folder, "job.cgpu");
}

/** The same training on two devices. */
async function twoDevices(folder) {
  const options = ["--model", "cnn", "--steps", 3, "--layers", 6];
  const before = await builtTrace(folder, "nvidia.json", ...options);
  const after = await builtTrace(folder, "amd.json", ...options, "--vendor", "amd", "--seed", 2);
  return [before, "--against", after];
}

/** Shows a picture of both runs. */
async function showTab(page, name, drawn) {
  await page.locator(".compare-tabs").getByRole("button", { name, exact: true }).click();
  await page.locator(drawn).first().waitFor({ state: "attached" });
}

const PICTURES = [
  {
    name: "training_step",
    input: () => example("generated_training.json.gz"),
    async pose(page, server) {
      await select(page, server, "ncclDevKernel", 0.38);
      await show(page, server, 0.24, 0.5);
    },
  },
  {
    name: "llm_decode",
    input: (folder) =>
      builtTrace(
        folder,
        "llm_decode.json",
        "--model",
        "llm",
        "--steps",
        12,
        "--layers",
        8,
        "--idle",
        "synchronization",
      ),
    pose: (page, server) => show(page, server, 0.1, 0.6),
  },
  {
    name: "eight_ranks",
    input: (folder) =>
      builtTrace(
        folder,
        "ranks",
        "--ranks",
        8,
        "--model",
        "moe",
        "--steps",
        3,
        "--layers",
        4,
        "--idle",
        "data_loading",
      ),
    async pose(page, server) {
      await show(page, server, 0, 1);
    },
  },
  {
    name: "many_ranks",
    input: manyRanks,
    view: "ranks",
    pose: (page) => page.locator("#view-ranks svg path").first().waitFor(),
  },
  {
    name: "hpctoolkit",
    input: (folder) => join(folder, "hpctoolkit-program-measurements"),
    view: "call_tree",
    async pose(page) {
      await page.locator(".tree-loop").first().click();
      await page.locator(".source-line.chosen").first().waitFor();
    },
  },
  {
    name: "nsight_systems",
    input: (folder) => join(folder, "solver.sqlite"),
    pose: (page, server) => show(page, server, 0, 1),
  },
  {
    name: "ascend",
    input: (folder) => join(folder, "training_ascend_pt"),
    pose: (page, server) => show(page, server, 0, 1),
  },
  { name: "nsight_compute", input: (folder) => join(folder, "kernels.ncu-rep"), view: "roofline" },
  {
    name: "compare",
    input: twoRuns,
    view: "compare",
    async pose(page) {
      await page.locator(".changes li button").first().click();
      await until(page, "the change is selected", async () => (await stateOf(page)).selection);
      await settled(page);
    },
  },
  {
    name: "compare_rows",
    input: twoRuns,
    view: "compare",
    async pose(page) {
      await page.locator(".changes li button").first().click();
      await until(page, "the change is selected", async () => (await stateOf(page)).selection);
      await page.getByLabel("How the two timelines are laid out").selectOption("rows");
      await settled(page);
    },
  },
  {
    name: "compare_flame_graph",
    input: twoRuns,
    view: "compare",
    pose: (page) => showTab(page, "Flame graph", ".compare-flame canvas"),
  },
  {
    name: "compare_roofline",
    input: twoDevices,
    view: "compare",
    pose: (page) => showTab(page, "Roofline", ".pair"),
  },
  {
    name: "compare_memory",
    input: twoDevices,
    view: "compare",
    pose: (page) => showTab(page, "Memory over time", ".memory-of-b"),
  },
  {
    name: "late_rank",
    input: () => example("h100_ranks/data_parallel_late"),
    view: "ranks",
    pose: (page) => page.locator("#view-ranks .holds-up").waitFor(),
  },
  { name: "overview", input: () => example("generated_training.json.gz"), view: "overview" },
  { name: "flame_graph", input: () => example("moe.json.gz"), view: "flame" },
];

/** One picture of each of twelve profiles. */
const SIZES = [
  ...["training_step", "llm_decode", "eight_ranks", "many_ranks", "hpctoolkit", "nsight_systems", "ascend"],
  ...["nsight_compute", "compare", "compare_roofline", "flame_graph", "late_rank"],
];
const WINDOWS = [1280, 1920].flatMap((width) =>
  ["light", "dark"].map((colorScheme) => ({ colorScheme, viewport: { width, height: (width * 9) / 16 } })),
);

async function take(browser, folder, out, picture) {
  const server = await Server.start(...[await picture.input(folder)].flat());
  try {
    writeFileSync(join(out, `${picture.name}.png`), await shot(browser, server, picture));
    console.log(`${picture.name}.png`);
  } finally {
    await server.end();
  }
}

/** All windows on one sheet: the small ones above the large ones, in half their size. */
async function takeSizes(browser, folder, out, picture) {
  const server = await Server.start(...[await picture.input(folder)].flat());
  try {
    const shots = [];
    for (const options of WINDOWS) shots.push(await shot(browser, server, picture, options));
    const sheet = await newWindow(browser, { viewport: { width: 1600, height: 900 } });
    const page = await sheet.newPage();
    const images = shots.map((png) => `<img src="data:image/png;base64,${png.toString("base64")}">`);
    await page.setContent(
      `<style>body{margin:0;display:grid;grid-template-columns:1fr 1fr}img{width:100%;display:block}</style>${images.join("")}`,
    );
    await page.screenshot({ path: join(out, `${picture.name}.jpg`), type: "jpeg", quality: 62 });
    await sheet.close();
    console.log(`sizes/${picture.name}.jpg`);
  } finally {
    await server.end();
  }
}

const LEGEND_MS = 600; // the legend follows the timeline at some distance

async function shot(browser, server, { name, view = "timeline", pose }, options = {}) {
  const context = await newWindow(browser, options);
  try {
    const page = await newTab(context, `${server.url}#view=${view}`);
    const shown = page.locator(`#view-${view}`);
    await shown.waitFor();
    if (view === "timeline") await settled(page);
    await pose?.(page, server);
    await until(page, "all is there", async () => {
      const loading = page.getByText(/^(loading|\u2026)$/).filter({ visible: true });
      return (await loading.count()) === 0 && (await shown.innerText()).trim().length > 40;
    });
    if (view === "timeline" && (await stateOf(page)).pending) await settled(page);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(LEGEND_MS);
    if (page.complaints.length) throw new Error(`${name}: ${page.complaints}`);
    return await page.screenshot();
  } finally {
    await context.close();
  }
}

if (skip) throw new Error(skip);
const inSizes = process.argv.includes("--sizes");
const chosen = process.argv.slice(2).filter((word) => word !== "--sizes");
const out = resolve(ROOT, inSizes ? "docs/gallery/sizes" : "docs/gallery");
const folder = scratch();
mkdirSync(out, { recursive: true });
execFileSync("python3", [join(ROOT, "web/gallery_profiles.py"), folder], { stdio: "inherit" });
const browser = await startBrowser();
try {
  for (const picture of PICTURES) {
    const { name } = picture;
    const isWanted = !chosen.length || chosen.some((start) => name.startsWith(start));
    if (isWanted && inSizes && SIZES.includes(name)) await takeSizes(browser, folder, out, picture);
    else if (isWanted && !inSizes) await take(browser, folder, out, picture);
  }
} finally {
  await browser.close();
}
