#!/usr/bin/env node
// play.js - how fast films are made in WebAssembly (node's engine is Chromium's) beside the native program, in one run.
//
//   play.js RELEASE WASM [OUT.json]    folders of the two builds
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
const script = path.resolve(wasmBuild ?? "", "show/playground/wasm/playground.js");
if (!fs.existsSync(script)) {
  console.log("bench/play.js: without WebAssembly: `make playground` was not run");
  process.exit(0);
}
const TURNS = 5, ROUNDS = 8;
const page = path.join(__dirname, "..", "show", "playground", "page");
const { sceneOf, scenarioText, STORIES } = vm.runInNewContext(
  fs.readFileSync(path.join(page, "scene.js"), "utf8") + "; ({ sceneOf, scenarioText, STORIES })", { structuredClone });

// Most of it is not on the film: the simulator alone.
const FABRIC = {
  until: "1ms", topology: { kind: "leaf-spine", leaves: 8, spines: 8, hosts_per_leaf: 16, host_rate: "10Gbps", spine_rate: "10Gbps" },
  switch: { buffer: "1MB", policy: "dt", ecn: { kind: "step", low: "97KB" } }, transports: { dctcp: { kind: "dctcp" } },
  traffic: [{ kind: "poisson", transport: "dctcp", sizes: "websearch", load: 0.6 }],
};

(async () => {
  const wasm = await require(script)({ wasmBinary: fs.readFileSync(script.replace(/js$/, "wasm")) });
  const text = (pointer) => wasm.UTF8ToString(pointer);
  const catalogue = JSON.parse(text(wasm._page_catalogue()));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "weir-play-"));
  const rows = [];
  const cases = STORIES.map((story) => sceneOf(story)).concat([{ ...sceneOf(STORIES[0]), b: { policy: "dt", params: {} }, react: 1 }])
    .map((scene) => ({ policy: scene.b.policy, what: "one switch, " + (scene.react ? "tcp" : "udp"), scenario: scenarioText(scene, "b", catalogue) }));
  cases.push({ policy: "dt", what: "128 hosts, dctcp", scenario: JSON.stringify(FABRIC) });
  for (const { policy, what, scenario } of cases) {
    const file = path.join(folder, "scenario.yaml");
    fs.writeFileSync(file, scenario);
    const size = wasm.lengthBytesUTF8(scenario) + 1, pointer = wasm._malloc(size);
    wasm.stringToUTF8(scenario, pointer, size);
    let native = Infinity, ours = Infinity, digest;
    for (let turn = 0; turn < TURNS; turn++) {
      const said = execFileSync(path.resolve(release, "bench/weir-bench-play"), [String(ROUNDS), file], { encoding: "utf8" }).trim().split(" ");
      native = Math.min(native, Number(said[4]));
      digest = said[1];
      for (let round = 0; round < ROUNDS; round++) {
        const from = process.cpuUsage();
        if (wasm._page_run(0, pointer)) throw new Error(text(wasm._page_said()));
        const took = process.cpuUsage(from);
        ours = Math.min(ours, (took.user + took.system) / 1000);
      }
    }
    wasm._free(pointer);
    if (JSON.parse(text(wasm._page_about(0))).digest !== digest) throw new Error("digests differ");
    rows.push({ policy, what, native_ms: native, wasm_ms: ours, ratio: native / ours });
  }
  fs.rmSync(folder, { recursive: true });
  console.log("WebAssembly beside native: a film, best of " + TURNS * ROUNDS);
  console.log("policy      what               native ms  wasm ms  speed of native");
  for (const row of rows)
    console.log(`${row.policy.padEnd(11)} ${row.what.padEnd(18)} ${row.native_ms.toFixed(2).padStart(9)} ${row.wasm_ms.toFixed(2).padStart(8)} ${row.ratio.toFixed(2).padStart(16)}`);
  if (out) fs.writeFileSync(out, JSON.stringify({ rows }, null, 1) + "\n");
})();
