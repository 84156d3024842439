#!/usr/bin/env bash
# test_threads.sh - a run by several threads is the same run: every file that it writes, its id and what is stored.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/networks.sh
source "$root/tests/apps/networks.sh"

networks 2000 'policy: credence, oracle: {online: {every: 500, rows: 2000}}'

# all FILE THREADS: every output of a run goes into the folder of that number, and on stdout its digest of all.
all() {
    mkdir -p "$2"
    "$WEIR" run "$1" --threads "$2" --quiet --output "$2/r.db" --records "$2/records.csv" --series "$2/series.csv" \
        --losses "$2/losses.csv" --pauses "$2/pauses.csv" --rows "$2/rows.csv" --csv "$2/tags.csv" --trace "s0=$2/s0.wtr" \
        --trace "s5=$2/s5.wtr" --json >"$2/all.json"
    "$WEIR" export "$2/r.db" --csv -o "$2/export.csv"
    rm "$2/r.db"
}
for file in lossy lossless; do
    all $file.yaml 1
    expect_equal "$file: flows" "$(($(wc -l <1/records.csv) > 15))" 1
    expect_equal "$file: rows" "$(($(wc -l <1/rows.csv) > 2000))" 1
    for threads in 2 3 4; do
        all $file.yaml $threads
        expect_equal "$file with $threads threads" "$(diff -rq 1 $threads)" ''
        rm -r $threads
    done
    expect_equal "$file: series or pauses" "$(($(cat 1/series.csv 1/pauses.csv | wc -l) > 20))" 1
    rm -r 1
done

# Who made a run by threads has made it; a sweep too; the file may say it.
{
    echo 'threads: 2'
    cat lossless.yaml
} >both.yaml
expect_run 0 '' "$WEIR" run both.yaml --seeds 2 --quiet
"$WEIR" export both.db --csv -o two.csv
expect_run 0 '' "$WEIR" run both.yaml --seeds 2 --threads 1 --list
expect_equal 'runs that are done' "$(grep -c ' done ' <<<"$output")" 2
rm both.db
expect_run 0 '' "$WEIR" run both.yaml --seeds 2 --threads 1 --jobs 2 --quiet
"$WEIR" export both.db --csv -o one.csv
expect_equal 'the same results' "$(diff one.csv two.csv)" ''

expect_run 0 '' "$WEIR" run both.yaml --print-config
expect_match 'threads of the file' "$output" '^threads: 2$'
{
    cat both.yaml
    echo 'sweep: {n: {threads: [1, 2]}}'
} >swept.yaml
expect_run 3 "weir: swept.yaml:10:13: axis n: 'threads' cannot be swept (expected a key of the simulation)" \
    "$WEIR" run swept.yaml

# What the time went for: one run.
status=0
"$WEIR" run lossless.yaml --threads 2 --profile --json >out 2>err || status=$?
expect_equal 'a profile' "$status" 0
expect_match 'of the run' "$(cat err)" '^profile: .* on 2 threads, [0-9]+ windows'
expect_match 'of a thread' "$(cat err)" '^profile: thread 1: ran [0-9]+ switches [0-9.]+ %, [0-9]+ hosts [0-9.]+ %, waited [0-9.]+ %, [1-9][0-9]* packets to others$'
expect_match 'of windows' "$(cat err)" '^profile: [1-9][0-9]* stretches of windows, between them [0-9.]+ %; the busiest thread of each window [0-9.]+ %$'
expect_match 'of the cut' "$(cat err)" '^profile: [1-9][0-9]* cut links, [1-9][0-9]* packets crossed'

# More threads than processors: they wait for one another, and the command says so once.
if command -v taskset >/dev/null; then
    one=(taskset -c "$(taskset -pc $$ | sed -E 's/.*: ([0-9]+).*/\1/')" "$WEIR" run lossless.yaml)
    expect_run 0 'weir: warning: 2 threads have 1 processor, and wait for one another (expected --threads 1, or more processors from taskset or the batch system)' \
        "${one[@]}" --threads 2
    expect_run 0 '' "${one[@]}" --threads 2 --quiet
    expect_run 0 '' "${one[@]}" --threads 1
    "${one[@]}" --threads 2 --quiet --profile >out 2>err
    expect_match 'of the processors' "$(cat err)" '^profile: 2 threads had 1 processor, and waited for one another$'
else
    echo 'threads without processors are not tried: taskset is missing'
fi

# Numbers that are none.
expect_run 3 "weir: --threads: '0' is out of range (expected an integer from 1 to 256)" "$WEIR" run both.yaml --threads 0
sed 's/threads: 2/threads: 300/' both.yaml >many.yaml
expect_run 3 "weir: many.yaml:1:10: threads: '300' is out of range (1 to 256)" "$WEIR" run many.yaml
finish
