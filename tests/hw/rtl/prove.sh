#!/usr/bin/env bash
# Proofs; prove_*.sv say what is proved. "by induction" holds for ever; "to cycle N" for every run from reset on that is no
# longer. Blocks without memories go to z3 by yosys-smtbmc. With memories z3 takes minutes where MiniSat, which is inside
# yosys, takes seconds.
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need yosys yosys-smtbmc z3

# Newer versions of yosys read an assertion as a cell that solvers do not take, and have passes that make it one which
# they do.
lower=''
if [[ "$(yosys -Q -T -p 'help chformal')" == *' -lower'* ]]; then
    lower='; async2sync; chformal -lower'
fi

# read NAME PARAMETERS...: yosys commands that make one flat circuit of registers and gates.
read_circuit() {
    local name=$1 parameter set=""
    shift
    for parameter; do
        set+=" -chparam ${parameter/=/ }"
    done
    echo "read_verilog -formal -sv ${rtl:-$root/hw/rtl}/weir_*.v $root/tests/hw/rtl/$name.sv; hierarchy -top $name $set; proc$lower; setattr -mod -unset keep_hierarchy *; flatten
        opt; memory_map; opt -full; dffunmap"
}

fails() {
    tail -n 40 "$scratch/log"
    echo "prove: $1: does not hold"
    exit 1
}

# by_z3 NAME DEPTH bounded|induction PARAMETERS...
by_z3() {
    local name=$1 depth=$2 how=$3
    shift 3
    yosys -q -p "$(read_circuit "$name" "$@"); write_smt2 -wires $scratch/$name.smt2" >"$scratch/log" 2>&1 || fails "$name $*"
    yosys-smtbmc -s z3 -t "$depth" "$scratch/$name.smt2" >"$scratch/log" 2>&1 || fails "$name $*"
    if [ "$how" = induction ]; then
        yosys-smtbmc -s z3 -i -t "$depth" "$scratch/$name.smt2" >"$scratch/log" 2>&1 || fails "$name $*"
        echo "proved by induction: $name $*"
    else
        echo "proved to cycle $depth: $name $*"
    fi
}

# by_sat NAME DEPTH PARAMETERS...
by_sat() {
    local name=$1 depth=$2
    shift 2
    yosys -q -p "$(read_circuit "$name" "$@"); sat -seq $depth -prove-asserts -set-assumes -show-inputs -verify" \
        >"$scratch/log" 2>&1 || fails "$name $*"
    echo "proved to cycle $depth: $name $*"
}

# refuted NAME DEPTH PARAMETERS...: whether a run no longer than this breaks an assertion.
refuted() {
    local name=$1 depth=$2
    shift 2
    yosys -q -p "$(read_circuit "$name" "$@"); sat -seq $depth -prove-asserts -set-assumes -falsify" >"$scratch/log" 2>&1
}

# reaches NAME DEPTH WHAT PARAMETERS...: proofs comprise it, since its absence is refuted.
reaches() {
    refuted "$1" "$2" "${@:4}" || fails "never happens by cycle $2: $3: $1 ${*:4}"
    echo "reached by cycle $2: $3 (${*:4})"
}

# noticed NAME DEPTH FILE TEXT BY FAULT PARAMETERS...: the proof does not hold with a fault.
noticed() {
    rtl=$scratch/rtl
    rm -rf "$rtl"
    cp -r "$root/hw/rtl" "$rtl"
    replace "$4" "$5" <"$root/hw/rtl/$3" >"$rtl/$3" || { echo "not there: $3: $4"; exit 1; }
    refuted "$1" "$2" "${@:7}" || fails "holds in spite of a fault: $6: $1 ${*:7}"
    echo "a fault refutes it by cycle $2: $6 (${*:7})"
    rtl=$root/hw/rtl
}

if [ $# -gt 0 ]; then
    "$@"
    exit
fi
by_z3 prove_arbiter 2 induction
by_z3 prove_rr 2 induction QUEUES=16
by_z3 prove_rr 2 induction QUEUES=64
by_sat prove_rr 3 QUEUES=512
by_z3 prove_selector 5 bounded QUEUES=8 W=3
by_sat prove_ring 12 ENTRIES=4 LANES=1
by_sat prove_ring 12 ENTRIES=4 LANES=2
for lanes in 1 2 3 4; do
    by_sat prove_dequeue 16 LANES=$lanes
done
for lanes in 1 4; do
    reaches prove_dequeue 9 "the scheduler asks in cycle 1 of a head-drop" LANES=$lanes REACH=1
    reaches prove_dequeue 9 "it asks in cycle 2" LANES=$lanes REACH=2
    reaches prove_dequeue 9 "it asks in cycle 3" LANES=$lanes REACH=3
    reaches prove_dequeue 9 "it asks in cycle 4" LANES=$lanes REACH=4
    reaches prove_dequeue 9 "the executor stands still" LANES=$lanes REACH=5
done
noticed prove_dequeue 12 weir_dequeue.v 'executor_ready & ~tx_grant' 'executor_ready' "not interrupted in cycle 2" LANES=1
noticed prove_dequeue 12 weir_dequeue.v '(~sends |' '(~valid2 |' "a head-drop delays the scheduler" LANES=1
noticed prove_dequeue 12 weir_dequeue.v '.go(~tx_beat)' ".go(1'b1)" "not interrupted from cycle 3 on" LANES=1
noticed prove_dequeue 12 weir_dequeue.v 'still_due & executor_ready' 'still_due' "a second packet before the first is free" LANES=1
noticed prove_dequeue 12 weir_executor.v 'held <= load ? heads : current' 'if (go | load) held <= load ? heads : current' \
    "an interruption loses the pointer" LANES=2
noticed prove_dequeue 12 weir_executor.v 'go & wide > ME' 'go & wide >= ME' "one cell too many is freed" LANES=2
noticed prove_dequeue 12 weir_dequeue.v '(~sends | pd_cells ==' '(~sends | pd_cells !=' "a packet follows one of two cells at once" LANES=1
by_sat prove_frames 12
noticed prove_frames 10 weir_axis_frames.v 'write_at <= whole_at;' 'write_at <= write_at + ONE;' "beats of a wrong frame stay"
noticed prove_frames 10 weir_axis_frames.v 'over | &count' '&count' "a frame far too long is told of only once it wraps"
noticed prove_frames 10 weir_fifo.v 'fetch | (valid & ~pop)' 'fetch | valid' "the head of the fifo comes twice"
by_sat prove_tm 10 CELLS=4 PACKETS=3 LANES=1
by_sat prove_tm 10 CELLS=4 PACKETS=3 LANES=2
noticed prove_tm 9 weir_queues.v '& ~(takes & take_last ?' '& ~(takes & ~takes ?' "a packet that leaves is asked for again" CELLS=4 PACKETS=3 LANES=1
noticed prove_tm 9 weir_queues.v 'behind ? take_next :' '' "the packet that leaves is looked at again" CELLS=4 PACKETS=3 LANES=1
