#!/usr/bin/env bash
# test_newmeasure.sh - in a copy of the tree, the steps of "Adding a measure" in CONTRIBUTING.md: a counter at its site
# and one row in measures.def give a measure that claims and figures know and that weir show, weir export, the JSON of a
# run and the reference have.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

command -v python3 >/dev/null || { echo 'skipped: python3 is missing'; exit 77; }
copy=$scratch/weir
mkdir "$copy"
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" -xf -
before=$(cd "$copy" && find . -type f -exec cksum {} + | sort)

# 1. Count it where it happens.
sed -i 's|^    uint64_t made, delivered, strays;.*|&\n    uint64_t reached;|' "$copy/sim/net/measure.h"
sed -i 's|^\( *\)worker->measure->delivered++;|&\n\1worker->measure->reached++;|' "$copy/sim/net/host.c"
sed -i 's|^    m->delivered += part->delivered;|&\n    m->reached += part->reached;|; s|^    part->made = part->delivered =|& part->reached =|' \
    "$copy/sim/net/measure.c"
# 2. Its row.
cat >"$scratch/row" <<'END'
VALUE("reached", "1", "packets that reached a host", SIMULATED ? sim_measure(at->run->sim)->reached : NONE,
      "packets that reached their host")
END
sed -i "/^VALUE(\"hops\"/{
r $scratch/row
}" "$copy/run/measures/measures.def"

if ! { meson setup "$copy/build/t" "$copy" -Dbuildtype=plain &&
    ninja -C "$copy/build/t" apps/weir/weir tests/run_measures_reference; } >"$scratch/log" 2>&1; then
    tail -n 40 "$scratch/log"
    exit 1
fi

# 3. Its line in the reference: the test says which.
# shellcheck disable=SC2016 # the quotes of Markdown
line='| `reached` | 1 | packets that reached their host |'
out=$(WEIR_ROOT=$copy "$copy/build/t/tests/run_measures_reference" 2>&1 || true)
expect_match 'the reference lacks it' "$out" "expected '\\| \`reached\` \\| 1 \\| packets that reached their host \\|"
sed -i "s/^| \`hops\` |.*/&\n$line/" "$copy/docs/reference/measures.md"
status=0
out=$(WEIR_ROOT=$copy "$copy/build/t/tests/run_measures_reference" 2>&1) || status=$?
expect_equal 'the reference has it' "$status" 0

# Nothing else was touched.
after=$(cd "$copy" && find . -type f -not -path './build/*' -exec cksum {} + | sort)
touched=$(comm -13 <(printf '%s\n' "$before") <(printf '%s\n' "$after") | sed 's/.* \.\///' | sort | tr '\n' ' ')
expect_equal 'files' "$touched" 'docs/reference/measures.md run/measures/measures.def sim/net/host.c sim/net/measure.c sim/net/measure.h '

weir=$copy/build/t/apps/weir/weir
cat >"$scratch/tiny.yaml" <<'END'
until: 1ms
topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 1us}
switch: {buffer: 20KB, policy: dt}
transports: {u: {kind: udp, rate: 10Gbps}}
traffic:
- {kind: long, transport: u, tag: flood, sources: h0-h1, destinations: h2, bytes: 90KB}
sweep: {buffer: {switch.buffer: [20KB, 40KB]}}
figures:
- {kind: line, title: Reached, x: buffer, y: reached}
END
cd "$scratch"
sed 's/y: reached/y: reachd/' tiny.yaml >wrong.yaml
out=$("$weir" run wrong.yaml 2>&1 || true)
expect_match 'its name is known' "$out" "unknown measure 'reachd' \\(did you mean 'reached'\\?\\)"
"$weir" run --output tiny.db tiny.yaml >/dev/null
expect_match 'weir show' "$("$weir" show tiny.db)" 'packets that reached a host|Reached'
values=$("$weir" export --csv tiny.db | python3 -c 'import csv, sys
print([(float(r["reached"]) > 0, r["reached"] == r["flood.received"]) for r in csv.DictReader(sys.stdin)])')
expect_equal 'weir export' "$values" '[(True, True), (True, True)]'
unit=$("$weir" export --json tiny.db | python3 -c 'import json, sys; print(json.load(sys.stdin)["units"]["reached"])')
expect_equal 'its unit' "$unit" 1
sed '/^sweep/,$d' tiny.yaml >single.yaml
json=$("$weir" run --json single.yaml | python3 -c 'import json, sys; m = json.load(sys.stdin)["measures"]
print(m["reached"] == m["flood.received"] > 0)')
expect_equal 'JSON of a run' "$json" True
"$weir" report --output page.html tiny.db >/dev/null
expect_match 'title of the axis' "$(cat page.html)" 'packets that reached a host'
finish
