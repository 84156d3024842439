#!/usr/bin/env python3
"""Forests: nanoseconds per question, and training beside scikit-learn on the same rows and cores in one run.

    bench/forest.py BUILD [RESULTS.json]

Rows are made here, 400,000 by default; each program learns 4 trees of depth 4 from one half of them and is judged by
the other. Times are of the growth alone, rows being in memory, medians of rounds that alternate. Without
Debian's python3-sklearn the comparison is skipped.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

ROWS = int(os.environ.get("WEIR_BENCH_ROWS", "400000"))
ROUNDS = 5
AIM_NS = 25

FIT = """
import json, sys, time
import numpy
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, precision_score, recall_score
rows = numpy.loadtxt(sys.argv[1], delimiter=",", skiprows=1, usecols=(1, 2, 3, 4, 5), dtype=numpy.float32)
x, y = rows[:, :4], rows[:, 4].astype(int)
forest = RandomForestClassifier(n_estimators=4, max_depth=4, random_state=1, n_jobs=int(sys.argv[2]))
for line in sys.stdin:
    start, cpu = time.perf_counter(), time.process_time()
    forest.fit(x[::2], y[::2])
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    said = forest.predict(x[1::2])
    print(json.dumps({"seconds": seconds, "cpu": cpu, "accuracy": accuracy_score(y[1::2], said),
                      "precision": precision_score(y[1::2], said), "recall": recall_score(y[1::2], said)}), flush=True)
"""


def make_rows(path):
    """Lost when queue and buffer are long together, with exceptions; a generator of its own, the same everywhere."""
    state = 12345
    with open(path, "w", encoding="ascii") as out:
        out.write("switch,queue,queue_average,buffer,buffer_average,lost\n")
        for _ in range(ROWS):
            v = []
            for _ in range(5):
                state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
                v.append((state >> 33) % 1000000)
            lost = v[0] + v[2] // 2 > 1000000
            if v[4] % 20 == 0:
                lost = not lost
            out.write(f"s0,{v[0]},{v[1]},{v[2]},{v[3]},{int(lost)}\n")


def compare(program, rows, threads):
    """Medians of both, or weir's and None."""
    has = subprocess.run(["/usr/bin/python3", "-c", "import sklearn"], capture_output=True, check=False).returncode == 0
    theirs = subprocess.Popen(["/usr/bin/python3", "-c", FIT, rows, str(threads)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) if has else None
    ours, other = [], []
    for _ in range(ROUNDS):
        answer = subprocess.run([program, "train", rows, str(threads)], check=True, capture_output=True, text=True)
        ours.append(json.loads(answer.stdout))
        if theirs:
            theirs.stdin.write("\n")
            theirs.stdin.flush()
            other.append(json.loads(theirs.stdout.readline()))
    if theirs:
        theirs.stdin.close()
        theirs.wait()

    def middle(results):
        return {key: statistics.median(r[key] for r in results) for key in results[0]} if results else None
    return middle(ours), middle(other)


def main():
    build = sys.argv[1]
    program = os.path.join(build, "bench", "weir-bench-forest")
    table = []
    answer = subprocess.run([program, "ask"], check=True, capture_output=True, text=True)
    print(f"{'trees':>6} {'depth':>6} {'ns per question':>16}")
    for size in json.loads(answer.stdout):
        print(f"{size['trees']:6} {size['depth']:6} {size['ns']:16.1f}")
        table.append({"name": f"question to {size['trees']} trees of depth {size['depth']}", "value": size["ns"],
                      "unit": "ns", "compared_with": "aim" if (size["trees"], size["depth"]) == (4, 4) else None,
                      "ratio": size["ns"] / AIM_NS if (size["trees"], size["depth"]) == (4, 4) else None})
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.csv")
        make_rows(rows)
        for threads in sorted({1, os.cpu_count() or 1}):
            ours, theirs = compare(program, rows, threads)
            table.append({"name": f"training, {ROWS // 2} rows, {threads} threads", "value": ours["seconds"], "unit": "s",
                          "compared_with": "scikit-learn" if theirs else None,
                          "ratio": theirs["seconds"] / ours["seconds"] if theirs else None})
            print(f"\ntraining from {ROWS // 2} rows, {threads} thread(s)")
            for name, result in (("weir", ours), ("scikit-learn", theirs)):
                if result is None:
                    print(f"{name:>13}: skipped: python3-sklearn is not installed")
                    continue
                print(f"{name:>13}: {result['seconds']:.3f} s, {result['cpu']:.3f} s of processors   accuracy {result['accuracy']:.4f}   "
                      f"precision {result['precision']:.4f}   recall {result['recall']:.4f}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="ascii") as out:
            json.dump(table, out, indent=1)


if __name__ == "__main__":
    main()
