// draw.js - a moment of a film on a canvas, and the whole of it as a strip. A picture depends on the film and the time alone.
"use strict";

const QUEUE_COLOURS = ["--c0", "--c1", "--c2", "--c3"];
let inks = {};
function readInks() {
  const style = getComputedStyle(document.documentElement);
  inks = {};
  for (const name of ["--ground", "--panel", "--ink", "--faint", "--rule", "--grid", "--bad", "--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--c7"])
    inks[name] = style.getPropertyValue(name).trim();
}

// A canvas as sharp as the screen; sizes are in CSS pixels.
function pen(canvas, height) {
  const width = canvas.clientWidth || 300, dense = Math.min(devicePixelRatio || 1, 3);
  canvas.style.height = height + "px";
  if (canvas.width !== Math.round(width * dense) || canvas.height !== Math.round(height * dense)) {
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round(height * dense);
  }
  const to = canvas.getContext("2d");
  to.setTransform(dense, 0, 0, dense, 0, 0);
  to.clearRect(0, 0, width, height);
  to.font = "12px system-ui, sans-serif";
  to.textAlign = "center";
  to.lineJoin = "round";
  return { to, width, height };
}

function hatch(to, x, y, width, height, colour) {
  to.save();
  to.beginPath();
  to.rect(x, y, width, height);
  to.clip();
  to.strokeStyle = colour;
  to.lineWidth = 1;
  to.beginPath();
  for (let at = -height; at < width; at += 6) {
    to.moveTo(x + at, y + height);
    to.lineTo(x + at + height, y);
  }
  to.stroke();
  to.restore();
}

// `room`: its width, if others stand beside it. A text that is wider gets smaller.
function label(to, text, x, y, colour, weight = "", room = Infinity) {
  const font = (size) => { to.font = `${weight} ${size}px system-ui, sans-serif`; };
  font(12);
  const width = to.measureText(text).width;
  if (width > room) font(Math.max(8, (12 * room) / width));
  to.fillStyle = colour;
  to.fillText(text, x, y);
}

function cross(to, x, y, size) {
  to.beginPath();
  to.moveTo(x - size, y - size); to.lineTo(x + size, y + size);
  to.moveTo(x + size, y - size); to.lineTo(x - size, y + size);
  to.stroke();
}

// Where things stand: the tank, a lane per queue, and, for lossless classes, a lane per input below.
function plan(film, width, height) {
  const inputs = film.lossless ? Math.max(72, Math.min(112, Math.round(height * 0.3))) : 0, top = 40, bottom = height - inputs - (film.lossless ? 32 : 44);
  const tank = { x: 6, width: Math.max(60, width * 0.19) };
  const left = tank.x + tank.width + 28, each = (width - left - 4) / QUEUES.length;
  const lane = (port) => ({ x: left + each * port + each * 0.14, width: each * 0.72, middle: left + each * (port + 0.5), room: each - 4 });
  const yOf = (cells) => bottom - (Math.min(cells, film.buffer) / film.buffer) * (bottom - top);
  return { top, bottom, tank, lane, yOf, inputs };
}

function drawTank(to, film, row, at) {
  const { tank, top, bottom, yOf } = at;
  let floor = 0;
  // What lies in the headroom is drawn there: it is not known of which queue it is.
  const inside = row >= 0 && film.at(row, COLUMN.used) > 0 ? 1 - film.at(row, COLUMN.headroom) / film.at(row, COLUMN.used) : 1;
  for (let port = 0; port < QUEUES.length && row >= 0; port++) {
    const held = inside * film.output(row, port, OUTPUT.held);
    to.fillStyle = inks[QUEUE_COLOURS[port]];
    to.fillRect(tank.x, yOf(floor + held), tank.width, yOf(floor) - yOf(floor + held));
    floor += held;
  }
  if (film.headroom > 0) {
    const inUse = row >= 0 ? film.at(row, COLUMN.headroom) : 0, from = film.buffer - film.headroom;
    to.fillStyle = inks["--panel"];
    to.fillRect(tank.x, top, tank.width, yOf(from) - top);
    hatch(to, tank.x, top, tank.width, yOf(from) - top, inks["--c7"]);
    to.fillStyle = inks["--c7"];
    to.fillRect(tank.x, yOf(from + inUse), tank.width, yOf(from) - yOf(from + inUse));
    label(to, "headroom", tank.x + tank.width / 2, yOf(from) + 13, inks["--faint"], "", tank.width - 6);
  }
  to.strokeStyle = inks["--ink"];
  to.lineWidth = 2;
  to.strokeRect(tank.x, top, tank.width, bottom - top);
  const used = row >= 0 ? film.at(row, COLUMN.used) : 0;
  label(to, "buffer", tank.x + tank.width / 2, top - 22, inks["--faint"]);
  label(to, Math.round((100 * used) / film.buffer) + " % full", tank.x + tank.width / 2, top - 7, inks["--ink"], "600", tank.width);
}

function drawLane(to, film, row, port, at) {
  const lane = at.lane(port), held = row >= 0 ? film.output(row, port, OUTPUT.held) : 0;
  const limit = row >= 0 ? film.output(row, port, OUTPUT.limit) : -1;
  to.fillStyle = inks["--ground"];
  to.fillRect(lane.x, at.top, lane.width, at.bottom - at.top);
  to.fillStyle = inks[QUEUE_COLOURS[port]];
  to.fillRect(lane.x, at.yOf(held), lane.width, at.bottom - at.yOf(held));
  to.strokeStyle = inks["--rule"];
  to.lineWidth = 1;
  to.strokeRect(lane.x, at.top, lane.width, at.bottom - at.top);
  if (limit >= 0) {
    const y = at.yOf(limit);
    to.strokeStyle = inks["--ink"];
    to.lineWidth = 2;
    to.setLineDash([6, 3]);
    to.beginPath();
    to.moveTo(lane.x - 5, y);
    to.lineTo(lane.x + lane.width + 5, y);
    to.stroke();
    to.setLineDash([]);
    if (port === 0) {
      to.textAlign = "right";
      label(to, "limit", lane.x - 7, y + 4 < at.top + 8 ? at.top + 8 : y + 4, inks["--faint"]);
      to.textAlign = "center";
    }
  }
  label(to, QUEUES[port], lane.middle, at.bottom + 26, inks[QUEUE_COLOURS[port]], "600", lane.room);
  label(to, fmtBytes(held), lane.middle, at.top - 22, inks["--faint"], "", lane.room);
  const mode = row >= 0 ? film.modes[film.output(row, port, OUTPUT.mode)] : undefined;
  if (mode) label(to, mode, lane.middle, at.bottom + 40, mode === "normal" || mode === "controlled" ? inks["--faint"] : inks["--ink"], mode === "normal" ? "" : "600", lane.room);
}

// A packet on its way at `part` (0 to 1) of its time on the picture.
function drawEvent(to, film, row, part, at) {
  const kind = film.at(row, COLUMN.kind), port = film.at(row, COLUMN.output);
  if (port < 0 || port >= QUEUES.length) return;
  const lane = at.lane(port), surface = at.yOf(film.output(row, port, OUTPUT.held));
  const x = lane.x + 6 + (((row * 7919) % 97) / 97) * Math.max(1, lane.width - 12), gone = 1 - part;
  to.globalAlpha = Math.max(0.15, gone);
  if (kind === KIND.entered) {
    to.globalAlpha = 1;
    to.fillStyle = inks[QUEUE_COLOURS[port]];
    const from = at.top, y = from + (surface - from) * Math.min(1, part * 1.6);
    if (part < 0.65) to.fillRect(x - 3, Math.min(y, surface - 6), 6, 6);
  } else if (kind === KIND.sent) {
    to.fillStyle = inks[QUEUE_COLOURS[port]];
    to.fillRect(lane.middle - 3, at.bottom + 2 + part * 12, 6, 6);
  } else if (kind === KIND.refused) {
    to.strokeStyle = inks["--bad"];
    to.lineWidth = 2.5;
    const limit = film.output(row, port, OUTPUT.limit);
    const y = Math.max(at.top + 16, Math.min(limit >= 0 ? at.yOf(limit) : at.top, surface) - 8);
    cross(to, x, y - part * 14, 4.5);
  } else if (isLoss(kind)) {
    to.fillStyle = inks["--c4"];
    to.strokeStyle = inks["--c4"];
    to.lineWidth = 2.5;
    const y = kind === KIND.pushed ? surface : at.bottom - 12;
    cross(to, lane.x + lane.width + 2 + part * 16, y - part * 10, 4.5);
  }
  to.globalAlpha = 1;
}

// What the latest loss was, over its lane.
function drawReason(to, film, row, at, reasons) {
  const port = film.at(row, COLUMN.output), kind = film.at(row, COLUMN.kind);
  if (port < 0 || port >= QUEUES.length) return;
  const reason = reasons[film.at(row, COLUMN.reason)], text = kind === KIND.refused ? REASONS[reason]?.label ?? reason : LABELS[kind];
  const lane = at.lane(port);
  label(to, text, lane.middle, at.top - 7, kind === KIND.refused ? inks["--bad"] : inks["--c4"], "600", lane.room);
}

function usedInputs(film) {
  if (!film.inputList) {
    film.inputList = [];
    for (let port = 0; port < film.inputs; port++)
      for (let row = 0; row < film.count; row++)
        if (film.input(row, port, INPUT.held) > 0) { film.inputList.push(port); break; }
  }
  return film.inputList;
}

function drawInputs(to, film, row, at, width, height) {
  const list = usedInputs(film), top = height - at.inputs + 20, bottom = height - 18, each = (width - 8) / Math.max(1, list.length);
  let most = 1;
  for (const port of list) most = Math.max(most, (film.inputPeak ??= {})[port] ??= peakOf(film, port));
  to.textAlign = "left";
  label(to, "what each sender holds, and the line at which it is paused", 4, top - 5, inks["--faint"], "", width - 8);
  to.textAlign = "center";
  list.forEach((port, i) => {
    const x = 4 + each * i + each * 0.15, wide = each * 0.7, y = (cells) => bottom - (Math.min(cells, most) / most) * (bottom - top);
    const held = row >= 0 ? film.input(row, port, INPUT.held) : 0, extra = row >= 0 ? film.input(row, port, INPUT.headroom) : 0;
    const paused = row >= 0 ? film.input(row, port, INPUT.paused) : 0, limit = row >= 0 ? film.input(row, port, INPUT.limit) : 0;
    to.fillStyle = inks["--ground"];
    to.fillRect(x, top, wide, bottom - top);
    to.fillStyle = inks[port < 6 ? "--c0" : port < 8 ? "--c2" : "--c1"];
    to.fillRect(x, y(held - extra), wide, bottom - y(held - extra));
    to.fillStyle = inks["--c7"];
    to.fillRect(x, y(held), wide, y(held - extra) - y(held));
    to.strokeStyle = paused ? inks["--c7"] : inks["--rule"];
    to.lineWidth = paused ? 2 : 1;
    to.strokeRect(x, top, wide, bottom - top);
    if (limit > 0 && limit < most) {
      to.strokeStyle = inks["--ink"];
      to.lineWidth = 1.5;
      to.beginPath(); to.moveTo(x - 2, y(limit)); to.lineTo(x + wide + 2, y(limit)); to.stroke();
    }
    if (paused) {
      to.fillStyle = inks["--ground"];
      to.fillRect(x + wide / 2 - 9, top + 2, 18, 18);
      to.fillStyle = inks["--c7"];
      to.fillRect(x + wide / 2 - 5, top + 5, 3.5, 12);
      to.fillRect(x + wide / 2 + 1.5, top + 5, 3.5, 12);
    }
    label(to, "h" + port, x + wide / 2, bottom + 14, paused ? inks["--c7"] : inks["--faint"], paused ? "600" : "", each - 2);
  });
}

function peakOf(film, port) {
  let peak = 0;
  for (let row = 0; row < film.count; row++) peak = Math.max(peak, film.input(row, port, INPUT.held));
  return peak;
}

// The switch at a time, on a picture `high` pixels high; events stay on it for `stay` ns.
function drawSwitch(canvas, high, film, timeNs, stay, reasons) {
  const { to, width, height } = pen(canvas, high);
  const row = film.rowAt(timeNs), at = plan(film, width, height);
  drawTank(to, film, row, at);
  for (let port = 0; port < QUEUES.length; port++) drawLane(to, film, row, port, at);
  let lost = -1;
  for (let i = row; i >= 0 && timeNs - film.time(i) < stay; i--) {
    drawEvent(to, film, i, (timeNs - film.time(i)) / stay, at);
    if (lost < 0 && isLoss(film.at(i, COLUMN.kind)) && film.at(i, COLUMN.output) < QUEUES.length) lost = i;
  }
  if (lost >= 0) drawReason(to, film, lost, at, reasons);
  if (film.lossless) drawInputs(to, film, row, at, width, height);
}

// The whole film: who holds the buffer over time, losses above, pauses below. Kept as a picture until something changes.
function drawStrip(canvas, film, untilNs, burstNs) {
  const { to, width, height } = pen(canvas, 48);
  const top = 10, bottom = height - 4, y = (cells) => bottom - (cells / film.buffer) * (bottom - top);
  let loss = 0;
  for (let x = 0; x < width; x++) {
    const row = film.rowAt(((x + 1) / width) * untilNs);
    let floor = 0;
    for (let port = 0; port < QUEUES.length && row >= 0; port++) {
      const held = film.output(row, port, OUTPUT.held);
      to.fillStyle = inks[QUEUE_COLOURS[port]];
      to.fillRect(x, y(floor + held), 1.2, y(floor) - y(floor + held));
      floor += held;
    }
    let worst = -1, paused = false;
    for (; loss <= row; loss++) {
      const kind = film.at(loss, COLUMN.kind);
      paused ||= kind === KIND.paused;
      if (isLoss(kind)) worst = film.at(loss, COLUMN.output) === BURST ? BURST : Math.max(worst, 0);
    }
    if (worst >= 0) {
      to.fillStyle = worst === BURST ? inks["--bad"] : inks["--faint"];
      to.fillRect(x, worst === BURST ? 0 : 3, 1.2, worst === BURST ? 8 : 4);
    }
    if (paused) {
      to.fillStyle = inks["--c7"];
      to.fillRect(x, 1, 1.2, 6);
    }
  }
  const x = (burstNs / untilNs) * width;
  to.strokeStyle = inks["--faint"];
  to.setLineDash([2, 3]);
  to.beginPath(); to.moveTo(x, 10); to.lineTo(x, bottom); to.stroke();
  to.setLineDash([]);
  to.fillStyle = inks["--ground"];
  to.globalAlpha = 0.8;
  to.fillRect(x - 52, 11, 50, 15);
  to.globalAlpha = 1;
  to.textAlign = "right";
  label(to, "burst →", x - 4, 22, inks["--ink"]);
  canvas.picture = document.createElement("canvas");
  canvas.picture.width = canvas.width;
  canvas.picture.height = canvas.height;
  canvas.picture.getContext("2d").drawImage(canvas, 0, 0);
}

function drawCursor(canvas, part) {
  const to = canvas.getContext("2d");
  if (!canvas.picture) return;
  to.setTransform(1, 0, 0, 1, 0, 0);
  to.clearRect(0, 0, canvas.width, canvas.height);
  to.drawImage(canvas.picture, 0, 0);
  to.fillStyle = inks["--ink"];
  const wide = Math.max(2, canvas.width / canvas.clientWidth * 2);
  to.fillRect(part * canvas.width - wide / 2, 0, wide, canvas.height);
}
