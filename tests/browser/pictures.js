// pictures.js - pictures of pages for the docs, taken in headless Chromium: pictures.js PAGES FOLDER. Each page is looked at
// first: nothing logs an error, is cut or runs out of the window.
"use strict";
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");

const [pages, folder] = process.argv.slice(2);

// Name of the picture, page, width and height in pixels, and how it is looked at.
const pictures = [
  ["report-desktop", "demo", 1280, 2000, {}],
  ["report-phone", "demo", 390, 1600, {}],
  ["report-dark", "demo", 1280, 1100, { colorScheme: "dark" }],
  ["report-print", "demo", 720, 1400, { media: "print" }],
  ["fabric", "fabric", 1280, 1100, {}],
  ["lossless", "lossless", 1280, 1100, { colorScheme: "dark" }],
  ["timeline", "timeline", 1280, 1100, {}],
  ["timeline-phone", "timeline", 390, 1100, { colorScheme: "dark" }],
];

// Texts that do not fit their place, those in the boxes of the network among them.
const cut = () => [...document.querySelectorAll(".network text")]
  .filter((text) => text.previousElementSibling.matches("rect") && text.getBBox().width > text.previousElementSibling.getBBox().width)
  .concat([...document.querySelectorAll("h1, h2, h3, dd, li, p, figcaption, .name, .legend button")]
  .filter((element) => element.clientWidth > 0 && !element.matches(".spoken, .tip *, .at") && element.scrollWidth > element.clientWidth + 1))
  .map((element) => element.textContent.slice(0, 40));

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  for (const [name, source, width, height, { colorScheme = "light", media }] of pictures) {
    const page = await (await browser.newContext({ viewport: { width, height }, colorScheme })).newPage();
    const wrong = [];
    page.on("console", (message) => wrong.push(message.text()));
    page.on("pageerror", (error) => wrong.push(error.message));
    await page.goto("file://" + pages + "/" + source + ".html");
    if (media) await page.emulateMedia({ media });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, name);
    assert.deepEqual([...wrong, ...(await page.evaluate(cut))], [], name);
    await page.screenshot({ path: folder + "/" + name + ".png" });
    console.log(name + ".png");
    await page.context().close();
  }
  await browser.close();
})();
