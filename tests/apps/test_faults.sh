#!/usr/bin/env bash
# What can go wrong during a sweep: kills, interruptions, runs that hang, crash or take too much memory, a full disk, a
# folder that may not be written, two writers, files that are no databases. Nothing that was finished is ever lost.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"

write_sweep sweep.yaml
longer=(sweep.yaml --set until=20ms --jobs 2 --seeds 400)
sweep=("${longer[@]:0:6}" 8) # 32 runs
expect_run 0 '' "$WEIR" run "${sweep[@]}" -o whole.db
table=${output//whole.db/X.db}
whole=$(dump whole.db)
# no_children DATABASE: nobody makes runs of it; others may run the same test in another folder.
no_children() {
    local pid
    for pid in $(pgrep -f "run ${sweep[*]} -o $1"); do
        [ "$(readlink "/proc/$pid/cwd")" != "$PWD" ] || return 1
    done
}
# expect_whole DATABASE: the rest is made, and all is as if nothing had happened.
expect_whole() {
    local status=0
    "$WEIR" run "${sweep[@]}" --quiet -o "$1" >out 2>err || status=$?
    expect_equal "exit status of resuming $1" "$status $(cat err)" '0 '
    expect_equal "the table of $1" "$(sed "s/$1/X.db/g" out)" "$table"
    if [ "$(dump "$1")" != "$whole" ]; then
        expect_equal "the content of $1" "$(diff <(printf '%s\n' "$whole") <(dump "$1") | head -n 5)" ''
    fi
}

# SIGKILL at any moment, again and again.
seed=${WEIR_TEST_SEED:-1}
RANDOM=$seed
kills=0
while [ "$kills" -lt "${WEIR_TEST_ROUNDS:-1}0" ]; do
    "$WEIR" run "${sweep[@]}" --quiet -o killed.db >/dev/null 2>&1 &
    pid=$!
    sleep "0.0$((RANDOM % 90 + 10))"
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || kills=$((kills + 1))
    if [ "$(ask killed.db 'SELECT count(*) FROM experiment' 2>/dev/null || true)" = 4 ]; then
        "$WEIR" show --runs killed.db >/dev/null 2>err || expect_equal "show after a kill (seed $seed)" "$(cat err)" ''
    fi
    [ "$(ask killed.db 'SELECT count(*) FROM run' 2>/dev/null || true)" != 32 ] || break
done
expect_match "kills (seed $seed)" "$kills" '^[1-9]'
echo "attack: kills of a sweep: $kills"
wait_until 'the children of the killed are gone' no_children killed.db
expect_whole killed.db
rm killed.db

# wait_for DATABASE COUNT: until that many runs are finished.
has_runs() { [ "$(ask "$1" 'SELECT count(*) FROM run' 2>/dev/null || echo 0)" -ge "$2" ]; }
wait_for() { wait_until "$2 runs in $1" has_runs "$1" "$2"; }

# SIGINT and SIGTERM keep what is finished.
for signal in INT TERM; do
    env --default-signal "$WEIR" run "${longer[@]}" -o stopped.db >out 2>err &
    pid=$!
    wait_for stopped.db 5
    kill "-$signal" "$pid"
    status=0
    wait "$pid" || status=$?
    expect_equal "exit status after SIG$signal" "$status" 130
    expect_match "message after SIG$signal" "$(tail -n 1 err)" \
        '^weir: stopped.db: interrupted: [0-9]+ of 1600 runs are done \(the same command makes the rest\)$'
    expect_equal 'no table' "$(cat out)" ''
    expect_equal 'what is said is there' "$(ask stopped.db 'SELECT count(*) FROM run')" \
        "$(sed -n 's/.*interrupted: \([0-9]*\) of.*/\1/p' err)"
    edit stopped.db "DELETE FROM run WHERE seed > 12" >/dev/null
    for leftover in measure curve cost; do
        edit stopped.db "DELETE FROM $leftover WHERE run NOT IN (SELECT id FROM run)" >/dev/null
    done
    expect_whole stopped.db
    expect_files err out stopped.db sweep.yaml whole.db
    rm stopped.db
done

# Runs that hang or take too much memory fail alone, and are told with the command that makes them again.
cat >limits.yaml <<'END'
until: 1ms
topology: {kind: single, hosts: 3}
switch: {buffer: 30KB, policy: dt}
transports: {tcp: {kind: newreno}}
traffic:
  - {kind: long, tag: elephant, transport: tcp, sources: h1, destinations: h2, bytes: endless}
sweep: {length: {until: [1ms, 100000s, 2ms]}}
limits: {time: 3s} # of a busy machine the short ones take a part of it
END
expect_run 4 '' "$WEIR" run limits.yaml
expect_match 'those that finish' "$output" '^ +1ms +0$'
expect_match 'the late one' "$output" '^failed: length=100000s, seed 1: took longer than 3s$'
again=$(sed -n 's/^  again: //p' <<<"$output")
expect_match 'how to make it again' "$again" '^weir run limits.yaml --only [0-9a-f]{16}$'
expect_equal 'finished' "$(ask limits.db 'SELECT count(*) FROM run')" 2
expect_run 0 '' "$WEIR" run --list limits.yaml
expect_match 'the list' "$output" '^[0-9a-f]{16}  failed  length=100000s, seed 1$'
expect_run 4 'weir: limits.db: resuming: 2 of 3 runs are done' "$WEIR" run limits.yaml
expect_run 4 'weir: the run took longer than 3s, its limit' "$WEIR" run limits.yaml --only "${again##* }"
expect_run 4 '' "$WEIR" run limits.yaml --set limits.time=200ms --set 'traffic.0.destinations=h0' -o other.db
expect_match 'the command with its changes' "$output" \
    '^  again: weir run --set limits.time=200ms --set traffic.0.destinations=h0 --output other.db limits.yaml --only '
rm other.db
if [ -z "${FAILING_MALLOC:-}" ]; then
    echo 'skipped: the memory limit: the address sanitizer needs all address space there is'
else
    large=(limits.yaml --set 'sweep.length={until: [1ms, 2ms]}' --set topology.hosts=15000 -o memory.db \
        --set limits.time=1000s --quiet)
    # The guard looks every 10 ms: it may see the limit passed while the sweep is planned, or only in its runs.
    status=0
    "$WEIR" run "${large[@]}" --set limits.memory=20MB >out 2>err || status=$?
    expect_equal 'exit status beyond the memory limit' "$status" 4
    expect_match 'the memory limit is named' "$(cat out err)" 'out of memory: limits.memory is 20MB$'
    rm out err
    expect_run 0 '' "$WEIR" run "${large[@]}" --set limits.memory=1GB
    rm memory.db
fi

# A run that crashes.
rm limits.db
"$WEIR" run limits.yaml --set limits.time=1000s --jobs 1 >out 2>err &
pid=$!
wait_for limits.db 1
has_child() { # who made the run that is stored is gone
    child=$(cut -d ' ' -f 1 "/proc/$pid/task/$pid/children") && [ -n "$child" ]
}
wait_until 'a running child' has_child
kill -SEGV "$child"
status=0
wait "$pid" || status=$?
expect_equal 'status after a crash' "$status $(cat err)" '4 '
expect_match 'the reason' "$(cat out)" '^failed: length=100000s, seed 1: ended by signal 11, Segmentation fault$'
expect_equal 'the others' "$(ask limits.db 'SELECT count(*) FROM run')" 2
rm limits.db

# A terminal sees how far it is.
if has_terminal; then
    line='2/3 done, 1 running, 0 failed, [0-9.e+-]+ s per run, [0-9.]+[num]?s simulated \([0-9.]+[num]?s per second\), [0-9.]+ million packets/s, ETA [0-9][0-9hms]*$'
    progress=$(on_terminal "$line" "$WEIR" run limits.yaml --set limits.time=1000s --jobs 2)
    expect_match 'progress' "$progress" "$line"
    rm limits.db
fi

# Descriptors: more processes are allowed than there are, and standard ones are closed.
few_descriptors() { (ulimit -n 16 && timeout 600 "$WEIR" run "${sweep[@]/#2/30}" --quiet -o few.db); }
expect_run 0 '' few_descriptors
expect_equal 'the table with few descriptors' "${output//few.db/X.db}" "$table"
too_few() { (ulimit -n 8 && timeout 600 "$WEIR" run "${sweep[@]}" --quiet -o few.db --again); }
status=0
too_few >out 2>err || status=$?
expect_equal 'too few descriptors' "$status" 4
rm -f few.db*
cp whole.db closed.db
"$WEIR" run "${sweep[@]}" -o closed.db >out 2>&- || expect_equal 'without standard error' "$?" 0
expect_whole closed.db
rm closed.db

# A database that is removed under its writer.
"$WEIR" run "${longer[@]}" -o removed.db >out 2>err &
pid=$!
wait_for removed.db 5
rm removed.db
status=0
wait "$pid" || status=$?
expect_equal 'a removed database' "$status $(tail -n 1 err)" '4 weir: removed.db: was removed or renamed while it was '\
'written to (start again: its runs are repeated)'
expect_equal 'files of the removed' "$(find . -name 'removed*')" ''

# A second writer is turned away; readers are not.
"$WEIR" run limits.yaml --set limits.time=1000s --jobs 2 >out 2>err &
pid=$!
wait_for limits.db 2
expect_run 4 'weir: limits.db: another process is writing to it (wait until that has ended, or choose another file)' \
    "$WEIR" run limits.yaml
expect_run 0 '' "$WEIR" show limits.db
expect_match 'while it is written' "$output" '^2 of 3 runs, full size, from limits.yaml, weir '
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
run_the_rest() { "$WEIR" run limits.yaml --set 'sweep.length={until: [1ms, 2ms]}' --quiet; }
wait_until 'the lock of a killed command is gone' run_the_rest
rm limits.db

# A full disk: the message, what was finished, and the rest when there is room again.
mkdir disk
if mount -t tmpfs -o size=400k tmpfs disk 2>/dev/null; then
    trap 'umount "$scratch/disk"; rm -rf "$scratch"' EXIT
    expect_run 4 'weir: disk/small.db: the disk is full (make room and start again: finished runs are kept)' \
        "$WEIR" run "${sweep[@]}" -o disk/small.db
    expect_equal 'no table' "$output" ''
    mount -o remount,size=20m disk
    finished=$(ask disk/small.db 'SELECT count(*) FROM run')
    expect_match 'finished' "$finished" '^[1-9]'
    mv disk/small.db small.db
    expect_whole small.db
    umount disk
    trap 'rm -rf "$scratch"' EXIT
else
    echo 'skipped: the full disk: cannot mount a small one'
fi

# A folder that may not be written. Root may write everywhere, so the test becomes somebody else, if it can.
as_nobody=()
[ "$(id -u)" != 0 ] || as_nobody=(setpriv --reuid=65534 --clear-groups)
chmod 755 "$scratch"
chmod 644 sweep.yaml
mkdir -m 555 readonly
if "${as_nobody[@]}" "$WEIR" --version >/dev/null 2>&1; then
    expect_run 4 'weir: readonly/x.db: cannot be written: Permission denied (choose another file, or change its permissions)' \
        "${as_nobody[@]}" "$WEIR" run "${sweep[@]}" -o readonly/x.db
    expect_equal 'files in it' "$(ls -A readonly)" ''
else
    echo 'skipped: the read-only folder: cannot run as another user than root'
fi
expect_run 4 'weir: none/x.db: cannot be created: the folder does not exist (create it first)' \
    "$WEIR" run "${sweep[@]}" -o none/x.db

# Files that are not databases of weir stay as they are.
echo 'my thesis' >text.db
python3 -c 'import sqlite3
db = sqlite3.connect("foreign.db")
db.execute("CREATE TABLE run(id)")
db.commit()'
for file in text.db foreign.db; do
    before=$(cksum "$file")
    expect_run 3 "weir: $file: is not a file of weir's results and stays as it is (choose another file)" \
        "$WEIR" run "${sweep[@]}" -o "$file"
    expect_run 3 "weir: $file: is not a file of weir's results" "$WEIR" show "$file"
    expect_equal "$file" "$(cksum "$file")" "$before"
done

# A damaged one is told, and not made worse.
python3 -c 'import sys
data = bytearray(open("whole.db", "rb").read())
data[4096:40960] = b"\x5a" * (40960 - 4096)
open("damaged.db", "wb").write(data)'
status=0
"$WEIR" run "${sweep[@]}" -o damaged.db >out 2>err || status=$?
expect_equal 'status of a damaged database' "$status" 3
expect_match 'message of a damaged database' "$(cat err)" '^weir: damaged.db: .*damaged'
expect_run 3 "$(cat err)" "$WEIR" show damaged.db
finish
