// site.js - opens the site from a disk: pages, the search by keyboard and pointer, on a phone and in the dark.
"use strict";
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");

const folder = "file://" + process.argv[2];

async function open(browser, place, options = {}) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })).newPage();
  page.setDefaultTimeout(300000); // machines may be busy
  const wrong = [];
  page.on("console", (message) => wrong.push("console: " + message.text()));
  page.on("pageerror", (error) => wrong.push("error: " + error.message));
  page.on("request", (request) => { if (!request.url().startsWith(folder) && request.url() !== "data:,") wrong.push("request: " + request.url()); });
  await page.goto(folder + place);
  page.finish = async () => {
    assert.deepEqual(wrong, []);
    await page.context().close();
  };
  return page;
}

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"], timeout: 300000 });
  // The search knows the text of all pages, and leads to the heading.
  let page = await open(browser, "/docs/policies/index.html");
  await page.keyboard.press("/");
  await page.keyboard.type("evacuation absorption tdt");
  await page.locator("#found a").first().filter({ hasText: "Traffic-aware Dynamic Threshold" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(/docs\/policies\/tdt\.html#/);
  assert.equal(await page.locator("h1").textContent(), "Traffic-aware Dynamic Threshold (tdt)");
  await page.locator("#search").fill("xyzzy nothing");
  await page.locator("#found", { hasText: "Nothing has all of these words" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#found").isVisible(), false);
  await page.finish();
  // Markup in a search is text.
  page = await open(browser, "/index.html");
  await page.locator("#search").fill("<img src=x onerror=alert(1)>");
  await page.waitForSelector("#found:not([hidden])");
  await page.finish();
  for (const place of ["/index.html", "/docs/reference/api.html", "/docs/reference/scenarios.html", "/docs/RESULTS.html", "/man/weir-run.html", "/CHANGELOG.html"]) {
    page = await open(browser, place, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), place + " is wider than a phone");
    await page.finish();
  }
  await browser.close();
  console.log("ok      the site");
})().catch((error) => {
  console.log(error.stack);
  process.exit(1);
});
