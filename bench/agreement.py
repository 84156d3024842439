#!/usr/bin/env python3
"""Do weir and ns-3 agree? Completion times of the same flows in the same fabric, by size of flow.

Both simulate 4 leaves of 8 hosts and 2 spines, 4 links between each pair, all of 10 Gb/s and 3 us, with DCTCP. The flows
are drawn once and given to both; each flow takes the same path in both, because both use weir's hash. The table has the
mean completion time of each size bin, the ratio of the means, and the median over flows of the ratio of times, with its
first and last decile.

Without --policy ns-3's ports have queues of their own and weir's buffer is never full. With it the switches of both
have one buffer of libweir each, in ns-3 by the module (docs/howto/ns3.md), with one packet in the device of each port; what
the first leaf's buffer decided in ns-3 goes to a trace, which weir replays.

Both have weir's hosts, ACKs first, then one packet per flow in turn; with --hosts fifo both have ns-3's: one FIFO per
host, and without --policy marks that count packets.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

BINS = ((0, 10_000), (10_000, 100_000), (100_000, 1_000_000), (1_000_000, 10_000_000), (10_000_000, 1 << 60))
FABRIC = ["--spines", "2", "--leaves", "4", "--hosts", "8", "--links", "4"]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="a build folder with weir, weir-bench-sim and weir-ns3-leaf-spine")
    parser.add_argument("--launch-us", type=int, default=20000, help="flows start in this time; twice of it is simulated")
    parser.add_argument("--load", default="0.5")
    parser.add_argument("--seeds", type=int, default=1, help="runs, with flows and paths of their own, taken together")
    parser.add_argument("--hosts", choices=("fair", "fifo"), default="fair")
    parser.add_argument("--device", default="0", help="packets below the queue of a port that no mark counts")
    parser.add_argument("--policy", help="of libweir, in both; its parameters at their defaults")
    parser.add_argument("--buffer", default=str(4 << 20), help="bytes of a switch, with --policy")
    parser.add_argument("--mark", default="65", help="full packets at which a port marks; 0: never")
    parser.add_argument("--prr", action="store_true", help="weir lowers windows over a round trip, as ns-3 always does")
    parser.add_argument("--recovery", choices=("stock", "64"), default="64",
                        help="ns-3's loss recovery, whose product overflows, or the same without that")
    parser.add_argument("--lead", default="1ms", help="how long before its flow ns-3 opens a connection")
    parser.add_argument("--within", type=float, help="fail if means of a bin differ by more than this many per cent")
    return parser.parse_args()


def read_times(path):
    with open(path, encoding="ascii") as file:
        rows = [[int(word) for word in line.split()] for line in file if not line.startswith("#")]
    return {row[0]: (row[3], row[5]) for row in rows}


def run(command):
    """What the program says of its run; its wall time and memory are of no interest here."""
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    facts = json.loads(done.stdout)
    return {name: facts[name] for name in ("flows", "finished", "drops", "marks")}


def commands(options, seed, trace):
    weir = [os.path.join(options.build, "bench", "weir-bench-sim"), *FABRIC, "--launch-us", str(options.launch_us),
            "--mark", options.mark, "--seed", str(seed), "--prr", str(int(options.prr))]
    ns3 = [os.path.join(options.build, "bench", "ns3", "weir-ns3-leaf-spine"), *FABRIC, "--first-id", "1", "--until",
           f"{2 * options.launch_us}us", "--nic", options.hosts, "--mark", options.mark, "--seed", str(seed),
           "--lead", options.lead, "--recovery", options.recovery]
    if options.hosts == "fifo":
        weir += ["--nic-queue", str(1 << 20)]
    if options.policy:
        device = str(max(int(options.device), 1))
        buffer = ["--policy", options.policy, "--buffer", options.buffer, "--device", device]
        return weir + buffer, ns3 + buffer + ["--trace", trace]
    weir += ["--policy", "cs", "--buffer", str(256 << 20), "--device", options.device]
    weir += ["--cell", "1454"] if options.hosts == "fifo" else []
    return weir, ns3 + ["--queue", "100000", "--device", options.device]


def run_both(options, seed, folder):
    flows, ours, theirs, trace = (os.path.join(folder, name) for name in ("flows", "weir", "ns3", "leaf.wtr"))
    weir, ns3 = commands(options, seed, trace)
    run([*weir, "--load", options.load, "--flows-out", flows])
    facts = {"weir": run([*weir, "--flows", flows, "--out", ours]), "ns-3": run([*ns3, "--flows", flows, "--out", theirs])}
    for name, of in facts.items():
        print(f"seed {seed}, {name}:", ", ".join(f"{value} {what}" for what, value in of.items()))
    if options.policy:
        command = os.path.join(options.build, "apps", "weir", "weir")
        replay = subprocess.run([command, "replay", trace], check=True, stdout=subprocess.PIPE, text=True).stdout
        print(f"seed {seed}, trace of the first leaf:", ", ".join(" ".join(line.split()) for line in replay.splitlines()[1:]))
    return read_times(ours), read_times(theirs)


def size_name(size):
    return f"{size // 1_000_000} MB" if size >= 1_000_000 else f"{size // 1000} kB"


def main():
    options = read_options()
    ours, theirs = {}, {}
    for seed in range(1, options.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            for all_flows, times in zip((ours, theirs), run_both(options, seed, folder)):
                all_flows.update({(seed, flow): time for flow, time in times.items()})
    print(f"{'size':<18} {'flows':>6} {'weir us':>10} {'ns-3 us':>10} {'ratio':>7} {'median ratio':>13} {'deciles':>12}")
    far = []
    for low, high in BINS:
        both = [(ours[flow][1], theirs[flow][1]) for flow in ours
                if low <= ours[flow][0] < high and ours[flow][1] > 0 and theirs[flow][1] > 0]
        if not both:
            continue
        mine, other = (statistics.fmean(column) / 1000 for column in zip(*both))
        name = f"above {size_name(low)}" if high > 1 << 50 else f"{size_name(low)} to {size_name(high)}"
        ratios = sorted(a / b for a, b in both)
        print(f"{name:<18} {len(both):>6} {mine:>10.1f} {other:>10.1f} {mine / other:>7.3f} "
              f"{statistics.median(ratios):>13.3f} {ratios[len(ratios) // 10]:>6.2f}{ratios[len(ratios) * 9 // 10]:>6.2f}")
        if options.within is not None and abs(mine / other - 1) * 100 > options.within:
            far.append(name)
    unfinished = sum((times[1] > 0) != (theirs[flow][1] > 0) for flow, times in ours.items())
    print(f"finished in one of the two only: {unfinished}")
    if far:
        sys.exit(f"agreement: more than {options.within:g} % apart: {', '.join(far)}")


if __name__ == "__main__":
    main()
