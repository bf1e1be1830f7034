// A server that wants a token, and a browser that does not have it yet.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
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

describe("a page without the token", { skip }, () => {
  let server, browser;

  before(async () => {
    const events = [{ ph: "X", name: "op", cat: "cpu_op", pid: 1, tid: 1, ts: 0, dur: 10 }];
    server = await Server.start(writtenTrace(scratch(), "token.json", events), "--token", "secret-of-a-page-1.~");
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  test("says so, takes it, and remembers it", async () => {
    const window = await newWindow(browser);
    const address = new URL("/#view=tables", server.url).href;
    const page = await newTab(window, address);
    await page.getByRole("heading", { name: "This address needs a token" }).waitFor();
    assert.equal(await page.getByText("another file").count(), 0);
    await page.getByLabel("Token").fill("wrong \u00e9");
    await page.keyboard.press("Enter");
    await page.getByText("This is not the token.").waitFor();
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Open the profile" }).click();
    await page.getByText("This is not the token.").waitFor();
    await page.getByLabel("Token").fill("secret-of-a-page-1.~");
    await page.getByRole("button", { name: "Open the profile" }).click();
    await page.locator("#view-tables .table-row").first().waitFor();
    await until(page, "the secret is not in the address", async () => !page.url().includes("secret"));
    await openTimeline(window, new URL("/", server.url).href);
    await window.close();
  });

  test("opens by itself when another tab has brought it", async () => {
    const window = await newWindow(browser);
    const page = await newTab(window, new URL("/", server.url).href);
    await page.getByRole("heading", { name: "This address needs a token" }).waitFor();
    await openTimeline(window, server.url);
    await page.locator(".tabs").waitFor();
    await window.close();
  });
});
