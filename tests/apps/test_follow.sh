#!/usr/bin/env bash
# test_follow.sh - packets that are followed from end to end: check_packets.py judges CSV and capture; threads, the
# choice of flows and the run itself must not change.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/networks.sh
source "$root/tests/apps/networks.sh"
command -v python3 >/dev/null || {
    echo 'skipped: followed packets: python3 is missing'
    exit 77
}

networks 600 'policy: occamy'
sed '/^until/a wire: {loss: 0.002}\nhost: {nic: queue, queue: 30, queue_full: drop}' lossy.yaml >chance.yaml
cat >trim.yaml <<'YAML'
until: 2ms
topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 4}
switch: {buffer: 40KB, classes: 2, policy: dt, trim: {class: 0, size: 70B, to: 1}}
transports: {u: {kind: uet}}
traffic: [{kind: incast, tag: burst, transport: u, sources: h1-h7, destination: h0, bytes: 100KB}]
YAML

# follow FILE THREADS OPTION...: the run's outputs, in the folder of that number.
follow() {
    local file=$1 threads=$2
    shift 2
    mkdir -p "$threads"
    "$WEIR" run "$file" --quiet --threads "$threads" --output "$threads/r.db" --again --records "$threads/r.csv" --json \
        --packets "$threads/p.csv" --packets "$threads/p.pcapng" "$@" >"$threads/r.json"
    rm "$threads/r.db"
}
for file in lossy lossless chance trim; do
    follow $file.yaml 1
    counts=$(python3 "$root/tests/apps/check_packets.py" 1/p.csv 1/p.pcapng 1/r.json 1/r.csv)
    expect_match "$file: what happens" "$counts" '^received [1-9]'
    case $file in
    lossy) expect_match "$file: lost by the failure" "$counts" '^lost/(flushed|link|unroutable) ' ;;
    lossless) expect_match "$file: lost by the watchdog" "$counts" '^lost/watchdog ' ;;
    chance) expect_match "$file: lost by chance" "$counts" '^lost/link ' ;;
    trim) expect_match "$file: trimmed" "$counts" '^trimmed ' ;;
    esac
    follow $file.yaml 3
    expect_equal "$file by three threads" "$(diff -rq 1 3)" ''
    "$WEIR" run $file.yaml --quiet --output plain.db --json >plain.json
    expect_equal "$file, nothing followed" "$(diff plain.json 1/r.json)" ''
    rm plain.db
done

# A choice leaves out the others, and numbers packets anew.
follow lossy.yaml 1
cp 1/p.csv all.csv
follow lossy.yaml 1 --follow 'query,3-5,h2-h9'
python3 - all.csv 1/p.csv <<'PYTHON'
import csv, sys
def rows(path):
    with open(path, newline="") as file:
        return [{k: v for k, v in row.items() if k != "packet"} for row in csv.DictReader(file)]
def wanted(row):
    ends = {row["source"], row["destination"]}
    return row["tag"] == "query" or 3 <= int(row["flow"]) <= 5 or ends == {"2", "9"}
whole, chosen = (rows(path) for path in sys.argv[1:])
assert 0 < len(chosen) < len(whole)
assert chosen == [row for row in whole if wanted(row)]
PYTHON

# Mistakes say what is expected, and leave nothing behind.
rm -rf 1 3
refuse() {
    expect_run "$1" "weir: $2" "$WEIR" run lossy.yaml --quiet --output m.db "${@:3}"
    expect_equal 'no file' "$(ls m.* 2>/dev/null)" ''
}
refuse 2 "--packets: m.txt: its name does not say which form it has (expected .csv or .pcapng)" --packets m.txt
refuse 3 "follow: 'qery' names no packets (expected flows '12' or '12-20', a tag, a host 'h3' or two 'h3-h7'; did you mean 'query'?)" \
    --packets m.csv --follow qery
refuse 3 "follow: 'h16' names no packets (expected flows '12' or '12-20', a tag, a host 'h3' or two 'h3-h7'; hosts are h0 to h15)" \
    --packets m.csv --follow h1,h16
