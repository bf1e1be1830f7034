// What the tests in a browser need: the program serving a profile, a headless Chromium, traces, and waiting for
// the page. Every wait is for a condition.
//   CGPU      the program (default: build/cgpu); trace_builder and hpctoolkit_builder are looked for beside it
//   CHROMIUM  the browser (default: chromium, found by the shell's path)
import { execFile, spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
export const CGPU = resolve(process.env.CGPU ?? join(ROOT, "build/cgpu"));
const BUILDER = join(dirname(CGPU), "trace_builder");
const DATABASE_BUILDER = join(dirname(CGPU), "hpctoolkit_builder");
const WIDTH = 1280;
const HEIGHT = 864;
const TIMEOUT_MS = 60000;
const run = promisify(execFile);

function findChromium() {
  const usable = (path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  const { CHROMIUM: chosen, PATH: path = "" } = process.env;
  if (chosen) return usable(chosen) ? chosen : null;
  return (
    path
      .split(delimiter)
      .flatMap((folder) => ["chromium", "chromium-browser"].map((name) => join(folder, name)))
      .find(usable) ?? null
  );
}

const chromiumPath = findChromium();

/** Why no test in a browser can be run here; false where they can. For `test(name, { skip }, ...)`. */
export const skip = !chromiumPath
  ? "no Chromium here: install the package chromium, or name one in CHROMIUM"
  : !existsSync(CGPU)
    ? `no program at ${CGPU}: build it, or name one in CGPU`
    : !existsSync(BUILDER) || !existsSync(DATABASE_BUILDER)
      ? `no trace_builder or hpctoolkit_builder beside ${CGPU}: configure with -DCGPU_TESTS=ON`
      : false;

/** A folder that is gone when the tests have ended. */
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "cgpu-browser-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A trace of the trace builder; with --ranks a folder of them. */
export async function builtTrace(folder, name, ...options) {
  const path = join(folder, name);
  await run(BUILDER, [path, ...options.map(String)]);
  return path;
}

/** The summary of one. */
export async function builtSummary(folder, name, ...options) {
  const path = join(folder, name);
  await run(CGPU, ["summarize", await builtTrace(folder, `${name}-profile`, ...options), "-o", path]);
  return path;
}

/** A small HPCToolkit database (tests/builder/hpctoolkit_main.cpp); `kind`: another one than the first. */
export async function builtDatabase(folder, name, kind) {
  const path = join(folder, name);
  await run(DATABASE_BUILDER, kind ? [path, kind] : [path]);
  return path;
}

/** A trace with these events. */
export function writtenTrace(folder, name, events) {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, traceEvents: events }));
  return path;
}

/** The tables of `cgpu table`, by their names. */
export async function tables(...words) {
  const { stdout } = await run(CGPU, ["table", ...words.map(String), "--format", "json"], { maxBuffer: 1 << 28 });
  return JSON.parse(stdout).tables;
}

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** A running `cgpu view`. */
export class Server {
  static async start(...words) {
    const server = new Server();
    const options = words.includes("--port") ? [] : ["--port", "0"];
    server.process = spawn(CGPU, ["view", ...words.map(String), "--no-browser", ...options], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    server.errors = "";
    server.process.stderr.on("data", (text) => (server.errors += text));
    server.ended = new Promise((done) => server.process.on("exit", done));
    running.add(server.process);
    server.process.on("exit", () => running.delete(server.process));
    let said = "";
    server.url = await new Promise((done, failed) => {
      server.process.stdout.on("data", (text) => {
        said += text;
        const line = /^http:\S+$/m.exec(said);
        if (line) done(line[0]);
      });
      server.process.on("error", failed);
      server.process.on("exit", () => failed(new Error(`cgpu view ended: ${server.errors}`)));
    });
    server.port = Number(new URL(server.url).port);
    return server;
  }

  /** Ctrl-C; gives the exit status. */
  end() {
    this.process.kill("SIGINT");
    return this.ended;
  }

  async json(path) {
    // A connection of its own: the server closes idle ones, at times just when the next request is sent.
    const answer = await fetch(new URL(path, this.url), { headers: { connection: "close" } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

/** The browser. Rendering is by software, so that pixels are the same everywhere. */
export async function startBrowser() {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** A new browser window with nothing remembered. `complaints` has what the page's console and policy objected to. */
export async function newWindow(browser, options = {}) {
  const context = await browser.newContext({
    viewport: { width: WIDTH, height: HEIGHT },
    colorScheme: "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    ...options,
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  return context;
}

/** Opens an address in a new tab and notes everything that the console complains of. */
export async function newTab(context, url) {
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  await page.goto(url);
  return page;
}

/** Opens an address and waits until the timeline is drawn. */
export async function openTimeline(context, url) {
  const page = await newTab(context, url);
  await settled(page);
  return page;
}

/** Waits until all that the timeline wants is there and drawn; of two that are compared both. */
export async function settled(page) {
  await page.waitForFunction(() => window.cgpu?.frameTimes().length > 0);
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    for (let quiet = 0; quiet < 3;) {
      await frame();
      quiet = window.cgpu.state().pending || window.cgpu_b?.state().pending ? 0 : quiet + 1;
    }
  });
}

export const stateOf = (page) => page.evaluate(() => window.cgpu.state());
export const hashOf = (page) => page.evaluate(() => window.cgpu.rasterHash());

/** Waits until something is true, asking anew after each frame of the page. The page's policy forbids to send it code
 * as text, so what is asked runs here. */
export async function until(page, what, condition) {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`waited ${TIMEOUT_MS / 1000} s in vain until ${what}`);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

/** Waits until something about the state holds, and gives the state. */
export const untilState = (page, condition) =>
  until(page, String(condition), async () => {
    const state = await stateOf(page);
    return condition(state) && state;
  });

/** Brings a slice into the window and clicks it. */
export async function clickSlice(page, { track, lane, start, duration }) {
  await page.evaluate(([from, to]) => window.cgpu.show(from, to), [start - duration, start + 2 * duration]);
  await settled(page);
  const place = await page.evaluate(([t, l]) => window.cgpu.place(t, l), [track, lane]);
  if (!place) throw new Error(`lane ${lane} of track ${track} is not on the screen`);
  await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2);
  await untilState(page, ({ selection }) => selection?.track === track && selection.lane === lane);
}

/** A moment of A in B, by the points of the time map of a rank. */
export function mapped({ a, b }, moment) {
  const after = a.findIndex((point) => point > moment);
  if (after === 0) return b[0] + moment - a[0];
  if (after < 0) return b.at(-1) + moment - a.at(-1);
  const share = (moment - a[after - 1]) / (a[after] - a[after - 1]);
  return b[after - 1] + share * (b[after] - b[after - 1]);
}
