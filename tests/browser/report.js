// report.js - opens reports in headless Chromium, as a reader would: from a file, by pointer, by keyboard, on a phone, in
// the dark, on paper and without script.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const { chromium } = require("playwright-core");

const folder = process.argv[2];
const address = (name) => "file://" + folder + "/" + name + ".html";

// A page that fails the test when it logs an error, opens a dialog or asks for anything but itself.
async function open(browser, name, options = {}, script = () => {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(300000); // machines may be busy
  const wrong = [];
  page.on("console", (message) => wrong.push("console: " + message.text()));
  page.on("pageerror", (error) => wrong.push("error: " + error.message));
  page.on("dialog", (dialog) => { wrong.push("dialog: " + dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== address(name)) wrong.push("request: " + request.url()); });
  await page.addInitScript(script);
  await page.goto(address(name));
  page.finish = async () => {
    assert.deepEqual(wrong, []);
    await context.close();
  };
  return page;
}

// The part of a canvas that has ink on it.
const inkOf = (canvas) => canvas.evaluate((element) => {
  const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
  let ink = 0;
  for (let i = 3; i < data.length; i += 4) ink += data[i] > 0;
  return ink / (data.length / 4);
});

const frames = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// Puts the pointer on a chart, at a part of its width. uPlot learns of a scroll by its event, which comes with a frame.
async function hover(page, chart, part) {
  const over = page.locator(chart + " .u-over");
  await over.scrollIntoViewIfNeeded();
  await frames(page);
  const box = await over.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * part - 2, y);
  await frames(page);
  await page.mouse.move(box.x + box.width * part, y);
  await frames(page);
  return { box, y };
}

// A copy of a report with other data; `change` gets its charts.
function alter(name, copy, change) {
  const page = fs.readFileSync(folder + "/" + name + ".html", "utf8");
  const [begin, end] = ['<script type="application/json" id="data">', "</script>"];
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(end, from);
  const charts = JSON.parse(page.slice(from, to));
  change(charts);
  fs.writeFileSync(folder + "/" + copy + ".html", page.slice(0, from) + JSON.stringify(charts) + page.slice(to));
}

// What is written on the canvas of a chart, in order.
async function writtenOn(browser, name, chart, options) {
  const page = await open(browser, name, options, () => {
    const fillText = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      (this.canvas.written ??= []).push(text);
      return fillText.call(this, text, ...rest);
    };
  });
  const written = await page.locator(chart + " .u-wrap canvas").evaluate((canvas) => canvas.written);
  await page.finish();
  return written;
}

const textOf = (page, selector) => page.locator(selector).textContent();

const tests = {
  async charts_are_drawn(browser) {
    const page = await open(browser, "demo");
    const figures = await page.locator("figure.chart").count();
    assert.equal(figures, 10);
    const plots = page.locator("figure .u-wrap canvas");
    assert.equal(await plots.count(), figures - 1); // one has no data, and says so
    for (let i = 0; i < figures - 1; i++) assert.ok((await inkOf(plots.nth(i))) > 0.01, "chart " + i + " is empty");
    assert.match(await textOf(page, "#chart-9"), /No data\..*did you mean query\.qct\.mean/s);
    assert.equal(await page.locator("#chart-0 .still").isVisible(), false);
    assert.deepEqual(await page.locator(".verdict").allTextContents().then((all) => all.map((t) => t.trim().split("\n")[0])),
      ["↗ beyond", "✗ missedThe numbers are made up.", "✓ met", "? no data"]);
    await page.finish();
  },

  async pointer_shows_values(browser) {
    const page = await open(browser, "demo");
    await hover(page, "#chart-0", 0.99);
    assert.equal(await textOf(page, "#chart-0 .at"), "Query size: 100 % buffer");
    const values = await page.locator("#chart-0 .tip output").allTextContents();
    assert.equal(values.length, 4);
    for (const value of values) assert.match(value, /^[\d.]+ ms ± [\d.]+$/);
    await hover(page, "#chart-2", 0.1); // bars have names
    assert.equal(await textOf(page, "#chart-2 .at"), "Buffer policy: DT");
    await hover(page, "#chart-4", 0.5); // distributions give their value at any place
    for (const value of await page.locator("#chart-4 .tip output").allTextContents()) assert.match(value, /^(0|1|0\.\d+)$/);
    await page.finish();
  },

  // Values come beside the pointer: nothing moves, and no name runs out of its button.
  async legend_keeps_its_place(browser) {
    alter("demo", "long", (charts) => { charts[0].lines[1].label = "A policy with-a-long-name and two parameters"; });
    for (const width of [1600, 1280, 360]) {
      const page = await open(browser, "long", { viewport: { width, height: 900 } });
      for (const chart of ["#chart-0", "#chart-3", "#chart-5"]) {
        const height = () => page.locator(chart).evaluate((figure) => figure.offsetHeight);
        const before = await height();
        await hover(page, chart, 0.7);
        assert.notEqual(await textOf(page, chart + " .tip p:last-child output"), "");
        assert.equal(await height(), before, chart + " at " + width);
        for (const button of await page.locator(chart + " .legend button").all())
          assert.ok(await button.evaluate((element) => element.scrollWidth <= element.clientWidth), chart + " at " + width);
        const name = page.locator(chart + " .legend .name span").nth(1);
        assert.ok(await name.evaluate((element) => element.offsetHeight <= 3 * 21 && element.offsetWidth >= 40));
      }
      await page.finish();
    }
  },

  async logarithmic_axes_have_round_labels(browser) {
    const line = (xs) => ({ colour: 0, pattern: 0, markers: 1, steps: 0, label: "l", x: xs, y: xs });
    const labels = async (rangeX, change = {}) => {
      alter("demo", "log", (charts) => {
        Object.assign(charts[4], { lines: [line(rangeX)], logX: 1, logY: 0, rangeX, rangeY: rangeX, xTitle: "X", yTitle: "Y" }, change);
      });
      const written = await writtenOn(browser, "log", "#chart-4");
      return written.slice(written.indexOf("X") + 1, written.indexOf("Y")).join(" ");
    };
    assert.equal(await labels([1, 10]), "1 2 5 10");
    assert.equal(await labels([1, 1000]), "1 2 5 10 20 50 100 200 500 1000");
    assert.equal(await labels([96, 101]), "96 97 98 99 100 101");
    assert.equal(await labels([0.001, 1e6]), "0.001 0.01 0.1 1 10 100 1000 10\u202f000 100\u202f000 1\u202f000\u202f000");
    const extreme = { rangeX: [1, 1e150], lines: [line([1, 1e308])], rangeY: [1, 1e150], logY: 1 };
    await labels([1, 10], extreme); // neither an error nor an endless loop
    const zero = { ...line([0, 1, 10]), steps: 1, markers: 0, y: [0.25, 0.5, 1] };
    assert.equal(await labels([1, 10], { lines: [zero], rangeY: [0, 1] }), "1 2 5 10");
  },

  async names_of_many_bars_do_not_touch(browser) {
    alter("demo", "names", (charts) => {
      const names = Array.from({ length: 60 }, (_, i) => "policy-" + i);
      const line = { ...charts[2].lines[0], x: names.map((_, i) => i), y: names.map((_, i) => i) };
      Object.assign(charts[2], { names, lines: [{ ...line, low: null, high: null }], rangeX: [-0.5, 59.5], rangeY: [0, 60] });
    });
    const names = (await writtenOn(browser, "names", "#chart-2")).filter((text) => text.startsWith("policy-"));
    assert.ok(names.length >= 10 && names.length <= 30, String(names.length));
  },

  async equal_thresholds_are_both_seen(browser) {
    const page = await open(browser, "demo");
    const lines = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent)[5].lines);
    const thresholds = lines.filter((line) => line.label.endsWith("threshold"));
    assert.deepEqual(thresholds.map((line) => line.pattern), [1, 2]);
    await page.finish();
  },

  async drag_zooms_and_double_click_resets(browser) {
    const page = await open(browser, "demo");
    const { box, y } = await hover(page, "#chart-5", 0.4);
    const first = async () => { await hover(page, "#chart-5", 0.004); return parseFloat((await textOf(page, "#chart-5 .at")).slice(6)); };
    const whole = await first();
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, y, { steps: 5 });
    await page.mouse.up();
    const zoomed = await first();
    assert.ok(zoomed > whole + 0.3, `${whole} to ${zoomed}`);
    await page.mouse.dblclick(box.x + box.width * 0.5, y);
    assert.equal(await first(), whole);
    await page.finish();
  },

  async keyboard_reads_values(browser) {
    const page = await open(browser, "demo");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the results");
    await page.locator("#chart-0 .plot").focus();
    const spoken = () => textOf(page, "#chart-0 .spoken");
    await page.keyboard.press("ArrowRight");
    assert.match(await spoken(), /^Query size: 20 % buffer, DT [\d.]+ ms ± [\d.]+, ABM /);
    await page.keyboard.press("ArrowRight");
    assert.match(await spoken(), /^Query size: 40 % buffer, /);
    await page.keyboard.press("End");
    assert.match(await spoken(), /^Query size: 100 % buffer, /);
    await page.keyboard.press("ArrowLeft");
    assert.match(await spoken(), /^Query size: 80 % buffer, /);
    assert.equal(await page.locator("#chart-0 .spoken").getAttribute("aria-live"), "polite");
    const button = page.locator("#chart-0 .legend button").first();
    await button.focus();
    await page.keyboard.press("Enter");
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    await page.locator("#chart-0 .plot").focus();
    await page.keyboard.press("Home");
    assert.match(await spoken(), /^Query size: 20 % buffer, ABM /); // what is hidden is not read
    await page.finish();
  },

  async phone_has_no_sideways_scroll(browser) {
    for (const name of ["demo", "hostile", "missing"]) {
      const page = await open(browser, name, { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true });
      for (const details of await page.locator("details").all()) await details.evaluate((element) => { element.open = true; });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, name);
      assert.ok(await page.locator("#chart-0 .plot").evaluate((plot) => plot.clientWidth <= 330));
      await page.finish();
    }
  },

  // Every cell of a claim is on the screen, with its heading; on a wide one they are in a row.
  async phone_shows_our_numbers(browser) {
    const page = await open(browser, "demo", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true });
    const cells = page.locator(".claims tbody th, .claims tbody td");
    assert.equal(await cells.count(), 16);
    for (const cell of await cells.all()) {
      const box = await cell.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    }
    const headings = await page.locator(".claims tbody tr:first-child td")
      .evaluateAll((all) => all.map((cell) => getComputedStyle(cell, "::before").content.match(/\w+/)[0]));
    assert.deepEqual(headings, ["Verdict", "Paper", "Here"]);
    await page.setViewportSize({ width: 1280, height: 900 });
    const [verdict, ours] = await Promise.all([1, 3].map((i) => cells.nth(i).boundingBox()));
    assert.ok(verdict.y === ours.y && verdict.x < ours.x);
    assert.equal(await cells.nth(1).evaluate((cell) => getComputedStyle(cell, "::before").content), "none");
    await page.finish();
  },

  async verdicts_are_explained(browser) {
    const page = await open(browser, "demo");
    assert.match(await textOf(page, ".guide"), /Met: .*10\s%.*Beyond: .*Direction: 80\s%.*Missed: .*Undecided: .*No data: /s);
    const here = await page.locator(".claims tbody tr td:last-child").allTextContents();
    assert.match(here[0], /at size=/);
    assert.match(here[2].trim(), /^everywhere5 of 5 points agreemargin [\d.]+ ms ± [\d.]+ ms of query\.qct\.mean$/); // all agree: no point decides
    await page.finish();
  },

  async dark_and_light(browser) {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const page = await open(browser, "demo", { colorScheme: "dark" });
    assert.equal(await ground(page), "rgb(20, 23, 28)");
    await page.getByRole("button", { name: "Light" }).click();
    assert.equal(await ground(page), "rgb(255, 255, 255)");
    await page.getByRole("button", { name: "Dark" }).click();
    assert.equal(await ground(page), "rgb(20, 23, 28)");
    await page.finish();
  },

  // WCAG 2.1: 4.5 for text, 3 for lines.
  async contrast(browser) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(browser, "demo", { colorScheme });
      const low = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        const light = (name) => {
          const number = parseInt(style.getPropertyValue(name).trim().slice(1), 16);
          const [r, g, b] = [number >> 16, (number >> 8) & 255, number & 255].map((v) => v / 255)
            .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const found = [];
        const lines = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => "--c" + i);
        for (const ground of ["--ground", "--panel"])
          for (const ink of ["--ink", "--faint", "--link", "--good", "--part", "--bad", ...lines]) {
            const [a, b] = [light(ground), light(ink)].sort((x, y) => y - x);
            const ratio = (a + 0.05) / (b + 0.05);
            if (ratio < (lines.includes(ink) ? 3 : 4.5)) found.push(`${ink} on ${ground}: ${ratio.toFixed(2)}`);
          }
        return found;
      });
      assert.deepEqual(low, [], colorScheme);
      await page.finish();
    }
  },

  // The top of the page: what came out, and of what.
  async the_page_says_what_was_run(browser) {
    const page = await open(browser, "demo");
    const short = await page.locator("#abstract li").allTextContents();
    assert.match(short[0], /^Mean query completion time: Pushout is best at 5 of 5 points; .* [\d.]+ ± [\d.]+ ms and DT [\d.]+ ± [\d.]+ ms \([\d.]+ ± [\d.]+ times as much\)\.$/);
    assert.equal(short.length, 9); // every chart that has data
    const what = await textOf(page, "#what");
    for (const part of ["8 hosts, 1 switch; links to hosts 10 Gbit/s, 5 µs", "buffer 410KB", "Occamy: Occamy: DT, expulsion", "alpha 8",
      "dctcp: kind dctcp", "query: kind incast, transport dctcp", "bytes by Query size", "seeds 1–3, each until 10ms"])
      assert.ok(what.includes(part), part);
    assert.match(await page.locator("#what .network").getAttribute("aria-label"), /^The network: 8 hosts/);
    assert.equal(await page.locator(".guide").getAttribute("open"), null);
    await page.finish();
  },

  // A figure of a paper has its column, what we expect ourselves another.
  async claims_name_their_source(browser) {
    const heading = async (name) => {
      const page = await open(browser, name);
      const found = await textOf(page, ".claims thead th:nth-child(3)");
      await page.finish();
      return found;
    };
    assert.equal(await heading("demo"), "Paper");
    assert.equal(await heading("ours"), "Expected");
  },

  async queue_charts_show_the_buffer(browser) {
    const page = await open(browser, "demo");
    const lines = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent)[5].lines);
    assert.deepEqual(lines.filter((line) => line.rule).map((line) => [line.label, ...line.y]), [["buffer", 410, 410]]);
    await page.finish();
  },

  // Intervals are those of ratios, seed by seed.
  async numbers_relative_to_a_policy(browser) {
    const page = await open(browser, "demo");
    await page.getByLabel("Show numbers relative to").selectOption("DT");
    await page.locator("#chart-0 .plot").focus();
    await page.keyboard.press("Home");
    assert.match(await textOf(page, "#chart-0 .spoken"), /^Query size: 20 % buffer, DT 1× ± 0, ABM 0\.[45]\d*× ± 0\.\d+, /);
    await hover(page, "#chart-2", 0.1); // bars, over the bar of DT
    assert.equal(await textOf(page, "#chart-2 .tip output"), "1× ± 0");
    await page.getByLabel("Show numbers relative to").selectOption("");
    await page.locator("#chart-0 .plot").focus();
    await page.keyboard.press("Home");
    assert.match(await textOf(page, "#chart-0 .spoken"), / DT [\d.]+ ms ± /);
    await page.finish();
  },

  async small_multiples(browser) {
    const page = await open(browser, "demo");
    await page.locator("#chart-0").getByRole("button", { name: "Each line apart" }).click();
    assert.deepEqual(await page.locator("#chart-0 .multiples h4").allTextContents(), ["DT", "ABM", "Occamy", "Pushout"]);
    for (const canvas of await page.locator("#chart-0 .u-wrap canvas").all()) assert.ok((await inkOf(canvas)) > 0.01);
    await page.locator("#chart-0").getByRole("button", { name: "All lines in one chart" }).click();
    assert.equal(await page.locator("#chart-0 .u-wrap canvas").count(), 1);
    await page.finish();
  },

  // No text runs out of its element, no part of a figure covers another.
  async nothing_is_cut_or_covered(browser) {
    for (const width of [1280, 390]) {
      const page = await open(browser, "demo", { viewport: { width, height: 900 } });
      const wrong = await page.evaluate(() => {
        const found = [];
        const cut = (element) => element.scrollWidth > element.clientWidth + 1;
        for (const element of document.querySelectorAll("h1, h2, h3, dd, li, p, figcaption, .legend button"))
          if (element.clientWidth > 0 && getComputedStyle(element).position !== "absolute" && !element.matches(".spoken, .tip *, .at") && cut(element))
            found.push("cut: " + element.textContent.slice(0, 40));
        for (const figure of document.querySelectorAll("figure.chart")) {
          const parts = [...figure.children].filter((part) => part.offsetHeight > 0 && !part.matches(".at, .apart, .spoken")).map((part) => part.getBoundingClientRect());
          parts.forEach((box, i) => { if (i > 0 && box.top < parts[i - 1].bottom - 1) found.push("covered in " + figure.id); });
        }
        return found;
      });
      assert.deepEqual(wrong, [], String(width));
      await page.finish();
    }
  },

  async paper_has_drawings(browser) {
    const page = await open(browser, "demo", { colorScheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    assert.equal(await page.locator("#chart-0 .still").isVisible(), true);
    assert.equal(await page.locator("#chart-0 .plot").isVisible(), false);
    assert.equal(await page.locator("#theme").isVisible(), false);
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), "rgb(255, 255, 255)");
    await page.setViewportSize({ width: 720, height: 1000 });
    assert.ok(await page.locator("#numbers table").evaluate((table) => table.offsetWidth) <= 720);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 720);
    const pdf = await page.pdf({ format: "A4" });
    assert.ok(pdf.length > 20000);
    await page.finish();
  },

  async without_script(browser) {
    const page = await open(browser, "demo", { javaScriptEnabled: false });
    assert.equal(await page.locator("figure .still").count(), 9);
    assert.equal(await page.locator("#chart-0 .still").isVisible(), true);
    assert.equal(await page.locator("#theme").isVisible(), false);
    await page.finish();
  },

  async outline_is_in_order(browser) {
    const page = await open(browser, "demo");
    const levels = await page.locator("h1, h2, h3, h4").evaluateAll((all) => all.map((h) => +h.tagName[1]));
    assert.equal(levels.filter((level) => level === 1).length, 1);
    levels.reduce((before, level) => { assert.ok(level <= before + 1); return level; }, 0);
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    const ids = await page.locator("[id]").evaluateAll((all) => all.map((element) => element.id));
    assert.equal(new Set(ids).size, ids.length);
    await page.finish();
  },

  // The buffer over time: what is drawn, and what the table says of a moment.
  async timeline_shows_the_buffer(browser) {
    const page = await open(browser, "timeline");
    const fates = await page.locator(".lane .name strong").allTextContents();
    assert.deepEqual(fates, ["Refused", "Expelled"]);
    assert.deepEqual((await page.locator(".queue .name strong").allTextContents()).slice(0, 2), ["port 2", "port 3"]);
    const data = JSON.parse(await textOf(page, "#timeline-data"));
    assert.equal(data.times.length, 480);
    data.used.forEach((used, step) => assert.equal(data.queues.reduce((sum, queue) => sum + queue.held[step], 0), used));
    // The stack is as high as the buffer was full: 94 % at its fullest.
    const highest = await page.locator(".stack svg").evaluate((svg) => Math.min(...[...svg.children].map((path) => path.getBBox().y)));
    assert.equal(highest, 1000 - Math.round((1000 * Math.max(...data.used)) / data.buffer));
    const now = await textOf(page, "#now");
    assert.match(now, /^[\d.]+ ms: [\d.]+ KB held, \d+ % of the buffer; most by port \d \([\d.]+ KB\); \d+ refused; \d+ expelled$/);
    await page.finish();
  },

  async timeline_by_keyboard(browser) {
    const page = await open(browser, "timeline");
    const slider = page.getByRole("slider", { name: "Move through time" });
    await slider.focus();
    await page.keyboard.press("Home");
    assert.equal(await slider.inputValue(), "0");
    await page.keyboard.press("ArrowRight");
    assert.equal(await slider.inputValue(), "1");
    const data = JSON.parse(await textOf(page, "#timeline-data"));
    assert.equal(await textOf(page, "#moment-time"), data.times[1]);
    assert.equal(await slider.getAttribute("aria-valuetext"), await textOf(page, "#now"));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab"); // Earlier loss, Later loss
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Later loss");
    await page.keyboard.press("Enter");
    const step = Number(await slider.inputValue());
    const lost = (at) => data.queues.reduce((sum, queue) => sum + queue.refused[at] + queue.expelled[at], 0);
    assert.ok(step > 1 && lost(step) > 0);
    for (let before = 2; before < step; before++) assert.equal(lost(before), 0);
    const cells = await page.locator("#moment tbody tr:first-child td").allTextContents();
    const queue = data.queues[0];
    assert.deepEqual(cells, [(queue.held[step] * data.scale).toFixed(1), (queue.limit[step] * data.scale).toFixed(1),
      ...["arrived", "refused", "expelled", "sent"].map((key) => String(queue[key][step]))]);
    await page.finish();
  },

  async timeline_by_pointer(browser) {
    const page = await open(browser, "timeline");
    const box = await page.locator(".stack .strip").boundingBox();
    await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
    await page.mouse.down();
    assert.equal(await page.locator("#step").inputValue(), "120");
    await page.mouse.move(box.x + box.width * 0.75, box.y + 50);
    assert.equal(await page.locator("#step").inputValue(), "360");
    await page.mouse.up();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
    assert.equal(await page.locator("#step").inputValue(), "360");
    const cursor = await page.locator(".stack .cursor").boundingBox();
    assert.ok(Math.abs(cursor.x + 1 - (box.x + box.width * 360.5 / 480)) < 2);
    await page.finish();
  },

  // Ranks over time: buttons, keys and the pointer zoom and move; a row says what it is.
  async ranks_zoom(browser) {
    const page = await open(browser, "ranks");
    const view = page.locator(".ranks"), canvas = view.locator("canvas");
    const span = async () => [Number(await view.getAttribute("data-from")), Number(await view.getAttribute("data-to"))];
    const [from, to] = await span();
    const data = JSON.parse(await textOf(page, "#ranks-0"));
    assert.equal(data.ranks.length, 8);
    assert.equal(to, Math.max(...data.ranks.map((rank) => rank.at(-2) + rank.at(-1))));
    const path = data.path.filter((_, i) => i % 4 === 2).reduce((sum, length) => sum + length, 0);
    assert.ok(Math.abs(path - (to - from)) < data.path.length, "the path is as long as the job, but for nanoseconds");
    assert.ok((await inkOf(canvas)) > 0.5);
    await page.getByRole("button", { name: "Zoom in" }).click();
    const [a, b] = await span();
    assert.ok(Math.abs(b - a - (to - from) / 2) < 1 && Math.abs((a + b) / 2 - (from + to) / 2) < 1);
    await page.getByRole("button", { name: "Later" }).click();
    assert.ok((await span())[0] > a);
    await page.getByRole("button", { name: "All" }).click();
    assert.deepEqual(await span(), [from, to]);
    await canvas.focus();
    await page.keyboard.press("+");
    assert.deepEqual(await span(), [a, b]);
    await page.keyboard.press("0");
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 30);
    assert.match(await view.locator("output").textContent(), /^[\d.]+ (ms|µs|ns): rank 1 (computes|communicates|waits for others|has nothing to do)/);
    await page.mouse.wheel(0, -100);
    assert.ok((await span())[1] - (await span())[0] < to - from);
    assert.match(await page.locator("main").textContent(), /Critical path.*rank \d \(h\d\) waits for \d+ bytes of rank \d/s);
    await page.finish();
  },

  async timeline_shows_pauses(browser) {
    const page = await open(browser, "pauses");
    assert.equal(await textOf(page, "h1"), "<img src=x onerror=alert(1)>.wtr");
    assert.match((await page.locator(".lane .name").allTextContents()).join("; "), /input \d pausesits sender, for \d+ µs/);
    assert.match(await textOf(page, "#now"), /\d inputs pause their sender$/);
    assert.equal(await page.getByRole("button", { name: "Later loss" }).count(), 0); // nothing is lost
    await page.finish();
  },

  async timeline_on_a_phone_on_paper_without_script(browser) {
    for (const name of ["timeline", "pauses"])
      for (const width of [1280, 360]) {
        const page = await open(browser, name, { viewport: { width, height: 740 } });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, name);
        const cut = await page.locator("h1, h2, p, .name, .name small, .time span, dd").evaluateAll((all) =>
          all.filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0).map((element) => element.textContent));
        assert.deepEqual(cut, []);
        await page.emulateMedia({ media: "print" });
        assert.equal(await page.locator("#step").isVisible(), false);
        assert.equal(await page.locator(".cursor").first().isVisible(), false);
        await page.finish();
      }
    const page = await open(browser, "timeline", { javaScriptEnabled: false });
    assert.equal(await page.locator("#step").isVisible(), false);
    assert.equal(await page.locator(".stack svg path").count() > 1, true);
    assert.notEqual(await textOf(page, "#moment tbody tr:first-child td:nth-child(2)"), "0.0");
    await page.finish();
  },

  async missing_runs_are_told(browser) {
    const page = await open(browser, "missing");
    assert.match(await textOf(page, ".warning"), /^1 run is missing\./);
    assert.match(await page.locator("#setup").textContent(), /missing: killed by signal 9 <b>\(made up\)<\/b>/);
    await page.finish();
  },

  async hostile_texts_stay_texts(browser) {
    const page = await open(browser, "hostile");
    assert.equal(await page.title(), "</title><script>alert('title')</script><img src=x onerror=alert(1)>");
    assert.equal(await textOf(page, "h1"), await page.title());
    assert.equal(await page.evaluate(() => document.scripts.length), 2);
    assert.equal(await page.locator("img, iframe, object, embed, b, link, body style").count(), 0);
    assert.match(await textOf(page, "#chart-0 h3"), /<\/script><script>alert\("tag"\)<\/script>/);
    await hover(page, "#chart-0", 0.9);
    assert.match(await textOf(page, "#chart-0 .legend"), /<\/script><script>alert\('label'\)<\/script>/);
    await page.locator("#chart-0 .plot").focus();
    await page.keyboard.press("Home");
    assert.match(await textOf(page, "#chart-0 .spoken"), /alert\('label'\)/);
    assert.equal(await page.locator("[onfocus], [onmouseover], [onerror], [style]:not(.plot [style])").count(), 0);
    await page.finish();
  },

  // Even markup that got in would not run: the policy allows our script and nothing else.
  async policy_stops_other_scripts(browser) {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(300000);
    await page.goto(address("demo"));
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.evil = true";
      document.body.append(script);
      const image = document.createElement("img");
      image.setAttribute("onerror", "window.evil = true");
      image.src = "nowhere.png";
      document.body.append(image);
    });
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => window.evil), undefined);
    const allowed = (await page.locator("meta[http-equiv]").getAttribute("content")).split("; ").map((rule) => rule.split(" ")[0]);
    assert.deepEqual(allowed, ["default-src", "script-src", "style-src", "base-uri", "form-action"]);
    await context.close();
  },
};

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"], timeout: 300000 });
  let failed = 0;
  for (const [name, test] of Object.entries(tests).filter(([name]) => name.includes(process.argv[3] ?? ""))) {
    try {
      await test(browser);
      console.log("ok      " + name);
    } catch (error) {
      failed++;
      console.log("FAILED  " + name + "\n" + error.stack);
    }
  }
  await browser.close();
  console.log(`[  PASSED  ] ${Object.keys(tests).length - failed} tests`); // in words that tools/runtests counts
  console.log(`[  FAILED  ] ${failed} tests`);
  process.exit(failed > 0 ? 1 : 0);
})();
