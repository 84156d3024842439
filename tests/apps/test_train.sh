#!/usr/bin/env bash
# weir train and weir predict: the same forest again, its report, wrong input by place, and equality with scikit-learn.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

# Rows with a pattern: lost when buffer > 700 and queue > 400, and one in sixteen is wrong.
awk 'BEGIN {
    print "# weir-rows 1\n# counters real\n# average 24000000\n# ports 8"
    print "switch,queue,queue_average,buffer,buffer_average,lost"
    x = 12345
    for (i = 0; i < 20000; i++) {
        for (f = 0; f < 5; f++) { x = (x * 16807) % 2147483647; v[f] = x % 1000 }
        lost = (v[2] > 700 && v[0] > 400)
        if (v[4] < 62) lost = !lost
        printf "%s,%d,%d,%d,%d,%d\n", i % 2 ? "leaf0" : "leaf1", v[0] * 1500, v[1] * 1500, v[2] * 1500, v[3] * 1500, lost
    }
}' >rows.csv

expect_run 0 "" "$WEIR" train --features 4 --threads 1 --model a.forest rows.csv
expect_match "report" "$output" "LQD lost it"
expect_match "report" "$output" "1/eta"
expect_run 0 "" "$WEIR" train --features 4 --threads 3 --model b.forest rows.csv
expect_equal "forest on other threads" "$(cat b.forest)" "$(cat a.forest)"
expect_run 0 "" "$WEIR" train --features 4 --seed 2 --model b.forest rows.csv
expect_equal "another seed" "$(cmp -s a.forest b.forest && echo same || echo other)" other

# The forest finds the pattern: what it cannot know is one row in sixteen.
if [ -n "$has_python" ]; then
    expect_run 0 "" "$WEIR" predict --json --model a.forest rows.csv
    expect_equal "accuracy is near 15/16" "$(from_json '0.93 < d["scores"]["accuracy"] < 0.945')" True
    expect_equal "rows of both switches" "$(from_json 'd["rows"]["judged"]')" 20000
    expect_run 0 "" "$WEIR" predict --json --switch leaf0 --model a.forest rows.csv
    expect_equal "rows of one switch" "$(from_json 'd["rows"]["judged"]')" 10000
fi

# The page: the same numbers, one file, nothing from elsewhere; a name is a text, not markup.
expect_run 0 "" "$WEIR" predict --model a.forest --report page.html rows.csv
read -r _ _ _ lost kept <<<"$(grep 'LQD lost it' <<<"$output" | sed 's/LQD lost it/a b c/')"
expect_match "confusion matrix of the page" "$(cat page.html)" "LQD lost it</th><td>$lost</td><td>$kept</td>"
for part in 'Content-Security-Policy' 'ROC curve' 'Calibration' 'Known only when a forest is trained'; do
    expect_match "page" "$(cat page.html)" "$part"
done
expect_equal "what the page loads" "$(grep -cE '(src|href)="?[a-z]+:' page.html || true)" 0
expect_run 0 "" "$WEIR" train --model '<b>.forest' --report page.html rows.csv
expect_match "importance in the page" "$(cat page.html)" "queue_average"
expect_match "title of the page" "$(cat page.html)" "<h1>&lt;b&gt;.forest</h1>"
expect_run 4 "weir: none/page.html: cannot write: No such file or directory" \
    "$WEIR" predict --model a.forest --report none/page.html rows.csv

# SIGINT ends the growth, and nothing is written.
"$WEIR" train --trees 256 --depth 64 --model none.forest rows.csv >stopped.txt 2>&1 &
growing=$!
wait_until "weir train runs" grep -qx weir "/proc/$growing/comm"
while kill -INT "$growing" 2>/dev/null; do sleep 0.02; done
status=0
wait "$growing" || status=$?
expect_equal "exit status after SIGINT" "$status" 130
expect_equal "after SIGINT" "$(ls none.forest 2>/dev/null; cat stopped.txt)" ""

# Wrong input.
expect_run 2 "weir: predict: --model is missing (expected a forest, made by weir train)" "$WEIR" predict rows.csv
sed -i 's/^split queue [0-9]*/split queue 7/' b.forest
status=0
"$WEIR" predict --model b.forest rows.csv 2>error.txt || status=$?
expect_equal "exit status of a changed forest" "$status" 3
expect_match "a changed forest" "$(cat error.txt)" "the digest is not that of the trees above: the file was changed"
head -n 9 a.forest >cut.forest
expect_run 3 "weir: cut.forest:9:1: ends before its last line, \"end\"" "$WEIR" predict --model cut.forest rows.csv
sed 's/average 24000000/average 1/' rows.csv >other.csv
expect_run 3 "weir: a.forest: learnt from averages over 24000000 ps, the rows have 1 ps" \
    "$WEIR" predict --model a.forest other.csv
expect_run 3 "weir: other.csv:20005:1: the features are of another kind (counters or average) than those of the file before" \
    "$WEIR" train rows.csv other.csv

# A forest of scikit-learn's predicts the same here, row by row, and one of ours there.
sklearn=$WEIR_ROOT/tools/sklearn-forest
if /usr/bin/python3 -c 'import sklearn, joblib' 2>/dev/null; then
    many=rows.csv
    if [ "${WEIR_TEST_ROUNDS:-1}" -gt 1 ]; then # a million rows
        many=many.csv
        { head -n 5 rows.csv && for ((i = 0; i < 50; i++)); do tail -n +6 rows.csv; done; } |
            awk -F, -v OFS=, 'NR > 5 { for (f = 2; f < 6; f++) $f = ($f + NR * (7 * f + 1)) % 16777216 } 1' >many.csv
        expect_equal "rows" "$(wc -l <many.csv)" 1000005
    fi
    /usr/bin/python3 - "$WEIR" "$sklearn" "$many" <<'PYTHON'
import subprocess
import sys

import joblib
import numpy
from sklearn.ensemble import RandomForestClassifier

weir, carry, file = sys.argv[1:]
rows = numpy.loadtxt(file, delimiter=",", skiprows=5, usecols=(1, 2, 3, 4, 5))
features, lost = rows[:, :4], rows[:, 4].astype(int)


def answers(model):
    text = subprocess.run([weir, "predict", "--model", model, "--csv", "-", file], check=True,
                          capture_output=True, text=True).stdout.splitlines()[1:]
    return numpy.array([int(line.split(",")[2]) for line in text])


for trees, depth in ((4, 4), (10, None)):
    theirs = RandomForestClassifier(n_estimators=trees, max_depth=depth, random_state=1).fit(features[:8000], lost[:8000])
    joblib.dump(theirs, "theirs.joblib")
    subprocess.run([carry, "to-weir", "theirs.joblib", "theirs.forest"], check=True)
    assert (answers("theirs.forest") == theirs.predict(features)).all(), (trees, depth)
subprocess.run([carry, "from-weir", "a.forest", "ours.joblib"], check=True)
assert (answers("a.forest") == joblib.load("ours.joblib").predict(features)).all()
PYTHON
else
    echo "skipped: forests of scikit-learn: python3-sklearn is not installed"
fi

# Rows of a run, of its trace and of the scenario itself give the same forest, which then answers in it.
cat >udp.yaml <<'YAML'
name: udp
until: 2ms
topology: {kind: single, hosts: 8, rate: 10Gbps, delay: 1us}
wire: {mss: 960B, header: 40B, gap: 20B}
switch: {buffer: 64000B, policy: {name: lqd, remove: tail}}
transports: {cbr: {kind: udp, rate: 10Gbps}}
traffic:
  - {kind: query, transport: cbr, rate: 8000/s, fan_out: 4, bytes: 160pkt}
YAML
expect_run 0 "" "$WEIR" run udp.yaml --quiet --rows run.csv.zst --trace s0=run.wtr
expect_run 0 "" "$WEIR" train --model run.forest run.csv.zst
expect_run 0 "" "$WEIR" train --model trace.forest run.wtr
expect_run 0 "" "$WEIR" train --model scenario.forest udp.yaml
expect_equal "forest of the trace" "$(cat trace.forest)" "$(cat run.forest)"
expect_equal "forest of the scenario" "$(cat scenario.forest)" "$(cat run.forest)"
expect_run 0 "" "$WEIR" replay --rows replay.csv run.wtr
expect_equal "rows of a replay" "$(cat replay.csv)" "$(zstdcat run.csv.zst)"
expect_run 0 "" "$WEIR" run udp.yaml --quiet --set switch.policy=dt --rows dt.csv --trace s0=dt.wtr
expect_run 0 "" "$WEIR" replay --gap 20 --rows replay.csv dt.wtr
expect_equal "rows of a virtual LQD beside a replay" "$(cat replay.csv)" "$(cat dt.csv)"
expect_run 2 "weir: replay: --gap is of rows (expected with: --rows)" "$WEIR" replay --gap 20 dt.wtr
asking=(--set switch.policy=credence --set 'switch.oracle={model: run.forest, flip: 0.01}')
expect_run 0 "" "$WEIR" run udp.yaml --quiet "${asking[@]}" --trace s0=asked.wtr
asked=$(grep -o 'digest [0-9a-f]*' <<<"$output")
expect_run 0 "" "$WEIR" run udp.yaml --quiet --again "${asking[@]}"
expect_match "the same answers again" "$output" "$asked"
expect_run 0 "" "$WEIR" replay --model run.forest asked.wtr
expect_match "replay with the model" "$output" "naive agrees"
expect_run 3 "weir: --set switch.policy=credence: policy credence asks an oracle, and 'oracle' is missing (expected \
'oracle: {model: FILE}', or 'table' or 'answers')" "$WEIR" run udp.yaml --set switch.policy=credence
expect_run 2 "weir: run: --rows would overwrite $PWD/run.forest, which the run reads (expected another file)" \
    "$WEIR" run udp.yaml "${asking[@]}" --rows run.forest

# What LQD loses is the table of a run, and the perfect answer: the losses are the same.
expect_run 0 "" "$WEIR" run udp.yaml --quiet --again --json
lost=$(grep -o '"lost": [0-9]*' <<<"$output" | head -n 1)
for answers in 'answers: perfect' 'table: run.csv.zst'; do
    expect_run 0 "" "$WEIR" run udp.yaml --quiet --json --set switch.policy=credence --set "switch.oracle={$answers}"
    expect_match "$answers" "$output" "$lost"
done

# Each run of a sweep has rows of its own.
expect_run 0 "" "$WEIR" run udp.yaml --quiet --seeds 2 --set measure.rows.file=sweep.csv --set switch.policy=dt
expect_equal "files of rows" "$(find . -name 'sweep-*.csv' | wc -l)" 2
expect_equal "rows in them" "$(grep -l '^s0,[0-9]*,.*,1$' sweep-*.csv | wc -l)" 2
{ cat udp.yaml && echo 'seeds: 2'; } >two.yaml
expect_run 3 "weir: two.yaml: has 2 runs (expected --only with one; 'weir run --list' shows them)" "$WEIR" train two.yaml
rm -f ./*.forest ./*.wtr ./*.csv ./*.zst ./*.db udp.yaml two.yaml
finish
