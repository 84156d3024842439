#!/usr/bin/env bash
# A run belongs to the code that made it: what other code made is made again and named, --again and --only choose runs,
# and the flows of a sweep are one file. tests/tools/test_codedigest.sh edits a policy and builds; here the database
# says that other code made a run.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"

write_sweep sweep.yaml
expect_run 0 '' "$WEIR" run sweep.yaml
whole=$(dump sweep.db)
table=$output
digits='[0-9a-f]{16}'
expect_match 'the code of a run' "$(ask sweep.db 'SELECT DISTINCT code FROM run')" "^weir=$digits dt=$digits\$"
expect_equal 'each policy has its own' "$(ask sweep.db 'SELECT count(DISTINCT code) FROM run')" 2

# marked: how many runs still have the digest that mark gave them, so that made again is told from kept.
mark() { edit sweep.db "UPDATE run SET digest='$1'" >/dev/null; }
marked() { ask sweep.db "SELECT count(*) FROM run WHERE digest='$1'"; }
other_code() { edit sweep.db "UPDATE run SET code = replace(code, '$1=', '$1=f') WHERE $2" >/dev/null; }

# An edited policy: its runs and no others.
mark kept
other_code lqd 1
# shellcheck disable=SC2016 # the backticks are printed
stale='weir: warning: sweep.db: 6 of 12 runs are of other code than this weir'"'"'s (lqd); `weir run sweep.yaml` makes them again'
expect_run 0 "$stale" "$WEIR" show sweep.db
expect_run 0 "$stale" "$WEIR" show --runs sweep.db
expect_run 0 "$stale" "$WEIR" report sweep.db
expect_run 0 "$stale" "$WEIR" export --csv sweep.db
rm sweep.html
expect_run 0 '' "$WEIR" run --list sweep.yaml
expect_equal 'old ones in the list' "$(grep -cE '^[0-9a-f]{16}  old +policy=lqd' <<<"$output")" 6
expect_equal 'the others' "$(grep -cE '^[0-9a-f]{16}  done +policy=dt' <<<"$output")" 6
expect_run 0 'weir: sweep.db: 6 runs were made by another build of policy lqd: made again
weir: sweep.db: resuming: 6 of 12 runs are done' "$WEIR" run sweep.yaml
expect_equal 'runs of dt are kept' "$(marked kept)" 6
expect_run 0 '' "$WEIR" run sweep.yaml --again --quiet
expect_equal 'all as before' "$(dump sweep.db)" "$whole"

# A scenario with other figures than its results, though no run is old.
cp sweep.yaml kept.yaml
sed -i 's/^figures:/&\n  - {kind: bar, title: New one, x: policy, y: lost.total}/' sweep.yaml
# shellcheck disable=SC2016 # the backticks are printed
expect_run 0 'weir: warning: sweep.db: sweep.yaml has other figures by now; `weir run sweep.yaml` takes them over' \
    "$WEIR" report sweep.db
mkdir apart
cp sweep.db sweep.yaml apart
# shellcheck disable=SC2016 # the backticks are printed
expect_run 0 'weir: warning: apart/sweep.db: sweep.yaml has other figures by now; `weir run sweep.yaml` takes them over' \
    "$WEIR" report apart/sweep.db
mv kept.yaml sweep.yaml
expect_run 0 '' "$WEIR" report sweep.db
rm -r sweep.html apart

# Another build: all. A quiet command says so too, since results of an hour's work are replaced.
mark kept
other_code weir 1
expect_run 0 'weir: sweep.db: 12 runs were made by another build of weir: made again' "$WEIR" run sweep.yaml --quiet
expect_equal 'nothing is kept' "$(dump sweep.db)" "$whole"

# Runs of different code in one file are named wherever they are shown.
other_code lqd seed=6
mix="these runs were made by different code; \`weir run\` makes the old ones again:"
expect_run 0 "${stale/6 of/2 of}" "$WEIR" show sweep.db
expect_match 'show' "$output" "^$mix\$"
expect_match 'which code, and where' "$output" "^  policy lqd f$digits \\(weir .*\\): 2 runs: policy=lqd, seed=6\$"
expect_match 'the others of that policy' "$output" "^  policy lqd $digits \\(weir .*\\): 4 runs: policy=lqd, seed=5,7\$"
for command in 'export --csv' 'export --json' 'report --format svg -o charts' 'report'; do
    # shellcheck disable=SC2086 # options
    "$WEIR" $command sweep.db >out 2>err
    expect_match "warning of $command" "$(cat err)" "^weir: warning: sweep.db: $mix\$"
    expect_match "lines of $command" "$(cat err)" "^weir: warning: policy lqd f$digits .*: 2 runs: policy=lqd, seed=6\$"
done
expect_match 'the page' "$(cat sweep.html)" "<li>policy lqd f$digits \\(weir [^<]*\\): 2 runs: policy=lqd, seed=6</li>"
rm -r charts sweep.html
id=$("$WEIR" run --list sweep.yaml | sed -n 's/^\([0-9a-f]*\)  old .*buffer=20KB, seed 6$/\1/p')
expect_run 0 '' "$WEIR" run sweep.yaml --only "$id"
expect_match 'after a single run too' "$output" "^  policy lqd f$digits .*: 1 run: policy=lqd, buffer=60KB, seed=6\$"
expect_run 0 'weir: sweep.db: 1 run was made by another build of policy lqd: made again
weir: sweep.db: resuming: 11 of 12 runs are done' "$WEIR" run sweep.yaml
expect_no_match 'no mix is left' "$output" 'different code'
expect_equal 'all as before' "$(dump sweep.db)" "$whole"

# A run that other code made and that fails now has no result: the old one does not stand for it.
slow=(sweep.yaml --set until=200ms --only buffer=20KB --only seed=6 --quiet -o slow.db)
expect_run 0 '' "$WEIR" run "${slow[@]}"
edit slow.db "UPDATE run SET code = replace(code, 'lqd=', 'lqd=f')" >/dev/null
status=0
"$WEIR" run "${slow[@]}" --set limits.time=1ms >out 2>err || status=$?
expect_equal 'a run that fails' "$status" 4
expect_match 'is named' "$(cat out)" '^failed: policy=lqd, buffer=20KB, seed 6: took longer than 1ms$'
expect_equal 'and not there' "$(ask slow.db 'SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM failure)')" '1|1'
rm slow.db

# A file from before runs knew their code.
edit sweep.db 'ALTER TABLE run DROP COLUMN code' >/dev/null
ask sweep.db 'PRAGMA user_version=1' >/dev/null
expect_run 0 '' "$WEIR" show sweep.db
# shellcheck disable=SC2016 # the quotes of the message
expect_match 'is shown' "$output" '^these runs do not say which code made them; `weir run` makes them again:$'
expect_match 'with all its runs' "$output" '^  unknown code \(weir .*\): 12 runs$'
expect_run 0 'weir: sweep.db: 12 runs do not say which code made them (an older weir did): made again' "$WEIR" run sweep.yaml
expect_equal 'and made again' "$(dump sweep.db)" "$whole"
expect_equal 'in the present layout' "$(ask sweep.db 'PRAGMA user_version')" 3

# A database that answers with an error has no missing runs.
cp sweep.db broken.db
edit broken.db 'DROP TABLE cost' >/dev/null
status=0
"$WEIR" run sweep.yaml -o broken.db >out 2>err || status=$?
expect_equal 'a damaged database' "$status $(cat err)" \
    '3 weir: broken.db: is damaged (delete it and run the experiment again, or use a copy)'
rm broken.db

# --again chooses by label.
mark kept
expect_run 0 'weir: sweep.db: resuming: 6 of 12 runs are done' "$WEIR" run sweep.yaml --again policy=lqd
expect_equal 'one label' "$(marked kept)" 6
mark kept
expect_run 0 '' "$WEIR" run --again=policy=lqd --again buffer=20KB --again seed=5 --again seed=7 --quiet sweep.yaml
expect_equal 'axes go together, labels of one do not' "$(marked kept)" 10
mark kept
expect_run 0 '' "$WEIR" run --again sweep.yaml --quiet
expect_equal 'all' "$(marked kept)" 0
expect_equal 'the same table' "$output" "$table"
expect_run 3 "weir: --again policy=lqq: axis policy has no value 'lqq' (did you mean 'lqd'?)" \
    "$WEIR" run sweep.yaml --again policy=lqq
expect_run 3 "weir: --again polcy=lqd: sweep.yaml has no axis 'polcy' (did you mean 'policy'?)" \
    "$WEIR" run sweep.yaml --again polcy=lqd
expect_run 3 'weir: --again seed=8: sweep.yaml has no such seed (expected 5 to 7)' "$WEIR" run sweep.yaml --again seed=8
expect_run 2 'weir: --again means all runs, --again seed=5 some of them (expected one)' \
    "$WEIR" run sweep.yaml --again seed=5 --again
expect_run 2 'weir: --only policy=dt and --again seed=5 both choose runs (expected --again alone with --only)' \
    "$WEIR" run sweep.yaml --only policy=dt --again seed=5
expect_run 2 'weir: run: --again does not go with --list, which runs nothing' "$WEIR" run sweep.yaml --list --again
expect_equal 'nothing changed' "$(dump sweep.db)" "$whole"

# --only leaves the others alone, done or not; --again goes with it.
mark kept
expect_run 0 'weir: sweep.db: all 6 runs are done (--again repeats them)' "$WEIR" run sweep.yaml --only policy=dt
expect_run 0 '' "$WEIR" run sweep.yaml --only policy=dt --again
expect_equal 'the chosen ones again' "$(marked kept)" 6
edit sweep.db 'DELETE FROM run' >/dev/null
expect_run 0 '' "$WEIR" run sweep.yaml --only buffer=20KB --only seed=6 --quiet
expect_equal 'a part of the sweep' "$(ask sweep.db 'SELECT count(*) FROM run')" 2
expect_run 0 '' "$WEIR" run sweep.yaml --only buffer=20KB --only policy=dt --list
expect_equal 'listed' "$(wc -l <<<"$output")" 4
expect_run 3 "weir: --only: no run of sweep.yaml is all of that (see 'weir run --list')" \
    "$WEIR" run sweep.yaml --only seed=5 --only "$id"
expect_run 0 '' "$WEIR" run sweep.yaml --quiet
expect_equal 'all as before' "$(dump sweep.db)" "$whole"

# The flows of a sweep: all of them, or no file.
expect_run 3 "weir: run: --records: 12 of 12 runs are done, and sweep.db keeps no flows (expected --again, which makes them \
all, or --output with a new file)" "$WEIR" run sweep.yaml --records flows.csv
edit sweep.db 'DELETE FROM run WHERE seed=6' >/dev/null
expect_run 3 "weir: run: --records: 8 of 12 runs are done, and sweep.db keeps no flows (expected --again, which makes them \
all, or --output with a new file)" "$WEIR" run sweep.yaml --records flows.csv
expect_files err out sweep.db sweep.yaml
expect_run 0 '' "$WEIR" run sweep.yaml --again --records flows.csv --jobs 1
expect_equal 'the table beside it' "$output" "$table"
expect_run 0 '' "$WEIR" run sweep.yaml --records others.csv --jobs 5 -o others.db
expect_equal 'the same bytes' "$(cksum <others.csv)" "$(cksum <flows.csv)"
expect_equal 'columns' "$(head -n 1 flows.csv | cut -d, -f 1-8)" 'run,"policy","buffer","buffer.number",seed,id,tag,traffic'
expect_equal 'rows are in the order of runs' "$(sed 1d flows.csv | cut -d, -f 2-5 | uniq | head -n 4)" \
    '"dt","20KB",20000,5
"dt","20KB",20000,6
"dt","20KB",20000,7
"dt","60KB",60000,5'
expect_equal 'every run' "$(sed 1d flows.csv | cut -d, -f 1-5 | uniq | wc -l)" 12
expect_run 0 '' "$WEIR" run sweep.yaml --only "$id" --records one.csv --quiet
expect_equal 'the rows of a single run' "$(sed 1d one.csv | cksum)" \
    "$(grep "^$id," flows.csv | cut -d, -f 6- | cksum)"
expect_run 0 '' "$WEIR" run sweep.yaml --only policy=lqd --again --records - --quiet
expect_equal 'flows stay alone on standard output' "$output" "$(grep -E '^run|,"lqd",' flows.csv)"
rm others.* one.csv flows.csv

# Places that share a run have rows each.
write_sweep twice.yaml
sed -i -e 's/\[dt, lqd\]/[dt, {name: dt, alpha: 1}]/' -e '/^figures/,$d' -e 's/^name: .*/name: twice/' twice.yaml
expect_run 0 '' "$WEIR" run twice.yaml --records flows.csv --quiet
expect_equal 'rows of twins' "$(cut -d, -f 2 flows.csv | sort | uniq -c | awk '{print $1}' | uniq -d | wc -l)" 1
expect_equal 'places' "$(sed 1d flows.csv | cut -d, -f 2-5 | sort -u | wc -l)" 12

# What keeps the file from being whole keeps it from being there.
printf 'before\n' >flows.csv
status=0
"$WEIR" run twice.yaml --again --records flows.csv --set until=200ms --set limits.time=1ms >out 2>err || status=$?
expect_equal 'runs that fail' "$status $(head -n 1 err)" '4 weir: flows.csv: not written: 6 of 6 runs failed'
expect_equal 'the file is as it was' "$(cat flows.csv)" before
expect_files err flows.csv out sweep.db sweep.yaml twice.db twice.yaml
"$WEIR" run twice.yaml --again --records flows.csv --set until=1000s --jobs 1 --quiet >out 2>err &
pid=$!
has_child() { [ -n "$(cat "/proc/$pid/task/$pid/children")" ]; }
wait_until 'a run under way' has_child
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
expect_equal 'an interruption' "$status" 130
expect_match 'how to go on' "$(cat err)" 'interrupted: 0 of 6 runs are done \(the same command without --again and --records makes the rest\)$'
expect_equal 'the file is as it was' "$(cat flows.csv)" before
expect_files err flows.csv out sweep.db sweep.yaml twice.db twice.yaml
expect_run 2 'weir: run: --records is of one experiment (expected one scenario, found 2)' \
    "$WEIR" run sweep.yaml twice.yaml --records x
expect_run 2 'weir: run: --records and the database are both sweep.db (expected two files)' \
    "$WEIR" run sweep.yaml --again --records sweep.db
sed -e 's/^  buffer:$/  bytes:/' -e '/^quick/d' twice.yaml >named.yaml
expect_run 3 "weir: run: --records: flows have a column 'bytes', as the axis of named.yaml (expected another name of the \
axis)" "$WEIR" run named.yaml -o named.db --records x
printf '0 1 0 10000\n' >list.csv
sed -i -e 's/^  - {kind: poisson.*/  - {kind: list, tag: l, transport: tcp, file: list.csv}/' -e '/^quick/d' twice.yaml
expect_run 2 "weir: run: --records would overwrite $PWD/list.csv, which the run reads (expected another file)" \
    "$WEIR" run twice.yaml -o list.db --records list.csv
finish
