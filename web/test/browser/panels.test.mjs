// What is beside the timeline: arguments under their heading, memory in one colour a kind, devices under one name.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  clickSlice,
  newTab,
  newWindow,
  openTimeline,
  scratch,
  Server,
  skip,
  startBrowser,
  until,
  writtenTrace,
} from "./support.mjs";

const ARGUMENTS = Object.fromEntries(
  Array.from({ length: 24 }, (_, i) => [`argument ${i}`, `value ${i} `.repeat((i % 5) + 1)]),
);
const kernel = (device, ts) => ({
  ...{ ph: "X", name: `kernel_of_${device}`, cat: "kernel", pid: device, tid: 7, ts, dur: 50 },
  args: { device, stream: 7, ...ARGUMENTS },
});
/** On device 0 more is reserved than allocated, on device 1 the other way round. */
const memory = (device, ts, allocated, reserved) => ({
  ...{ ph: "i", s: "t", name: "[memory]", cat: "cpu_instant_event", pid: 1, tid: 1, ts },
  args: {
    ...{ "Device Type": 1, "Device Id": device, Addr: 4096 + ts, Bytes: 1024 },
    ...{ "Total Allocated": allocated, "Total Reserved": reserved },
  },
});
const EVENTS = [
  kernel(0, 100),
  kernel(1, 120),
  ...[10, 60, 150].flatMap((ts, i) => [
    memory(0, ts, (i + 1) * 2 ** 20, (i + 1) * 2 ** 22),
    memory(1, ts + 5, (i + 1) * 2 ** 22, (i + 1) * 2 ** 20),
  ]),
];

describe("panels", { skip }, () => {
  let browser, server, session;
  before(async () => {
    browser = await startBrowser();
    server = await Server.start(writtenTrace(scratch(), "two_devices.json", EVENTS));
    await (await openTimeline(await newWindow(browser), server.url)).context().close();
    session = await server.json("/api/p/0/session");
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  test("all arguments stand below their heading, from its left edge on", async () => {
    const page = await openTimeline(await newWindow(browser), server.url);
    const { matches } = await server.json("/api/p/0/search?q=kernel_of_0&own=1");
    await clickSlice(page, matches[0]);
    const section = page.locator(".details section", { has: page.getByRole("heading", { name: "Arguments" }) });
    await section.waitFor();
    const { heading, values } = await section.evaluate((one) => {
      const boxOf = (element) => element.getBoundingClientRect().toJSON();
      return { heading: boxOf(one.querySelector("h3")), values: [...one.querySelectorAll("dt")].map(boxOf) };
    });
    assert.ok(values.length >= 24);
    assert.ok(values.every((value) => value.top >= heading.bottom - 1 && value.left >= heading.left - 1));
    assert.ok(values.some((value) => value.left < heading.left + 2 && value.top < heading.bottom + 12));
    await page.context().close();
  });

  test("each kind of memory has one colour on all devices", async () => {
    const page = await newTab(await newWindow(browser), `${server.url}#view=memory`);
    const charts = page.locator(".memory-chart");
    await until(page, "both charts are there", async () => (await page.locator(".memory-chart .legend").count()) === 2);
    const legends = await charts.evaluateAll((all) =>
      all.map((chart) => {
        const entries = [...chart.querySelectorAll(".legend li")].map((entry) => [
          /(allocated|reserved) memory/.exec(entry.textContent)[0],
          getComputedStyle(entry.querySelector("i, .swatch")).backgroundColor,
        ]);
        return { first: entries[0][0], colours: Object.fromEntries(entries) };
      }),
    );
    assert.notEqual(legends[0].first, legends[1].first, "the larger is first");
    assert.deepEqual(legends[0].colours, legends[1].colours);
    assert.equal(new Set(Object.values(legends[0].colours)).size, 2);
    await page.context().close();
  });

  test("a device has one name on all pages", async () => {
    const headings = new Set(
      session.tracks.flatMap(({ group }) => group).filter((title) => /^(GPU|Device) \d/.test(title)),
    );
    const page = await newTab(await newWindow(browser), `${server.url}#view=overview`);
    const names = page.locator(".device-bars .device-name");
    await names.first().waitFor();
    assert.deepEqual(new Set(await names.allTextContents()), headings);
    await page.context().close();
  });
});
