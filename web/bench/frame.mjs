// Time of a frame of the timeline in a headless browser with software rendering: 20 tracks, 1600 pixels, while the
// window moves. Prints the script's part (all drawing calls) and the time from frame to frame without a limit on the
// rate, which has the browser's own work in it.
//   node bench/frame.mjs [--frames N] [FOLDER OF THE PAGE]
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { makeProfile } from "../test/mock/profile.mjs";
import { serve } from "../test/mock/serve.mjs";

const options = process.argv.slice(2);
const at = options.indexOf("--frames");
const frames = at < 0 ? 200 : Number(options.splice(at, 2)[1]);
const page = options[0] ?? join(dirname(fileURLToPath(import.meta.url)), "..", "dist");

const HEAD = 232; // width of the names, CSS pixels
const PIXELS = 1600;

const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];

/** Moves the window by a hundredth of itself each frame, to and fro, and gives the times. */
async function measure(tab, start, end, count) {
  return tab.evaluate(
    async ([start, end, count]) => {
      const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
      const show = async (i) => {
        const by = ((end - start) / 100) * (10 - Math.abs((i % 20) - 10));
        window.cgpu.show(start + by, end + by);
        await nextFrame();
      };
      for (let i = 0; i < 40; ++i) await show(i); // loads what is needed
      while (window.cgpu.state().pending) await new Promise((done) => setTimeout(done, 20));
      const script = [];
      const began = performance.now();
      for (let i = 0; i < count; ++i) {
        await show(i);
        script.push(window.cgpu.frameTimes().at(-1));
      }
      return { script, each: (performance.now() - began) / count };
    },
    [start, end, count],
  );
}

const profile = makeProfile({ threads: 16, lanes: 2, streams: 2, perLane: 40000 });
const { server, url } = await serve({ profile, page });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-frame-rate-limit", "--disable-gpu-vsync"],
});
try {
  const tab = await browser.newPage({ viewport: { width: PIXELS + HEAD, height: 1100 } });
  await tab.goto(url);
  await tab.waitForFunction(() => window.cgpu);
  console.log(`${profile.tracks.length} tracks x ${PIXELS} pixels, ${frames} frames`);
  for (const [name, share] of [
    ["whole run", 0.8],
    ["a tenth", 0.1],
    ["a thousandth, with names", 0.001],
  ]) {
    const start = profile.span * 0.1;
    const { script, each } = await measure(tab, start, start + profile.span * share, frames);
    console.log(
      `${name.padEnd(26)} script median ${quantile(script, 0.5).toFixed(1)} ms, ` +
        `99th percentile ${quantile(script, 0.99).toFixed(1)} ms; ` +
        `frame to frame ${each.toFixed(1)} ms`,
    );
  }
} finally {
  await browser.close();
  server.close();
}
