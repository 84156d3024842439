# sweep.sh - for the tests of sweeps and their results: source it after lib.sh.
# shellcheck shell=bash

if ! python3 -c 'import sqlite3' 2>/dev/null; then
    echo "skipped: python3 with sqlite3 looks into the databases"
    exit 77
fi

# write_sweep FILE: four points with three seeds, in which something is random.
write_sweep() {
    cat >"$1" <<'END'
name: sweep
seed: 5
until: 10ms
topology: {kind: single, hosts: 5}
switch: {buffer: 30KB, policy: dt}
transports:
  tcp: {kind: newreno, min_rto: 1ms}
traffic:
  - {kind: incast, tag: burst, transport: tcp, sources: h1-h4, destination: h0, bytes: 100KB, interval: 3ms, rounds: 2}
  - {kind: poisson, tag: mice, transport: tcp, sizes: [[1KB, 0.5], [9KB, 1]], load: 0.3}
measure: {goodput_interval: 1ms, probes: [{at: s0, to: h0, interval: 100us}]}
seeds: 3
sweep:
  policy:
    switch.policy: [dt, lqd]
  buffer:
    switch.buffer: [20KB, 60KB]
quick: {seeds: 2, sweep.buffer: {switch.buffer: [20KB]}}
figures:
  - {kind: line, title: Mean QCT, x: buffer, lines: policy, y: burst.qct.mean}
  - {kind: bar, title: lost.total, x: policy, y: lost.total}
claims:
  - {id: fewer, text: LQD loses no more than DT., rule: holds,
     value: "lost.total[policy=lqd] <= lost.total[policy=dt]"}
END
}

# ask DATABASE SQL: the rows, columns with | between them.
ask() {
    python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in db.execute(sys.argv[2]):
    print("|".join(str(x) for x in row))
db.commit()' "$1" "$2"
}

# ranks_of PARENT DATABASE: the processes that it started for this database, rank 0 first, whatever their numbers.
ranks_of() {
    local pid
    for pid in $(pgrep -P "$1" -f -- "-o $2\$"); do
        echo "$(tr '\0' '\n' <"/proc/$pid/environ" | sed -nE 's/^(OMPI_COMM_WORLD_RANK|PMI_RANK)=//p' | head -n 1) $pid"
    done | sort -n | cut -d ' ' -f 2
}

# edit DATABASE SQL: changes rows as an older weir would have them, without seals.
edit() {
    ask "$1" "$2"
    ask "$1" 'DROP TABLE IF EXISTS seal'
    ask "$1" 'PRAGMA user_version=2'
}

# dump DATABASE: everything that does not differ from time to time, in order.
dump() {
    python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for table, in db.execute("SELECT name FROM sqlite_master WHERE type = \"table\" ORDER BY name").fetchall():
    if table not in ("cost", "seal"):
        print(table, *sorted(map(repr, db.execute("SELECT * FROM " + table))), sep="\n")
print(db.execute("PRAGMA integrity_check").fetchall())' "$1"
}
