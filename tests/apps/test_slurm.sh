#!/usr/bin/env bash
# `weir run --slurm` on a real Slurm: a slurmctld and two slurmd, in namespaces of this test, so that all of it is gone with
# it, however it ends. A node is set down, a slurmd killed, a job runs out of time; what comes out is the same database.
#
# What Slurm does by the clock is not waited for: queued jobs start when they are told to (`hurry`), and time runs out when
# the limit is a minute and the run hangs.
set -euo pipefail
missing() {
    echo "skipped: $1"
    exit 77
}
for command in slurmctld slurmd sbatch scontrol squeue unshare ip python3; do
    command -v "$command" >/dev/null || missing "$command is missing (tools/deps test)"
done
[ "$(id -u)" = 0 ] || missing 'only root can make the namespaces in which Slurm runs'
if [ -z "${WEIR_IN_NAMESPACE:-}" ]; then
    unshare --pid --net --mount --fork --kill-child --mount-proc true 2>/dev/null || missing 'cannot make namespaces'
    exec env WEIR_IN_NAMESPACE=1 unshare --pid --net --mount --fork --kill-child --mount-proc bash "$0"
fi
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"
ip link set lo up
ip address add 10.0.0.1/32 dev lo # with nothing but 127.0.0.1, glibc finds no address of a name
sinfo() { timeout 120 sinfo "$@"; }
squeue() { timeout 120 squeue "$@"; }
scontrol() { timeout 120 scontrol "$@"; }

mkdir state
cat >slurm.conf <<END
ClusterName=weir
SlurmctldHost=$(hostname)(127.0.0.1)
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
SlurmUser=root
ReturnToService=2
JobRequeue=1
KillWait=2
SlurmdTimeout=30
SchedulerParameters=batch_sched_delay=0,sched_interval=1
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool.%n
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.%n.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.%n.log
NodeName=n1 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=17001 CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=17002 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
mkdir spool.n1 spool.n2
export SLURM_CONF=$scratch/slurm.conf
slurmctld -i -c -D >>daemons 2>&1 &
slurmd -N n1 -D >>daemons 2>&1 &
slurmd -N n2 -D >>daemons 2>&1 &
n2=$!
clean_up() { # daemons write into it until they end
    local pids
    mapfile -t pids < <(jobs -p)
    kill -9 "${pids[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT
are_up() { [ "$(sinfo -h -N -o '%t' | grep -c '^idle')" = 2 ]; }
wait_until 'two nodes' are_up
if [ "$failures" -gt 0 ]; then # this Slurm does not do what the test needs
    cat daemons
    exit 1
fi

write_sweep sweep.yaml
sweep=(sweep.yaml --seeds 4 --set measure=null) # 16 runs
"$WEIR" run "${sweep[@]}" --quiet -o whole.db >out
whole=$(dump whole.db)
expect_whole() {
    if [ "$(dump "$1")" != "$whole" ]; then
        expect_equal "the content of $1" "$(diff <(printf '%s\n' "$whole") <(dump "$1") | head -n 5)" ''
    fi
}
# Jobs that were queued again wait for two minutes, and nodes are out for as long, unless told otherwise.
hurry() {
    local job
    for job in $(squeue -h -t PD -o %i); do
        scontrol update "jobid=$job" starttime=now >/dev/null 2>&1 || true
    done
}
is_empty() {
    hurry
    [ -z "$(squeue -h)" ]
}
# wait_for_slurm WHAT COMMAND...: as wait_until, for what takes minutes by itself.
wait_for_slurm() {
    local what=$1
    shift
    for _ in $(seq 1800); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.5
    done
    expect_equal "$what" "did not happen: $(squeue -h) $(tail -n 20 slurmctld.log)" 'happened'
}
log() { cat "$1".runs/*.log; }

echo 'a sweep as an array of 3 jobs'
"$WEIR" run "${sweep[@]}" --slurm 3 -o plain.db | sh >out
expect_match 'what the script says' "$(cat out)" '^weir: job [0-9]+ makes 16 runs in 3 parts$'
wait_for_slurm 'the jobs have ended' is_empty
expect_equal 'all is in' "$(ask plain.db 'SELECT count(*) FROM run')" 16
expect_whole plain.db
expect_match 'the last job' "$(log plain.db)" '^weir: plain.db: took in 16 runs made elsewhere$'
expect_match 'nothing more to do' "$(log plain.db)" '^weir: plain.db: all 16 runs are done '

# Two slurmd of one machine share /tmp, where PMIx makes folders: two tasks on one node it is.
if [ -e "$(dirname "$WEIR")/weir-mpi-openmpi.so" ] && srun --mpi=list 2>&1 | grep -q pmix; then
    echo 'a sweep and one run over the tasks of srun'
    srun=(timeout 600 srun --mpi=pmix --nodes 1 --ntasks 2 --overcommit "$WEIR" run)
    "${srun[@]}" "${sweep[@]}" --quiet -o tasks.db >out 2>err </dev/null || expect_equal 'status of srun' "$? $(cat err)" 0
    expect_whole tasks.db
    one=("${sweep[@]}" --only seed=5 --only policy=dt --only buffer=20KB)
    "$WEIR" run "${one[@]}" --quiet --json -o one.db >one.json
    "${srun[@]}" "${one[@]}" --quiet --json --profile -o two.db >two.json 2>err </dev/null || expect_equal 'status of srun' "$?" 0
    expect_match 'two ranks' "$(cat err)" '^profile: .* on 2 ranks with 1 thread, '
    expect_equal 'one run over two tasks' "$(diff one.json two.json)" ''
else
    echo 'srun --mpi=pmix is not tried: no PMIx in this Slurm, or no Open MPI'
fi

# stop_a_run DATABASE: a run of a job of the array that is under way is stopped, for ever. Sets $node, where it is.
find_run() {
    local step
    for step in $(pgrep -f -- "--output $1 .*--part"); do
        if [ "$(pgrep -c -P "$step" -f -- '--part')" -gt 0 ]; then
            run=$(pgrep -P "$step" -f -- '--part' | head -n 1)
            kill -STOP "$run" && kill -0 "$run" && [ "$(ps -o stat= -p "$run" | cut -c 1)" = T ] || return 1
            node=$(tr '\0' '\n' <"/proc/$step/environ" | sed -n 's/^SLURMD_NODENAME=//p')
            return 0
        fi
    done
    return 1
}
stop_a_run() {
    run='' node=''
    for _ in $(seq 30000); do
        ! find_run "$1" || return 0
        sleep 0.01
    done
    expect_equal "a run of $1" 'not seen' 'seen'
}
long=("${sweep[@]}" --set until=100ms)
"$WEIR" run "${long[@]}" --quiet -o long.db >out
whole=$(dump long.db)

echo 'a node is set down, while somebody collects'
"$WEIR" run "${long[@]}" --slurm 2 -o down.db | sh >out
"$WEIR" run "${long[@]}" --collect -o down.db >collected 2>&1 &
collector=$!
stop_a_run down.db
scontrol update "nodename=$node" state=down reason=test
gone() { ! kill -0 "$run" 2>/dev/null; }
wait_for_slurm 'the run on the node is gone' gone
scontrol update "nodename=$node" state=idle
wait_for_slurm 'the jobs have ended' is_empty
wait "$collector" || expect_equal 'status of --collect' "$? $(cat collected)" 0
expect_whole down.db
expect_match 'what --collect shows' "$(cat collected)" '^results in down.db'
expect_match 'the job was queued again' "$(log down.db)" 'DUE TO NODE FAILURE'

echo 'a slurmd is killed, with all that it had started'
scontrol update nodename=n1 state=drain reason=test # so that all jobs are on the other
"$WEIR" run "${long[@]}" --slurm 2 -o killed.db | sh >out
stop_a_run killed.db
expect_equal 'the only node' "$node" n2
kill -9 "$n2"
pkill -9 -f 'slurmstepd' || true
pkill -9 -f -- '--output killed.db .*--part' || true
scontrol update nodename=n1 state=resume
wait "$n2" 2>/dev/null || true
is_down() { sinfo -h -n n2 -o '%t' | grep -q '^down'; }
wait_for_slurm 'the node is missed' is_down
wait_for_slurm 'the jobs have ended' is_empty
expect_whole killed.db
slurmd -N n2 -D >>daemons 2>&1 &
wait_for_slurm 'two nodes again' are_up

echo 'a job runs out of time'
four=("${long[@]/#4/1}") # runs: those that are not stopped end within the limit, however slow the machine
"$WEIR" run "${four[@]}" --quiet -o four.db >out
whole=$(dump four.db)
SBATCH_TIMELIMIT=1 "$WEIR" run "${four[@]}" --slurm 2 -o late.db | SBATCH_TIMELIMIT=1 sh >out
stop_a_run late.db
wait_for_slurm 'the jobs have ended' is_empty
expect_match 'time was up' "$(log late.db)" 'DUE TO TIME LIMIT'
expect_match 'a second round' "$(log late.db)" '^weir: job [0-9]+ makes [0-9]+ runs in [0-9]+ parts$'
expect_whole late.db

# What is left of the last round is told: here there is none before it.
"$WEIR" run "${sweep[@]}" --slurm 2 -o none.db >script
status=0
sh script 0 2>err || status=$?
expect_equal 'no round left' "$status $(cat err)" '1 weir: 16 runs are missing after the last round'
finish
