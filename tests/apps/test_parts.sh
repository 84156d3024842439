#!/usr/bin/env bash
# A sweep in parts that share a folder: --part, --slurm (the script, with an sbatch of the test), --collect. Parts may come in any
# order, more than once, half or never; whatever is damaged, of other code or different is not taken for a result.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"

clean_up() {
    jobs -p | xargs -r kill -9 2>/dev/null || true
    umount "$scratch/disk" 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
write_sweep sweep.yaml # 12 runs
sweep=(sweep.yaml)
"$WEIR" run "${sweep[@]}" --quiet -o whole.db >out
table=$(sed 's/whole.db/X.db/g' out)
whole=$(dump whole.db)
expect_whole() {
    expect_equal "the table of $1" "${output//"$1"/X.db}" "$table"
    if [ "$(dump "$1")" != "$whole" ]; then
        expect_equal "the content of $1" "$(diff <(printf '%s\n' "$whole") <(dump "$1") | head -n 5)" ''
    fi
}
parcels() { find "$1.runs" -name '????????????????' -size +0 -type f -printf '%f\n' 2>/dev/null | sort || true; }

# By hand, without a list: all of the sweep. The command takes in what is there and makes the rest.
expect_run 0 'weir: hand.db.runs: part 2 of 3: 4 of 4 runs are done' "$WEIR" run "${sweep[@]}" -o hand.db --part 2/3
expect_equal 'a part prints nothing' "$output" ''
expect_run 0 '' "$WEIR" run "${sweep[@]}" -o hand.db --part 2/3 --quiet
expect_equal 'parcels' "$(parcels hand.db | wc -l)" 4
expect_equal 'no database' "$(find . -maxdepth 1 -name hand.db)" ''
expect_run 0 'weir: hand.db: took in 4 runs made elsewhere
weir: hand.db: resuming: 4 of 12 runs are done' "$WEIR" run "${sweep[@]}" -o hand.db
expect_whole hand.db
expect_equal 'the folder is gone' "$(find . -name 'hand.db?*')" ''

# Handed out: what is missing, in no more parts than runs.
"$WEIR" run "${sweep[@]}" -o out.db --only seed=5 --quiet >/dev/null
expect_run 0 'weir: out.db: resuming: 4 of 12 runs are done' "$WEIR" run "${sweep[@]}" -o out.db --slurm 100
expect_match 'the array' "$output" '--array 1-8 '
expect_equal 'the list' "$(wc -l <out.db.runs/list)" 8
sh -n <<<"$output" || expect_equal 'the script' 'no script' 'a script'
for part in 8 3 1 2 4; do
    "$WEIR" run "${sweep[@]}" -o out.db --quiet --part $part/8
done
expect_equal 'one run each' "$(parcels out.db | wc -l)" 5
"$WEIR" run "${sweep[@]}" -o out.db --collect >collected 2>err &
pid=$!
none_left() { [ "$(parcels out.db | wc -l)" = 0 ]; }
wait_until 'all are taken in' none_left
# A part that is started again sees what has been stored.
expect_run 0 'weir: out.db.runs: part 3 of 8: 1 of 1 runs are done' "$WEIR" run "${sweep[@]}" -o out.db --part 3/8
expect_equal 'it is not made again' "$(parcels out.db)" ''
for part in 5 6 7; do
    "$WEIR" run "${sweep[@]}" -o out.db --quiet --part $part/8
done
wait "$pid" || expect_equal 'status of --collect' "$?" 0
output=$(cat collected)
expect_whole out.db
expect_match 'what --collect says' "$(cat err)" '^weir: out.db: resuming: 9 of 12 runs are done$'
expect_equal 'nothing stays' "$(find . -name 'out.db?*')" ''
expect_run 0 'weir: out.db: all 12 runs are done (--again repeats them)' "$WEIR" run "${sweep[@]}" -o out.db --slurm 4
expect_equal 'no script' "$output" ''

# An sbatch that makes a job at once, and leaves out the parts that $lost names (JOB.PART). Its lines are in sbatch.log, and what the jobs
# say in jobs.log, the job after the array with its status.
mkdir bin
cat >bin/sbatch <<'END'
#!/usr/bin/env bash
echo "$*" >>sbatch.log
number=last
[[ "$*" != *--array* ]] || number=$(grep -c -- --array sbatch.log)
cat >"job-$number"
case "$*" in
*--array*)
    for ((part = 1; part <= $(sed -E 's/.*--array 1-([0-9]+).*/\1/' <<<"$*"); part++)); do
        [[ " ${lost:-} " == *" $number.$part "* ]] || SLURM_ARRAY_TASK_ID=$part sh "job-$number" >>jobs.log 2>&1
    done
    ;;
*)
    ${before_last:-true}
    status=0
    sh "job-$number" >>jobs.log 2>&1 || status=$?
    echo "last job: $status" >>jobs.log
    ;;
esac
echo "$number"
END
chmod +x bin/sbatch
# submit OPTION...: the script of --slurm, made by that sbatch.
submit() {
    : >sbatch.log
    : >jobs.log
    "$WEIR" run "${sweep[@]}" --quiet "$@" >script
    PATH=$scratch/bin:$PATH sh script
}
submit -o slurm.db --jobs 2 --threads 2 --slurm 3 >out
expect_equal 'jobs' "$(cat out)" 'weir: job 1 makes 12 runs in 3 parts'
expect_match 'processors for all threads' "$(cat sbatch.log)" '--array 1-3 --cpus-per-task 4 '
expect_equal 'threads of the jobs' "$(grep -c -- '--threads 2 .*--jobs 2 ' job-1 job-last | tr '\n' ' ')" 'job-1:1 job-last:1 '
output=$("$WEIR" run "${sweep[@]}" -o slurm.db --quiet)
expect_whole slurm.db
sed 's/^seed: 5$/&\nthreads: 3/' sweep.yaml >threads.yaml
expect_run 0 '' "$WEIR" run threads.yaml -o none.db --slurm 2
expect_match 'threads of the file' "$output" '--cpus-per-task 3 '
rm -r slurm.db none.db*
# What a shell would run: every name is a word, and one that would end a part of the script is refused.
odd="a;touch PWNED;\$(touch PWNED).yaml"
cp sweep.yaml "$odd"
"$WEIR" run "$odd" -o "x';touch PWNED;'.db" --slurm 2 --quiet >odd-script
PATH=$scratch/bin:$PATH sh odd-script >out
expect_match 'a name with commands' "$(cat out)" '^weir: job [0-9]+ makes '
broken=$'b\nEND\ntouch PWNED\n#'
cp sweep.yaml "$broken.yaml"
expect_run 3 "weir: run: --slurm: '${broken//$'\n'/?}.yaml' has a line break, which cannot stand in the script (expected a name or a value of one line)" \
    "$WEIR" run --slurm 2 "$broken.yaml"
expect_run 3 "weir: run: --slurm: 'title=a?END' has a line break, which cannot stand in the script (expected a name or a value of one line)" \
    "$WEIR" run --slurm 2 "${sweep[@]}" --set $'title=a\nEND'
[ ! -e PWNED ] || expect_equal 'a file that no command made' 'is there' 'is not'
rm -rf ./a\;* ./x\'* ./b*END*

# Without Slurm.
status=0
PATH=$scratch/none /bin/sh script >out 2>err || status=$?
expect_equal 'no sbatch' "$status $(cat out err)" \
    "4 weir: sbatch is missing (expected Slurm here; without it, 'weir run --part K/N' makes a part)"

# --only means the same in every round.
lost=1.1 submit -o only.db --only seed=5 --slurm 2 >out
expect_equal 'rounds' "$(grep -c -- --array sbatch.log)" 2
expect_equal 'the runs of --only' "$(ask only.db 'SELECT seed, count(*) FROM run GROUP BY seed')" '5|4'
expect_equal 'the folder is gone' "$(find . -name 'only.db?*')" ''
rm only.db

# --collect sees what others have taken in.
"$WEIR" run "${sweep[@]}" -o other.db --slurm 2 --quiet >script
"$WEIR" run "${sweep[@]}" -o other.db --part 1/2 --quiet
"$WEIR" run "${sweep[@]}" -o other.db --collect >collected 2>err &
pid=$!
is_stopped() { # between two looks
    [ -z "$(parcels other.db)" ] && kill -STOP "$pid" || return 1
    flock -n other.db true || { kill -CONT "$pid" && return 1; }
}
wait_until 'it has taken in a part' is_stopped
"$WEIR" run "${sweep[@]}" -o other.db --part 1/1 --quiet
"$WEIR" run "${sweep[@]}" -o other.db --slurm 2 --quiet >script
expect_equal 'another one has it all' "$(parcels other.db)$(cat script)" ''
kill -CONT "$pid"
wait "$pid" || expect_equal 'status of --collect' "$?" 0
output=$(cat collected)
expect_whole other.db
rm other.db

# The job after the array waits for who is writing, and says with its status what ended the rounds.
printf '%s\n' 'flock busy.db sleep 3 >/dev/null &' 'sleep 0.5' >writer.sh
before_last='sh writer.sh' submit -o busy.db --slurm 2 >out
expect_match 'it waits' "$(cat jobs.log)" '^weir: busy.db: another process is writing to it: waits for 60 s at most$'
expect_match 'and goes on' "$(cat jobs.log)" '^last job: 0$'
output=$("$WEIR" run "${sweep[@]}" -o busy.db --quiet)
expect_whole busy.db
rm busy.db
before_last='mv sweep.yaml away.yaml' submit -o away.db --slurm 2 >out
mv away.yaml sweep.yaml
expect_match 'why there is no next round' "$(cat jobs.log)" '^weir: sweep.yaml: cannot open: No such file or directory$'
expect_match 'the rounds' "$(cat jobs.log)" '^weir: the rounds are over, with status 3$'
expect_match 'status of the job' "$(cat jobs.log)" '^last job: 3$'
expect_run 0 '' "$WEIR" run "${sweep[@]}" -o away.db --slurm 2 --quiet
expect_equal 'all were made' "$output" ''
expect_equal 'the folder is gone' "$(find . -name 'away.db?*')" ''
rm away.db
# Each round loses its first part.
lost='1.1 2.1 3.1' submit -o lost.db --slurm 12 >out
expect_equal 'three rounds' "$(grep -c -- --array sbatch.log)" 3
expect_equal 'the last round' "$(grep -A2 'after the last' jobs.log)" 'weir: 1 runs are missing after the last round
weir: the rounds are over, with status 1
last job: 1'
expect_run 4 "weir: lost.db: resuming: 11 of 12 runs are done
weir: lost.db: 1 of 12 runs are missing, and nobody makes them: the rounds of Slurm are over ('weir run --slurm' starts more; logs are in lost.db.runs)" \
    "$WEIR" run "${sweep[@]}" -o lost.db --collect
"$WEIR" run "${sweep[@]}" -o lost.db --slurm 2 --quiet >script
"$WEIR" run "${sweep[@]}" -o lost.db --collect >collected 2>err & # which begins anew
pid=$!
"$WEIR" run "${sweep[@]}" -o lost.db --part 1/1 --quiet
wait "$pid" || expect_equal 'status of --collect' "$?" 0
output=$(cat collected)
expect_whole lost.db
rm -r lost.db

# --again forgets, and what older parts have left with it.
"$WEIR" run "${sweep[@]}" -o out.db --part 1/1 --quiet
expect_run 0 '' "$WEIR" run "${sweep[@]}" -o out.db --slurm 2 --again --quiet
expect_equal 'forgotten' "$(ask out.db 'SELECT count(*) FROM run') $(parcels out.db)" '0 '
"$WEIR" run "${sweep[@]}" -o out.db --part 1/2 --quiet
"$WEIR" run "${sweep[@]}" -o out.db --part 2/2 --quiet
expect_run 0 '' "$WEIR" run "${sweep[@]}" -o out.db --collect --quiet
expect_whole out.db

# The sweep has changed since it was handed out.
"$WEIR" run "${sweep[@]}" -o changed.db --slurm 2 --quiet >/dev/null
first=$(head -n 1 changed.db.runs/list)
expect_run 3 "weir: changed.db.runs/list: '$first' is no run of sweep.yaml (it has changed: hand the runs out again, 'weir run --slurm')" \
    "$WEIR" run "${sweep[@]}" --set traffic.1.load=0.31 -o changed.db --part 1/2
rm -r changed.db*

# A parcel that is damaged, cut, empty or of another run counts for nothing; one of other code neither.
"$WEIR" run "${sweep[@]}" -o bad.db --part 1/1 --quiet
mapfile -t runs < <(parcels bad.db)
cp -r bad.db.runs good
python3 - bad.db.runs "${runs[@]}" <<'END'
import os, sys
folder, runs = sys.argv[1], sys.argv[2:]
def path(i): return os.path.join(folder, runs[i])
data = bytearray(open(path(0), "rb").read())
data[len(data) // 2] ^= 1
open(path(0), "wb").write(data)
data = open(path(1), "rb").read()
open(path(1), "wb").write(data[:-1])
open(path(2), "wb").write(open(path(3), "rb").read())
data = open(path(4), "rb").read()
at = data.index(b"weir=") + 5
data = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
total = 0xcbf29ce484222325
for byte in data[16:]:
    total = (total ^ byte) * 0x100000001b3 % 2**64
open(path(4), "wb").write(data[:8] + total.to_bytes(8, sys.byteorder) + data[16:])
END
mkdir -p bad.db.runs/aaaaaaaaaaaaaaaa # not a file
expect_run 0 'weir: bad.db: took in 8 runs made elsewhere
weir: bad.db: resuming: 8 of 12 runs are done' "$WEIR" run "${sweep[@]}" -o bad.db
expect_whole bad.db
rm -r bad.db.runs

# Made twice, with different results: a broken machine. The first result stays, the other one is kept for a look.
mkdir bad.db.runs
cp "good/${runs[5]}" bad.db.runs/
expect_run 0 'weir: bad.db: all 12 runs are done (--again repeats them)' "$WEIR" run "${sweep[@]}" -o bad.db
expect_equal 'the same twice is nothing' "$(find . -name 'bad.db?*')" ''
mkdir bad.db.runs
python3 - "good/${runs[5]}" "bad.db.runs/${runs[5]}" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
magic = (0x31736572726965f7).to_bytes(8, sys.byteorder)
data[data.index(magic) + 16] ^= 1 # the digest
total = 0xcbf29ce484222325
for byte in data[16:]:
    total = (total ^ byte) * 0x100000001b3 % 2**64
data[8:16] = total.to_bytes(8, sys.byteorder)
open(sys.argv[2], "wb").write(data)
END
expect_run 1 "weir: bad.db: run ${runs[5]} was made twice, and bad.db.runs/${runs[5]} differs (one of two machines, or weir, is wrong: the file is kept as ${runs[5]}.differs)
weir: bad.db: all 12 runs are done (--again repeats them)" "$WEIR" run "${sweep[@]}" -o bad.db
expect_whole bad.db
expect_equal 'kept' "$(find bad.db.runs -type f -printf '%f\n')" "${runs[5]}.differs"
rm -r bad.db* good

# Runs that fail are told by the part and by whoever takes them in, and are tried again by the next command.
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
expect_run 4 'weir: length=100000s, seed 1: failed: took longer than 3s
weir: limits.db.runs: part 1 of 1: 2 of 3 runs are done' "$WEIR" run limits.yaml --part 1/1
expect_run 4 '' "$WEIR" run limits.yaml --collect --quiet
expect_match 'the late one' "$output" '^failed: length=100000s, seed 1: took longer than 3s$'
expect_run 0 'weir: limits.db: resuming: 2 of 3 runs are done' "$WEIR" run limits.yaml --slurm 9
expect_match 'one is missing' "$output" '--array 1-1 '
"$WEIR" run limits.yaml --part 1/1 --quiet 2>err || true
expect_run 0 '' "$WEIR" run limits.yaml --slurm 9 --quiet # what has failed is not lost
expect_match 'it is handed out again' "$output" '--array 1-1 '
rm -r limits.db*

# Kills and full disks.
endless=(--set 'sweep.length={until: [1ms, 100000s]}' --set limits=null --jobs 1)
"$WEIR" run limits.yaml "${endless[@]}" --part 1/1 >out 2>err &
pid=$!
one_there() { [ "$(parcels limits.db | wc -l)" = 1 ]; }
wait_until 'a run is made' one_there
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
expect_run 0 "weir: limits.db.runs: part 1 of 1: 2 of 2 runs are done" \
    "$WEIR" run limits.yaml --set 'sweep.length={until: [1ms, 2ms]}' --part 1/1
rm -r limits.db*
mkdir disk
if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    status=0
    "$WEIR" run "${sweep[@]}" -o disk/small.db --part 1/1 >out 2>err || status=$?
    expect_equal 'status with a full disk' "$status" 4
    expect_match 'message with a full disk' "$(cat err)" '^weir: disk/small.db.runs/[0-9a-f]+: .*No space left on device'
    mount -o remount,size=20m disk
    "$WEIR" run "${sweep[@]}" -o disk/small.db --part 1/1 >out 2>err
    expect_match 'what was there' "$(cat err)" '12 of 12 runs are done$'
    output=$("$WEIR" run "${sweep[@]}" -o disk/small.db --collect --quiet)
    expect_whole disk/small.db
    rm disk/small.db
    before_last='dd if=/dev/zero of=disk/full bs=64k status=none' submit -o disk/small.db --slurm 2 >out 2>err
    expect_match 'a full disk at the last job' "$(cat jobs.log)" '^weir: disk/small.db: the disk is full '
    expect_match 'status of the last job' "$(cat jobs.log)" '^last job: 4$'
    rm disk/full
    output=$("$WEIR" run "${sweep[@]}" -o disk/small.db --collect --quiet)
    expect_whole disk/small.db
    umount disk
else
    echo 'skipped: the full disk: cannot mount a small one'
fi

# What does not go together.
for part in 0/2 3/2 1 1/ x/2 1/2/3 -1/2; do
    expect_run 2 "weir: --part: '$part' is no part (expected K/N, the K-th of N, from 1)" "$WEIR" run "${sweep[@]}" --part=$part
done
expect_run 2 'weir: run: --records does not go with --part' "$WEIR" run "${sweep[@]}" --part 1/2 --records x.csv
expect_run 2 'weir: run: --again does not go with --collect (expected it with --slurm)' "$WEIR" run "${sweep[@]}" --collect --again
expect_run 2 'weir: run: -: the other machines cannot read it (expected a file that all see)' "$WEIR" run - --part 1/2
expect_run 2 'weir: run: --slurm goes with one scenario (expected one file, found 2)' "$WEIR" run "${sweep[@]}" limits.yaml --slurm 2
finish
