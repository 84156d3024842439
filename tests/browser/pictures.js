// pictures.js - pictures of pages for the docs, taken in headless Chromium: pictures.js PAGES FOLDER. Each page is looked at
// first: nothing logs an error, is cut or runs out of the window.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const { chromium } = require("playwright-core");

const [pages, folder] = process.argv.slice(2);

// Every page is looked at in four ways; of the demo there is more to see.
const views = { desktop: [1280, 1100, {}], phone: [390, 1300, {}], dark: [1280, 1100, { colorScheme: "dark" }], print: [720, 1200, { media: "print" }] };
const tall = { "report-desktop": 2000, "report-phone": 1600, "report-print": 1400 };
const sources = { report: "demo", fabric: "fabric", lossless: "lossless", timeline: "timeline", switch: "switch" };

// Name of the picture, page, width and height in pixels, and how it is looked at.
const pictures = Object.entries(sources).filter(([, source]) => fs.existsSync(pages + "/" + source + ".html"))
  .flatMap(([name, source]) => Object.entries(views).map(([view, [width, height, how]]) =>
    [name + "-" + view, source, width, tall[name + "-" + view] ?? height, how]));

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
