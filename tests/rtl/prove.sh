#!/usr/bin/env bash
# Proofs; prove_*.sv say what is proved. "by induction" holds for ever; "to cycle N" for every run from reset on that is no
# longer. Blocks without memories go to z3 by yosys-smtbmc. With memories z3 takes minutes where MiniSat, which is inside
# yosys, takes seconds.
set -euo pipefail
# shellcheck source=tests/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need yosys yosys-smtbmc z3

# read NAME PARAMETERS...: yosys commands that make one flat circuit of registers and gates.
read_circuit() {
    local name=$1 parameter set=""
    shift
    for parameter; do
        set+=" -chparam ${parameter/=/ }"
    done
    echo "read_verilog -formal -sv $root/rtl/weir_*.v $root/tests/rtl/$name.sv; hierarchy -top $name $set; proc; setattr -mod -unset keep_hierarchy *; flatten
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

if [ $# -gt 0 ]; then
    "$@"
    exit
fi
by_z3 prove_arbiter 2 induction
by_z3 prove_rr 2 induction QUEUES=16
by_z3 prove_selector 5 bounded QUEUES=8 W=3
by_sat prove_ring 12 ENTRIES=4 LANES=1
by_sat prove_ring 12 ENTRIES=4 LANES=2
by_sat prove_tm 10 CELLS=4 PACKETS=3 LANES=1
by_sat prove_tm 10 CELLS=4 PACKETS=3 LANES=2
