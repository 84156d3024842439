#!/usr/bin/env python3
"""A league of simulators: the same flows in the same fabric by weir and by every peer installed, in one unit.

usage: bench/peers.py BUILD OUT.json [--rounds N] [--peer NAME=PROGRAM]... [--page PAGE.md --picture PICTURE.svg]

BUILD is a release build. weir runs by one thread, by two, and by two ranks where MPI is there; ns-3 takes part when its
program was built (`ninja -C BUILD weir-ns3`; libns3-dev). Any other simulator takes part by a program of yours that is
called as ns-3's is (bench/ns3/README.md):

  PROGRAM --spines S --leaves L --hosts H --links K --rate 10Gbps --delay 3us --mss 1400 --mark 65 --queue 1000
          --init-window 10 --min-rto 10ms --flows FILE --until TIME --out FILE

It reads flows (`start_ns source destination bytes`), simulates DCTCP, writes `id source destination bytes start_ns
fct_ns` for each (-1: unfinished) and prints {"packet_hops", "wall_s", "peak_rss_kb"}: packets of any kind sent over a
link, seconds of the event loop alone, and its largest memory.

Contenders alternate; the table has medians, the spread from the least to the most, and the mean completion time of the
flows that both finished, as a part of weir's.
"""

import argparse
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile

from scale import cores, launchers

# Spines, leaves, hosts of each, parallel links; microseconds until the last flow starts, and until the end.
WORKLOADS = {
    "web search, 128 hosts": ((2, 4, 32, 4), 10_000, 20_000),
    "permutation, 1024 hosts": ((8, 32, 32, 4), 0, 20_000),
    "incast of 127": ((2, 4, 32, 4), 9_000, 20_000),
}
PERMUTATION_BYTES, INCAST_BYTES, INCAST_ROUNDS = 250_000, 20_000, 10
PUBLISHED = (  # as their authors give it: other machines, other models
    ("PDNS, 1,536 processors of PSC's Terascale (MASCOTS 2003)", "106 M packet-hops/s"),
    ("Wormhole, relative to ns-3: approximate, skips packets", "up to 744 times"),
)
SCENARIO = """until: {until}us
wire: {{mss: 1400B, header: 54B, ack: 54B, gap: 0B}}
topology: {{kind: leaf-spine, leaves: {leaves}, spines: {spines}, hosts_per_leaf: {hosts}, parallel: {links}, host_rate: 10Gbps,
           spine_rate: 10Gbps, host_delay: 3us, spine_delay: 3us}}
switch: {{buffer: 4MiB, policy: dt, ecn: {{kind: step, low: 94510B}}}}
transports: {{tcp: {{kind: dctcp}}}}
traffic: [{{kind: list, tag: flows, transport: tcp, file: {flows}}}]
"""
COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2")


def shape_options(shape):
    return [word for pair in zip(("--spines", "--leaves", "--hosts", "--links"), map(str, shape)) for word in pair]


def write_flows(build, workload, path):
    """The flows of a workload, in a file."""
    shape, launch_us, _ = WORKLOADS[workload]
    hosts = shape[1] * shape[2]
    if workload.startswith("web"):
        subprocess.run([os.path.join(build, "bench", "weir-bench-sim"), *shape_options(shape), "--launch-us", str(launch_us),
                        "--flows-out", path], check=True, stdout=subprocess.DEVNULL)
        return
    with open(path, "w", encoding="ascii") as file:
        if workload.startswith("permutation"):  # another rack for each, and no two the same
            for host in range(hosts):
                file.write(f"0 {host} {(host * 5 + 37) % hosts} {PERMUTATION_BYTES}\n")
        else:
            for start_us in range(0, launch_us + 1, launch_us // (INCAST_ROUNDS - 1)):
                for host in range(1, hosts):
                    file.write(f"{start_us * 1000} {host} 0 {INCAST_BYTES}\n")


def read_times(path):
    with open(path, encoding="ascii") as file:
        rows = [[int(word) for word in line.split()] for line in file if line.strip() and not line.startswith("#")]
    first = min(row[0] for row in rows)
    return {row[0] - first: row[5] for row in rows if row[5] >= 0}


def run_program(command, times):
    """ns per packet-hop, MB, and completion times by number of flow."""
    done = subprocess.run([*command, "--out", times], stdout=subprocess.PIPE, text=True, check=True)
    said = json.loads(done.stdout)
    return said["wall_s"] * 1e9 / said["packet_hops"], said["peak_rss_kb"] / 1024, read_times(times)


def run_ranks(build, folder, workload, flows, launcher):
    """The same of two ranks, with the mean completion time of all flows instead."""
    (spines, leaves, hosts, links), _, until = WORKLOADS[workload]
    scenario, database = os.path.join(folder, "ranks.yaml"), os.path.join(folder, "ranks.db")
    with open(scenario, "w", encoding="utf-8") as file:
        file.write(SCENARIO.format(until=until, spines=spines, leaves=leaves, hosts=hosts, links=links, flows=flows))
    environment = dict(os.environ)
    if os.geteuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_plm="isolated")
    done = subprocess.run([*launcher(2), os.path.join(build, "apps", "weir", "weir"), "run", scenario, "--again", "--profile", "--quiet",
                           "--json", "-o", database], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=True)
    cost = float(re.search(r"([0-9.]+) ns per packet-hop", done.stderr).group(1))
    tag = next(tag for tag in json.loads(done.stdout)["tags"] if tag["tag"] == "flows" and tag["bytes"] == "all")
    return cost, None, tag["fct.mean"] * 1e9


def contenders(build, peers):
    """Each with a function of folder, workload and flows."""
    def program(path, more, first_id):
        def call(folder, workload, flows):
            shape, _, until = WORKLOADS[workload]
            own = ["--launch-us", str(until // 2)] if first_id is None else [
                "--rate", "10Gbps", "--delay", "3us", "--mss", "1400", "--mark", "65", "--queue", "1000", "--init-window", "10",
                "--min-rto", "10ms", "--until", f"{until}us"]
            return run_program([path, *shape_options(shape), *own, *more, "--flows", flows], os.path.join(folder, "times"))
        return call
    bench = os.path.join(build, "bench", "weir-bench-sim")
    yield "weir", program(bench, [], None)
    if cores() > 1:
        yield "weir, 2 threads", program(bench, ["--threads", "2"], None)
        for _, launcher, _ in list(launchers(build))[:1]:
            yield "weir, 2 ranks", lambda folder, workload, flows: run_ranks(build, folder, workload, flows, launcher)
    ns3 = os.path.join(build, "bench", "ns3", "weir-ns3-leaf-spine")
    if os.path.exists(ns3):
        yield "ns-3.37", program(ns3, ["--nic", "fair", "--first-id", "1", "--recovery", "64"], 1)
    else:
        print("peers: ns-3 does not take part: its program was not built (libns3-dev; ninja -C BUILD weir-ns3)", file=sys.stderr)
    for peer in peers:
        name, _, path = peer.partition("=")
        if not path or not os.access(path, os.X_OK):
            sys.exit(f"peers: --peer {peer}: expected NAME=PROGRAM, and a program that can be run")
        yield name, program(path, [], 1)


def mean_part(times, of):
    """Mean completion time as a part of `of`'s, over the flows that both finished."""
    if isinstance(times, float):
        return times / statistics.fmean(of.values())
    both = [flow for flow in times if flow in of]
    return statistics.fmean(times[flow] for flow in both) / statistics.fmean(of[flow] for flow in both) if both else None


def measure(build, rounds, peers):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        flows = os.path.join(folder, "flows")
        for workload in WORKLOADS:
            write_flows(build, workload, flows)
            taking_part = dict(contenders(build, peers))
            samples = {name: [] for name in taking_part}
            for _ in range(rounds):
                for name, call in taking_part.items():
                    samples[name].append(call(folder, workload, flows))
            base = samples["weir"][0][2]
            for name, sample in samples.items():
                costs = [cost for cost, _, _ in sample]
                rows.append({"workload": workload, "name": name, "ns": round(statistics.median(costs), 2),
                             "least_ns": round(min(costs), 2), "most_ns": round(max(costs), 2),
                             "mb": round(statistics.median(mb for _, mb, _ in sample), 1) if sample[0][1] else None,
                             "fct": round(mean_part(sample[0][2], base), 4)})
                print(f"{workload}: {name}: {rows[-1]['ns']} ns per packet-hop", file=sys.stderr)
    return rows


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    return f"{cores()} processors of {model.group(1).strip() if model else platform.machine()}"


def table(result):
    lines = [f"Measured on {result['machine']}, medians of {result['rounds']} alternating rounds.", "",
             "| workload | simulator | million packet-hops per second | least to most | memory | mean completion time, of weir's |",
             "|---|---|---|---|---|---|"]
    for row in result["rows"]:
        memory = f"{row['mb']:,.0f} MB" if row["mb"] else "–"
        lines.append(f"| {row['workload']} | {row['name']} | **{1000 / row['ns']:.3g}** | {1000 / row['most_ns']:.3g} to "
                     f"{1000 / row['least_ns']:.3g} | {memory} | {row['fct']:.3f} |")
    lines += ["", "| published by others, on their machines | |", "|---|---|"]
    return "\n".join(lines + [f"| {name} | {value} |" for name, value in PUBLISHED]) + "\n"


def picture(result):
    """A bar per simulator and workload; each step to the right is ten times as fast."""
    names = list(dict.fromkeys(row["name"] for row in result["rows"]))
    rates = {(row["workload"], row["name"]): 1e9 / row["ns"] for row in result["rows"]}
    low = 10 ** math.floor(math.log10(min(rates.values())))
    steps = math.ceil(math.log10(max(rates.values()) / low))
    width, top, bar = 480 / steps, 48, 16
    height = top + len(WORKLOADS) * (bar * len(names) + 34) + 40

    def length(rate):
        return width * math.log10(rate / low)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {height}" font-family="sans-serif" font-size="12" fill="#777" role="img">',
           "<title>Packet-hops per second of simulators, on the same flows</title>",
           f'<text x="20" y="22" font-weight="bold">packet-hops per second, {result["machine"]}</text>']
    for step in range(steps + 1):
        at = 190 + width * step
        out.append(f'<path d="M{at:.1f} 36V{height - 34}" stroke="#8884"/><text x="{at:.1f}" y="{height - 18}" text-anchor="middle">{low * 10 ** step:,}</text>')
    y = top
    for workload in WORKLOADS:
        out.append(f'<text x="20" y="{y + 12}" font-weight="bold">{workload}</text>')
        y += 18
        for number, name in enumerate(names):
            rate = rates.get((workload, name))
            if rate:
                out.append(f'<text x="184" y="{y + 12}" text-anchor="end">{name}</text><rect x="190" y="{y + 2}" width="{length(rate):.1f}" '
                           f'height="{bar - 4}" fill="{COLOURS[number % len(COLOURS)]}"/>'
                           f'<text x="{194 + length(rate):.1f}" y="{y + 12}">{rate / 1e6:.3g} M</text>')
            y += bar
        y += 16
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PROGRAM")
    parser.add_argument("--page", help="write the table here, as Markdown")
    parser.add_argument("--picture", help="write the picture here, as SVG")
    options = parser.parse_args()
    result = {"machine": machine(), "rounds": options.rounds, "rows": measure(options.build, options.rounds, options.peer)}
    for path, text in ((options.out, json.dumps(result, indent=2) + "\n"), (options.page, table(result)),
                       (options.picture, picture(result))):
        if path:
            with open(path + ".part", "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(path + ".part", path)
    print(table(result), end="")


if __name__ == "__main__":
    try:
        main()
    except FileNotFoundError as error:
        sys.exit(f"peers: {error.filename} is not there (expected a release build: `make`)")
