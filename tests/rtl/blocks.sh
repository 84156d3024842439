#!/usr/bin/env bash
# TDT's state module, the virtual LQD, DSH's estimator and the forest by verilator, against the library (blocks.cpp).
# LIBRARIES has libweir.a and the shim.
set -euo pipefail
# shellcheck source=tests/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need verilator c++ make

verilator --cc --exe --build -O3 --x-assign 0 -Mdir "$scratch/blocks" --top-module blocks \
    -CFLAGS "-O1 -I$root/include -I$root/tests/rtl" -LDFLAGS "$LIBRARIES" -o blocks \
    "$root"/rtl/weir_*.v "$root/tests/rtl/blocks.v" "$root/tests/rtl/blocks.cpp" >"$scratch/log" 2>&1 ||
    { tail -n 30 "$scratch/log"; exit 1; }
"$scratch/blocks/blocks" $((${WEIR_TEST_ROUNDS:-1} * 100000))
