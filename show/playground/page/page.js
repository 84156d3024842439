// page.js - the controls, the clock, and what follows from them. Every change simulates both sides again; a time draws them.
"use strict";
(async () => {
  const by = (id) => document.getElementById(id);
  const make = (name, more = {}, ...children) => {
    const element = Object.assign(document.createElement(name), more);
    element.append(...children);
    return element;
  };
  const rules = JSON.parse(by("rules").textContent);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const knobs = ["burst", "senders", "load", "buffer", "react", "flip", "classes"];
  const simulator = await openSimulator(await unpack(by("program").textContent));
  const { catalogue } = simulator;
  const limits = Object.fromEntries(knobs.map((key) => [key, key === "react" ? [0, 1] : [Number(by(key).min), Number(by(key).max)]]));
  let { scene, timeNs } = fromFragment(location.hash, catalogue, limits);
  let untilNs = 1, burstNs = 0, pace = 1, playing = false, last = 0, nextFrame = 0;
  const sides = {};
  const TELL_MS = 900; // nobody reads faster
  let asked = 0;

  by("version").textContent = catalogue.version;
  const policyOf = (which) => catalogue.policies.find((policy) => policy.name === scene[which].policy);

  // A side of the stage, made once.
  function makeSide(which) {
    const root = by("side-" + which);
    const policy = make("select", { id: "policy-" + which });
    policy.setAttribute("aria-label", which === "a" ? "Policy of the left switch" : "Policy of the right switch");
    const groups = [["drops", false], ["pauses senders", true]].map(([title, ingress]) => {
      const group = make("optgroup", { label: title });
      for (const each of catalogue.policies)
        if (each.ingress === ingress) group.append(make("option", { value: each.name, textContent: each.name + " – " + each.title }));
      return group;
    });
    policy.append(...groups);
    const alpha = make("input", { type: "range", min: -4, max: 6, step: 0.5 });
    const alphaIs = make("output");
    const alphaBox = make("label", { className: "alpha" }, "α", alpha, alphaIs);
    const rule = make("p", { className: "rule" });
    const params = make("div", { className: "params" }), paper = make("small");
    const more = make("details", { className: "more" }, make("summary", { textContent: "Parameters and paper" }), params, paper);
    const fate = make("p", { className: "outcome" });
    const picture = make("canvas", { className: "picture" });
    picture.setAttribute("role", "img");
    const strip = make("canvas", { className: "strip-of-time" });
    strip.setAttribute("role", "img");
    const now = make("p", { className: "now" });
    now.setAttribute("aria-live", "polite");
    root.append(make("div", { className: "choose" }, policy, alphaBox), rule, fate, picture, strip, now, more);
    policy.addEventListener("change", () => { scene[which] = { policy: policy.value, params: {} }; showSide(which); choose(); });
    alpha.addEventListener("input", () => { setParam(which, "alpha", alphaText(Number(alpha.value))); });
    strip.addEventListener("pointerdown", (event) => {
      strip.setPointerCapture(event.pointerId);
      go(untilNs * partOf(strip, event));
    });
    strip.addEventListener("pointermove", (event) => { if (event.buttons) go(untilNs * partOf(strip, event)); });
    sides[which] = { root, policy, alpha, alphaIs, alphaBox, rule, params, paper, fate, picture, strip, now, film: null };
  }
  const partOf = (strip, event) => {
    const box = strip.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  const alphaText = (power) => String(Number((2 ** power).toPrecision(3)));

  function setParam(which, name, text) {
    const param = policyOf(which).params.find((each) => each.name === name);
    if (text === "" || text === param.initial) delete scene[which].params[name];
    else scene[which].params[name] = text;
    showSide(which);
    choose();
  }

  // One control for a parameter, as its descriptor says.
  function paramControl(which, param) {
    const id = which + "-" + param.name;
    let control;
    if (param.unit === "flag" || param.unit === "choice") {
      control = make("select", { id });
      for (const choice of param.unit === "flag" ? ["yes", "no"] : param.choices) control.append(make("option", { value: choice, textContent: choice }));
    } else {
      control = make("input", { id, spellcheck: false, autocomplete: "off" });
      control.title = param.min + " to " + param.max;
    }
    control.addEventListener("change", () => setParam(which, param.name, control.value.trim()));
    return [make("label", { htmlFor: id, textContent: param.name }), control, make("small", { textContent: param.help })];
  }

  function showSide(which) {
    const side = sides[which], policy = policyOf(which), chosen = scene[which];
    side.policy.value = chosen.policy;
    side.rule.textContent = (rules[policy.name] || policy.title) + ".";
    side.paper.textContent = policy.title + "; " + policy.source;
    const alpha = policy.params.find((param) => param.name === "alpha" && param.unit === "ratio");
    side.alphaBox.hidden = !alpha;
    if (alpha) {
      const text = chosen.params.alpha ?? alpha.initial;
      side.alphaIs.textContent = text;
      const power = Math.log2(parseFloat(text) * (text.endsWith("%") ? 0.01 : 1));
      if (Number.isFinite(power)) side.alpha.value = power; // what is no number the simulator refuses
    }
    // Controls stay while their policy does: a new one would lose the focus.
    if (side.shown !== chosen.policy) side.params.replaceChildren(...policy.params.flatMap((param) => paramControl(which, param)));
    side.shown = chosen.policy;
    for (const param of policy.params) {
      const control = by(which + "-" + param.name);
      if (control !== document.activeElement) control.value = chosen.params[param.name] ?? param.initial;
    }
  }

  function showKnobs() {
    const both = [policyOf("a"), policyOf("b")], lossless = both.some((policy) => policy.ingress);
    if (lossless) scene.react = 0;
    for (const key of knobs) by(key).value = scene[key];
    by("react").disabled = lossless;
    by("load").disabled = Boolean(scene.react);
    by("flip-knob").hidden = !both.some((policy) => policy.oracle);
    by("classes-knob").hidden = !lossless;
    by("burst-is").textContent = scene.burst + " % of buffer";
    by("senders-is").textContent = scene.senders + " senders";
    by("load-is").textContent = scene.react ? "TCP’s own load" : scene.load + " % load";
    by("buffer-is").textContent = scene.buffer + " KB";
    by("flip-is").textContent = scene.flip + " %";
    by("classes-is").textContent = scene.classes;
    const same = STORIES.findIndex((story) => toFragment(sceneOf(story)) === toFragment(scene));
    [...by("stories").querySelectorAll("button")].forEach((button, i) => button.setAttribute("aria-pressed", String(i === same)));
    by("story").textContent = same >= 0 ? STORIES[same].about : "";
  }

  function simulate() {
    const times = timesOf(scene);
    untilNs = times.until * 1000;
    burstNs = times.burst * 1000;
    pace = (untilNs - burstNs) / 25000; // ns of the film per ms: the burst takes 25 s
    by("time").max = untilNs;
    showKnobs();
    by("wrong").hidden = true;
    for (const which of ["a", "b"]) {
      const text = scenarioText(scene, which, catalogue), side = sides[which];
      by("text-" + which).textContent = text;
      try {
        side.film = simulator.run(which === "a" ? 0 : 1, text);
        by("digest-" + which).textContent = side.film.digest;
        showOutcome(side);
      } catch (error) {
        side.film = null;
        by("digest-" + which).textContent = "";
        side.fate.textContent = "";
        by("wrong").hidden = false;
        by("wrong").textContent = (which === "a" ? "Left: " : "Right: ") + error.message;
      }
    }
    showSame();
    findMoments();
    if (timeNs === undefined) timeNs = Math.max(0, burstNs - 10000);
    strips();
    seek(timeNs);
  }
  // What was chosen with a control, not by an address.
  function choose() {
    simulate();
    remember();
  }

  function showOutcome(side) {
    const { fate, good, rest } = outcome(side.film, scene, burstNs);
    side.fate.replaceChildren(make("span", { className: good ? "good" : "bad", textContent: (good ? "✓ " : "✗ ") + fate }), make("small", { textContent: rest }));
    if (side.film.cut) side.fate.append(make("small", { textContent: " The film is cut: it would be too long." }));
  }

  function showSame() {
    const { a, b } = sides;
    const equal = a.film && b.film && a.film.offered === b.film.offered;
    by("same").textContent = equal || !a.film || !b.film ? "the same packets" : scene.react ? "the same flows, whose senders react to what is lost" : "the same flows, whose senders are paused";
  }

  // The times at which something happens, of both films.
  let moments = new Int32Array(0);
  function findMoments() {
    const all = [];
    for (const which of ["a", "b"])
      for (let i = 0; sides[which].film && i < sides[which].film.count; i++) all.push(sides[which].film.time(i));
    moments = Int32Array.from(new Set(all)).sort();
  }
  function momentAfter(time) {
    let low = 0, high = moments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (moments[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Pictures get the height that the rest of the page leaves of the window, or what they need at least.
  function pictureHeight() {
    const { a, b } = sides, stacked = b.root.offsetTop > a.root.offsetTop;
    const now = stacked ? a.picture.offsetHeight + b.picture.offsetHeight : Math.max(a.picture.offsetHeight, b.picture.offsetHeight);
    const rest = by("sides").offsetTop + by("sides").offsetHeight - now + by("deck").offsetHeight + 16;
    return Math.max(225, Math.min(560, Math.floor((innerHeight - rest) / (stacked ? 2 : 1))));
  }

  let high = 0;
  function strips() {
    readInks();
    for (const which of ["a", "b"]) {
      const { film, strip, picture } = sides[which];
      strip.hidden = picture.hidden = !film;
      if (film) drawStrip(strip, film, untilNs, burstNs);
    }
    high = pictureHeight();
  }

  function draw() {
    for (const which of ["a", "b"]) {
      const side = sides[which];
      if (!side.film) continue;
      // What is over stays to be seen for half a second; without motion only what happens at this moment is shown.
      drawSwitch(side.picture, high, side.film, timeNs, still.matches ? 1 : Math.max(1, pace * Number(by("speed").value) * 500), catalogue.reasons);
      drawCursor(side.strip, timeNs / untilNs);
    }
    by("clock").textContent = fmtTime(Math.round(timeNs / 10) * 10);
    by("time").value = timeNs;
    by("time").setAttribute("aria-valuetext", fmtTime(timeNs));
  }

  function tell() {
    for (const which of ["a", "b"]) {
      const { film, now, picture } = sides[which];
      if (!film) { now.textContent = ""; continue; }
      const row = film.rowAt(timeNs);
      const held = QUEUES.map((name, port) => name + " " + fmtBytes(row < 0 ? 0 : film.output(row, port, OUTPUT.held)));
      picture.setAttribute("aria-label", `${policyOf(which).title}: the buffer is ${row < 0 ? 0 : Math.round((100 * film.at(row, COLUMN.used)) / film.buffer)} % full; ${held.join(", ")}`);
      if (row < 0) { now.textContent = "Nothing has happened yet."; continue; }
      // While it plays, the most telling step since the last sentence.
      const since = playing ? timeNs - TELL_MS * pace * Number(by("speed").value) : film.time(row) - 1;
      const from = Math.min(row, film.rowAt(since) + 1);
      const main = mainRow(film, from, row), kind = film.at(main, COLUMN.kind);
      const fresh = film.time(row) === timeNs || playing;
      now.replaceChildren(make("span", { className: "tag " + (fresh ? KIND_NAMES[kind] : "quiet"), textContent: LABELS[kind] }), " " + sentence(film, main, catalogue.reasons));
      for (const [queue, mode, means] of modesNow(film, row)) now.append(" ", make("b", { textContent: mode[0].toUpperCase() + mode.slice(1) }), ": " + queue + " " + means + ".");
    }
  }

  function seek(time) {
    timeNs = Math.round(Math.min(untilNs, Math.max(0, time)));
    draw();
    tell();
  }

  function frame(at) {
    const passed = Math.min(100, Math.max(0, at - last));
    last = at;
    timeNs = Math.min(untilNs, timeNs + passed * pace * Number(by("speed").value));
    if (timeNs >= untilNs) { pause(); return; }
    draw();
    if (at - asked > TELL_MS) { asked = at; tell(); }
    nextFrame = requestAnimationFrame(frame);
  }
  function setPlaying(to) {
    playing = to;
    cancelAnimationFrame(nextFrame);
    by("play").classList.toggle("playing", playing);
    by("play").querySelector("span").textContent = playing ? "Pause" : "Play";
  }
  function play() {
    if (timeNs >= untilNs) timeNs = Math.max(0, burstNs - 10000);
    setPlaying(true);
    nextFrame = requestAnimationFrame((at) => { last = at; frame(at); });
  }
  // Stops at a time.
  function go(time) {
    setPlaying(false);
    seek(time);
    remember();
  }
  const pause = () => go(timeNs);

  function step(by_) {
    const now = Math.round(timeNs);
    const index = by_ > 0 ? momentAfter(now) : momentAfter(now - 1) - 1;
    go(index >= 0 && index < moments.length ? moments[index] : now);
  }
  // What a lecturer would stop at: the burst loses, somebody is pushed out, expelled or paused, a queue changes its mode.
  function isHighlight(film, row) {
    const kind = film.at(row, COLUMN.kind);
    if (kind === KIND.paused || (isLoss(kind) && (kind !== KIND.refused || film.at(row, COLUMN.output) === BURST))) return true;
    return row > 0 && [0, BURST].some((port) => film.output(row, port, OUTPUT.mode) !== film.output(row - 1, port, OUTPUT.mode));
  }
  function nextHighlight() {
    let best = Infinity;
    for (const which of ["a", "b"]) {
      const film = sides[which].film;
      for (let i = film ? film.rowAt(timeNs) + 1 : 0; film && i < film.count && film.time(i) < best; i++)
        if (isHighlight(film, i)) best = film.time(i);
    }
    go(best < Infinity ? best : timeNs);
  }

  // The address follows what is seen, at most every REMEMBER_MS: browsers refuse a page that changes it all the time.
  const REMEMBER_MS = 250;
  let remembered = -REMEMBER_MS, later = 0;
  function setAddress(how, fragment) {
    clearTimeout(later);
    later = 0;
    remembered = performance.now();
    try { history[how](null, "", fragment); } catch { /* a sandbox has no history */ }
  }
  function remember() {
    const wait = remembered + REMEMBER_MS - performance.now();
    if (wait <= 0) setAddress("replaceState", toFragment(scene, timeNs));
    else later ||= setTimeout(() => setAddress("replaceState", toFragment(scene, timeNs)), wait);
  }

  // Another scene: it starts before its burst unless a time is given, and plays on if the one before did.
  function show(newScene, newTime) {
    if (newTime !== undefined) setPlaying(false);
    scene = newScene;
    timeNs = newTime;
    showSide("a");
    showSide("b");
    simulate();
  }
  // The one that is left stays a step back.
  function tellStory(story) {
    const next = sceneOf(story);
    setAddress("replaceState", toFragment(scene, timeNs));
    if (toFragment(next) !== toFragment(scene)) setAddress("pushState", toFragment(next));
    show(next);
    remember();
  }

  for (const story of STORIES) {
    const button = make("button", { type: "button", textContent: story.name });
    button.addEventListener("click", () => tellStory(story));
    by("stories").append(make("li", {}, button));
  }
  for (const key of knobs)
    by(key).addEventListener("input", () => {
      const before = burstNs;
      scene[key] = Number(by(key).value);
      const times = timesOf(scene);
      timeNs = Math.max(0, times.burst * 1000 + (timeNs - before)); // the burst stays in view
      choose();
    });
  by("glossary").append(make("dl", {}, ...TERMS.flatMap(([term, text]) => [make("dt", { textContent: term }), make("dd", { textContent: text })])));
  by("play").addEventListener("click", () => (playing ? pause() : play()));
  by("start").addEventListener("click", () => go(0));
  by("back").addEventListener("click", () => step(-1));
  by("next").addEventListener("click", () => step(1));
  by("highlight").addEventListener("click", nextHighlight);
  by("time").addEventListener("input", () => go(Number(by("time").value)));
  by("share").addEventListener("click", async () => {
    const link = location.href.split("#")[0] + toFragment(scene, timeNs);
    try { await navigator.clipboard.writeText(link); by("share").textContent = "Copied"; } catch { prompt("The link to what you see", link); }
    setTimeout(() => { by("share").textContent = "Copy link"; }, 1500);
  });
  addEventListener("keydown", (event) => {
    const on = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || (on.matches && on.matches("input:not(#time), select, textarea"))) return;
    const by10us = (sign) => (event.shiftKey ? go(timeNs + sign * 10000) : step(sign));
    const keys = { ArrowRight: () => by10us(1), ArrowLeft: () => by10us(-1), Home: () => go(0), End: () => go(untilNs), n: nextHighlight };
    if (event.key === " " && !on.matches("button, summary, a")) { event.preventDefault(); if (!event.repeat) playing ? pause() : play(); }
    else if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  addEventListener("hashchange", () => {
    if (!location.hash.includes("=")) { remember(); return; } // a link within the page
    clearTimeout(later); // the address says it now
    later = 0;
    const { scene: given, timeNs: at } = fromFragment(location.hash, catalogue, limits);
    show(given, at);
    if (toFragment(given, at) !== location.hash) remember(); // written by somebody
  });
  document.addEventListener("weir-theme", () => { strips(); draw(); });
  let resized = 0;
  addEventListener("resize", () => { cancelAnimationFrame(resized); resized = requestAnimationFrame(() => { strips(); draw(); }); });

  for (const which of ["a", "b"]) { makeSide(which); showSide(which); }
  const wasGiven = timeNs !== undefined;
  by("speed").value = "1";
  choose();
  performance.mark("first picture");
  document.documentElement.dataset.ready = "yes";
  if (!still.matches && !wasGiven) play();
})();
