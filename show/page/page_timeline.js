// page_timeline.js - moves through the steps of a timeline: by the slider, by its keys, by pointing at a strip.
"use strict";
(() => {
  const source = document.getElementById("timeline-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const byId = (id) => document.getElementById(id);
  const [view, slider, table] = [byId("timeline"), byId("step"), byId("moment")];
  const losses = { refused: "refused", pushed: "pushed out", expelled: "expelled", dropped: "dropped" };
  const columns = [...table.querySelectorAll("th[data-of]")].map((heading) => heading.dataset.of);
  const rows = [...table.querySelectorAll("tbody tr")];
  const cursors = [];
  const held = (cells) => (cells * data.scale).toFixed(data.digits);
  const sum = (key, step) => data.queues.reduce((all, queue) => all + (queue[key] ? queue[key][step] : 0), 0);
  const lost = (step) => Object.keys(losses).reduce((all, key) => all + sum(key, step), 0);

  function sentence(step) {
    const share = (100 * data.used[step]) / data.buffer;
    const parts = [`${data.times[step]} ${data.timeUnit}: ${held(data.used[step])} ${data.unit} held, ${share.toFixed(0)} % of the buffer`];
    const most = data.queues.reduce((best, queue) => (queue.held[step] > best.held[step] ? queue : best), data.queues[0]);
    if (most && most.held[step] > 0) parts.push(`most by ${most.name} (${held(most.held[step])} ${data.unit})`);
    for (const [key, name] of Object.entries(losses)) if (sum(key, step) > 0) parts.push(`${sum(key, step)} ${name}`);
    if (data.paused[step] > 0) parts.push(`${data.paused[step]} ${data.paused[step] === 1 ? "input pauses its" : "inputs pause their"} sender`);
    return parts.join("; ");
  }

  function show() {
    const step = Number(slider.value);
    byId("now").textContent = sentence(step);
    slider.setAttribute("aria-valuetext", sentence(step));
    byId("moment-time").textContent = data.times[step];
    rows.forEach((row, i) => columns.forEach((key, c) => {
      const number = data.queues[i][key][step];
      row.children[c + 1].textContent = key === "limit" && number < 0 ? "–" : key === "held" || key === "limit" ? held(number) : number;
    }));
    for (const cursor of cursors) cursor.style.left = (100 * (step + 0.5)) / data.times.length + "%";
  }

  function go(step) {
    slider.value = step;
    show();
  }

  // The next step with a loss in a direction; where there is none, nothing moves.
  function jump(by) {
    for (let step = Number(slider.value) + by; step >= 0 && step < data.times.length; step += by)
      if (lost(step) > 0) return go(step);
  }

  function point(event) {
    const strip = event.target.closest(".strip");
    if (!strip || (event.type === "pointermove" && event.buttons !== 1)) return;
    const box = strip.getBoundingClientRect();
    go(Math.floor(((event.clientX - box.left) / box.width) * data.times.length));
  }

  document.documentElement.classList.add("live");
  for (const strip of view.querySelectorAll(".strip:has(svg)")) {
    const cursor = document.createElement("div");
    cursor.className = "cursor";
    strip.append(cursor);
    cursors.push(cursor);
  }
  const fullest = slider.value;
  slider.addEventListener("input", show);
  byId("fullest").addEventListener("click", () => go(fullest));
  byId("earlier")?.addEventListener("click", () => jump(-1));
  byId("later")?.addEventListener("click", () => jump(1));
  view.addEventListener("pointerdown", point);
  view.addEventListener("pointermove", point);
  show();
})();
