// page.js - puts an interactive chart in place of each drawing. Every chart can be read by pointer, by keyboard and by
// a screen reader; without uPlot the drawings stay.
"use strict";
(() => {
  if (typeof uPlot !== "function") return;
  const charts = JSON.parse(document.getElementById("data").textContent);
  const made = [];

  function element(tag, className, parent) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    parent.append(made);
    return made;
  }

  function text(number, unit) {
    if (number === null || number === undefined || !isFinite(number)) return "–";
    const shown = Number(number.toPrecision(4)).toString();
    return unit ? shown + " " + unit : shown;
  }

  // The point of a line that stands for x: the last one at or before it.
  function pointAt(line, x) {
    let low = 0;
    let high = line.x.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (line.x[middle] <= x) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  function valueAt(chart, line, x) {
    const at = pointAt(line, x);
    if (at < 0) return "–";
    const sign = line.signs ? line.signs[at] : "";
    const value = (sign === "\u2265" ? sign + " " : "") + text(line.y[at], chart.yUnit) + (sign === "\u2020" ? " " + sign : "");
    if (!line.low || line.low[at] === null) return value;
    return value + " ± " + text(Number((line.high[at] - line.y[at]).toPrecision(2)));
  }

  const nameAt = (chart, x) => (chart.names ? chart.names[Math.round(x)] ?? "" : text(x, chart.xUnit));

  function seriesOf(chart, line, which) {
    const stroke = () => weirDraw.colour(line.colour);
    const series = { label: line.label, stroke, width: 1.8, dash: weirDraw.dashes[line.pattern], points: { show: false } };
    if (chart.bars) return { ...series, paths: weirDraw.bars(chart, which), fill: () => weirDraw.fillOf(line),
      width: line.pattern > 0 ? 1 : 0, dash: [] };
    if (line.steps) series.paths = uPlot.paths.stepped({ align: 1 });
    return series;
  }

  // Steps of 1, 2 or 5 times a power of ten, at most `most` of them.
  function splitsLinear(min, max, most) {
    const power = 10 ** Math.floor(Math.log10((max - min) / most));
    const step = power * ([1, 2, 5].find((factor) => (max - min) / (power * factor) <= most) ?? 10);
    const splits = [];
    for (let at = Math.ceil(min / step - 1e-9); at <= max / step + 1e-9 && splits.length <= most + 1; at++)
      splits.push(at * step);
    return splits;
  }

  // The rules of scale.c: powers of ten, 2 and 5 times them where there is room, equal steps where these are too few.
  function splitsLog(min, max, most) {
    const powers = Math.log10(max / min);
    const factors = 0.3 * most >= powers ? [1, 2, 5] : [1];
    const stride = Math.max(1, Math.ceil(powers / most));
    const splits = [];
    for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power += stride)
      splits.push(...factors.map((factor) => Number(factor + "e" + power)));
    const within = splits.filter((split) => split >= min * (1 - 1e-9) && split <= max * (1 + 1e-9));
    return within.length < 3 && powers < 1 ? splitsLinear(min, max, 0.75 * most) : within;
  }

  // A title that is longer than its axis gets smaller letters.
  const titleFont = (title, room) =>
    Math.min(12, Math.max(9, room / (0.55 * title.length))).toFixed(1) + "px system-ui, sans-serif";

  // Names that do not fit side by side are turned; of more than fit so, each second, third ... is written.
  function nameAxis(names) {
    const widest = Math.min(24, Math.max(...names.map((name) => name.length)));
    const turned = (u) => (widest + 2) * 7 * names.length > u.width - 60;
    const every = (u) => (turned(u) ? Math.ceil((20 * names.length) / (u.width - 70)) : 1);
    const short = (name) => (name.length > 24 ? name.slice(0, 23) + "…" : name);
    return {
      splits: () => names.map((_, i) => i),
      values: (u) => names.map((name, i) => (i % every(u) === 0 ? short(name) : "")),
      rotate: (u) => (turned(u) ? -40 : 0),
      size: (u) => (turned(u) ? 24 + 4.6 * widest : 30),
      grid: { show: false },
      space: 1,
    };
  }

  function axisOf(view, which) {
    const { chart } = view;
    const title = which === "x" ? chart.xTitle : chart.yTitle;
    const log = which === "x" ? chart.logX : chart.logY;
    const axis = {
      scale: which, label: title, labelSize: 22, labelGap: 2, font: "12px system-ui, sans-serif",
      labelFont: titleFont(title, which === "x" ? view.plot.clientWidth - 60 : heightOf(view) - 60),
      stroke: () => weirDraw.colour(-1),
      values: (u, splits) => splits.map((split) => Number(split.toPrecision(6)).toString()),
      grid: { stroke: () => getComputedStyle(document.documentElement).getPropertyValue("--grid").trim(), width: 1 },
      ticks: { show: false },
    };
    if (log) {
      axis.filter = (u, splits) => splits;
      const most = (u) => Math.max(2, which === "x" ? (u.width - 70) / 48 : (u.height - 60) / 30);
      axis.splits = (u, index, min, max) => splitsLog(min, max, most(u));
    }
    if (which === "y") axis.size = (u, values) => 14 + 7 * Math.max(2, ...(values || []).map((v) => v.length));
    else Object.assign(axis, { space: 56, size: 28 });
    return which === "x" && chart.names ? { ...axis, ...nameAxis(chart.names) } : axis;
  }

  // A little wider, so that marks at the ends are whole.
  function widen([min, max], log) {
    const part = 0.02;
    return log ? [min / (max / min) ** part, max * (max / min) ** part]
      : [min - part * (max - min), max + part * (max - min)];
  }

  // The whole range comes with the data; a zoom gives its own.
  function scaleOf(log, [min, max], zoomed) {
    const around = (from, to) => (from === null || !zoomed.on ? [min, max] : [from, to]);
    return { time: false, distr: log ? 3 : 1, log: 10, range: (u, from, to) => around(from, to) };
  }

  // The points of a line that its axes have a place for. A distribution begins at the edge with what is before it.
  function drawn(chart, line) {
    const places = line.x.map((_, i) => i).filter((i) => line.x[i] !== null && !(chart.logX && line.x[i] <= 0));
    const xs = places.map((i) => line.x[i]);
    const ys = places.map((i) => (weirDraw.hasPlace(chart, line.x[i], line.y[i]) ? line.y[i] : null));
    const before = chart.logX && line.steps ? pointAt(line, 0) : -1;
    if (before >= 0 && xs[0] > chart.rangeX[0]) {
      xs.unshift(chart.rangeX[0]);
      ys.unshift(line.y[before]);
    }
    return [xs, ys];
  }

  function build(chart, figure) {
    const plot = element("div", "plot", figure);
    const at = element("p", "at", figure);
    const legend = element("ul", "legend", figure);
    const spoken = element("p", "spoken", figure);
    figure.querySelector(".still").after(plot, at, legend, spoken);
    plot.tabIndex = 0;
    plot.setAttribute("role", "application");
    plot.setAttribute("aria-roledescription", "chart");
    plot.setAttribute("aria-label", chart.title + ". Arrow keys read the values, Escape shows the whole range.");
    spoken.setAttribute("aria-live", "polite");
    const data = uPlot.join(chart.lines.map((line) => drawn(chart, line)));
    const marks = chart.lines.some((line) => line.markers) && !chart.names;
    const rangeX = marks ? widen(chart.rangeX, chart.logX) : chart.rangeX;
    return { chart, rangeX, plot, at, legend, spoken, data, outputs: [], samples: [], zoomed: { on: false }, keyed: false };
  }

  function showValues(view, u) {
    const index = u.cursor.idx;
    const x = index === null || index === undefined ? null : view.data[0][index];
    view.at.textContent = x === null ? "" : view.chart.xTitle.replace(/ \([^)]*\)$/, "") + ": " + nameAt(view.chart, x);
    view.outputs.forEach((output, i) => {
      output.textContent = x === null ? "" : valueAt(view.chart, view.chart.lines[i], x);
    });
    if (!view.keyed || x === null) return;
    view.keyed = false;
    view.spoken.textContent = [view.at.textContent,
      ...view.chart.lines.map((line, i) => (u.series[i + 1].show ? line.label + " " + valueAt(view.chart, line, x) : ""))
        .filter(Boolean)].join(", ");
  }

  // A place for the value of a line at the pointer, as wide as the longest one, so that nothing moves when it comes.
  function addOutput(view, line, button) {
    const output = element("output", "", button);
    const values = line.x.map((x) => valueAt(view.chart, line, x));
    output.dataset.longest = values.reduce((a, b) => (b.length > a.length ? b : a), "–");
    view.outputs.push(element("span", "", output));
  }

  function addLegend(view, u) {
    view.chart.lines.forEach((line, i) => {
      const button = element("button", "", element("li", "", view.legend));
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      const name = element("span", "name", button);
      const canvas = element("canvas", "", name);
      canvas.setAttribute("aria-hidden", "true");
      weirDraw.sample(canvas, view.chart, line);
      view.samples.push(canvas);
      element("span", "", name).textContent = line.label;
      addOutput(view, line, button);
      button.addEventListener("click", () => {
        const show = !u.series[i + 1].show;
        u.setSeries(i + 1, { show });
        button.setAttribute("aria-pressed", String(show));
      });
    });
  }

  // What the signs at points mean.
  function addSigns(view) {
    view.chart.signs.forEach(([sign, words]) => {
      element("li", "sign", view.legend).textContent = sign + " " + words;
    });
  }

  function resetZoom(view, u) {
    view.zoomed.on = false;
    u.setScale("x", { min: view.rangeX[0], max: view.rangeX[1] });
  }

  // The cursor goes to point `index` as if the pointer did.
  function moveTo(view, u, index) {
    const { min, max } = u.scales.x;
    const xs = view.data[0];
    let first = xs.findIndex((x) => x >= min);
    let last = xs.length - 1;
    while (last > 0 && xs[last] > max) last--;
    first = Math.max(first, 0);
    const to = Math.min(Math.max(index, first), Math.max(first, last));
    view.keyed = true;
    u.setCursor({ left: u.valToPos(xs[to], "x"), top: u.over.clientHeight / 2 });
  }

  function addKeys(view, u) {
    const large = () => Math.max(1, Math.round(view.data[0].length / 20));
    const steps = { ArrowLeft: () => -1, ArrowRight: () => 1, PageDown: () => -large(), PageUp: large,
      Home: () => -Infinity, End: () => Infinity };
    view.plot.addEventListener("keydown", (event) => {
      if (event.key === "Escape") resetZoom(view, u);
      else if (steps[event.key]) {
        const from = u.cursor.idx ?? -1;
        moveTo(view, u, from + steps[event.key]());
      } else return;
      event.preventDefault();
    });
  }

  function optionsOf(view) {
    const { chart, zoomed } = view;
    return {
      width: view.plot.clientWidth, height: heightOf(view),
      legend: { show: false }, plugins: [weirDraw.plugin(chart)],
      cursor: { y: false, points: { size: 7 }, drag: { x: true, y: false, dist: 5 },
        bind: { dblclick: (u) => () => resetZoom(view, u) } },
      scales: { x: scaleOf(chart.logX, view.rangeX, zoomed), y: scaleOf(chart.logY, chart.rangeY, { on: false }) },
      series: [{}, ...chart.lines.map((line, i) => seriesOf(chart, line, i))],
      axes: [axisOf(view, "x"), axisOf(view, "y")],
      padding: [10, 14, 0, 0],
      hooks: {
        setSelect: [(u) => { zoomed.on = u.select.width > 0 || zoomed.on; }],
        setCursor: [(u) => showValues(view, u)],
      },
    };
  }

  const heightOf = (view) => Math.round(Math.min(380, Math.max(240, view.plot.clientWidth * 0.6)));

  document.documentElement.classList.add("live");
  charts.forEach((chart, number) => {
    const figure = document.getElementById("chart-" + number);
    if (!chart.lines.length || !figure) return;
    const view = build(chart, figure);
    const u = new uPlot(optionsOf(view), view.data, view.plot);
    addLegend(view, u);
    addSigns(view);
    addKeys(view, u);
    made.push({ view, u });
  });
  addEventListener("resize", () => made.forEach(({ view, u }) => {
    if (view.plot.clientWidth > 0) u.setSize({ width: view.plot.clientWidth, height: heightOf(view) });
  }));
  document.addEventListener("weir-theme", () => made.forEach(({ view, u }) => {
    u.redraw(false);
    view.samples.forEach((canvas, i) => weirDraw.sample(canvas, view.chart, view.chart.lines[i]));
  }));
})();
