#!/usr/bin/env bash
# weir run with a sweep: what is run, stored and shown, what is resumed, several files, mistakes of the command line.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"

write_sweep sweep.yaml
expect_run 0 '' "$WEIR" run sweep.yaml
table=$output
expect_match 'headings' "$table" '^policy +buffer +Mean QCT +lost.total$'
expect_match 'a point with its interval' "$table" '^dt +20KB +[0-9.]+ [mu]s ± [0-9.]+ [mun]s +[0-9.]+( ± [0-9.]+)?$'
expect_equal 'points' "$(sed '/^$/q' <<<"$table" | grep -cE '^(dt|lqd) +(20|60)KB ')" 4
expect_match 'a claim, with the interval of the difference' "$table" '^fewer +LQD loses no more than DT. +holds +everywhere, margin [0-9.]+ ± [0-9.]+ of lost.total +met$'
# shellcheck disable=SC2016 # the quotes of the message
expect_match 'where to go on' "$table" '^results in sweep.db; `weir report sweep.db` draws them$'
expect_files sweep.db sweep.yaml
whole=$(dump sweep.db)
expect_equal 'runs' "$(ask sweep.db 'SELECT count(*), count(DISTINCT id) FROM run')" '12|12'
expect_equal 'seeds' "$(ask sweep.db 'SELECT min(seed), max(seed) FROM run')" '5|7'

# What is there is not made again; the bytes do not depend on how many run at once.
expect_run 0 'weir: sweep.db: all 12 runs are done (--again repeats them)' "$WEIR" run sweep.yaml
expect_equal 'the same table' "$output" "$table"
for jobs in 1 7; do
    expect_run 0 '' "$WEIR" run sweep.yaml --again --jobs "$jobs" --quiet
    expect_equal "the table with $jobs jobs" "$output" "$table"
    expect_equal "the database with $jobs jobs" "$(dump sweep.db)" "$whole"
done
edit sweep.db "DELETE FROM run WHERE seed=6" >/dev/null
expect_run 0 'weir: sweep.db: resuming: 8 of 12 runs are done' "$WEIR" run sweep.yaml
expect_equal 'the missing ones are made' "$(dump sweep.db)" "$whole"
expect_run 0 'weir: sweep.db: resuming: 12 of 16 runs are done' "$WEIR" run sweep.yaml --seeds 4
expect_run 0 'weir: sweep.db: all 12 runs are done (--again repeats them)' "$WEIR" run sweep.yaml
expect_match 'what is not shown' "$output" '^4 more runs are in the file, of another sweep, size or --set: '
expect_equal 'a smaller sweep again' "$(sed '/^4 more runs/,/^$/d' <<<"$output")" "$table"

# Where the time went; nothing of it reaches the table.
"$WEIR" run sweep.yaml --again --jobs 2 --quiet --profile >out 2>err
expect_equal 'the table beside a profile' "$(sed '/^4 more runs/,/^$/d' out)" "$table"
expect_match 'a profile' "$(cat err)" '^profile: sweep.yaml: 12 runs in [0-9.]+m?s, 2 at a time, busy [0-9.]+ % \([0-9.]+m?s in runs\), the longest [0-9.]+m?s \([0-9a-f]{16}\)$'
expect_match 'of a share' "$(sed -n 's/.*busy \([0-9]*\).*/\1/p' err)" '^([1-9][0-9]?|100)$'
longest=$(sed -n 's/.*, the longest .*(\(.*\))$/\1/p' err)
expect_equal 'the longest run' "$(ask sweep.db "SELECT seconds = (SELECT max(seconds) FROM cost WHERE run IN (SELECT run FROM place)) FROM cost WHERE run = '$longest'")" 1
if [ -n "$(command -v taskset)" ]; then
    taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$WEIR" run sweep.yaml --again --jobs 3 --quiet --profile >out 2>err
    expect_match 'more processes than processors' "$(cat err)" '^profile: 3 threads had 1 processor, and waited for one another$'
fi
expect_run 2 'weir: run: --profile does not go with --list, which runs nothing' "$WEIR" run sweep.yaml --list --profile
expect_run 2 'weir: run: --profile does not go with --part' "$WEIR" run sweep.yaml --part 1/2 --profile
rm out err

# The list; one run of it by its id.
expect_run 0 '' "$WEIR" run --list sweep.yaml --seeds 4
expect_equal 'the list' "$(wc -l <<<"$output")" 17
expect_match 'a run that is done' "$output" '^[0-9a-f]{16}  done +policy=dt, buffer=20KB, seed 5$'
expect_run 0 '' "$WEIR" run --list sweep.yaml --set until=9ms
id=$(sed -n 's/^\([0-9a-f]\{16\}\)  - *policy=lqd, buffer=60KB, seed 7$/\1/p' <<<"$output")
expect_match 'a run that is not' "$id" '^[0-9a-f]{16}$'
expect_run 0 '' "$WEIR" run sweep.yaml --set until=9ms --only "${id:0:12}" -o one.db --records r.csv
expect_match 'in detail' "$output" '^seed 7, [0-9.]+ms of 9ms'
expect_match 'its records' "$(head -n 1 r.csv)" '^id,tag,'
expect_equal 'only it' "$(ask one.db 'SELECT id, seed FROM run')" "$id|7"
expect_equal 'at its place' "$(ask one.db 'SELECT count(*) FROM place')" 12
expect_run 3 "weir: --only: sweep.yaml has no run 'x' (see 'weir run --list')" "$WEIR" run sweep.yaml --only x
expect_run 3 "weir: --only: 12 runs of sweep.yaml start with '' (expected more of the id)" "$WEIR" run sweep.yaml --only ''
rm one.db r.csv

# The same configuration at two places of a sweep is run once.
write_sweep twice.yaml
sed -i -e 's/\[dt, lqd\]/[dt, {name: dt, alpha: 1}]/' -e '/^figures/,$d' twice.yaml
expect_run 0 '' "$WEIR" run twice.yaml -o twice.db
expect_equal 'runs and places' "$(ask twice.db 'SELECT (SELECT count(DISTINCT run) FROM place), (SELECT count(*) FROM place)')" '6|12'
expect_match 'both are shown' "$output" '^dt:alpha=1 +60KB +[0-9.]+ [mu]s'
rm twice.* sweep.db

# The quick size, and what --print-config says of a sweep.
expect_run 0 '' "$WEIR" run --quick sweep.yaml
expect_equal 'quick points' "$(sed '/^$/q' <<<"$output" | grep -cE '^(dt|lqd) +20KB ')" 2
expect_match 'a claim at quick size' "$output" '^fewer .* holds$'
quick=$(dump sweep-quick.db)
expect_run 0 '' "$WEIR" run --quick --list sweep.yaml --seeds 4 --set 'sweep.buffer={switch.buffer: [40KB]}'
expect_equal 'the command line counts more than the quick size' "$(grep -c 'buffer=40KB' <<<"$output")" 8
sed 's/^quick: {/&switch.policy: {name: dt, alpha: 4}, traffic.0.bytes: 10KB, /; s/switch.policy: .dt, lqd./until: [8ms, 9ms]/
    /^figures/,$d' sweep.yaml >deep.yaml
expect_run 0 '' "$WEIR" run --quick --print-config deep.yaml --set switch.policy.alpha=2 --set traffic.burst.bytes=20KB
expect_match 'below what the quick size sets' "$output" '^ *alpha: 2$'
expect_match 'under another name' "$output" '^ *bytes: 20KB$'
expect_run 0 '' "$WEIR" run --quick --print-config deep.yaml --set 'sweep={b: {switch.buffer: [70KB]}}'
expect_match 'above what the quick size sets' "$output" '70KB'
expect_run 3 "weir: --set switch.policy.alhpa=2: unknown key 'alhpa' in policy dt (did you mean 'alpha'?)" \
    "$WEIR" run --quick deep.yaml --set switch.policy.alhpa=2
rm deep.yaml
expect_run 0 '' "$WEIR" run --quick --print-config sweep.yaml
printf '%s\n' "$output" >quick.yaml
expect_run 0 '' "$WEIR" run quick.yaml -o quick.db
expect_equal 'the same runs' "$(ask quick.db 'SELECT * FROM measure ORDER BY run, name')" \
    "$(ask sweep-quick.db 'SELECT * FROM measure ORDER BY run, name')"
expect_equal 'the effective values are complete' "$("$WEIR" run --print-config quick.yaml)" "$(cat quick.yaml)"
expect_run 0 '' "$WEIR" run --print-config sweep.yaml
printf '%s\n' "$output" >full.yaml
for size in '' --quick; do
    # shellcheck disable=SC2086 # no word when empty
    expect_equal "the list of the effective values $size" "$("$WEIR" run $size --list full.yaml -o none.db)" \
        "$("$WEIR" run $size --list sweep.yaml -o none.db)"
done
expect_no_match 'nothing else is in the file' "$quick" 60KB
expect_run 0 '' "$WEIR" run --schema
expect_match 'the schema' "$output" 'schema'
rm ./*.db quick.yaml full.yaml

# An experiment of one run is stored too, with the same numbers as in a sweep.
expect_run 0 '' "$WEIR" run sweep.yaml
several=$(ask sweep.db "SELECT m.name, m.value FROM measure m JOIN run r ON r.id = m.run JOIN place p ON p.run = r.id
    WHERE p.point = 0 AND p.seed = 5 ORDER BY m.name")
sed '/^seeds:/,$d' sweep.yaml >single.yaml
expect_run 0 '' "$WEIR" run single.yaml --set switch.buffer=20KB -o single.db
# shellcheck disable=SC2016
expect_match 'where to go on' "$output" '^results in single.db; `weir report single.db` draws them$'
# Every command that is shown can be pasted, whatever the names.
odd="x';touch PWNED;\$(touch PWNED).db"
cp single.db "$odd"
shown="s/.*\`weir ([^\`]*)\`.*/true \1/p"
for view in '' --runs --points; do
    # shellcheck disable=SC2086 # no word, or one
    "$WEIR" show $view "$odd" >out 2>&1
    sed -nE "$shown" out | bash
done
"$WEIR" run single.yaml --set switch.buffer=20KB -o "$odd" >out 2>&1
expect_match 'a name of commands, quoted' "$(cat out)" "\`weir report 'x'.'';touch PWNED;\\\$\\(touch PWNED\\).db'\` draws them"
sed -nE "$shown" out | bash
[ ! -e PWNED ] || expect_equal 'a file that no command made' 'is there' 'is not'
expect_equal 'a run alone and in a sweep' "$(ask single.db 'SELECT name, value FROM measure ORDER BY name')" "$several"
expect_match 'measures' "$several" '^burst.qct.mean\|0\.00'
expect_run 0 '' "$WEIR" run single.yaml -o single.db
expect_equal 'another configuration takes its place' "$(ask single.db 'SELECT count(*) FROM place')" 1
expect_run 0 '' "$WEIR" run single.yaml --json -o single.db
expect_equal 'JSON stays alone' "$(head -c 1 <<<"$output")$(tail -c 2 <<<"$output")" '{}'

# Several files: a database each; a mistake in one is found before the first runs.
mkdir several
cp single.yaml several/one.yaml
sed 's/^name: .*//' sweep.yaml >several/two.yaml
cd several
expect_run 0 '' "$WEIR" run one.yaml two.yaml
expect_match 'the first' "$output" '^results in sweep.db;'
expect_match 'the second' "$output" '^results in two.db;'
expect_files one.yaml sweep.db two.db two.yaml
rm ./*.db
printf 'until: 1\n' >bad.yaml
expect_run 3 "weir: bad.yaml:1:8: until: '1' needs a unit (ps, ns, us, ms, s)" "$WEIR" run one.yaml bad.yaml
expect_files bad.yaml one.yaml two.yaml
expect_run 2 'weir: run: the results of one.yaml and one.yaml would both be sweep.db (expected other names)' \
    "$WEIR" run one.yaml one.yaml
for option in '--output x' '--only x' '--print-config'; do
    # shellcheck disable=SC2086 # an option and its value
    expect_run 2 "weir: run: ${option% x} goes with one scenario (expected one file, found 2)" \
        "$WEIR" run one.yaml two.yaml $option
done
expect_run 2 'weir: run: --json is of one run (expected one scenario, found 2)' "$WEIR" run one.yaml two.yaml --json
expect_files bad.yaml one.yaml two.yaml
cd ..

# What only one run can give, and other mistakes.
for option in '--losses x' '--pauses x' '--trace s0=x'; do
    # shellcheck disable=SC2086
    expect_run 2 "weir: run: ${option%% *} is of one run, and sweep.yaml has 12 (expected --only RUN)" \
        "$WEIR" run sweep.yaml $option
done
for option in json csv; do
    expect_run 2 "weir: run: --$option is of one run, and sweep.yaml has 12 (expected --only RUN; 'weir export --$option' has \
the measures of all)" "$WEIR" run sweep.yaml "--${option/#csv/csv=x}"
done
expect_run 2 "weir: run: --series is of one run, and sweep.yaml has 12 (expected --only RUN; 'weir export --csv --curves' has \
the curves of all)" "$WEIR" run sweep.yaml --series x
expect_run 2 'weir: run: --print-config and --list both print instead of running (expected one)' \
    "$WEIR" run sweep.yaml --list --print-config
expect_run 2 'weir: run: --csv does not go with --list, which runs nothing' "$WEIR" run sweep.yaml --list --csv x
expect_run 2 'weir: run: --schema stands alone (expected no other arguments)' "$WEIR" run --schema sweep.yaml
expect_run 2 'weir: run: --csv and the database are both ./sweep.db (expected two files)' \
    "$WEIR" run single.yaml --csv sweep.db -o ./sweep.db
expect_run 3 "weir: --jobs: '0' is out of range (expected an integer from 1 to 1024)" "$WEIR" run sweep.yaml --jobs 0
expect_run 3 "weir: --seeds: '0' is out of range (expected an integer from 1 to 1000000)" "$WEIR" run sweep.yaml --seeds 0
for name in ../evil a/b .hidden; do
    sed "s|^name: .*|name: $name|" single.yaml >named.yaml
    expect_run 3 "weir: named.yaml:1:7: name: '$name' cannot name the file of results (expected one without '/' and not \
with '.' first; or --output)" "$WEIR" run named.yaml
    expect_run 0 '' "$WEIR" run named.yaml --json --output named.db
done
rm named.*
expect_run 2 'weir: run: --output: missing value (expected one)' "$WEIR" run sweep.yaml -o
expect_run 3 "weir: --set switch.policy=dtt: unknown policy 'dtt' (did you mean 'dt'?)" \
    "$WEIR" run single.yaml --set switch.policy=dtt
sed -e 's/\[dt, lqd\]/[dt, lqq]/' -e '/^claims/,$d' sweep.yaml >wrong.yaml
expect_run 3 "weir: wrong.yaml:15:25: unknown policy 'lqq' (did you mean 'lqd'?)" "$WEIR" run wrong.yaml -o new.db
expect_equal 'nothing is made' "$(ls new.db 2>/dev/null)" ''

# The example of lossless classes: DSH takes larger bursts without a pause.
expect_run 0 '' "$WEIR" run "$root/scenarios/examples/lossless.yaml" -o lossless.db
expect_match 'its claim' "$output" 'larger-bursts .* met'
finish
