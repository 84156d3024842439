#!/usr/bin/env python3
"""Packets per second of the software switch on one processor, beside what DPDK itself brings.

usage: bench/switch.py BUILD OUT.json [ROUNDS]

BUILD is a release build directory. 64-byte frames, 8 ports, 8 classes. Contenders run one after the other on the same
processor, round by round, and the medians are compared: machines are noisy, ratios within one run are less so.
dpdk-testpmd (package dpdk-dev) takes part when it is installed: forwarding in io mode, which looks at no frame, over 8 ports
of net_null, and over 8 rings, where it only moves pointers.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading

POLICIES = ("cs", "dt", "occamy", "lqd")
PORTS = 8
SECONDS = 1
TESTPMD_TABLES = 4  # of statistics, one in a second; the last two count
TESTPMD_PATIENCE_S = 60
AIMS = (("testpmd io on net_null", 1 / 3), ("rte_sched", 1.4))


def measured_cpu():
    return max(os.sched_getaffinity(0))


def run_ours(program, contender):
    """One object of weir-bench-switch; ends this program with its message when it does not work."""
    done = subprocess.run([program] + contender.split() + ["--seconds", str(SECONDS), "--cpu", str(measured_cpu())],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"switch: weir-bench-switch {contender} failed; see above")
    return json.loads(done.stdout)


def run_testpmd(driver, huge_pages):
    """Its Mpps, all ports together, as it says itself."""
    cpus = os.sched_getaffinity(0)
    memory = ["--in-memory"] if huge_pages else ["--no-huge", "--no-shconf", "-m", "256"]
    command = ["dpdk-testpmd", "--no-pci", "--no-telemetry", "--main-lcore", "0", "--lcores",
               f"0@{min(cpus)},1@{measured_cpu()}"] + memory
    command += [word for port in range(PORTS) for word in ("--vdev", f"{driver}{port}")]
    command += ["--", "--forward-mode=io", "--stats-period", "1", "--total-num-mbufs", "16384", "--no-lsc-interrupt"]
    command += ["--tx-first"] if driver == "net_ring" else []
    rates = []
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True) as process:
        patience = threading.Timer(TESTPMD_PATIENCE_S, process.kill)
        patience.start()
        output = ""
        for line in process.stdout:
            output += line
            rates += [int(rate) for rate in re.findall(r"Tx-pps:\s+(\d+)", line)]
            if len(rates) >= TESTPMD_TABLES * PORTS:
                break
        process.terminate()
        output += process.stdout.read()
        patience.cancel()
    if len(rates) < TESTPMD_TABLES * PORTS:
        sys.exit(f"switch: dpdk-testpmd over {driver} gave no figures:\n{output[-2000:]}")
    return sum(rates[-2 * PORTS:]) / 2e6


def contenders_of(program):
    """name: function that measures once and returns Mpps."""
    contenders = {"rte_sched": lambda: run_ours(program, "rte_sched")["mpps"],
                  "trim": lambda: run_ours(program, "trim")["mpps"]}
    for kind in ("weir", "mmu"):
        for policy in POLICIES:
            name = f"{kind} {policy}"
            contenders[name] = lambda name=name: run_ours(program, name)["mpps"]
    if shutil.which("dpdk-testpmd"):
        huge_pages = run_ours(program, "rte_sched")["huge_pages"]
        contenders["testpmd io on net_null"] = lambda: run_testpmd("net_null", huge_pages)
        contenders["testpmd io on net_ring"] = lambda: run_testpmd("net_ring", huge_pages)
    else:
        print("switch: dpdk-testpmd does not take part: it is not installed (package dpdk-dev)", file=sys.stderr)
    return contenders


def rows(medians):
    """(name, value, unit, compared with, ratio) of every figure; the ratio is this over the other."""
    for name, mpps in medians.items():
        if name.startswith("mmu "):
            whole = medians[name.replace("mmu", "weir", 1)]
            yield {"name": f"MMU alone, {name[4:]}", "value": round(1000 / mpps, 2), "unit": "ns",
                   "compared_with": f"{name.replace('mmu', 'weir', 1)}, ns", "ratio": round(whole / mpps, 3)}
            continue
        bases = [base for base, _ in AIMS if base in medians] if name.startswith("weir ") else [None]
        for base in bases:
            yield {"name": name, "value": round(mpps, 3), "unit": "Mpps", "compared_with": base,
                   "ratio": round(mpps / medians[base], 3) if base else None}


def table_print(medians):
    print(f"{'64-byte frames, 8 ports x 8 classes':<36} {'Mpps':>8} {'ns':>8}"
          + "".join(f" {'x ' + base:>26}" for base, _ in AIMS if base in medians) + f" {'ns in the MMU':>14}")
    for name, mpps in medians.items():
        if name.startswith("mmu "):
            continue
        line = f"{name:<36} {mpps:8.2f} {1000 / mpps:8.1f}"
        if name.startswith("weir "):
            line += "".join(f" {mpps / medians[base]:26.2f}" for base, _ in AIMS if base in medians)
            line += f" {1000 / medians['mmu ' + name[5:]]:14.1f}"
        print(line)
    trimmed = (1 / medians["trim"] - 1 / 8 / medians["weir cs"]) * 8 / 7  # seven of its eight frames are trimmed
    print(f"a trimmed frame takes {trimmed * medians['weir cs']:.2f} x a forwarded one (aim: 1.30)")
    print("the aims: " + ", ".join(f"{factor:.2f} x {base}" for base, factor in AIMS))


def main():
    build, out = sys.argv[1], sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    program = os.path.join(build, "bench", "weir-bench-switch")
    if not os.path.exists(program):
        print("switch: skipped: weir-bench-switch was not built, DPDK is missing (libdpdk-dev)", file=sys.stderr)
        return
    contenders = contenders_of(program)
    samples = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, measure in contenders.items():
            samples[name].append(measure())
    medians = {name: statistics.median(sample) for name, sample in samples.items()}
    table_print(medians)
    with open(out + ".part", "w", encoding="utf-8") as file:
        json.dump(list(rows(medians)), file, indent=2)
        file.write("\n")
    os.replace(out + ".part", out)


if __name__ == "__main__":
    main()
