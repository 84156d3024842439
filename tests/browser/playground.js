// playground.js - opens the playground in headless Chromium, as a lecturer would: from a file, by pointer, by keyboard, by a
// link, on a phone, in the dark, without motion. The native program says what each of its scenarios has to come out as.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const { chromium } = require("playwright-core");

const folder = process.argv[2];
const address = "file://" + folder + "/playground.html";

// A page that fails the test when it logs anything, opens a dialog or asks for anything but itself.
async function open(browser, fragment = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(300000); // machines may be busy
  const wrong = [];
  page.on("console", (message) => wrong.push("console: " + message.text()));
  page.on("pageerror", (error) => wrong.push("error: " + error.message));
  page.on("dialog", (dialog) => { wrong.push("dialog: " + dialog.message()); dialog.dismiss(); });
  page.on("request", (request) => { if (request.url() !== address && request.url() !== "data:,") wrong.push("request: " + request.url().slice(0, 100)); });
  await page.goto(address + fragment);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  page.finish = async () => {
    assert.deepEqual(wrong, []);
    await context.close();
  };
  return page;
}

const textOf = (page, selector) => page.locator(selector).textContent();
const fateOf = (page, side) => textOf(page, `#side-${side} .outcome span`);
const nowOf = (page, side) => textOf(page, `#side-${side} .now`);
const inkOf = (canvas) => canvas.evaluate((element) => {
  const { data } = element.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, element.width, element.height);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return colours.size;
});
async function set(page, id, value) {
  await page.locator("#" + id).evaluate((element, to) => {
    element.value = to;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }, String(value));
}

// What the native program makes of the scenario that the page shows.
let runs = 0;
function nativeDigest(text) {
  const name = folder + "/run" + runs++ + ".yaml";
  fs.writeFileSync(name, text);
  const said = execFileSync(process.env.WEIR, ["run", name, "-o", name + ".db"], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  return /digest ([0-9a-f]{16})/.exec(said)[1];
}
async function sameAsNative(page, side) {
  assert.equal(await page.locator("#wrong").isVisible(), false, await textOf(page, "#wrong"));
  assert.equal(await textOf(page, "#digest-" + side), nativeDigest(await textOf(page, "#text-" + side)));
}

const tests = {
  async both_switches_are_drawn(browser) {
    const page = await open(browser);
    for (const side of ["a", "b"]) {
      assert.ok((await inkOf(page.locator(`#side-${side} .picture`))) > 4);
      assert.ok((await inkOf(page.locator(`#side-${side} .strip-of-time`))) > 3);
    }
    assert.match(await fateOf(page, "a"), /^✗ \d+ of 168 burst packets lost$/);
    assert.match(await fateOf(page, "b"), /^✓ The burst fits: none of 168 packets lost$/);
    assert.equal(await textOf(page, "#same"), "the same packets");
    await page.finish();
  },

  async every_story_has_the_digest_of_the_native_program(browser) {
    const page = await open(browser);
    const stories = page.locator("#stories button");
    for (let i = 0; i < (await stories.count()); i++) {
      await stories.nth(i).click();
      assert.equal(await stories.nth(i).getAttribute("aria-pressed"), "true");
      assert.notEqual(await textOf(page, "#story"), "");
      await sameAsNative(page, "a");
      await sameAsNative(page, "b");
    }
    await page.finish();
  },

  async every_policy_has_the_digest_of_the_native_program(browser) {
    const page = await open(browser, "#buffer=1000");
    const names = await page.locator("#policy-a option").evaluateAll((all) => all.map((option) => option.value));
    assert.ok(names.length >= 19, String(names.length));
    for (const name of names) {
      await page.selectOption("#policy-a", name);
      await sameAsNative(page, "a");
      assert.match(await textOf(page, "#side-a .rule"), /[a-z].*\. .*[;,]/); // a rule, a title and a paper
    }
    await page.finish();
  },

  async tcp_has_the_digest_of_the_native_program(browser) {
    const page = await open(browser, "#a=dt&b=lqd&react=1");
    await sameAsNative(page, "a");
    await sameAsNative(page, "b");
    assert.match(await textOf(page, "#same"), /senders react/);
    await page.finish();
  },

  // Names, defaults, ranges and help are those of the compiled policies.
  async parameters_are_the_policies_own(browser) {
    const page = await open(browser);
    for (const name of ["tdt", "dsh", "cs", "credence"]) {
      await page.selectOption("#policy-b", name);
      const native = execFileSync(process.env.WEIR, ["policies", name, "--json"], { encoding: "utf8" });
      const params = JSON.parse(native).parameters;
      assert.deepEqual(await page.locator("#side-b .params label").allTextContents(), params.map((param) => param.name));
      assert.deepEqual(await page.locator("#side-b .params small").allTextContents(), params.map((param) => param.help));
    }
    await page.finish();
  },

  async a_parameter_changes_the_run(browser) {
    const page = await open(browser);
    const before = await textOf(page, "#digest-a");
    await page.locator("#side-a .alpha input").evaluate((element) => { element.value = "-2"; element.dispatchEvent(new Event("input")); });
    assert.equal(await textOf(page, "#side-a .alpha output"), "0.25");
    assert.match(await textOf(page, "#text-a"), /"alpha": "0.25"/);
    assert.notEqual(await textOf(page, "#digest-a"), before);
    await page.locator("#side-a summary").click();
    await page.locator("#a-alpha").fill("banana");
    await page.locator("#a-alpha").press("Enter");
    assert.match(await textOf(page, "#wrong"), /^Left: .*alpha.*banana/);
    assert.equal(await page.locator("#side-b .picture").isVisible(), true);
    await page.locator("#a-alpha").fill("1");
    await page.locator("#a-alpha").press("Enter");
    assert.equal(await page.locator("#wrong").isVisible(), false);
    assert.equal(await textOf(page, "#digest-a"), before);
    await page.finish();
  },

  async knobs_change_the_traffic(browser) {
    const page = await open(browser);
    const packets = async () => Number(/of (\d+)/.exec(await fateOf(page, "b"))[1]);
    const before = await packets();
    await set(page, "burst", 120);
    assert.ok(Math.abs((await packets()) - 2 * before) < 8); // each sender rounds up to packets
    await set(page, "load", 0);
    assert.doesNotMatch(await textOf(page, "#side-a .outcome"), /long queue/);
    assert.match(await page.evaluate(() => location.hash), /burst=120.*load=0/);
    await page.finish();
  },

  async keyboard_steps_and_plays(browser) {
    const page = await open(browser, "", { reducedMotion: "no-preference" });
    await page.waitForFunction(() => document.getElementById("play").textContent.includes("Pause")); // it plays by itself
    await page.keyboard.press("Space");
    const clock = async () => parseFloat(await textOf(page, "#clock"));
    const stopped = await clock();
    await page.waitForTimeout(100);
    assert.equal(await clock(), stopped);
    await page.keyboard.press("ArrowRight");
    const next = await clock();
    assert.ok(next >= stopped, `${stopped} to ${next}`);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await clock(), next);
    await page.keyboard.press("Shift+ArrowRight");
    assert.ok(Math.abs((await clock()) - next - 10) < 0.02);
    await page.keyboard.press("End");
    const end = await clock();
    await page.keyboard.press("Home");
    assert.equal(await clock(), 0);
    assert.ok(end > 1000);
    await page.keyboard.press("Space");
    await page.waitForFunction(() => parseFloat(document.getElementById("clock").textContent) > 0);
    await page.finish();
  },

  async highlights_are_told(browser) {
    const stories = {
      "#a=dt&b=tdt": [/is refused: its queue is at its limit/, /Evacuation: the long queue keeps losing/, /Absorption: the burst queue/],
      "#a=cs&b=occamy": [/is refused: the buffer is full/, /is expelled in spare memory bandwidth/],
      "#a=cs&b=lqd": [/is pushed out, to make room/],
      "#a=followlqd&b=credence&flip=20": [/the oracle says that LQD would lose it/],
      "#a=sih&b=dsh&buffer=1000": [/is told to pause/],
      "#a=edt&b=occamy-p4": [/Uncontrolled: the burst queue/, /is dropped when it was about to leave/],
    };
    for (const [fragment, expected] of Object.entries(stories)) {
      const page = await open(browser, fragment + "&t=0");
      let told = "";
      for (let i = 0; i < 400 && expected.some((pattern) => !pattern.test(told)); i++) {
        await page.keyboard.press("n");
        told += (await nowOf(page, "a")) + " " + (await nowOf(page, "b")) + "\n";
      }
      for (const pattern of expected) assert.match(told, pattern, fragment);
      assert.doesNotMatch(told, /undefined|NaN|-1 /);
      await page.finish();
    }
  },

  async strips_and_slider_move_the_time(browser) {
    const page = await open(browser);
    const box = await page.locator("#side-b .strip-of-time").boundingBox();
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 3 });
    await page.mouse.up();
    const [time, max] = await page.locator("#time").evaluate((slider) => [Number(slider.value), Number(slider.max)]);
    assert.ok(Math.abs(time / max - 0.5) < 0.01, `${time} of ${max}`);
    const shown = () => page.locator("#side-b .picture").evaluate((canvas) => canvas.toDataURL());
    const before = await shown();
    await set(page, "time", Math.round(max * 0.9));
    assert.notEqual(await shown(), before);
    assert.match(await page.locator("#time").getAttribute("aria-valuetext"), /^[\d.]+ µs$/);
    await page.finish();
  },

  async a_link_shows_the_same(browser) {
    const page = await open(browser, "#a=abm:alpha=2&b=occamy&burst=90&senders=7&load=110&buffer=600&t=1300");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => /t=13/.test(location.hash));
    const seen = async (on) => [await textOf(on, "#digest-a"), await textOf(on, "#digest-b"), await textOf(on, "#clock"), await nowOf(on, "a"), await fateOf(on, "b")];
    const fragment = await page.evaluate(() => location.hash);
    const again = await open(browser, fragment);
    assert.deepEqual(await seen(again), await seen(page));
    assert.equal(await again.locator("#policy-a").inputValue(), "abm");
    assert.equal(await textOf(again, "#side-a .alpha output"), "2");
    await page.finish();
    await again.finish();
  },

  async a_hostile_link_is_harmless(browser) {
    const usual = await open(browser);
    const digest = await textOf(usual, "#digest-a");
    await usual.finish();
    for (const fragment of ["#a=%3Cimg%20src=x%20onerror=alert(1)%3E&b=nobody&burst=nan&t=-5", "#%E0%A4%A&&&=", "#burst=1e99&buffer=-1&senders=99&react=7&classes=1e9&flip=x&t=1e99",
      "#a=dt:alpha=%22%7D%2C%22until%22%3A1:nobody=1&b=tdt"]) {
      const page = await open(browser, fragment);
      assert.ok((await inkOf(page.locator("#side-b .picture"))) > 1, fragment);
      if (!fragment.includes("burst=1e99") && !fragment.includes("alpha")) assert.equal(await textOf(page, "#digest-a"), digest);
      await page.finish();
    }
  },

  async without_motion_nothing_moves_by_itself(browser) {
    const page = await open(browser);
    const clock = await textOf(page, "#clock");
    await page.waitForTimeout(200);
    assert.equal(await textOf(page, "#clock"), clock);
    assert.match(await textOf(page, "#play"), /Play/);
    await page.finish();
  },

  async fits_a_phone_and_a_lecture_hall(browser) {
    for (const [width, height] of [[360, 740], [768, 1024], [1920, 1080]]) {
      const page = await open(browser, "#a=sih&b=dsh&buffer=1000&t=2110", { viewport: { width, height }, hasTouch: width < 500 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than " + width);
      for (const button of await page.locator(".deck button:visible, #stories button").all()) {
        const box = await button.boundingBox();
        assert.ok(box.height >= 28 && box.x >= 0 && box.x + box.width <= width, await button.textContent());
      }
      await page.finish();
    }
  },

  async dark_and_light_have_contrast(browser) {
    const page = await open(browser, "", { colorScheme: "dark" });
    const light = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const picture = page.locator("#side-a .picture");
    const shown = () => picture.evaluate((canvas) => canvas.toDataURL());
    const before = await shown();
    assert.ok(light(await ground()) < 150);
    await page.locator("#theme").click();
    assert.ok(light(await ground()) > 600);
    assert.notEqual(await shown(), before);
    await page.finish();
  },

  async canvases_and_controls_have_names(browser) {
    const page = await open(browser);
    assert.match(await page.locator("#side-a .picture").getAttribute("aria-label"), /^Dynamic Threshold: the buffer is \d+ % full; long [\d.]+ KB, burst/);
    const unnamed = await page.evaluate(() => [...document.querySelectorAll("input, select, button")]
      .filter((control) => !control.labels?.length && !control.getAttribute("aria-label") && !control.textContent.trim()).map((control) => control.outerHTML.slice(0, 80)));
    assert.deepEqual(unnamed, []);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the switches");
    await page.finish();
  },

  // Not a limit: machines differ.
  async says_how_fast_it_starts(browser) {
    const page = await open(browser);
    const ms = await page.evaluate(() => performance.getEntriesByName("first picture")[0].startTime);
    console.log(`        first picture after ${Math.round(ms)} ms, ${fs.statSync(folder + "/playground.html").size} bytes`);
    await page.finish();
  },
};

// Pictures for the docs, of moments that tell something.
const pictures = [
  ["playground", "#a=dt&b=tdt&t=856", 1280, 900, "light"],
  ["playground-lossless", "#a=sih&b=dsh&load=120&buffer=1000&classes=4&t=2112", 1280, 1000, "light"],
  ["playground-phone", "#a=cs&b=lqd&t=852", 390, 1500, "dark"],
];
async function takePictures(browser) {
  for (const [name, fragment, width, height, colorScheme] of pictures) {
    const page = await open(browser, fragment, { viewport: { width, height }, colorScheme, reducedMotion: "no-preference" });
    await page.screenshot({ path: process.env.PICTURES + "/" + name + ".png" });
    await page.finish();
    console.log(name + ".png");
  }
}

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"], timeout: 300000 });
  if (process.env.PICTURES) {
    await takePictures(browser);
    await browser.close();
    return;
  }
  let failed = 0;
  const chosen = Object.entries(tests).filter(([name]) => name.includes(process.argv[3] ?? ""));
  for (const [name, test] of chosen) {
    try {
      await test(browser);
      console.log("ok      " + name);
    } catch (error) {
      failed++;
      console.log("FAILED  " + name + "\n" + error.stack);
    }
  }
  await browser.close();
  console.log(`[  PASSED  ] ${chosen.length - failed} tests`); // in words that tools/runtests counts
  console.log(`[  FAILED  ] ${failed} tests`);
  process.exit(failed > 0 ? 1 : 0);
})();
