#!/usr/bin/env python3
"""How a run scales over threads and ranks: measured as far as this machine has cores, and predicted beyond.

usage: bench/scale.py BUILD OUT.json [ROUNDS]
       bench/scale.py --draw OUT-model.json docs/scale.md docs/images/scale.svg

BUILD is a release build directory. Strong scaling: one network by 1, 2, 4, ... threads, and by as many ranks of each MPI
that is there, with letters in memory and, as between machines, by couriers. Weak scaling: hosts grow with threads.

The model has few parameters, all of which are measured here but those of ASSUMED. How even parts are is counted, not
measured, for up to 256 parts (weir-bench-sim --count). Threads, and ranks of one machine, are played: each part draws
what it has to do in a window, and waits as workers do (sim/parallel/workers.c). All of that goes to OUT-model.json, from which
--draw makes the tables and the picture of the documentation.
"""

import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HOST_WEIGHT = 0.5  # of a link: sim/topology/partition.c
SHAPES = {  # hosts: spines, leaves, hosts per leaf, parallel links
    128: (2, 4, 32, 4), 512: (8, 16, 32, 4), 1024: (8, 32, 32, 4), 2048: (16, 64, 32, 2), 4096: (32, 128, 32, 1),
    10240: (64, 160, 64, 1),
}
STRONG = {128: 100000, 1024: 25000}  # hosts: flows start for so many us
PLAYED, PLAYS = 200, 20  # windows of a stretch that the model plays; draws of what parts have to do for long
WEAK = {1: 512, 2: 1024, 4: 2048, 8: 4096}  # threads: hosts
WEAK_US, LARGE_US, EMPTY_US = 10000, 1000, 100000
EMPTY_LOAD = 0.002
COUNTS = {1024: (5000, 800, (2, 4, 8, 16, 32, 64)), 10240: (800, 130, (16, 64, 256))}  # us, windows, parts
ASSUMED = {
    "meeting_slope_ns": 60,  # a further thread or rank to look at: its line is fetched
    "network_ns": 3000,  # a letter over a network between machines, beside its courier
    "network_bytes_per_ns": 12.5,  # 100 Gb/s
}
ITEM_BYTES = 72  # of a letter, per packet: sim/parallel/ranks.c
PREDICTED = {  # hosts: packet-hops per window of 60 % load, ports of the largest switch; three tiers beyond 10,240
    1024: 128, 10240: 160, 101306: 74,
}
HOPS_PER_HOST = 2.9  # per window of 3 us, at 60 % load of 10 Gb/s: counted
PICK, HOW = statistics.median, "medians of {rounds} alternating rounds"
TITLE = "Times as fast as one core: measured, and predicted for 64 cores and 16 machines"
CORES, MACHINES = (1, 2, 4, 8, 16, 32, 64), (1, 2, 4, 8, 16)
COLOURS = {1024: "#0072b2", 10240: "#d55e00", 101306: "#009e73"}


def powers(most):
    return [2**i for i in range(10) if 2**i <= most]


def cores():
    return len(os.sched_getaffinity(0))


def bench(build, hosts, launch_us, *more):
    """One run of weir-bench-sim: what it printed, and its words on standard error."""
    spines, leaves, per_leaf, links = SHAPES[hosts]
    command = [os.path.join(build, "bench", "weir-bench-sim"), "--spines", spines, "--leaves", leaves, "--hosts", per_leaf,
               "--links", links, "--launch-us", launch_us, *more]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout), done.stderr


def processor_times(build, hosts, launch_us, threads):
    """ns of all threads while they run nodes, and of one between windows; packets that crossed; windows; ns for switches.
    Each thread looks at its clock, which takes half a microsecond here, twice in each of its windows and phases."""
    result, said = bench(build, hosts, launch_us, "--threads", threads, "--profile", 1)
    busy = sum(float(ms) for ms in re.findall(r"switches, ([0-9.]+) ms", said))
    switches = sum(float(ms) for ms in re.findall(r"switches, [0-9.]+ ms \(([0-9.]+) ms", said))
    crossed = sum(int(count) for count in re.findall(r"(\d+) packets to others", said))
    between = float(re.search(r"between windows ([0-9.]+) ms", said).group(1))
    looks = float(re.search(r"([0-9.]+) ns for a look", said).group(1)) * result["windows"] * threads
    return busy * 1e6 - 2 * looks, between * 1e6, crossed, result["windows"], switches * 1e6 - looks


SCENARIO = """until: {until}us
topology: {{kind: leaf-spine, leaves: {leaves}, spines: {spines}, hosts_per_leaf: {hosts}, parallel: {links}, host_rate: 10Gbps,
           spine_rate: 10Gbps, host_delay: 3us, spine_delay: 3us}}
switch: {{buffer: 4MiB, policy: dt, ecn: {{kind: step, low: 65pkt}}}}
transports: {{tcp: {{kind: dctcp}}}}
traffic: [{{kind: poisson, tag: web, transport: tcp, sizes: websearch, load: {load}%, until: {launch}us}}]
"""
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 6e10, "h": 3.6e12}


def rank_run(build, folder, hosts, launch_us, load, launcher):
    """One `weir run`, under mpirun if there is a launcher: ns, windows, ns per packet-hop; of ranks, letters."""
    spines, leaves, per_leaf, links = SHAPES[hosts]
    scenario = os.path.join(folder, "scale.yaml")
    with open(scenario, "w", encoding="utf-8") as file:
        file.write(SCENARIO.format(until=2 * launch_us, launch=launch_us, leaves=leaves, spines=spines, hosts=per_leaf,
                                   links=links, load=load * 100))
    database = os.path.join(folder, "scale.db")
    weir = os.path.join(build, "apps", "weir", "weir")
    environment = dict(os.environ)
    if os.geteuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_plm="isolated")
    done = subprocess.run([*launcher, weir, "run", scenario, "--profile", "--quiet", "-o", database], env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    os.remove(database)
    head = re.search(r"profile: .*, (\d+) windows of ([0-9.]+)([a-z]+) on average, ([0-9.]+) ns per", done.stderr)
    windows, window_ns = int(head.group(1)), float(head.group(2)) * UNITS[head.group(3)]
    run_ns = windows * window_ns
    letters = [float(part) / 100 * run_ns for part in re.findall(r"wrote and read them ([0-9.]+) %", done.stderr)]
    crossed = sum(int(count) for count in re.findall(r"(\d+) packets and [0-9.]+[KMG]?B to others", done.stderr))
    return {"ns": run_ns, "windows": windows, "ns_per_hop": float(head.group(4)), "letters_ns": sum(letters), "crossed": crossed}


def launchers(build):
    """How ranks are started by each MPI that is there: name, command for so many, apart or not."""
    shell = "WEIR_MACHINE=${OMPI_COMM_WORLD_RANK:-$PMI_RANK} exec \"$@\""
    for kind, name in (("openmpi", "Open MPI"), ("mpich", "MPICH")):
        mpirun = shutil.which(f"mpirun.{kind}")
        more = ["--oversubscribe"] if kind == "openmpi" else []  # cores of Open MPI are not processors
        if mpirun and os.path.exists(os.path.join(build, "apps", "weir", f"weir-mpi-{kind}.so")):
            yield name, lambda ranks, mpirun=mpirun, more=more: [mpirun, *more, "-n", str(ranks)], lambda ranks, mpirun=mpirun, more=more: [
                mpirun, *more, "-n", str(ranks), "bash", "-c", shell, "-"]


def count(build):
    """Of each network and number of parts: work per window and part, how uneven, and what crosses."""
    rows = []
    for hosts, (launch_us, windows, parts) in COUNTS.items():
        for number in parts:
            got, _ = bench(build, hosts, launch_us, "--threads", number, "--count", windows)
            mean = got["work"] / number
            rows.append({"hosts": hosts, "parts": number, "work": mean / got["windows"], "crossed": got["crossed"],
                         "largest": largest(hosts) * number, "uneven": got["busiest_of_windows"] / mean,
                         "uneven_part": got["busiest_part"] / mean})
    return rows


def count_empty(build):
    """Of a network with next to no traffic, how much of the work of a window is in the busier of two parts."""
    got, _ = bench(build, 128, EMPTY_US, "--load", EMPTY_LOAD, "--threads", 2, "--count", 1000)
    return got["busiest_of_windows"] / got["work"]


def largest(hosts):
    """Work of the largest switch over all work, by the rates of links."""
    if hosts in SHAPES:
        spines, leaves, per_leaf, links = SHAPES[hosts]
        rack = per_leaf + spines * links
        return max(leaves * links, rack) / (leaves * (rack + HOST_WEIGHT * per_leaf) + spines * leaves * links)
    return PREDICTED[hosts] / (hosts * (5 + HOST_WEIGHT))  # a fat-tree: five times as many ports of switches as hosts


def measure(build, rounds):
    """Everything that takes time on this machine; contenders take turns."""
    threads, mpi = powers(cores()), list(launchers(build))
    samples, turns = {}, []
    def add(key, function, *arguments):
        turns.append((key, function, arguments))
    def fabric(hosts, us, number, load=0.6):
        got, _ = bench(build, hosts, us, "--threads", number, "--load", load)
        return got["wall_s"] * 1e9, got["windows"], got["packet_hops"]
    def ranks(hosts, us, load, launcher):
        got = rank_run(build, folder, hosts, us, load, launcher)
        return got["ns"], got["windows"], got["ns"] / got["ns_per_hop"], got["letters_ns"], got["crossed"]
    for hosts, us in STRONG.items():
        for number in threads:
            add(f"threads {hosts} {number}", fabric, hosts, us, number)
    for number in threads:
        if number in WEAK:
            add(f"weak {number}", fabric, WEAK[number], WEAK_US, number)
        add(f"empty threads {number}", fabric, 128, EMPTY_US, number, EMPTY_LOAD)
    add("threads 10240 1", fabric, 10240, LARGE_US, 1)
    for number in (1, 2):
        add(f"processor {number}", processor_times, build, 128, STRONG[128] // 4, number)
    for hosts, us in STRONG.items():
        add(f"ranks {hosts} 1", ranks, hosts, us, 0.6, [])
    add("empty ranks 1", ranks, 128, EMPTY_US, EMPTY_LOAD, [])
    for name, near, far in mpi:
        for number in threads[1:]:
            for hosts, us in STRONG.items():
                add(f"ranks {hosts} {number} {name}", ranks, hosts, us, 0.6, near(number))
            add(f"empty ranks {number} {name}", ranks, 128, EMPTY_US, EMPTY_LOAD, near(number))
        if len(threads) > 1:
            add(f"apart 1024 2 {name}", ranks, 1024, STRONG[1024], 0.6, far(2))
            add(f"empty apart 2 {name}", ranks, 128, EMPTY_US, EMPTY_LOAD, far(2))
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for key, function, arguments in turns:
                samples.setdefault(key, []).append(function(*arguments))
    return {key: [PICK(column) for column in zip(*values)] for key, values in samples.items()}


def fit(measured, counts, busier):
    """The parameters of the model, all times in ns."""
    def per_window(key):
        return measured[key][0] / measured[key][1]
    def meeting(empty, alone):  # a window takes as long as the busier part, and the meeting
        return max(0.0, per_window(empty) - per_window(alone) * busier) if empty in measured else None
    busy1, between, _, windows, switches = measured["processor 1"]
    busy2, _, crossed, _, _ = measured["processor 2"]
    lasting = [(row["uneven_part"] / max(1, row["largest"]) - 1) / math.sqrt(2 * math.log(row["parts"]) * row["parts"] / row["hosts"])
               for row in counts]
    spread = [(row["uneven"] / max(1, row["largest"]) - 1) / math.sqrt(2 * math.log(row["parts"]) / row["work"]) for row in counts]
    near = [key for key in measured if key.startswith("empty ranks 2")]
    far = [key for key in measured if key.startswith("empty apart 2")]
    lettered = [measured[key] for key in measured if key.startswith("ranks 1024 2")]
    return {
        "hop_ns": {hosts: measured[f"threads {hosts} 1"][0] / measured[f"threads {hosts} 1"][2] for hosts in (128, 1024, 10240)},
        "crossing_ns": max(0.0, (busy2 - busy1) / crossed),
        "between_ns": between / windows,
        "meeting_ns": meeting("empty threads 2", "empty threads 1"),
        "letters_ns": min((meeting(key, "empty ranks 1") for key in near), default=None),
        "courier_ns": min((meeting(key, "empty ranks 1") for key in far), default=None),
        "letter_packet_ns": min((values[3] / values[4] for values in lettered if values[4]), default=None),
        "spread": statistics.mean(spread),
        "lasting": max(0.0, statistics.mean(lasting)),
        "switches": switches / busy1,
    }


def interpolate(points, at):
    points = sorted(points)
    if at <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if at <= x1:
            return y0 + (y1 - y0) * (math.log(at) - math.log(x0)) / (math.log(x1) - math.log(x0))
    return points[-1][1]


def crossing(counts, hosts, parts):
    """Packet-hops from part to part. What matters is how many hosts a part has: with few, a rack is divided too."""
    points = [(row["hosts"] / row["parts"], row["crossed"] / (1 - 1 / row["parts"])) for row in counts]
    merged = {}
    for size, value in points:
        merged.setdefault(size, []).append(value)
    return (1 - 1 / parts) * interpolate([(size, statistics.mean(values)) for size, values in merged.items()], hosts / parts)


def play(parameters, parts, hosts, work_ns, each, largest_part, wait_ns, extra_ns):
    """ns per window of a stretch. Parts have more or less to do than their mean `work_ns`, for long and in each window of
    `each` packet-hops. Switches wait for the switches of all others in the window before, hosts for their hosts."""
    return statistics.mean(play_once(parameters, parts, hosts, work_ns, each, largest_part, wait_ns, extra_ns, random.Random(seed))
                           for seed in range(PLAYS))


def play_once(parameters, parts, hosts, work_ns, each, largest_part, wait_ns, extra_ns, draw):
    lasting = parameters["lasting"] * math.sqrt(parts / hosts)
    means = [1 + lasting * draw.gauss(0, 1) for _ in range(parts)]
    means[0] = max(means[0], largest_part)
    sum_of_others = sum(means[1:])
    if largest_part > 1 and sum_of_others > 0:
        means[1:] = [mean * (parts - means[0]) / sum_of_others for mean in means[1:]]
    means = [mean * parts / sum(means) for mean in means]  # what one part has more, others have less
    sigma = parameters["spread"] / math.sqrt(each)
    switched, done = [0.0] * parts, [0.0] * parts
    for _ in range(PLAYED):
        switches_of, hosts_of = max(switched), max(done)
        for part in range(parts):
            work = work_ns * max(0.0, means[part] + sigma * draw.gauss(0, 1)) + extra_ns
            begins = max(done[part], switches_of + wait_ns)
            switched[part] = begins + parameters["switches"] * work
            done[part] = max(switched[part], hosts_of + wait_ns) + (1 - parameters["switches"]) * work
    return max(done) / PLAYED


def predict(parameters, counts, hosts, threads, machines=1, letters="courier_ns", hops=None):
    """ns per window of `threads` threads on each of so many ranks."""
    hops = hops or hosts * HOPS_PER_HOST
    parts = threads * machines
    if parts == 1:
        return hops * interpolate([(int(size), ns) for size, ns in parameters["hop_ns"].items()], hosts) + parameters["between_ns"]
    each = hops / parts
    # the cost of the whole network: that its parts fit caches better is not counted on
    hop_ns = interpolate([(int(size), ns) for size, ns in parameters["hop_ns"].items()], hosts)
    uneven = max(1, largest(hosts) * parts) * (1 + parameters["spread"] * math.sqrt(2 * math.log(parts) / each))
    between_ranks = crossing(counts, hosts, machines) if machines > 1 else 0
    if machines == 1 or (threads == 1 and letters == "letters_ns"):  # nobody stops between windows
        ranks = machines > 1
        wait = parameters["letters_ns" if ranks else "meeting_ns"] / 2 + ASSUMED["meeting_slope_ns"] * (parts - 2)
        cost = parameters["letter_packet_ns" if ranks else "crossing_ns"]
        return play(parameters, parts, hosts, each * hop_ns, each, largest(hosts) * parts, wait, each * crossing(counts, hosts, parts) * cost)
    across = max(0.0, crossing(counts, hosts, parts) - between_ranks)
    time = each * uneven * hop_ns + each * across * parameters["crossing_ns"] + parameters["between_ns"]
    if threads > 1:
        time += parameters["meeting_ns"] + ASSUMED["meeting_slope_ns"] * (threads - 2)
    if machines > 1:
        packets = hops / machines * between_ranks
        time += parameters[letters] + packets * parameters["letter_packet_ns"] + ASSUMED["meeting_slope_ns"] * (machines - 2)
        if letters == "courier_ns":
            time += ASSUMED["network_ns"] + packets * ITEM_BYTES / ASSUMED["network_bytes_per_ns"]
    return time


def checks(measured, parameters, counts):
    """What the model says of what was measured: name, measured and predicted times as fast."""
    rows = []
    for key, values in measured.items():
        words = key.split()
        if words[0] not in ("threads", "ranks", "apart") or words[2] == "1" or int(words[1]) not in STRONG:
            continue
        hosts, number = int(words[1]), int(words[2])
        alone = measured[f"{'threads' if words[0] == 'threads' else 'ranks'} {hosts} 1"]
        hops = alone[2] / alone[1]
        one = predict(parameters, counts, hosts, 1, hops=hops)
        if words[0] == "threads":
            many, what = predict(parameters, counts, hosts, number, hops=hops), f"{number} threads"
        else:
            way = "letters_ns" if words[0] == "ranks" else "courier_ns"
            # on one machine nothing goes over a network
            many = predict(parameters, counts, hosts, 1, number, way, hops)
            many -= ASSUMED["network_ns"] if way == "courier_ns" else 0
            what = f"{number} ranks, {' '.join(words[3:])}" + (", by couriers" if way == "courier_ns" else "")
        rows.append({"name": f"{hosts} hosts, {what}", "measured": alone[0] / values[0], "predicted": one / many})
    return rows


def predictions(parameters, counts):
    curves = {}
    for hosts in PREDICTED:
        one = predict(parameters, counts, hosts, 1)
        curves[hosts] = {"cores": {number: one / predict(parameters, counts, hosts, number) for number in CORES},
                         "machines": {number: one / predict(parameters, counts, hosts, CORES[-1], number) for number in MACHINES}}
    return curves


def bench_rows(result):
    """Rows as of the other benchmarks."""
    for key, values in result["measured"].items():
        kind = key.split()[0]
        if kind in ("empty", "processor"):
            continue
        base = {"weak": "weak 1", "apart": "ranks 1024 1"}.get(kind, f"{kind} {key.split()[1]} 1")
        ns = values[0] / values[2]
        other = result["measured"][base]
        yield {"name": f"scale, {key}", "value": round(ns, 3), "unit": "ns/hop", "compared_with": f"scale, {base}" if base != key else None,
               "ratio": round(other[0] / other[2] / ns, 3) if base != key else None}
    for name, value in result["parameters"].items():
        if not isinstance(value, dict) and value is not None:
            yield {"name": f"scale, {name}", "value": round(value, 3), "unit": "ns" if name.endswith("_ns") else "", "compared_with": None,
                   "ratio": None}


def counts_table(counts):
    lines = ["| how even parts are, counted | parts | packet-hops of a part and window | the largest switch | busiest part of each window | "
             "packet-hops that cross |", "|---|---|---|---|---|---|"]
    return lines + [f"| {row['hosts']:,} hosts | {row['parts']} | {row['work']:.0f} | {row['largest']:.2f} | {row['uneven']:.2f} | "
                    f"{100 * row['crossed']:.0f} % |" for row in counts]


def parameters_table(p):
    hop = ", ".join(f"{ns:.0f} ns ({int(hosts):,} hosts)" for hosts, ns in p["hop_ns"].items())
    network = f"{ASSUMED['network_ns'] / 1000:.0f} us, {8 * ASSUMED['network_bytes_per_ns']:.0f} Gb/s"
    rows = (
        ("a packet-hop", hop, "one thread"),
        ("a packet from thread to thread", f"{p['crossing_ns']:.0f} ns", "processor time of two threads and of one"),
        ("between two windows", f"{p['between_ns']:.0f} ns", "processor time of the first thread"),
        ("a meeting of two threads", f"{p['meeting_ns']:.0f} ns", "windows with next to nothing in them"),
        ("two ranks of one machine exchange letters", f"{p['letters_ns']:.0f} ns", "likewise"),
        ("the same by couriers", f"{p['courier_ns']:.0f} ns", "likewise, under two names of machines"),
        ("a packet in a letter, written and read", f"{p['letter_packet_ns']:.0f} ns", "`--profile` of two ranks"),
        ("spread of parts, in a window", f"{p['spread']:.2f} / √packet-hops", "the mean of what was counted"),
        ("spread of parts, for long", f"{p['lasting']:.2f} / √hosts", "likewise"),
        ("switches, of the time of nodes", f"{100 * p['switches']:.0f} %", "processor time of one thread"),
        ("a further thread or rank at a meeting", f"{ASSUMED['meeting_slope_ns']} ns", "assumed"),
        ("a network between machines", network, "assumed"),
    )
    return ["| parameter | | how |", "|---|---|---|"] + [f"| {name} | {value} | {how} |" for name, value, how in rows]


def checks_table(checked):
    return ["| check | measured | predicted |", "|---|---|---|"] + [
        f"| {row['name']} | {row['measured']:.2f} times | {row['predicted']:.2f} times |" for row in checked]


def weak_table(measured):
    lines = ["| weak scaling | a window takes | of one thread's |", "|---|---|---|"]
    first = measured["weak 1"][0] / measured["weak 1"][1]
    for key, values in measured.items():
        if key.startswith("weak "):
            number, window = int(key.split()[1]), values[0] / values[1]
            lines.append(f"| {WEAK[number]:,} hosts, {number} thread{'s' * (number > 1)} | {window / 1000:.0f} us | {window / first:.2f} |")
    return lines


def predictions_table(predicted):
    lines = ["| **predicted**, times as fast as one core | 8 cores | 64 cores | 4 machines of 64 | 16 machines of 64 |", "|---|---|---|---|---|"]
    for hosts, curve in predicted.items():
        on, by = ({int(number): value for number, value in curve[kind].items()} for kind in ("cores", "machines"))
        lines.append(f"| {int(hosts):,} hosts | {on[8]:.1f} | {on[64]:.0f} | {by[4]:.0f} | {by[16]:.0f} |")
    return lines


def table(result):
    """What goes into docs/scale.md."""
    lines = counts_table(result["counts"])
    if "parameters" in result:
        lines += ["", f"Measured: {result['how']}.", "", *parameters_table(result["parameters"]), "", *checks_table(result["checks"]), "",
                  *weak_table(result["measured"]), "", *predictions_table(result["predictions"]), "", f"![{TITLE}](images/scale.svg)"]
    return "\n".join(lines)


def picture(result):
    """Two panels: cores of one machine, and machines of 64 cores."""
    points = {int(hosts): {kind: {int(n): value for n, value in curve[kind].items()} for kind in curve}
              for hosts, curve in result["predictions"].items()}
    top = max(value for curve in points.values() for kind in curve.values() for value in kind.values())
    top = 2 ** math.ceil(math.log2(max(top, 2)))
    def y(value):
        return 260 - 210 * math.log2(max(value, 1)) / math.log2(top)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 340" font-family="sans-serif" font-size="12" fill="#777" role="img">',
           f"<title>{TITLE}</title>"]
    panels = (("cores", 60, CORES, "threads on one machine"), ("machines", 440, MACHINES, f"machines with {CORES[-1]} threads each"))
    for kind, left, numbers, label in panels:
        def x(number, left=left, most=numbers[-1]):
            return left + 300 * math.log2(number) / math.log2(most)
        out.append(f'<text x="{left}" y="30" font-weight="bold">times as fast as one core</text>')
        for value in [4**i for i in range(6) if 4**i <= top]:
            out.append(f'<path d="M{left} {y(value):.1f}h300" stroke="#8886"/><text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value}</text>')
        for number in numbers:
            out.append(f'<text x="{x(number):.1f}" y="278" text-anchor="middle">{number}</text>')
        out.append(f'<text x="{left + 150}" y="296" text-anchor="middle">{label}</text>')
        for hosts, curve in points.items():
            path = " L".join(f"{x(number):.1f} {y(curve[kind][number]):.1f}" for number in numbers)
            out.append(f'<path d="M{path}" fill="none" stroke="{COLOURS[hosts]}" stroke-width="2" stroke-dasharray="5 4"/>')
        for row in result["checks"] if kind == "cores" else ():
            words = re.match(r"(\d+) hosts, (\d+) (threads|ranks)", row["name"])
            if "couriers" not in row["name"] and int(words.group(1)) in COLOURS:
                at, colour = f"{x(int(words.group(2))):.1f}", COLOURS[int(words.group(1))]
                fill = colour if words.group(3) == "threads" else "none"
                out.append(f'<circle cx="{at}" cy="{y(row["measured"]):.1f}" r="4" fill="{fill}" stroke="{colour}" stroke-width="1.5"/>')
    left = 60
    for hosts, colour in COLOURS.items():
        out.append(f'<path d="M{left} 322h30" stroke="{colour}" stroke-width="2" stroke-dasharray="5 4"/><text x="{left + 36}" y="326">{hosts:,} hosts, '
                   'predicted</text>')
        left += 178
    out.append(f'<circle cx="{left + 8}" cy="322" r="4" fill="{COLOURS[1024]}"/><text x="{left + 18}" y="326">measured (rings: ranks)</text></svg>')
    return "\n".join(out) + "\n"


def write(path, text):
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)


def draw(source, page, image):
    with open(source, encoding="utf-8") as file:
        result = json.load(file)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    begin, end = "<!-- bench/scale.py -->\n", "<!-- end -->\n"
    before, rest = text.split(begin)
    write(page, before + begin + table(result) + "\n" + end + rest.split(end)[1])
    if "predictions" in result:
        write(image, picture(result))


def main():
    if sys.argv[1] == "--draw":
        draw(*sys.argv[2:5])
        return
    build, out = sys.argv[1], sys.argv[2]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    if cores() < 2:
        print("scale: one processor: nothing scales here", file=sys.stderr)
        return
    counts = count(build)
    measured = measure(build, rounds)
    parameters = fit(measured, counts, count_empty(build))
    if parameters["letters_ns"] is None:
        print("scale: no ranks: neither Open MPI nor MPICH was there when weir was built", file=sys.stderr)
        parameters.update(letters_ns=0, courier_ns=0, letter_packet_ns=0)
    result = {"how": f"{HOW.format(rounds=rounds)} on a machine with {cores()} cores", "counts": counts, "measured": measured, "parameters": parameters, "assumed": ASSUMED,
              "checks": checks(measured, parameters, counts), "predictions": predictions(parameters, counts)}
    rows = list(bench_rows(result))
    for row in rows:
        note = f"{row['ratio']:6.2f} times as fast as {row['compared_with']}" if row["ratio"] else ""
        print(f"{row['name']:<44} {row['value']:10.2f} {row['unit']:<7} {note}")
    for row in result["checks"]:
        print(f"{row['name']:<44} measured {row['measured']:.2f}, the model says {row['predicted']:.2f}")
    for hosts, curve in result["predictions"].items():
        print(f"predicted, {hosts:,} hosts: {curve['cores'][64]:.0f} times by 64 cores, {curve['machines'][16]:.0f} times by 16 machines of 64")
    write(out, json.dumps(rows, indent=2) + "\n")
    write(out.removesuffix(".json") + "-model.json", json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
