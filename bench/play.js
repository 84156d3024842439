#!/usr/bin/env node
// play.js - how fast films are made in WebAssembly (node's engine is Chromium's) beside the native program, in one run.
//
//   play.js RELEASE WASI [OUT.json]    folders of the two builds
//
// Scenarios are the playground's own. Processor time counts, the least of all rounds; the two take turns, so that what else
// the machine does meets both.
"use strict";
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const vm = require("node:vm");

const [release, wasmBuild, out] = process.argv.slice(2);
const program = path.resolve(wasmBuild ?? "", "show/playground/wasm/playground.wasm");
if (!fs.existsSync(program)) {
  console.log("bench/play.js: without WebAssembly: `make playground` was not run");
  process.exit(0);
}
const TURNS = 5, ROUNDS = 8;
const page = path.join(__dirname, "..", "show", "playground", "page");
const { sceneOf, scenarioText, STORIES, openSimulator } = vm.runInNewContext(
  ["film.js", "scene.js"].map((name) => fs.readFileSync(path.join(page, name), "utf8")).join("") + "; ({ sceneOf, scenarioText, STORIES, openSimulator })",
  { structuredClone, TextDecoder, TextEncoder, WebAssembly });

// Most of it is not on the film: the simulator alone.
const FABRIC = {
  until: "1ms", topology: { kind: "leaf-spine", leaves: 8, spines: 8, hosts_per_leaf: 16, host_rate: "10Gbps", spine_rate: "10Gbps" },
  switch: { buffer: "1MB", policy: "dt", ecn: { kind: "step", low: "97KB" } }, transports: { dctcp: { kind: "dctcp" } },
  traffic: [{ kind: "poisson", transport: "dctcp", sizes: "websearch", load: 0.6 }],
};

(async () => {
  const simulator = await openSimulator(fs.readFileSync(program));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "weir-play-"));
  const rows = [];
  const cases = STORIES.map((story) => sceneOf(story)).concat([{ ...sceneOf(STORIES[0]), b: { policy: "dt", params: {} }, react: 1 }])
    .map((scene) => ({ policy: scene.b.policy, what: "one switch, " + (scene.react ? "tcp" : "udp"), scenario: scenarioText(scene, "b", simulator.catalogue) }));
  cases.push({ policy: "dt", what: "128 hosts, dctcp", scenario: JSON.stringify(FABRIC) });
  for (const { policy, what, scenario } of cases) {
    const file = path.join(folder, "scenario.yaml");
    fs.writeFileSync(file, scenario);
    let native = Infinity, ours = Infinity;
    for (let turn = 0; turn < TURNS; turn++) {
      const said = execFileSync(path.resolve(release, "bench/weir-bench-play"), [String(ROUNDS), file], { encoding: "utf8" }).trim().split(" ");
      native = Math.min(native, Number(said[4]));
      for (let round = 0; round < ROUNDS; round++) {
        const from = process.cpuUsage();
        const film = simulator.run(0, scenario);
        const took = process.cpuUsage(from);
        if (film.digest !== said[1]) throw new Error("digests differ");
        ours = Math.min(ours, (took.user + took.system) / 1000);
      }
    }
    rows.push({ policy, what, native_ms: native, wasm_ms: ours, ratio: native / ours });
  }
  fs.rmSync(folder, { recursive: true });
  console.log("WebAssembly beside native: a film, best of " + TURNS * ROUNDS);
  console.log("policy      what               native ms  wasm ms  speed of native");
  for (const row of rows)
    console.log(`${row.policy.padEnd(11)} ${row.what.padEnd(18)} ${row.native_ms.toFixed(2).padStart(9)} ${row.wasm_ms.toFixed(2).padStart(8)} ${row.ratio.toFixed(2).padStart(16)}`);
  if (out) fs.writeFileSync(out, JSON.stringify({ rows }, null, 1) + "\n");
})();
