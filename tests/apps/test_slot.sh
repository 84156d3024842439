#!/usr/bin/env bash
# weir slot: what run, fig14 and table1 print and write, and every mistake on their command lines.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

quick=(--slots 300 --ports 4 --buffer 16)

# The table, with and without the optimum.
expect_run 0 '' "$WEIR" slot run --policy lqd --policy dt:alpha=0.5 "${quick[@]}"
expect_match 'heading' "$output" '^bursts: N = 4 ports, B = 16 packets, 300 slots, seed 1$'
expect_match 'columns' "$output" '^policy +arrived +sent +lost +loss % +LQD/ALG$'
expect_match 'lqd' "$output" '^lqd( +[0-9]+){3} +[0-9]+\.[0-9]{2} +1\.0000$'
expect_match 'dt' "$output" '^dt:alpha=0.5( +[0-9]+){3} +[0-9]+\.[0-9]{2} +[1-9]\.[0-9]{4}$'
expect_no_match 'no column of the optimum' "$output" 'OPT'
expect_run 0 '' "$WEIR" slot run --policy lqd --optimum "${quick[@]}"
expect_match 'columns' "$output" '^policy +arrived +sent +lost +loss % +OPT/ALG +LQD/ALG$'
expect_match 'the optimum' "$output" '^OPT \(LateQD\)( +[0-9]+){3} +[0-9.]+ +1\.0000 +[0-9.]+$'
expect_run 0 '' "$WEIR" slot run "${quick[@]}"
expect_equal 'every policy of the egress side, but for those that look at flows' "$(tail -n +4 <<<"$output" | cut -d' ' -f1)" \
    "$("$WEIR" policies | awk '$2 == "egress" { print $1 }' | grep -vxE 'fab|afd')"
expect_run 3 'weir: policy fab needs the flow of every packet, which is not known here (expected a policy that looks at queues only)' \
    "$WEIR" slot run --policy fab "${quick[@]}"

# The search: the same with one thread, and when it goes on from its state; what it saves is the input that it found.
search=("$WEIR" slot search --policy dt:alpha=0.5 --ports 4 --buffer 16 --slots 60 --tries 60 --islands 3)
expect_run 0 '' "${search[@]}" --threads 1 --save-arrivals bad.txt --state one.state --csv one.csv
expect_match 'what was found' "$output" '^dt:alpha=0.5: N = 4 ports, B = 16 packets, 60 slots, seed 1: the optimum sends up to [1-9]\.[0-9]{4} times as much$'
expect_run 0 '' "${search[@]}" --threads 3 --state three.state --csv three.csv
expect_equal 'the same with three threads' "$(cat three.csv three.state)" "$(cat one.csv one.state)"
worst=$(tail -n +2 one.csv | cut -d, -f4 | sort -rn | head -n 1)
expect_run 0 '' "$WEIR" slot run --policy dt:alpha=0.5 --optimum --ports 4 --buffer 16 --traffic file --arrivals bad.txt --csv again.csv
expect_equal 'the saved input has that ratio' "$(tail -n 1 again.csv | cut -d, -f7)" "$worst"
head -n 2 one.state >part.state
expect_run 0 '' "${search[@]}" --state part.state --csv part.csv
expect_equal 'the same when it goes on' "$(cat part.csv part.state)" "$(cat one.csv one.state)"
expect_run 3 'weir: one.state:1: a search with other numbers (expected weir slot search 1: dt:alpha=0.5, ports 4, buffer 16, slots 60, tries 60, seed 2)' \
    "${search[@]}" --seed 2 --state one.state
echo '0 1 nonsense' >>part.state
expect_run 3 'weir: part.state:5: not an island of this search (expected a file of weir slot search)' "${search[@]}" --state part.state
expect_run 3 'weir: policy fab needs the flow of every packet, which is not known here (expected a policy that looks at queues only)' \
    "$WEIR" slot search --policy fab
rm -f bad.txt again.csv {one,three,part}.{csv,state}

# JSON and CSV have the numbers of the table; the same command gives the same bytes.
command=("$WEIR" slot run --policy cs --policy credence --oracle flip=0.2 --optimum "${quick[@]}")
expect_run 0 '' "${command[@]}" --csv a.csv
table=$output
expect_run 0 '' "${command[@]}"
expect_equal 'the same table twice' "$output" "$table"
expect_equal 'heading of the CSV' "$(head -n 1 a.csv)" 'policy,arrived,sent,lost,refused,loss,opt_over_alg,lqd_over_alg'
expect_equal 'rows of the CSV' "$(wc -l <a.csv)" 4
expect_equal 'sent and lost' "$(tail -n +2 a.csv | awk -F, '{print $2, $3, $4}')" \
    "$(tail -n 3 <<<"$table" | sed 's/^OPT (LateQD)/OPT/' | awk '{print $2, $3, $4}')"
expect_run 0 '' "${command[@]}" --json --csv b.csv
expect_equal 'the same CSV twice' "$(cat b.csv)" "$(cat a.csv)"
json=$output
if [ -n "$has_python" ]; then
    expect_equal 'about the run' "$(from_json '[d[k] for k in ("traffic", "ports", "buffer", "slots", "seed")]')" \
        "['bursts', 4, 16, 300, 1]"
    expect_equal 'rows as CSV' "$(from_json '[[r[k] for k in ("policy", "arrived", "sent", "lost", "refused", "loss",
        "opt_over_alg", "lqd_over_alg")] for r in d["rows"]]')" \
        "$(python3 -c 'import csv, sys
print([[r["policy"]] + [int(r[k]) for k in ("arrived", "sent", "lost", "refused")] +
    [float(r[k]) for k in ("loss", "opt_over_alg", "lqd_over_alg")] for r in csv.DictReader(sys.stdin)])' <a.csv)"
    expect_equal 'sums' "$(from_json 'all(r["arrived"] == r["sent"] + r["lost"] for r in d["rows"])')" True
    expect_equal 'ports' "$(from_json '[sum(r["port_sent"]) == r["sent"] for r in d["rows"]]')" '[False, True, True]'
fi
expect_run 0 '' "${command[@]}" --json
expect_equal 'the same JSON twice' "$output" "$json"
expect_run 0 '' "${command[@]}" --seed 2
expect_no_match 'another seed' "$output" "^$(tail -n 1 <<<"$table")$"

# CSV on standard output takes the place of the table, whatever standard output is.
expect_run 0 '' "${command[@]}" --csv -
expect_equal '--csv -' "$output" "$(cat a.csv)"
expect_equal '--csv /dev/stdout into a pipe' "$("${command[@]}" --csv /dev/stdout | cat)" "$(cat a.csv)"
"${command[@]}" --csv /dev/stdout >c.csv
expect_equal '--csv /dev/stdout into a file' "$(cat c.csv)" "$(cat a.csv)"
expect_run 4 'weir: standard output: cannot write: No space left on device' \
    bash -c '"$@" --csv - >/dev/full' - "${command[@]}"
expect_run 2 'weir: slot run: --csv - and --json both write to standard output (expected one of them)' \
    "${command[@]}" --csv - --json
expect_run 2 'weir: slot table1: --csv - and --json both write to standard output (expected one of them)' \
    "$WEIR" slot table1 --csv - --json
expect_run 0 '' "${command[@]}" --csv /dev/null
expect_equal 'the table beside /dev/null' "$output" "$table"
rm ./*.csv

# Every kind of traffic; saved arrivals give the same run.
for kind in bursts uniform onoff cs-adversary dt-adversary followlqd-adversary lqd-adversary; do
    expect_run 0 '' "$WEIR" slot run --traffic "$kind" --policy dt --policy lqd "${quick[@]}" --save-arrivals "$kind"
    expect_match "$kind" "$output" "^$kind: N = 4 ports, B = 16 packets, [0-9]+ slots, seed 1$"
    first=$(tail -n 2 <<<"$output")
    expect_run 0 '' "$WEIR" slot run --traffic file --arrivals "$kind" --policy dt --policy lqd --ports 4 --buffer 16 \
        --save-arrivals again
    expect_equal "$kind from its file" "$(tail -n 2 <<<"$output")" "$first"
    expect_equal "$kind saved again" "$(cksum <again)" "$(cksum <"$kind")"
    rm again "$kind"
done
printf '# by hand\n0 0 1\n\n1\n' >hand
expect_run 0 '' "$WEIR" slot run --arrivals hand --policy cs --ports 2 --buffer 2
expect_match 'a file by hand' "$output" '^cs +4 +3 +1 +25.00 +1.0000$'
printf '0 1\n0 7\n' >wrong
expect_run 3 'weir: wrong:2:3: no such port; ports are 0 to 3' "$WEIR" slot run --arrivals wrong --ports 4
mkdir folder
expect_run 3 'weir: folder: is a directory (expected a file of arrivals)' "$WEIR" slot run --arrivals folder
expect_run 3 'weir: none: cannot open: No such file or directory' "$WEIR" slot run --arrivals none
rmdir folder
rm hand wrong

# Oracles: perfect is LQD, and the default.
oracle=("$WEIR" slot run --policy credence "${quick[@]}")
expect_run 0 '' "${oracle[@]}"
perfect=$output
expect_match 'perfect' "$perfect" '^credence .* 1\.0000$'
for same in perfect flip=0 flip=0%; do
    expect_run 0 '' "${oracle[@]}" --oracle "$same"
    expect_equal "$same" "$output" "$perfect"
done
expect_run 0 '' "${oracle[@]}" --oracle wrong
always=$output
expect_no_match 'wrong' "$always" '^credence .* 1\.0000$'
expect_run 0 '' "${oracle[@]}" --oracle flip=1
expect_equal 'flip=1' "$output" "$always"

# A forest that learnt from LQD's slots, here and in a trace that is replayed with it.
expect_run 0 '' "$WEIR" slot run --policy lqd:remove=tail "${quick[@]}" --rows lqd.csv.zst --trace lqd.wtr
expect_run 0 '' "$WEIR" train --model slots.forest lqd.csv.zst
expect_run 0 '' "$WEIR" train --model traced.forest lqd.wtr
expect_equal 'rows of a trace' "$(cat traced.forest)" "$(cat slots.forest)"
# eta of a trace: a forest that says "kept" to all leaves FollowLQD with all arrivals.
sent() { "$WEIR" slot run --policy "$1" "${quick[@]}" --json | grep -o '"sent": [0-9]*' | grep -o '[0-9]*$'; }
expect_run 0 '' "$WEIR" train --trees 1 --depth 0 --model kept.forest lqd.csv.zst
expect_run 0 '' "$WEIR" predict --model kept.forest lqd.wtr
expect_match 'eta' "$output" "LQD sends $(sent lqd:remove=tail) packets, FollowLQD without what is predicted lost $(sent followlqd)\$"
expect_run 0 '' "$WEIR" predict --model slots.forest --json lqd.wtr
taught=$(grep -o '"eta": [0-9.]*' <<<"$output" | cut -d' ' -f2)
expect_match 'a forest is better than none' "$(awk -v taught="$taught" -v lqd="$(sent lqd:remove=tail)" -v follow="$(sent followlqd)" \
    'BEGIN {print taught, (taught >= 1 && taught < lqd / follow) ? "better" : "worse"}')" 'better$'
expect_run 0 '' "$WEIR" predict --model slots.forest --json lqd.csv.zst
expect_match 'rows are no sequence' "$output" '"eta": null'
expect_run 2 'weir: predict: --switch: a trace is of one MMU (lqd.wtr)' "$WEIR" predict --model slots.forest --switch s0 lqd.wtr

expect_run 0 '' "${oracle[@]}" --oracle model=slots.forest --trace model.wtr
expect_match 'forest' "$output" '^credence '
for with in '' '--model=slots.forest'; do
    expect_run 0 '' "$WEIR" replay $with model.wtr
    expect_match "replay $with" "$output" 'core agrees'
done
expect_run 0 '' "$WEIR" train --seed 2 --model other.forest lqd.csv.zst
expect_run 3 "weir: model.wtr: header: the model with digest $(awk '/^end/ {print $2}' slots.forest) gave the answers, \
and this one has $(awk '/^end/ {print $2}' other.forest)" "$WEIR" replay --model other.forest model.wtr
expect_run 3 'weir: lqd.wtr: header: no model gave the answers (expected a replay without --model)' \
    "$WEIR" replay --model slots.forest lqd.wtr
expect_run 3 'weir: slots.forest: learnt from averages over 24000000 ps, and tau of policy credence is 48000000 ps (expected the same)' \
    "$WEIR" slot run --policy credence:tau=48us "${quick[@]}" --oracle model=slots.forest
expect_run 0 '' "$WEIR" slot run --policy credence "${quick[@]}" --oracle kept
rm lqd.csv.zst lqd.wtr model.wtr ./*.forest

# Eta of Definition 1: 1 with right answers, more with wrong ones; a column only where it is asked for.
expect_run 0 '' "${oracle[@]}" --oracle perfect --eta
expect_match 'eta of right answers' "$output" '^credence .* 1\.0000  1\.0000 +1\.0000$'
expect_run 0 '' "${oracle[@]}" --oracle wrong --eta
expect_no_match 'eta of wrong answers' "$output" '^credence .* 1\.0000$'
expect_run 0 '' "$WEIR" slot run --policy credence --policy dt "${quick[@]}" --eta --csv -
expect_match 'eta as CSV' "$output" '^"dt",.*,$'
expect_run 2 'weir: slot run: --eta: no policy asks an oracle (expected with: credence)' \
    "$WEIR" slot run --policy dt "${quick[@]}" --eta

# Recordings.
expect_run 0 '' "$WEIR" slot run --policy dt "${quick[@]}" --trace dt.wtr --rows dt.rows
expect_equal 'heading of the rows' "$(grep -v '^#' dt.rows | head -n 1)" \
    'switch,index,queue,queue_average,buffer,buffer_average,lost'
expect_equal 'a row per arrival' "$(grep -c '^s0,' dt.rows)" "$(awk '/^dt/ {print $2}' <<<"$output")"
expect_run 0 '' "$WEIR" replay dt.wtr
rm dt.wtr dt.rows

# Options that would change nothing.
run=("$WEIR" slot run)
not_for() {
    expect_run 2 "weir: slot run: $1: does not apply to --traffic $2 (expected with: $3)" "${run[@]}" --traffic "${@:4}"
}
adversaries='cs-adversary, dt-adversary, followlqd-adversary, lqd-adversary'
for kind in uniform onoff; do
    not_for --width "$kind" "bursts, $adversaries" "$kind" --width 4
done
not_for --width file "bursts, $adversaries" file --arrivals x --width 4
not_for --load bursts 'uniform, onoff' bursts --load 0.5
not_for --load cs-adversary 'uniform, onoff' cs-adversary --load 0.5
not_for --burst uniform 'bursts, onoff' uniform --burst 4
not_for --burst-interval onoff bursts onoff --burst-interval 4
not_for --burst-rate uniform bursts uniform --burst-rate 4
not_for --in-turn lqd-adversary bursts lqd-adversary --in-turn
not_for --arrivals uniform file uniform --arrivals x
expect_run 2 'weir: slot run: --slots: does not apply to --traffic file (expected the file to tell)' \
    "${run[@]}" --arrivals x --slots 5
expect_run 2 'weir: slot run: --traffic file: no file (expected --arrivals FILE)' "${run[@]}" --traffic file
expect_run 2 'weir: slot run: --oracle: no policy asks an oracle (expected with: credence)' \
    "${run[@]}" --policy dt --policy lqd --oracle wrong
expect_run 2 'weir: slot run: --ports: given twice (expected once)' "${run[@]}" --ports 2 --ports 2
expect_run 2 'weir: slot run: --csv: given twice (expected once)' "${run[@]}" --csv a --csv b
expect_run 2 'weir: slot fig14: --seeds: given twice (expected once)' "$WEIR" slot fig14 --seeds 2 --seeds 3
expect_run 2 'weir: slot table1: --csv: given twice (expected once)' "$WEIR" slot table1 --csv a --csv b
expect_run 2 "weir: slot run: --trace and --csv: the same file 'a' (expected two files)" \
    "${run[@]}" --policy dt --csv a --trace a
expect_run 2 "weir: slot run: --save-arrivals and --rows: the same file './a' (expected two files)" \
    "${run[@]}" --policy dt --rows ./a --save-arrivals a
expect_run 2 'weir: slot run: --trace: records one run (expected exactly one --policy)' "${run[@]}" --trace a
expect_run 2 'weir: slot run: --rows: records one run (expected exactly one --policy)' \
    "${run[@]}" --policy dt --policy cs --rows a
several='has several values (expected one: the slotted model has one class)'
expect_run 3 "weir: policy dt: alpha $several" "${run[@]}" --policy dt:alpha=1,2
expect_run 3 "weir: policy occamy: alpha $several" "${run[@]}" --policy occamy:select=longest:alpha=1,1

# Values: out of range is bad input, what cannot be read is wrong usage.
expect_run 3 "weir: --ports: '0' is out of range (expected an integer from 1 to 4096)" "${run[@]}" --ports 0
expect_run 3 "weir: --ports: '-3' is out of range (expected an integer from 1 to 4096)" "${run[@]}" --ports -3
expect_run 2 "weir: --ports: 'x' is not a number (expected an integer from 1 to 4096)" "${run[@]}" --ports x
expect_run 3 "weir: --ports: '1' is out of range (expected an integer from 2 to 4096)" "$WEIR" slot fig14 --ports 1
for wrong in '--load 1.5' '--load 0' '--load -1' '--oracle flip=2' '--oracle flip=-1' '--burst-interval 0' '--buffer 0' \
    '--slots 0' '--seed -1' '--burst 0' '--burst-rate 0' '--width -1'; do
    status=0
    # shellcheck disable=SC2086 # an option and its value
    message=$("${run[@]}" $wrong 2>&1) || status=$?
    expect_equal "exit status of $wrong" "$status" 3
    expect_match "$wrong" "$message" "^weir: --[a-z -]+: '.*' is out of range \\(.*\\)\$"
done
expect_run 2 "weir: --load: 'x' is not a number" "${run[@]}" --load x
expect_run 2 "weir: --oracle: 'right' is unknown (expected perfect, wrong, lost, kept, flip=P or model=FILE)" "${run[@]}" --oracle right
expect_run 2 "weir: --traffic: 'unifrm' is unknown (did you mean 'uniform'?)" "${run[@]}" --traffic unifrm
expect_run 2 "weir: --traffic: '' is unknown (expected bursts, uniform, onoff, cs-adversary, dt-adversary, followlqd-adversary, lqd-adversary or file)" "${run[@]}" --traffic ''
expect_run 3 "weir: traffic lqd-adversary: needs two ports or more" "${run[@]}" --traffic lqd-adversary --ports 1
expect_run 3 "weir: unknown policy 'ltd' (did you mean 'lqd'?)" "${run[@]}" --policy ltd
expect_run 3 "weir: unknown policy '' (see 'weir policies'; --policy-file loads others)" "${run[@]}" --policy ''
expect_run 2 'weir: slot run: --ports: missing value (expected one)' "${run[@]}" --ports
expect_run 2 'weir: slot run: unknown option --polcy (did you mean --policy?)' "${run[@]}" --polcy dt
expect_run 2 "weir: slot run: unexpected operand 'dt' (see 'weir slot run --help')" "${run[@]}" dt
expect_equal 'files left' "$(ls)" ''

# Figure 14.
expect_run 0 '' "$WEIR" slot fig14 --quick --csv fig14.csv
expect_match 'parameters' "$output" '21121 slots, 4 seeds from 1\.$'
expect_match 'columns' "$output" '^false predictions +Credence +\+- +DT 0\.5 +\+- +DT 1 +\+- +CS +\+-$'
expect_equal 'points' "$(grep -oE '^ +[01]\.[0-9] ' <<<"$output" | tr -d ' \n')" \
    0.00.10.20.30.40.50.60.70.80.91.0
expect_match 'perfect predictions' "$output" '^ +0\.0 +1\.000 +0\.000 '
expect_equal 'rows of the CSV' "$(wc -l <fig14.csv)" 15
expect_equal 'heading of the CSV' "$(head -n 1 fig14.csv)" \
    'ports,buffer,burst_interval,slots,seeds,seed,algorithm,false_predictions,lqd_over_alg,half_interval'
rm fig14.csv
small=(slot fig14 --slots 500)
expect_run 0 '' "$WEIR" "${small[@]}" --seeds 2
twice=$output
expect_run 0 '' "$WEIR" "${small[@]}" --seeds 2
expect_equal 'the same figure twice' "$output" "$twice"
expect_run 0 '' "$WEIR" "${small[@]}" --seeds 1
expect_match 'one seed' "$output" '500 slots, 1 seed from 1\.$'
expect_match 'one seed has no interval' "$output" '^ +0\.0 +1\.000 +- +[0-9.]+ +- +[0-9.]+ +- +[0-9.]+ +-$'
expect_run 0 '' "$WEIR" "${small[@]}" --seeds 1 --csv -
expect_match 'one seed as CSV' "$output" '^16,256,352,500,1,1,Credence,0,1,$'
expect_equal 'only CSV' "$(wc -l <<<"$output")" 15
expect_run 0 '' "$WEIR" "${small[@]}" --seeds 1 --json
if [ -n "$has_python" ]; then
    expect_equal 'one seed as JSON' "$(from_json '[d["points"][0][k] for k in ("algorithm", "false_predictions",
        "lqd_over_alg", "half_interval")] + [len(d["points"]), d["seeds"]]')" "['Credence', 0.0, 1.0, None, 14, 1]"
fi
sweep=(slot fig14 --sweep --ports 4 --buffer 16)
expect_run 0 '' "$WEIR" "${sweep[@]}"
expect_match 'what a sweep uses' "$output" 'per row the mean of 3 seeds from 1, each 100 intervals\.$'
expect_equal 'rows of a sweep' "$(tail -n +5 <<<"$output" | wc -l)" 16
expect_run 0 '' "$WEIR" "${sweep[@]}" --quick
expect_match 'what a quick sweep uses' "$output" 'per row the mean of 2 seeds from 1, each 20 intervals\.$'
expect_run 0 '' "$WEIR" "${sweep[@]}" --seeds 1 --slots 50 --seed 7
expect_match 'what a chosen sweep uses' "$output" 'per row the mean of 1 seed from 7, each 50 slots\.$'
expect_run 0 '' "$WEIR" slot fig14 --help
expect_match 'the help tells it' "$(tr -s ' \n' ' ' <<<"$output")" '3 runs of 100 intervals per row'

# Table 1.
expect_run 0 '' "$WEIR" slot table1 --quick --csv table1.csv
expect_match 'columns' "$output" '^algorithm +bound +N +value +worst +B +OPT:ALG +by$'
for row in 'Complete Sharing +N \+ 1' 'DT \(alpha 0\.5\) +O\(N\)' 'DT \(alpha 1\) +O\(N\)' 'Harmonic' 'FollowLQD' 'LQD' \
    'Credence'; do
    expect_match 'an algorithm' "$output" "^$row.* 2 +([0-9.]+|-) +[0-9.]+ +[0-9]+ +[0-9]+:[0-9]+ +[^ ]"
done
expect_equal 'rows' "$(tail -n +2 <<<"$output" | wc -l)" 32
expect_equal 'rows of the CSV' "$(wc -l <table1.csv)" 33
long=$(grep -cE '"[^"]{61,}"$' table1.csv || true)
expect_equal 'long sequences end with …' "$(grep -c '…$' <<<"$output" || true)" "$long"
rm table1.csv
expect_run 0 '' "$WEIR" slot table1 --quick --json
if [ -n "$has_python" ]; then
    expect_equal 'as JSON' "$(from_json '[len(d["rows"]), any(r["broken"] for r in d["rows"])]')" '[32, False]'
fi
expect_run 2 "weir: slot table1: unexpected operand '1' (see 'weir slot table1 --help')" "$WEIR" slot table1 1

# Progress on a terminal: shown for long runs only, and gone at the end.
on_terminal() {
    python3 -c 'import pty, sys
pty.spawn(sys.argv[1:])' "$@" </dev/null
}
if ! python3 -c 'import os; os.openpty()' 2>/dev/null; then
    echo "progress on a terminal: skipped, no python3 or no pseudo-terminals here"
else
    shown=$(on_terminal "$WEIR" slot run --policy cs --traffic uniform --load 0.1 --ports 2 --slots 1200000)
    expect_match 'progress' "$shown" 'slot run, percent: 50 of 100'
    expect_match 'the line is cleared' "$shown" $'percent: 100 of 100\r\033\\[K'
    shown=$(on_terminal "$WEIR" slot run --policy cs "${quick[@]}")
    expect_no_match 'no progress of a short run' "$shown" 'percent'
fi
finish
