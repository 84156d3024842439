#!/usr/bin/env python3
"""Do weir and ns-3 agree? Completion times of the same flows in the same fabric, by size of flow.

usage: bench/agreement.py BUILD [LAUNCH_US [LOAD [DEVICE]]]

Both simulate 4 leaves of 8 hosts and 2 spines, 4 links between each pair, all of 10 Gb/s and 3 us, with DCTCP and a
buffer that is never full. The flows are drawn once and given to both; each flow takes the same path in both, because
both use weir's hash. The table has the mean completion time of each size bin, the ratio of the means, and the median
over flows of the ratio of times, with its first and last decile.

Without DEVICE both have weir's hosts: ACKs first, then one packet per flow in turn. With it both have ns-3's: one FIFO
per host, DEVICE packets in the device of each port that no mark counts, and marks that count packets.
"""

import os
import statistics
import subprocess
import sys
import tempfile

BINS = ((0, 10_000), (10_000, 100_000), (100_000, 1_000_000), (1_000_000, 10_000_000), (10_000_000, 1 << 60))
FABRIC = ["--spines", "2", "--leaves", "4", "--hosts", "8", "--links", "4"]


def read_times(path):
    with open(path, encoding="ascii") as file:
        rows = [[int(word) for word in line.split()] for line in file if not line.startswith("#")]
    return {row[0]: (row[3], row[5]) for row in rows}


def run_both(build, launch_us, load, device, folder):
    flows, ours, theirs = (os.path.join(folder, name) for name in ("flows", "weir", "ns3"))
    weir = [os.path.join(build, "bench", "weir-bench-sim"), *FABRIC, "--launch-us", launch_us, "--policy", "cs",
            "--buffer", str(256 << 20)]
    ns3 = [os.path.join(build, "bench", "ns3", "weir-ns3-leaf-spine"), *FABRIC, "--queue", "100000",
           "--first-id", "1", "--until", f"{2 * int(launch_us)}us"]
    if device is None:
        ns3 += ["--nic", "fair"]
    else:
        weir += ["--nic-queue", str(1 << 20), "--device", device, "--cell", "1454"]
        ns3 += ["--nic", "fifo", "--device", device]
    subprocess.run([*weir, "--load", load, "--flows-out", flows], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*weir, "--flows", flows, "--out", ours], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*ns3, "--flows", flows, "--out", theirs], check=True, stdout=subprocess.DEVNULL)
    return read_times(ours), read_times(theirs)


def size_name(size):
    return f"{size // 1_000_000} MB" if size >= 1_000_000 else f"{size // 1000} kB"


def main():
    build = sys.argv[1]
    launch_us = sys.argv[2] if len(sys.argv) > 2 else "20000"
    load = sys.argv[3] if len(sys.argv) > 3 else "0.5"
    device = sys.argv[4] if len(sys.argv) > 4 else None
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = run_both(build, launch_us, load, device, folder)
    print(f"{'size':<18} {'flows':>6} {'weir us':>10} {'ns-3 us':>10} {'ratio':>7} {'median ratio':>13} {'deciles':>12}")
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
    unfinished = sum((times[1] > 0) != (theirs[flow][1] > 0) for flow, times in ours.items())
    print(f"finished in one of the two only: {unfinished}")


if __name__ == "__main__":
    main()
