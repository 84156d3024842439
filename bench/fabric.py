#!/usr/bin/env python3
"""Packet-hops per second and peak memory of the simulator, beside ns-3 on the same flows.

usage: bench/fabric.py BUILD OUT.json [ROUNDS]

BUILD is a release build directory. Contenders run one after the other, round by round, and the medians are compared:
machines are noisy, ratios within one run are less so. ns-3 takes part, with the same flows, when its program was built
(libns3-dev).
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

FABRICS = {
    # name: spines, leaves, hosts per leaf, parallel links, launch time in us
    "128 hosts": (2, 4, 32, 4, 10000),
    "1024 hosts": (8, 32, 32, 4, 3000),
}


def weir_command(build, fabric, policy, flows_out=None):
    spines, leaves, hosts, links, launch_us = FABRICS[fabric]
    command = [os.path.join(build, "bench", "weir-bench-sim"), "--spines", spines, "--leaves", leaves, "--hosts", hosts,
               "--links", links, "--launch-us", launch_us, "--policy", policy]
    return command + (["--flows-out", flows_out] if flows_out else [])


def ns3_command(program, flows, out):
    spines, leaves, hosts, links, launch_us = FABRICS["128 hosts"]
    return [program, "--spines", spines, "--leaves", leaves, "--hosts", hosts, "--links", links, "--rate", "10Gbps",
            "--delay", "3us", "--mss", 1400, "--mark", 65, "--queue", 1000, "--init-window", 10, "--min-rto", "10ms",
            "--flows", flows, "--until", f"{2 * launch_us}us", "--out", out]


def run(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
    result = json.loads(done.stdout)
    return result["wall_s"] * 1e9 / result["packet_hops"], result["peak_rss_kb"] / 1024


def rows(medians):
    """(name, value, unit, compared with, ratio) of every figure; what weir is compared with comes first."""
    base = "ns-3 128 hosts" if "ns-3 128 hosts" in medians else None
    for name, (ns, megabytes) in medians.items():
        for what, unit, value, column in (("time per packet-hop", "ns", ns, 0), ("peak memory", "MB", megabytes, 1)):
            other = medians[base][column] if base and name != base else None
            yield {"name": f"{what}, {name}", "value": round(value, 3), "unit": unit,
                   "compared_with": f"{what}, {base}" if other else None,
                   "ratio": round(other / value, 3) if other else None}


def main():
    build, out = sys.argv[1], sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    program = os.path.join(build, "bench", "ns3", "weir-ns3-leaf-spine")
    with tempfile.TemporaryDirectory() as folder:
        flows = os.path.join(folder, "flows")
        run(weir_command(build, "128 hosts", "dt", flows))
        contenders = {f"weir {policy} {fabric}": weir_command(build, fabric, policy)
                      for fabric in FABRICS for policy in ("dt", "occamy")}
        if os.path.exists(program):
            contenders["ns-3 128 hosts"] = ns3_command(program, flows, os.path.join(folder, "fct"))
        else:
            print("fabric: ns-3 does not take part: its program was not built (libns3-dev)", file=sys.stderr)
        samples = {name: [] for name in contenders}
        for _ in range(rounds):
            for name, command in contenders.items():
                samples[name].append(run(command))
    medians = {name: tuple(statistics.median(column) for column in zip(*sample)) for name, sample in samples.items()}
    table = list(rows(medians))
    print(f"{'':<40} {'':>10}      x less than ns-3")
    for row in table:
        ratio = f"{row['ratio']:10.1f}" if row["ratio"] else f"{'':>10}"
        print(f"{row['name']:<40} {row['value']:10.2f} {row['unit']:<3} {ratio}")
    with open(out + ".part", "w", encoding="utf-8") as file:
        json.dump(table, file, indent=2)
        file.write("\n")
    os.replace(out + ".part", out)


if __name__ == "__main__":
    main()
