// page_draw.js - what uPlot does not draw by itself: bars in groups, error bars, and a mark of its own shape per line.
// Shapes, dashes and fills are those of drawing.c and picture.c.
"use strict";
const weirDraw = (() => {
  const dashes = [[], [9, 6], [0, 9.5, 5, 0.5], [9, 3, 2, 3]];
  const fills = ["ff", "8c", "40", "00"]; // opacity of bars, by pattern
  const group = 0.8; // fraction of a group's width that its bars take

  // -1: of text; -2: of what is only behind something; -3: of the grid. Asking for a style costs a layout: once per theme.
  const colours = new Map();
  function colour(number) {
    if (!colours.has(number)) {
      const name = number === -3 ? "--grid" : number === -2 ? "--rule" : number < 0 ? "--ink" : "--c" + number;
      colours.set(number, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    }
    return colours.get(number);
  }
  document.addEventListener("weir-theme", () => colours.clear());

  const grey = 5;
  const lineColour = (line) => colour(line.faint ? -2 : line.colour);
  const fillOf = (line) => colour(line.colour) + fills[line.pattern];

  // A logarithmic axis has no place for zero.
  const hasPlace = (chart, x, y) => y !== null && x !== null && !(chart.logY && y <= 0) && !(chart.logX && x <= 0);

  function mark(context, shape, x, y, r) {
    const polygon = (...points) => points.forEach(([dx, dy], i) => context[i ? "lineTo" : "moveTo"](x + dx, y + dy));
    context.beginPath();
    switch (shape) {
      case 1: context.rect(x - r, y - r, 2 * r, 2 * r); break;
      case 2: polygon([0, -r * 1.25], [r * 1.25, r], [-r * 1.25, r], [0, -r * 1.25]); break;
      case 3: polygon([0, -r * 1.3], [r * 1.3, 0], [0, r * 1.3], [-r * 1.3, 0], [0, -r * 1.3]); break;
      case 4: polygon([0, r * 1.25], [r * 1.25, -r], [-r * 1.25, -r], [0, r * 1.25]); break;
      case 5: polygon([-r, -r], [r, r]); polygon([-r, r], [r, -r]); break;
      case 6: polygon([0, -r * 1.3], [0, r * 1.3]); polygon([-r * 1.3, 0], [r * 1.3, 0]); break;
      case 7: polygon([-r, -r], [r, -r], [r, 0], [-r, 0], [-r, -r]); break;
      default: context.arc(x, y, r, 0, 2 * Math.PI);
    }
    context.fill();
    context.stroke();
  }

  // Left edge and width of the bar of line `which` at x, in units of x.
  const barOf = (count, which, x) => ({ left: x - group / 2 + (which * group) / count, width: group / count });

  // Lines with intervals stand a little beside each other, each with its marks and its intervals, so that none hides
  // another; in pixels of the canvas. picture.c has the same rule.
  function dodge(u, chart, which) {
    const count = chart.lines.length;
    const spread = chart.lines.filter((line) => line.low && line.low.some((low, i) => low !== null && line.high[i] > low));
    if (chart.bars || spread.length < 2) return 0;
    const points = Math.max(1, ...spread.map((line) => line.x.length));
    return Math.min(3 * devicePixelRatio, (0.5 * u.bbox.width) / points / count) * (which - 0.5 * (count - 1));
  }

  // The path of a line through where its marks stand.
  function line(chart, which) {
    return (u, ...range) => {
      const path = uPlot.paths.linear()(u, ...range);
      const by = dodge(u, chart, which);
      if (!path || by === 0) return path;
      const moved = (part) => {
        const copy = new Path2D();
        copy.addPath(part, new DOMMatrix().translateSelf(by, 0));
        return copy;
      };
      return { ...path, stroke: moved(path.stroke), clip: path.clip && moved(path.clip) };
    };
  }

  function bars(chart, which) {
    return (u) => {
      const path = new Path2D();
      if (!chart.colours) chart.lines[which].x.forEach((_, i) => addBar(u, chart, which, i, path));
      return { stroke: path, fill: path, flags: 1 };
    };
  }

  function addBar(u, chart, which, i, path) {
    const scale = u.scales.y;
    const base = u.valToPos(chart.logY ? scale.min : Math.max(0, scale.min), "y", true);
    const [x, y] = [chart.lines[which].x[i], chart.lines[which].y[i]];
    if (!hasPlace(chart, x, y)) return;
    const bar = barOf(chart.lines.length, which, x);
    const from = u.valToPos(bar.left + 0.04 * bar.width, "x", true);
    const to = u.valToPos(bar.left + 0.96 * bar.width, "x", true);
    const top = u.valToPos(y, "y", true);
    path.rect(from, Math.min(top, base), to - from, Math.abs(base - top));
  }

  // Bars whose places have colours of their own.
  function colourBars(u, chart, which) {
    const line = chart.lines[which];
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    u.ctx.clip();
    u.ctx.lineWidth = devicePixelRatio;
    line.x.forEach((_, i) => {
      const path = new Path2D();
      addBar(u, chart, which, i, path);
      u.ctx.fillStyle = colour(chart.colours[i]) + fills[line.pattern];
      u.ctx.strokeStyle = colour(chart.colours[i]);
      u.ctx.fill(path);
      if (line.pattern > 0) u.ctx.stroke(path);
    });
    u.ctx.restore();
  }

  // An error bar at pixel x, as far as it is within the axes.
  function whisker(u, x, low, high) {
    const { top, height } = u.bbox;
    const within = (value) => Math.min(Math.max(value, top), top + height);
    const cap = 4 * devicePixelRatio;
    const place = (value) => (u.scales.y.distr === 3 && value <= 0 ? top + height : u.valToPos(value, "y", true));
    const [from, to] = [within(place(low)), within(place(high))];
    u.ctx.beginPath();
    u.ctx.moveTo(x, from);
    u.ctx.lineTo(x, to);
    for (const y of [from, to]) {
      u.ctx.moveTo(x - cap, y);
      u.ctx.lineTo(x + cap, y);
    }
    u.ctx.stroke();
  }

  // Beside a point that unfinished flows or queries make a bound, or that leaves them out.
  function sign(u, text, x, y) {
    u.ctx.save();
    u.ctx.font = 14 * devicePixelRatio + "px system-ui, sans-serif";
    u.ctx.fillStyle = colour(-1);
    u.ctx.fillText(text, x + 4 * devicePixelRatio, y - 3 * devicePixelRatio);
    u.ctx.restore();
  }

  function pointsOf(u, chart, which) {
    const line = chart.lines[which];
    const { left, top, width, height } = u.bbox;
    const aside = dodge(u, chart, which);
    u.ctx.save();
    u.ctx.setLineDash([]); // the line's own are not for its marks
    u.ctx.lineWidth = 1.3 * devicePixelRatio;
    u.ctx.fillStyle = colour(line.colour);
    u.ctx.strokeStyle = colour(chart.bars ? -1 : line.colour);
    line.x.forEach((value, i) => {
      if (!hasPlace(chart, value, line.y[i])) return;
      const bar = barOf(chart.lines.length, which, value);
      const x = u.valToPos(chart.bars ? bar.left + bar.width / 2 : value, "x", true) + aside;
      const y = u.valToPos(line.y[i], "y", true);
      if (x < left - 1 || x > left + width + 1) return;
      if (line.low && line.low[i] !== null) whisker(u, x, line.low[i], line.high[i]);
      if (!chart.bars && y >= top - 1 && y <= top + height + 1)
        mark(u.ctx, line.colour, x, y, 3.6 * devicePixelRatio);
      if (line.signs && line.signs[i]) sign(u, line.signs[i], x, y);
    });
    u.ctx.restore();
  }

  // The plugin: after each line, its marks and error bars.
  const plugin = (chart) => ({
    hooks: {
      drawSeries: (u, index) => {
        const line = chart.lines[index - 1];
        if (line && chart.colours && u.series[index].show) colourBars(u, chart, index - 1);
        if (line && u.series[index].show && (line.markers || line.low || line.signs)) pointsOf(u, chart, index - 1);
      },
    },
  });

  // What a line looks like, for the legend.
  function sample(canvas, chart, line) {
    const ratio = devicePixelRatio;
    const context = canvas.getContext("2d");
    canvas.width = 28 * ratio;
    canvas.height = 14 * ratio;
    context.scale(ratio, ratio);
    context.strokeStyle = context.fillStyle = chart.colours ? colour(grey) : lineColour(line);
    if (chart.bars) {
      context.fillStyle = colour(chart.colours ? grey : line.colour) + fills[line.pattern];
      context.fillRect(8, 2, 13, 10);
      context.strokeRect(8.5, 2.5, 12, 9);
      return;
    }
    context.lineWidth = 1.8;
    context.setLineDash(dashes[line.pattern]);
    context.lineDashOffset = line.pattern === 2 ? 6 : 0; // beside the mark
    context.beginPath();
    context.moveTo(0, 7);
    context.lineTo(28, 7);
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = 1.3;
    if (line.markers) mark(context, line.colour, 14, 7, 3.4);
  }

  return { dashes, colour, lineColour, fillOf, hasPlace, bars, line, plugin, sample };
})();
