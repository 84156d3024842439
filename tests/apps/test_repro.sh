#!/usr/bin/env bash
# weir repro: the catalogue, quick and full sizes, the page of results and its record, mistakes.
# shellcheck disable=SC2016 # the quotes of Markdown and messages
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

# A figure of two runs: an incast that loses packets under a tight buffer and none under a roomy one.
figure() {
    cat <<YAML
name: $1
title: An incast | in a small buffer
paper: {name: Small, figure: "$2", quick: 1s, full: 2s}
until: 20ms
topology: {kind: single, hosts: 9, rate: 10Gbps, delay: 2us}
switch: {buffer: 100KB, policy: dt}
transports:
  t: {kind: cubic, min_rto: 1ms}
traffic:
  - {kind: incast, tag: burst, transport: t, sources: h1-h8, destination: h0, bytes: 300KB}
sweep:
  buffer:
    switch.buffer: [100KB, 1MB]
quick:
  traffic.burst.bytes: 200KB
figures:
  - {kind: bar, title: Losses, x: buffer, y: burst.lost}
claims:
  - id: order
    text: A small buffer loses more.
    rule: holds
    value: burst.lost[buffer=100KB] > burst.lost[buffer=1MB]
  - {id: finished, text: All flows are finished., rule: invariant, value: burst.finished == burst.flows}
  - id: number
    text: Nothing is lost in a large buffer.
    rule: $3
    paper: $4
    value: burst.lost[buffer=1MB]
YAML
}
mkdir -p all/small
figure one 1 at-most 0 >all/small/fig2.yaml
figure two 2 at-most 0 >all/small/fig10.yaml
figure other 3 at-most 0 | grep -v '^paper' >all/small/other.yaml

expect_run 0 '' "$WEIR" repro --scenarios all
expect_equal 'sorted by number' "$(grep -o '^small/[a-z0-9]*' <<<"$output" | tr '\n' ' ')" 'small/fig2 small/fig10 '
expect_match 'what it takes' "$output" '^small/fig2 +3 +2 +2 s +2 +1 s +An incast'
expect_no_match 'a scenario without paper is no figure' "$output" 'other'
expect_run 0 '' env WEIR_SCENARIOS=all "$WEIR" repro
expect_match 'the folder of the environment' "$output" '^small/fig10 '

expect_run 0 '' "$WEIR" repro --scenarios all --quiet --quick small
expect_match 'the claims at the end' "$output" '^small/fig10 +A small buffer loses more\. .* holds$'
for file in small-fig2-quick.db small-fig2-quick.html small-fig10-quick.db; do
    expect_equal "$file is there" "$(test -s "repro/$file" && echo yes)" yes
done

# No number of a tree with changes is recorded: known before the first run. The rest can only be tried with a weir of a
# commit; tests/lab/papers/test_record.c tries both.
version=$("$WEIR" --version)
version=${version#weir }
if [[ $version == *-dirty ]]; then
    expect_run 3 "weir: repro: --results: this is weir $version, built from a tree with changes: nobody could make its \
numbers again (commit the changes and build again, or leave out --results)" \
        "$WEIR" repro --scenarios all --quiet --output none --results docs.md small/fig2
    expect_equal 'nothing is made' "$(ls -d none docs.md results results.json 2>/dev/null || true)" ''
    finish
    exit
fi
expect_run 0 '' "$WEIR" repro --scenarios all --quiet --output out/of/the/way --results docs.md small/fig2
entry=$(python3 -c 'import json; print(json.dumps(json.load(open("results.json"))["figures"]["small/fig2"]))')
expect_match 'its version' "$entry" "\"version\": \"${version//+/\\+}\""
expect_match 'its code' "$entry" '"code": "weir=[0-9a-f]{16} dt=[0-9a-f]{16}"'
page=$(cat docs.md results/small.md)
expect_match 'a claim that is met' "$page" '^\| A small buffer loses more\. \|  +\| everywhere \| \*\*met\*\* \|$'
expect_match 'the title escaped' "$page" '^## Figure 1: An incast \\\| in a small buffer$'
expect_match 'a figure that was not run' "$page" '^`weir repro small/fig10`: not run at full size$'
expect_match 'counts of numbers' "$page" '^\| numbers \| 2 \| 1 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 1 \|$'
expect_match 'of orderings' "$page" '^\| orderings without a number \| 2 \| 1 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 1 \|$'
expect_match 'of invariants' "$page" '^\| invariants \| 2 \| 1 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 1 \|$'

# Another figure later: the first one's numbers are kept, and the page alone can be made again.
expect_run 0 '' "$WEIR" repro --scenarios all --quiet --output out/of/the/way --results docs.md small/fig10
expect_match 'both' "$(cat results/small.md)" '^\| numbers \| 2 \| 2 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \|$'
cat docs.md results/small.md >before.md
rm -r docs.md results
expect_run 0 '' "$WEIR" repro --scenarios all --results docs.md
expect_equal 'the same pages' "$(cat docs.md results/small.md)" "$(cat before.md)"
expect_match 'the row of the index' "$(cat docs.md)" '^\| \[Small\]\(results/small\.md\) \| 2 \| 6 \| 6 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 of 0 \| 0 of 0 \|$'

# A claim that does not come out fails the command, unless a finding says why.
figure two 2 at-least 5 >all/small/fig10.yaml
expect_run 1 '' "$WEIR" repro --scenarios all --quiet --output out/of/the/way --results docs.md small
expect_match 'missed' "$output" '^small/fig10 +Nothing is lost .* missed \(unexplained\)$'
expect_match 'missed, on the page' "$(cat results/small.md)" '\| \*\*missed\*\* \|$'
echo '    finding: There is room <for> all of it.' >>all/small/fig10.yaml
expect_run 0 '' "$WEIR" repro --scenarios all --quiet --output out/of/the/way --results docs.md small
expect_match 'the finding' "$(cat results/small.md)" '^- \*Nothing is lost in a large buffer\.\* There is room &lt;for> all of it\.$'

expect_match 'fewer than two explanations' "$(cat docs.md)" '^1 missed claim has fewer than two tested explanations\.$'

# Tested explanations, a claim that was narrowed, one that is ours; --check says what is missing. Seeds are missed where
# something is drawn: the order of the senders.
check() {
    expect_run "$1" '' bash -c '"$0" repro --scenarios all --results docs.md --check small/fig10 2>&1' "$WEIR"
}
check 1
expect_match 'too few seeds' "$output" \
    '^weir: all/small/fig10.yaml: draws the order of responders with 1 seed \(expected `seeds: 3` or more\)$'
expect_match 'too few explanations' "$output" \
    '^weir: warning: small/fig10: number is missed with 0 of 2 tested explanations \(`tried`\)$'
cat >>all/small/fig10.yaml <<'YAML'
    tried:
      - {idea: The burst is too small., done: Twice of it., outcome: Still nothing., set: traffic.burst.bytes=600KB}
      - {idea: The buffer is too large., done: Half of it., outcome: "Losses | at last."}
  - {id: own, text: Nothing is unfinished., expected: yes, rule: at-most, paper: 1, value: burst.flows - burst.finished}
  - {id: most, text: Losses grow by 10 %., rule: up-to, paper: 10%, value: "burst.lost[buffer=100KB]"}
  - {id: less, text: At least 0 are lost., of: number, narrowed: After a look., rule: at-least, paper: 0,
     value: "burst.lost[buffer=1MB]"}
YAML
sed -i 's/^until: 20ms/seeds: 3\nuntil: 20ms/; s/^quick:/quick:\n  seeds: 1/' all/small/fig10.yaml
expect_run 0 '' "$WEIR" repro --scenarios all --quiet --output out/of/the/way --results docs.md small/fig10
page=$(cat docs.md results/small.md)
expect_no_match 'enough explanations' "$page" 'fewer than two tested explanations\.$'
expect_match 'the first one' "$page" \
    '^  - Tried: The burst is too small\. Twice of it\. Still nothing\. \(`--set traffic\.burst\.bytes=600KB`\)$'
expect_match 'the second one' "$page" '^  - Tried: The buffer is too large\. Half of it\. Losses \\\| at last\.$'
expect_equal 'the narrowed claim below its own' "$(grep -A1 '^| Nothing is lost in a large buffer. | at-least' results/small.md | tail -1)" \
    '| narrowed: At least 0 are lost. | at-least 0 | 0 | **met** |'
expect_match 'why' "$page" '^- \*At least 0 are lost\.\* Narrowed: After a look\.$'
expect_match 'counted apart' "$page" '^\| narrowed after a look \| 1 \| 1 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \|$'
expect_match 'ours' "$page" '^\| ours, in no paper \| 1 \| 1 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \| 0 \|$'
expect_match 'beyond' "$page" '^\| numbers \| 3 \| 1 \| 0 \| 1 \| 0 \| 0 \| 1 \| 0 \| 0 \| 0 \|$'
check 0
expect_equal 'one thing is left' "$output" 'weir: warning: small/fig10: most is beyond the paper without a `reason`'
sed -i 's/id: most,/id: most, reason: A tiny buffer.,/' all/small/fig10.yaml
check 0
expect_equal 'nothing is left' "$output" ''
expect_run 0 '' "$WEIR" repro --scenarios all --results docs.md
expect_match 'beyond with a reason' "$(cat results/small.md)" '^\| numbers \| 3 \| 1 \| 1 \| 0 \| 0 \| 0 \| 1 \| 0 \| 0 \| 0 \|$'
expect_match 'the reason' "$(cat results/small.md)" '^- \*Losses grow by 10 %\.\* Beyond: A tiny buffer\.$'

# Of several figures, the time that is left is told, and the whole at the end. What is done stays when a later one fails.
expect_run 0 '' bash -c '"$0" repro --scenarios all --jobs 1 --output out/of/the/way --results docs.md small 2>&1' "$WEIR"
expect_match 'the first' "$output" '^weir: figure 1 of 2: about [0-9.]+ m?s, [0-9.]+ m?s until the end$'
expect_match 'the second' "$output" '^weir: figure 2 of 2: about '
expect_match 'the whole' "$output" '^2 figures in [0-9.]+ m?s; their runs took [0-9.]+ m?s of one core$'
rm -rf docs.md results results.json
mkdir -p broken/small-fig10.db
expect_run 4 '' bash -c '"$0" repro --scenarios all --quiet --output broken --results docs.md small 2>/dev/null' "$WEIR"
expect_match 'the first is kept' "$(cat results/small.md)" '^\| A small buffer loses more\. \|  +\| everywhere \| \*\*met\*\* \|$'
expect_match 'in the record' "$(cat results.json)" '"small/fig2"'
expect_no_match 'alone' "$(cat results.json)" '"small/fig10"'

echo 'oops: 1' >>all/small/fig2.yaml
expect_run 0 '' "$WEIR" repro --scenarios all --quiet --output out/of/the/way small/fig10
status=0
output=$("$WEIR" repro --scenarios all 2>&1) || status=$?
expect_equal 'a mistake in a file that is needed' "$status" 3
expect_match 'its place' "$output" "^weir: all/small/fig2.yaml:29:1: unknown key 'oops' in the scenario "
sed -i '$d' all/small/fig2.yaml
expect_run 3 "weir: no figure 'smal' (\`weir repro\` lists them)" "$WEIR" repro --scenarios all smal
expect_run 3 "weir: no figure 'small/fig3' (did you mean 'small/fig2'?)" "$WEIR" repro --scenarios all small/fig3
mv all/small/fig10.yaml all/small/fig10-12.yaml
expect_run 0 '' "$WEIR" repro --scenarios all --quiet --output out/of/the/way small/fig11
expect_match 'one of several figures in a file' "$output" '^small/fig10-12 '
expect_run 3 "weir: no figure 'small/fig13' (did you mean 'small/fig2'?)" "$WEIR" repro --scenarios all small/fig13
mv all/small/fig10-12.yaml all/small/fig10+12.yaml
expect_run 0 '' "$WEIR" repro --scenarios all --quiet --output out/of/the/way small/fig12
expect_match 'one of two figures in a file' "$output" '^small/fig10\+12 '
expect_run 3 "weir: no figure 'small/fig11' (did you mean 'small/fig2'?)" "$WEIR" repro --scenarios all small/fig11
expect_run 2 'weir: repro: --results is for full sizes (leave out --quick)' "$WEIR" repro --quick --results x.md all
expect_run 3 'weir: nowhere: No such file or directory (expected the folder of scenarios)' \
    "$WEIR" repro --scenarios nowhere
echo '{' >results.json
expect_run 3 "weir: ./results.json:2:0: string or '}' expected near end of file" \
    "$WEIR" repro --scenarios all --results ./docs.md
expect_equal 'the page is as it was' "$(grep -c unexplained docs.md)" 0

# Every figure of the tree's own catalogue is tested at quick size.
expect_run 0 '' "$WEIR" repro --scenarios "$root/scenarios"
listed() { # NAME PREFIX: what the list of that name in tests/meson.build has
    sed -n "/^$1 = {/,/^}/p" "$root/tests/meson.build" |
        awk -F"'" -v prefix="$2" 'NF > 2 {for (i = 4; i < NF; i += 2) print $2 "/" prefix $i}'
}
tested=$(listed figures fig; listed statements '')
expect_equal 'figures in tests/meson.build' "$(sort <<<"$tested")" "$(grep -oE '^[a-z]+/[^ ]*' <<<"$output" | sort)"

# The pages of results in the tree are those that the record and the scenarios give.
mkdir tree
cp "$root/docs/results.json" "$root/docs/hardware.json" tree/
expect_run 0 '' "$WEIR" repro --scenarios "$root/scenarios" --results tree/RESULTS.md
expect_equal 'docs/RESULTS.md' "$(diff "$root/docs/RESULTS.md" tree/RESULTS.md)" ''
expect_equal 'docs/results' "$(diff -r "$root/docs/results" tree/results)" ''
expect_no_match 'every figure was run at full size' "$(cat tree/results/*.md)" 'not run at full size$'
expect_no_match 'every claim was' "$(cat tree/results/*.md)" '\|  \| not run \|$'

# A record of the hardware that cannot be read is named; without one the page has no such part.
expect_match 'the hardware' "$(cat tree/results/hardware.md)" '^# Occamy, Table 1: '
echo '{' >tree/hardware.json
expect_run 3 "weir: tree/hardware.json:2:0: string or '}' expected near end of file" \
    "$WEIR" repro --scenarios "$root/scenarios" --results tree/RESULTS.md
rm -r tree/hardware.json tree/results
expect_run 0 '' "$WEIR" repro --scenarios "$root/scenarios" --results tree/RESULTS.md
expect_equal 'no hardware' "$(ls tree/results/hardware.md 2>/dev/null)$(grep Hardware tree/RESULTS.md)" ''

# Figures of the tree have the seeds that they need. What their claims still need is told, and no failure.
expect_run 0 '' bash -c '"$0" repro --check --scenarios "$1" --results "$2" 2>&1' "$WEIR" "$root/scenarios" tree/RESULTS.md
grep -c 'warning' <<<"$output" | sed 's/$/ claims need work: weir repro --check --results docs\/RESULTS.md/'
finish
