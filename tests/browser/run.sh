#!/usr/bin/env bash
# run.sh - the tests of the report's page in a browser: makes up results, writes their reports and drives Chromium
# through them. Exit status 77: something for it is missing.
#
# WEIR is the command, FAKE_RESULTS the program of fake_results.c, WEIR_ROOT the source tree. With PICTURES=FOLDER there are
# pictures of pages with real results instead, for the docs, which fail where a text is cut or a page runs out of its
# window (`make pictures`).
set -euo pipefail
here=$WEIR_ROOT/tests/browser

skip() {
    echo "skipped: $1 (tools/deps test)"
    exit 77
}
command -v node >/dev/null || skip 'node is missing'
[ -d "$here/node_modules/playwright-core" ] || skip 'playwright-core is missing'
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip 'chromium is missing'
export CHROMIUM
[ -d "$WEIR_ROOT/report/node_modules/uplot" ] || skip 'uPlot is missing'

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
examples=$WEIR_ROOT/scenarios/examples
if [ -n "${PICTURES-}" ]; then
    mkdir -p "$PICTURES"
    cd "$scratch"
    "$WEIR" run "$WEIR_ROOT/scenarios/demo.yaml" -o demo.db >/dev/null
    { cat "$examples/leaf-spine-websearch.yaml" && cat "$here/fabric_sweep.yaml"; } >fabric.yaml
    "$WEIR" run fabric.yaml -o fabric.db >/dev/null
    "$WEIR" run "$WEIR_ROOT/scenarios/gallery/headroom.yaml" -o lossless.db >/dev/null
    for name in demo fabric lossless; do
        "$WEIR" report "$name.db" >/dev/null
    done
    "$WEIR" run "$examples/burst-meets-long-flows.yaml" --set switch.policy=occamy --trace s0=s0.wtr >/dev/null
    "$WEIR" replay --timeline timeline.html s0.wtr >/dev/null
    node "$here/pictures.js" "$scratch" "$PICTURES"
    exit
fi
"$FAKE_RESULTS" "$here/demo.yaml" "$scratch/demo.db" query
"$FAKE_RESULTS" "$here/demo.yaml" "$scratch/missing.db" query 7
"$FAKE_RESULTS" "$here/hostile.yaml" "$scratch/hostile.db" '</script><script>alert("tag")</script>' 1
sed -e '/^paper:/d' -e 's/^    rule:/    expected: yes\n    rule:/' "$here/demo.yaml" >"$scratch/ours.yaml"
"$FAKE_RESULTS" "$scratch/ours.yaml" "$scratch/ours.db" query
for name in demo missing hostile ours; do
    "$WEIR" report "$scratch/$name.db" >/dev/null
done
# Timelines: of a policy that refuses and expels, and of one that pauses, in a file with a name that is markup.
(
    cd "$scratch"
    "$WEIR" run "$examples/burst-meets-long-flows.yaml" --set switch.policy=occamy --trace s0=occamy.wtr >/dev/null
    "$WEIR" run "$examples/lossless-incast.yaml" --set until=500us --trace s0=lossless.wtr >/dev/null
    cp lossless.wtr '<img src=x onerror=alert(1)>.wtr'
    "$WEIR" replay --no-naive --timeline timeline.html occamy.wtr >/dev/null
    "$WEIR" replay --no-naive --timeline pauses.html '<img src=x onerror=alert(1)>.wtr' >/dev/null
)
node "$here/report.js" "$scratch" "$@"
