// A wait, what it waited for, and the arrow between them.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import {
  clickSlice,
  newWindow,
  openTimeline,
  scratch,
  Server,
  settled,
  skip,
  startBrowser,
  until,
  untilState,
  writtenTrace,
} from "./support.mjs";

const call = (name, ts, dur, correlation) => ({
  ph: "X",
  cat: "cuda_runtime",
  name,
  pid: 1,
  tid: 1,
  ts,
  dur,
  args: { correlation },
});
const kernel = (name, ts, dur, stream, correlation) => ({
  ph: "X",
  cat: "kernel",
  name,
  pid: 0,
  tid: stream,
  ts,
  dur,
  args: { device: 0, stream, correlation },
});
const EVENTS = [
  call("cudaLaunchKernel", 0, 2, 1),
  kernel("first", 10, 30, 7, 1),
  call("cudaLaunchKernel", 3, 2, 2),
  kernel("awaited", 40, 40, 7, 2),
  call("cudaLaunchKernel", 6, 2, 3),
  kernel("elsewhere", 10, 85, 9, 3),
  call("cudaStreamSynchronize", 20, 80, 4),
  {
    ...kernel("Stream Sync", 21, 78, 7, 4),
    cat: "cuda_sync",
  },
];

describe("waits", { skip }, () => {
  let server, browser, page;
  const find = async (name) => (await server.json(`/api/p/0/search?own=1&q=${name}`)).matches[0];
  /** Pixels of the layer over the tracks that have the colour of a wait's arrow. */
  const pixelsOfArrow = () =>
    page.evaluate(() => {
      const { width, height } = document.querySelector("canvas.tl-overlay");
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const probe = canvas.getContext("2d", { willReadFrequently: true });
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--flow-wait");
      probe.fillRect(0, 0, 1, 1);
      const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
      probe.clearRect(0, 0, 1, 1);
      probe.drawImage(document.querySelector("canvas.tl-overlay"), 0, 0);
      const { data } = probe.getImageData(0, 0, width, height);
      let found = 0;
      for (let at = 0; at < data.length; at += 4) {
        if (data[at] === red && data[at + 1] === green && data[at + 2] === blue && data[at + 3] === 255) ++found;
      }
      return found;
    });

  before(async () => {
    server = await Server.start(writtenTrace(scratch(), "waits.json", EVENTS));
    browser = await startBrowser();
  });
  beforeEach(async () => {
    page = await openTimeline(await newWindow(browser), server.url);
  });
  afterEach(async () => {
    assert.deepEqual(page.complaints, [], "the console has nothing to complain of");
    await page.context().close();
  });
  after(async () => {
    await browser?.close();
    assert.equal(await server?.end(), 0);
  });

  test("a synchronization leads to the op that ended it, and back", async () => {
    const wait = await find("cudaStreamSynchronize");
    const awaited = await find("awaited");
    await clickSlice(page, await find("first"));
    await settled(page);
    assert.equal(await pixelsOfArrow(), 0, "no wait ended with this one");

    await clickSlice(page, wait);
    await until(page, "the arrow is drawn", async () => (await pixelsOfArrow()) > 20);
    const section = page.locator(".details section", { hasText: "What it waited for" });
    await section.getByText("the last op that its stream had been given").waitFor();
    await section.getByRole("button", { name: "awaited" }).click();
    await untilState(page, ({ selection }) => selection?.track === awaited.track && selection.slice === awaited.slice);
    await until(page, "the arrow is drawn", async () => (await pixelsOfArrow()) > 20);

    const back = page.locator(".details section", { hasText: "Waits that it ended" });
    await back.getByRole("button", { name: "cudaStreamSynchronize" }).click();
    await untilState(page, ({ selection }) => selection?.track === wait.track && selection.slice === wait.slice);
  });

  test("what the device recorded of a wait leads to its call", async () => {
    const record = await find("Stream%20Sync");
    await clickSlice(page, record);
    const section = page.locator(".details section", { hasText: "Launched by" });
    await section.getByRole("button", { name: "cudaStreamSynchronize" }).waitFor();
  });
});
