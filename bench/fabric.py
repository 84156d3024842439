#!/usr/bin/env python3
"""Packet-hops per second and peak memory of the simulator, beside ns-3 on the same flows.

usage: bench/fabric.py BUILD OUT.json [ROUNDS]

BUILD is a release build directory. Contenders run one after the other, round by round, and the medians are compared:
machines are noisy, ratios within one run are less so. ns-3 takes part, with the same flows, when its program was built
(libns3-dev). Lossless classes are compared with the same fabric, classes and flows without flow control.

Two threads are compared with one in longer runs, in three times as many rounds, and beside them runs two at once that
have nothing to do with each other: what the machine gives. On a virtual machine the two processors may be two
hyperthreads of one core, or one of them lent to somebody else, for seconds: the rounds in which two runs at once kept
nearly their speed are told apart, whatever two threads did in them.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

THREADS = 2
THREAD_US = {"128 hosts": 60000, "1024 hosts": 6000}  # launch time of runs by threads
AIMS = {"128 hosts": 1.7, "1024 hosts": 1.85}
BOTH_THERE = 0.95  # of the rate of two runs that do not feel each other
FABRICS = {
    # name: spines, leaves, hosts per leaf, parallel links, launch time in us
    "128 hosts": (2, 4, 32, 4, 10000),
    "1024 hosts": (8, 32, 32, 4, 3000),
    "256 hosts 100G": (16, 16, 16, 1, 1000),  # section V-B of the DSH paper
}
# Fabrics with lossless classes: seven for data, one for ACKs.
PFC = {
    "128 hosts": ["--classes", 8, "--buffer", 16 << 20],
    "256 hosts 100G": ["--classes", 8, "--rate-gbps", 100, "--delay-ns", 2000, "--load", "0.9", "--buffer", 16 << 20,
                       "--transport", "dcqcn"],
}
SCHEMES = ("sih", "dsh")


def weir_command(build, fabric, policy, flows_out=None, launch_us=None):
    spines, leaves, hosts, links, usual_us = FABRICS[fabric]
    launch_us = launch_us or usual_us
    command = [os.path.join(build, "bench", "weir-bench-sim"), "--spines", spines, "--leaves", leaves, "--hosts", hosts,
               "--links", links, "--launch-us", launch_us, "--policy", policy]
    return command + (["--flows-out", flows_out] if flows_out else [])


def pfc_commands(build):
    """Each fabric with lossless classes, and before them the same with lossy ones."""
    commands = {}
    for fabric, settings in PFC.items():
        lossy = weir_command(build, fabric, "dt") + settings
        commands[f"weir lossy {fabric}"] = lossy
        for scheme in SCHEMES:
            commands[f"weir {scheme} {fabric}"] = lossy + ["--headroom", scheme]
    return commands


def ns3_command(program, flows, out):
    spines, leaves, hosts, links, launch_us = FABRICS["128 hosts"]
    return [program, "--spines", spines, "--leaves", leaves, "--hosts", hosts, "--links", links, "--rate", "10Gbps",
            "--delay", "3us", "--mss", 1400, "--mark", 65, "--queue", 1000, "--init-window", 10, "--min-rto", "10ms",
            "--flows", flows, "--until", f"{2 * launch_us}us", "--out", out]


def run(command, copies=1):
    """Nanoseconds per packet-hop and MB of a command; of several at once, those of the slowest and largest."""
    words = [str(word) for word in command]
    results = []
    for process in [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(copies)]:
        out = process.communicate()[0]
        if process.returncode != 0:
            sys.exit(f"fabric: {words[0]} failed with {process.returncode}")
        result = json.loads(out)
        results.append((result["wall_s"] * 1e9 / result["packet_hops"], result["peak_rss_kb"] / 1024))
    return tuple(max(column) for column in zip(*results))


def thread_samples(build, rounds):
    """For each fabric and round (one thread, several, as many runs at once), ns per packet-hop."""
    samples = {fabric: [] for fabric in THREAD_US}
    for _ in range(rounds):
        for fabric, launch_us in THREAD_US.items():
            one = weir_command(build, fabric, "dt", launch_us=launch_us)
            samples[fabric].append((run(one)[0], run(one + ["--threads", THREADS])[0], run(one, THREADS)[0]))
    return samples


def thread_rows(samples):
    """What several threads gain: in all rounds, and in those in which the machine had a processor for each."""
    for fabric, rounds in samples.items():
        calm = [one / several for one, several, at_once in rounds if one / at_once >= BOTH_THERE]
        for what, values in (("gain", [one / several for one, several, _ in rounds]), ("gain, both processors there", calm),
                             ("rate of runs at once", [THREADS * one / at_once for one, _, at_once in rounds])):
            if values:
                yield {"name": f"{what}, weir dt {fabric}, {THREADS} threads", "value": round(statistics.median(values), 3),
                       "unit": "times", "compared_with": f"one, median of {len(values)} of {len(rounds)} rounds", "ratio": None}


def compared_with(name, medians):
    """ns-3 in the same fabric; larger fabrics are compared with the same policy in the smallest one; lossless classes
    with lossy ones."""
    kind = name.split()[1]
    if kind in ("lossy",) + SCHEMES:
        return name.replace(kind, "lossy", 1) if kind != "lossy" else None
    base = "ns-3 128 hosts" if name.endswith(" 128 hosts") else name.replace("1024 hosts", "128 hosts")
    return base if base in medians and base != name else None


def rows(medians):
    """(name, value, unit, compared with, ratio) of every figure; the ratio is the other over this one."""
    for name, values in medians.items():
        base = compared_with(name, medians)
        for what, unit, value, column in (("time", "ns/hop", values[0], 0), ("memory", "MB", values[1], 1)):
            yield {"name": f"{what}, {name}", "value": round(value, 3), "unit": unit,
                   "compared_with": f"{what}, {base}" if base else None,
                   "ratio": round(medians[base][column] / value, 3) if base else None}


def pfc_line(fabric, medians):
    """Millions of packet-hops per second with lossless classes, and as a part of those without."""
    lossy = medians[f"weir lossy {fabric}"][0]
    rates = "".join(f", {scheme} {1000 / time:.2f} ({lossy / time:.2f})"
                    for scheme, time in ((scheme, medians[f"weir {scheme} {fabric}"][0]) for scheme in SCHEMES))
    return f"million packet-hops per second, {fabric}: lossy {1000 / lossy:.2f}{rates}; the aim is 0.70"


def main():
    build, out = sys.argv[1], sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    program = os.path.join(build, "bench", "ns3", "weir-ns3-leaf-spine")
    with tempfile.TemporaryDirectory() as folder:
        flows = os.path.join(folder, "flows")
        run(weir_command(build, "128 hosts", "dt", flows))
        contenders = {f"weir {policy} {fabric}": weir_command(build, fabric, policy)
                      for fabric in ("128 hosts", "1024 hosts") for policy in ("dt", "occamy")}
        contenders.update(pfc_commands(build))
        if os.path.exists(program):
            contenders["ns-3 128 hosts"] = ns3_command(program, flows, os.path.join(folder, "fct"))
        else:
            print("fabric: ns-3 does not take part: its program was not built (libns3-dev)", file=sys.stderr)
        samples = {name: [] for name in contenders}
        for _ in range(rounds):
            for name, command in contenders.items():
                samples[name].append(run(command))
        threads = list(thread_rows(thread_samples(build, 3 * rounds)))
    medians = {name: tuple(statistics.median(column) for column in zip(*sample)) for name, sample in samples.items()}
    table = list(rows(medians))
    for row in table:
        ratio = row["ratio"] or 0
        note = f"{ratio:8.1f} times less than {row['compared_with']}" if ratio >= 1 else ""
        note = f"{1 / ratio:8.2f} times {row['compared_with']}" if 0 < ratio < 1 else note
        print(f"{row['name']:<34} {row['value']:10.2f} {row['unit']:<7} {note}")
    for row in threads:
        aim = next(f"; the aim is {aim}" for fabric, aim in AIMS.items() if f" {fabric}" in row["name"])
        print(f"{row['name']}: {row['value']:.2f} times {row['compared_with']}{aim if row['name'].startswith('gain') else ''}")
    for fabric in PFC:
        print(pfc_line(fabric, medians))
    with open(out + ".part", "w", encoding="utf-8") as file:
        json.dump(table + threads, file, indent=2)
        file.write("\n")
    os.replace(out + ".part", out)


if __name__ == "__main__":
    try:
        main()
    except FileNotFoundError as error:
        sys.exit(f"fabric: {error.filename} is not there (expected a release build: `make`)")
