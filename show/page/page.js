// page.js - puts an interactive chart in place of each drawing. Every chart can be read by pointer, by keyboard and by
// a screen reader; without uPlot the drawings stay.
"use strict";
(() => {
  const data = document.getElementById("data");
  if (typeof uPlot !== "function" || !data) return;
  const charts = JSON.parse(data.textContent);
  const made = []; // what stands in place of each drawing

  function element(tag, className, parent) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    parent.append(made);
    return made;
  }

  // The rules of scale_text: "12 000", "2×10⁷".
  function plain(number) {
    const size = Math.abs(number);
    if (size >= 1e7 || (size > 0 && size < 1e-4)) {
      const [mantissa, power] = number.toExponential(4).split("e");
      const raised = [...String(Number(power))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");
      return (Number(mantissa) === 1 ? "" : Number(mantissa) + "×") + "10" + raised;
    }
    const [whole, rest] = number.toString().split(".");
    const grouped = whole.replace("-", "").length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
    return rest ? grouped + "." + rest : grouped;
  }

  function text(number, unit) {
    if (number === null || number === undefined || !isFinite(number)) return "–";
    const shown = plain(Number(number.toPrecision(4)));
    return unit ? shown + (unit === "×" ? "" : " ") + unit : shown;
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
    const stroke = () => weirDraw.lineColour(line);
    const series = { label: line.label, stroke, width: line.rule || line.faint ? 1 : 1.8, dash: weirDraw.dashes[line.pattern], points: { show: false } };
    if (chart.bars) return { ...series, paths: weirDraw.bars(chart, which), fill: () => weirDraw.fillOf(line),
      width: line.pattern > 0 ? 1 : 0, dash: [] };
    series.paths = line.steps ? uPlot.paths.stepped({ align: 1 }) : weirDraw.line(chart, which);
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

  // The points themselves, where they are few and their labels do not touch.
  function placesOf(chart, min, max, width) {
    const places = chart.places.filter((place) => place >= min && place <= max);
    const part = (a, b) => (chart.logX ? Math.log(b / a) / Math.log(max / min) : (b - a) / (max - min));
    const wide = places.every((place, i) => i === 0 || part(places[i - 1], place) * width >= 40);
    return places.length > 1 && wide ? places : null;
  }

  function axisOf(view, which) {
    const { chart } = view;
    const title = which === "x" ? chart.xTitle : chart.yTitle;
    const log = which === "x" ? chart.logX : chart.logY;
    const axis = {
      scale: which, label: title, labelSize: 22, labelGap: 2, font: "12px system-ui, sans-serif",
      labelFont: titleFont(title, which === "x" ? view.plot.clientWidth - 60 : heightOf(view) - 60),
      stroke: () => weirDraw.colour(-1),
      values: (u, splits) => splits.map((split) => plain(Number(split.toPrecision(6)))),
      grid: { stroke: () => weirDraw.colour(-3), width: 1 },
      ticks: { show: false },
    };
    if (log) {
      axis.filter = (u, splits) => splits;
      const most = (u) => Math.max(2, which === "x" ? (u.width - 70) / 48 : (u.height - 60) / 30);
      axis.splits = (u, index, min, max) => splitsLog(min, max, most(u));
    }
    if (which === "x" && chart.places) {
      const rest = axis.splits ?? ((u, index, min, max) => splitsLinear(min, max, (u.width - 70) / 56));
      axis.splits = (u, index, min, max) => placesOf(chart, min, max, u.width - 70) ?? rest(u, index, min, max);
      axis.filter = (u, splits) => splits;
    }
    const wanted = which === "x" ? chart.ticksX : chart.ticksY;
    if (wanted) {
      axis.splits = (u, index, min, max) => wanted.filter((tick) => tick >= min && tick <= max);
      axis.filter = (u, splits) => splits;
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
    const tip = element("div", "tip", plot);
    tip.setAttribute("aria-hidden", "true"); // a screen reader hears the same
    (figure.querySelector(".still") ?? figure.lastChild).after(plot, at, legend, spoken);
    plot.tabIndex = 0;
    plot.setAttribute("role", "application");
    plot.setAttribute("aria-roledescription", "chart");
    plot.setAttribute("aria-label", chart.title + ". Arrow keys read the values, Escape shows the whole range.");
    spoken.setAttribute("aria-live", "polite");
    const data = uPlot.join(chart.lines.map((line) => drawn(chart, line)));
    const marks = chart.lines.some((line) => line.markers) && !chart.names;
    const rangeX = marks ? widen(chart.rangeX, chart.logX) : chart.rangeX;
    return { chart, rangeX, plot, at, legend, spoken, tip, data, outputs: [], samples: [], zoomed: { on: false }, keyed: false };
  }

  function showValues(view, u) {
    const index = u.cursor.idx;
    const x = index === null || index === undefined ? null : view.data[0][index];
    view.at.textContent = x === null ? "" : view.chart.xTitle.replace(/ \([^)]*\)$/, "") + ": " + nameAt(view.chart, x);
    view.outputs.forEach((output, i) => {
      output.textContent = x === null ? "" : valueAt(view.chart, view.chart.lines[i], x);
      output.parentNode.parentNode.hidden = !u.series[i + 1].show;
    });
    placeTip(view, u, x);
    if (!view.keyed || x === null) return;
    view.keyed = false;
    view.spoken.textContent = [view.at.textContent,
      ...view.chart.lines.map((line, i) => (u.series[i + 1].show ? line.label + " " + valueAt(view.chart, line, x) : ""))
        .filter(Boolean)].join(", ");
  }

  // The values at the pointer, on the side of the chart where the pointer is not.
  function placeTip(view, u, x) {
    view.tip.hidden = x === null;
    if (x === null) return;
    view.tip.classList.toggle("left", u.cursor.left > u.over.clientWidth / 2);
    view.tip.style.setProperty("--edge", u.over.offsetLeft + 6 + "px");
  }

  function addOutput(view, line) {
    const row = element("p", "", view.tip);
    const canvas = element("canvas", "", row);
    weirDraw.sample(canvas, view.chart, line);
    view.samples.push([canvas, line]);
    element("span", "", row).textContent = line.label;
    view.outputs.push(element("span", "", element("output", "", row)));
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
      view.samples.push([canvas, line]);
      element("span", "", name).textContent = line.label;
      addOutput(view, line);
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

  const heightOf = (view) => Math.round(Math.min(380, Math.max(view.small ? 160 : 240, view.plot.clientWidth * 0.6)));

  // Seed by seed: [mean, half of the interval] of what each seed has over what it has at the base.
  function ratio(chart, line, i, base, j) {
    const quotients = [];
    for (let s = 0; s < chart.seeds; s++) {
      const [a, b] = [line.seeds[i * chart.seeds + s], base.seeds[j * chart.seeds + s]];
      if (a !== null && b !== null && b !== 0) quotients.push(a / b);
    }
    if (!quotients.length) return [null, null];
    const mean = quotients.reduce((a, b) => a + b) / quotients.length;
    if (quotients.length < 2) return [mean, null];
    const variance = quotients.reduce((sum, q) => sum + (q - mean) ** 2, 0) / (quotients.length - 1);
    return [mean, chart.students[quotients.length - 2] * Math.sqrt(variance / quotients.length)];
  }

  // What a chart can be relative to: a line, or a bar of each line.
  const canRelate = (chart, label) => chart.seeds && !chart.heat
    && (chart.lines.length > 1 ? chart.lines.some((line) => line.label === label) : chart.names && chart.names.includes(label));

  function relative(chart, label) {
    if (!label || !canRelate(chart, label)) return chart;
    const base = chart.lines.length > 1 ? chart.lines.find((line) => line.label === label) : null;
    const lines = chart.lines.map((line) => {
      const all = line.x.map((_, i) => (base ? ratio(chart, line, i, base, i) : ratio(chart, line, i, line, chart.names.indexOf(label))));
      const whisker = (sign) => all.map(([mean, half]) => (mean === null || half === null ? null : Math.max(0, mean + sign * half)));
      return { ...line, y: all.map(([mean]) => mean), low: line.low ? whisker(-1) : undefined, high: line.low ? whisker(1) : undefined };
    });
    const numbers = lines.flatMap((line) => [...line.y, ...(line.low ?? []), ...(line.high ?? [])]).filter((y) => y !== null && (!chart.logY || y > 0));
    const [least, most] = [Math.min(1, ...numbers), Math.max(1, ...numbers)];
    const rangeY = chart.logY ? [least / 1.2, most * 1.2] : [Math.min(0, least), most * 1.05];
    return { ...chart, lines, rangeY, ticksY: undefined, yUnit: "×", yTitle: chart.yTitle.replace(/ \([^)]*\)$/, "") + ", relative to " + label };
  }

  // One chart, its parts and how to take it away again.
  function draw(chart, figure, small) {
    const view = build(chart, figure);
    view.small = small;
    const u = new uPlot(optionsOf(view), view.data, view.plot);
    addLegend(view, u);
    addSigns(view);
    addKeys(view, u);
    view.legend.hidden = small || chart.noLegend || (chart.lines.length === 1 && !chart.signs.length && !chart.lines[0].rule);
    return { view, u, remove: () => { u.destroy(); [view.plot, view.at, view.legend, view.spoken].forEach((part) => part.remove()); } };
  }

  // Small multiples: a chart per line, with the others faint behind it, on the same scales.
  function drawSmall(chart, figure) {
    const grid = element("div", "multiples", figure);
    figure.querySelector(".still").after(grid);
    const parts = chart.lines.filter((line) => !line.rule).map((line) => {
      const part = element("div", "", grid);
      element("h4", "", part).textContent = line.label;
      const others = chart.lines.filter((other) => other !== line).map((other) => ({ ...other, faint: true, low: undefined, high: undefined, signs: undefined, markers: 0 }));
      return draw({ ...chart, title: chart.title + ": " + line.label, lines: [...others, line], signs: [] }, part, true);
    });
    return { parts, remove: () => { parts.forEach((part) => part.remove()); grid.remove(); } };
  }

  const MANY = 8; // lines: more of them have colours twice
  document.documentElement.classList.add("live");
  function show(entry) {
    if (entry.drawn) entry.drawn.remove();
    const chart = relative(entry.chart, entry.base);
    entry.drawn = entry.apart ? drawSmall(chart, entry.figure) : draw(chart, entry.figure, false);
  }

  // The button that shows lines apart, where there are several.
  function addApart(entry) {
    const button = element("button", "apart", entry.figure);
    const name = () => { button.textContent = entry.apart ? "All lines in one chart" : "Each line apart"; };
    button.type = "button";
    name();
    entry.figure.querySelector("h3").before(button);
    button.addEventListener("click", () => { entry.apart = !entry.apart; name(); show(entry); });
  }

  charts.forEach((chart, number) => {
    const figure = document.getElementById("chart-" + number);
    if (!chart.lines.length || !figure || chart.heat) return;
    const entry = { chart, figure, base: "", apart: !chart.bars && chart.lines.length > MANY };
    if (!chart.bars && chart.seeds && chart.lines.length > 2) addApart(entry);
    show(entry);
    made.push(entry);
  });

  // The view relative to one policy, or to whatever else charts compare.
  const labels = [...new Set(charts.flatMap((chart) => (chart.lines.length > 1 ? chart.lines.map((line) => line.label) : chart.names ?? [])))]
    .filter((label) => charts.some((chart) => canRelate(chart, label)));
  if (labels.length > 1) {
    const box = document.createElement("p");
    box.className = "relate";
    const label = element("label", "", box);
    label.append("Show numbers relative to ");
    const select = element("select", "", label);
    select.id = "relative";
    for (const name of ["", ...labels]) {
      const option = element("option", "", select);
      option.value = name;
      option.textContent = name || "nothing: as they are";
    }
    select.addEventListener("change", () => made.forEach((entry) => {
      entry.base = select.value;
      if (canRelate(entry.chart, select.value) || !select.value) show(entry);
    }));
    document.querySelector("#charts .charts").before(box);
  }

  const standing = () => made.flatMap((entry) => entry.drawn.parts ?? [entry.drawn]);
  addEventListener("resize", () => standing().forEach(({ view, u }) => {
    if (view.plot.clientWidth > 0) u.setSize({ width: view.plot.clientWidth, height: heightOf(view) });
  }));
  document.addEventListener("weir-theme", () => standing().forEach(({ view, u }) => {
    u.redraw(false);
    view.samples.forEach(([canvas, line]) => weirDraw.sample(canvas, view.chart, line));
  }));
})();
