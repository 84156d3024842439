// scene.js - what was chosen: its defaults and stories, as a fragment of the address and as the scenario of each side.
"use strict";

// Output ports 0 to 3, whose queues are shown. Hosts 4 and 5 fill the first, 6 and 7 the last two, the others send the burst.
const QUEUES = ["long", "burst", "calm 1", "calm 2"];
const BURST = 1;
const FIRST_BURST_HOST = 8;
const PAYLOAD = 1448; // bytes in a full packet
const LATEST_US = 1e9; // of a link, which may say anything; a film is shorter

const SCENE = {
  a: { policy: "dt", params: {} }, b: { policy: "tdt", params: {} },
  burst: 60, senders: 4, load: 150, buffer: 400, react: 0, flip: 0, classes: 2,
};

const STORIES = [
  { name: "Make room ahead", set: { a: { policy: "dt", params: {} }, b: { policy: "tdt", params: {} } },
    about: "The long queue is overloaded all the time: no buffer can help it. DT lets it keep half of the memory, and the burst does not fit. "
      + "TDT has noticed the steady losses and evacuates it; when the burst comes, its port changes to absorption." },
  { name: "Take room back", set: { a: { policy: "dt", params: {} }, b: { policy: "occamy", params: {} } },
    about: "Occamy admits generously, and when the burst lowers the threshold, it expels packets of the long queue with memory bandwidth that nobody uses." },
  { name: "Push out", set: { a: { policy: "cs", params: {} }, b: { policy: "lqd", params: {} } },
    about: "Complete sharing admits while there is room, so the long queue owns the buffer. LQD lets the burst in and pushes out of the longest queue." },
  { name: "Careful or greedy", set: { a: { policy: "dt", params: { alpha: "0.5" } }, b: { policy: "dt", params: { alpha: "8" } } },
    about: "One rule, two values of α: at most α times the free buffer. A small α keeps memory free that nobody may use; a large one lets the long queue take nearly all. Drag them towards each other." },
  { name: "Predict", set: { a: { policy: "followlqd", params: {} }, b: { policy: "credence", params: {} } },
    about: "Credence may ask an oracle whether LQD would lose the packet in the end. Drag its wrong predictions up and see what is left of the gain." },
  { name: "Pause, do not drop", set: { a: { policy: "sih", params: {} }, b: { policy: "dsh", params: {} }, buffer: 1000, classes: 4, load: 120 },
    about: "Lossless classes: senders are told to pause, and what is still under way needs headroom. SIH reserves it for every queue of every input; "
      + "DSH keeps one per port and takes the rest from the shared pool." },
];

const sceneOf = (story) => ({ ...structuredClone(SCENE), ...structuredClone(story.set) });

// "#a=dt:alpha=2&b=tdt&burst=60": only what is not as usual.
const SIDE = (side) => [side.policy, ...Object.entries(side.params).map(([name, value]) => name + "=" + value)].join(":");
function toFragment(scene, timeNs) {
  const parts = ["a=" + encodeURIComponent(SIDE(scene.a)), "b=" + encodeURIComponent(SIDE(scene.b))];
  for (const key of ["burst", "senders", "load", "buffer", "react", "flip", "classes"])
    if (scene[key] !== SCENE[key]) parts.push(key + "=" + scene[key]);
  if (timeNs !== undefined) parts.push("t=" + (timeNs / 1000).toFixed(3));
  return "#" + parts.join("&");
}

// What a fragment says, as far as it can be used: links are written by anybody.
function fromFragment(fragment, catalogue, limits) {
  const scene = structuredClone(SCENE);
  let timeNs;
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    const key = part.slice(0, at);
    let value;
    try { value = decodeURIComponent(part.slice(at + 1)); } catch { continue; }
    if (key === "a" || key === "b") {
      const [policy, ...settings] = value.split(":");
      const known = catalogue.policies.find((p) => p.name === policy);
      if (!known) continue;
      scene[key] = { policy, params: {} };
      for (const setting of settings) {
        const [name, ...text] = setting.split("=");
        if (known.params.some((p) => p.name === name)) scene[key].params[name] = text.join("=");
      }
    } else if (key === "t" && value !== "" && Number(value) >= 0) {
      timeNs = Math.round(Math.min(LATEST_US, Number(value)) * 1000);
    } else if (Object.hasOwn(limits, key) && value !== "" && Number.isFinite(Number(value))) {
      scene[key] = Math.round(Math.min(limits[key][1], Math.max(limits[key][0], Number(value))));
    }
  }
  return { scene, timeNs };
}

const isLossless = (catalogue, side) => catalogue.policies.find((p) => p.name === side.policy).ingress;

// The moment at which the burst starts, and the end, in µs. UDP: the time is counted in buffers at the rate of a port, so
// that the long queue has met its limit, and TDT its losses, before the burst. TCP: it has found its window.
function timesOf(scene) {
  if (scene.react) return { burst: 4000, until: 8000 };
  const drain = scene.buffer * 0.8;
  return { burst: Math.round(2.6 * drain), until: Math.round((3.2 + scene.burst / 100) * drain) };
}

// Senders share the burst, and fill their packets.
function burstPackets(scene) {
  const bytes = scene.burst * scene.buffer * 10, share = Math.floor(bytes / scene.senders), larger = bytes % scene.senders;
  return larger * Math.ceil((share + 1) / PAYLOAD) + (scene.senders - larger) * Math.ceil(share / PAYLOAD);
}

// The scenario of one side. As JSON it is YAML, so `weir run` reads it too.
function scenarioOf(scene, which, catalogue) {
  const side = scene[which];
  const policy = catalogue.policies.find((p) => p.name === side.policy);
  const { burst, until } = timesOf(scene);
  const rule = { name: side.policy, ...side.params };
  const classes = "0-" + (scene.classes - 1);
  const sw = { buffer: scene.buffer + "KB", policy: policy.ingress ? "dt" : rule };
  if (policy.ingress) Object.assign(sw, { classes: scene.classes, lossless: classes, headroom: rule });
  if (policy.oracle)
    sw.oracle = scene.react ? { online: { every: 500, rows: 5000 }, flip: scene.flip + "%" } : { answers: "perfect", flip: scene.flip + "%" };
  const udp = (more) => ({ kind: "udp", ...(policy.ingress ? { class: classes } : {}), ...more });
  const transports = { calm: udp({ rate: "4Gbps", poisson: "yes" }) };
  if (scene.react) {
    transports.long = { kind: "cubic", max_window: 400, min_rto: "2ms" };
    transports.burst = { kind: "cubic", min_rto: "2ms", initial_window: "flow" };
  } else {
    transports.long = udp({ rate: Math.max(1, scene.load * 50) + "Mbps" });
    transports.burst = udp({ rate: "10Gbps" });
  }
  const traffic = [];
  if (scene.load > 0)
    traffic.push({ kind: "long", tag: "long", transport: "long", sources: "h4-h5", destinations: "h0", concurrency: 2 });
  traffic.push({ kind: "long", tag: "calm-1", transport: "calm", sources: "h6", destinations: "h2", concurrency: 1 });
  traffic.push({ kind: "long", tag: "calm-2", transport: "calm", sources: "h7", destinations: "h3", concurrency: 1 });
  traffic.push({ kind: "incast", tag: "burst", transport: "burst", sources: `h${FIRST_BURST_HOST}-h${FIRST_BURST_HOST + scene.senders - 1}`,
    destination: "h1", bytes: scene.burst + "% buffer", from: burst + "us" });
  const pfc = policy.ingress ? { pfc: { loss: "expected" } } : {};
  return { name: "playground", title: "A burst meets a long queue, under " + side.policy, until: until + "us",
    topology: { kind: "single", hosts: FIRST_BURST_HOST + scene.senders, rate: "10Gbps", delay: "1us" },
    switch: sw, ...pfc, wire: { mss: PAYLOAD + "B" }, transports, traffic };
}
const scenarioText = (...of) => JSON.stringify(scenarioOf(...of), null, 1);
