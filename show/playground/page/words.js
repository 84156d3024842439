// words.js - what is seen, in words: a sentence for the present moment, and the terms behind it.
"use strict";

// Of refusals: over a lane, and in a sentence.
const REASONS = {
  "no-room": { label: "buffer full", text: "the buffer is full" },
  "over-threshold": { label: "over limit", text: "its queue is at its limit" },
  "predicted": { label: "predicted", text: "the oracle says that LQD would lose it in the end" },
  "no-descriptor": { label: "no descriptor", text: "no descriptor is free" },
  "too-large": { label: "too large", text: "it is larger than the buffer" },
};

const MODES = {
  normal: "obeys DT",
  absorption: "seems to get a burst and may take an equal part",
  evacuation: "keeps losing, and is driven down to its even split",
  controlled: "obeys DT",
  uncontrolled: "seems to get a burst and may take an equal part for a while",
};

const TERMS = [
  ["limit", "The dashed line: what the policy lets a queue hold right now. Under DT it is α times the free buffer, so it falls for all queues as the buffer fills."],
  ["refused", "The packet does not enter: its queue is at its limit, or the buffer is full. A red cross."],
  ["pushed out", "A packet that was in the buffer makes room for one that arrives (LQD)."],
  ["expelled", "The head of a queue above its limit is dropped in memory bandwidth that no port uses (Occamy): room comes back faster than the port could send."],
  ["absorption, evacuation", "TDT's states. A queue that grows fast without loss absorbs and may take an equal part of the buffer; one that keeps losing is evacuated down to its even split."],
  ["prediction", "Credence asks an oracle whether LQD would lose the packet in the end, and refuses it at once if so; a queue below its share of LQD's is never refused."],
  ["pause", "A lossless class is not dropped: its sender is told to stop (PFC). A pause takes a round trip to work."],
  ["headroom", "What is still under way when a pause was sent needs room: hatched. SIH reserves it for every queue, DSH once per input port, and takes the rest from the shared pool when it is needed."],
];

const fmtBytes = (bytes) => (bytes >= 1e6 ? (bytes / 1e6).toPrecision(3) + " MB" : (bytes / 1000).toFixed(bytes && bytes < 1e5 ? 1 : 0) + " KB");
const fmtTime = (ns) => (ns / 1000).toFixed(ns % 1000 ? 2 : 0) + " µs";
const fmtCount = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const queueName = (port) => (port < QUEUES.length ? "the " + QUEUES[port] + " queue" : "the way back to h" + port);

// Of some rows, the one that matters most; the burst is what it is about.
const WEIGHT = [2, 6, 1, 7, 7, 7, 5, 4];
function mainRow(film, from, to) {
  const weight = (row) => 2 * WEIGHT[film.at(row, COLUMN.kind)] + (film.at(row, COLUMN.output) === BURST ? 3 : 0);
  let best = from;
  for (let i = from; i <= to; i++) if (weight(i) >= weight(best)) best = i;
  return best;
}

const LABELS = ["enters", "refused", "leaves", "pushed out", "expelled", "dropped", "pause", "resume"];
function sentence(film, row, reasons) {
  const kind = film.at(row, COLUMN.kind), port = film.at(row, COLUMN.output), input = film.at(row, COLUMN.input);
  const held = port >= 0 ? film.output(row, port, OUTPUT.held) : 0, limit = port >= 0 ? film.output(row, port, OUTPUT.limit) : -1;
  const room = fmtBytes(held) + (limit >= 0 && limit < film.buffer ? " of the " + fmtBytes(limit) + " it may" : "");
  switch (kind) {
  case KIND.entered: return `A packet enters ${queueName(port)}, which holds ${room}.`;
  case KIND.refused: {
    const reason = reasons[film.at(row, COLUMN.reason)];
    return `A packet for ${queueName(port)} is refused: ${REASONS[reason]?.text ?? reason}. It holds ${room}; ${fmtBytes(film.buffer - film.at(row, COLUMN.used))} of the buffer are free.`;
  }
  case KIND.sent: return `A packet leaves ${queueName(port)}, which still holds ${fmtBytes(held)}.`;
  case KIND.pushed: return `A packet of ${queueName(port)} is pushed out, to make room for the one that arrives. It still holds ${fmtBytes(held)}.`;
  case KIND.expelled: return `The head of ${queueName(port)} is expelled in spare memory bandwidth: it holds ${room}.`;
  case KIND.dropped: return `A packet of ${queueName(port)} is dropped when it was about to leave.`;
  case KIND.paused: return `Sender h${input} is told to ${film.input(row, input, INPUT.paused) === 2 ? "pause all of its classes" : "pause"}: its packets hold ${fmtBytes(film.input(row, input, INPUT.held))}. `
    + "What it has sent meanwhile still needs room.";
  default: return `Sender h${input} may send again.`;
  }
}

// The modes that queues are in, where the policy has any.
function modesNow(film, row) {
  const said = [];
  for (let port = 0; port < 2; port++) {
    const mode = film.modes[film.output(row, port, OUTPUT.mode)];
    if (mode && mode !== "normal" && mode !== "controlled") said.push([queueName(port), mode, MODES[mode] || ""]);
  }
  return said;
}

// What came of it: [the burst's fate, good or bad, the rest]. A burst has as many packets as its senders were given, whatever
// is lost and sent again.
function outcome(film, scene, burstNs) {
  const burst = film.totals(BURST), long = film.totals(0), packets = burstPackets(scene);
  const lost = fmtCount(burst.lost), all = fmtCount(packets);
  let fate = `The burst fits: none of ${all} packets lost`;
  if (burst.lost) fate = scene.react ? `${lost} losses among ${all} burst packets` : `${lost} of ${all} burst packets lost`;
  else if (burst.sent < packets) fate = `None of ${all} burst packets lost so far, ${fmtCount(packets - burst.sent)} not through yet`;
  const rest = [];
  if (burst.last > burstNs) rest.push(`${burst.lost || burst.sent < packets ? "the rest" : "all"} through after ${fmtTime(Math.round((burst.last - burstNs) / 1000) * 1000)}`);
  if (long.offered) rest.push(`long queue: ${Math.round((100 * long.lost) / long.offered)} % lost, up to ${fmtBytes(long.peak)}`);
  if (film.lossless) rest.push(`${fmtCount(film.countOf(KIND.paused))} pauses`, `${Math.round((100 * film.headroom) / film.buffer)} % headroom`);
  return { fate, good: burst.lost === 0, rest: rest.join(", ") };
}
