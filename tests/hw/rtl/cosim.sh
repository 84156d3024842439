#!/usr/bin/env bash
# The traffic manager by verilator and libweir in one process (cosim.cpp), in four shapes: ports, classes, cells,
# descriptors, sublists, bits of a packet's cells. LIBRARIES are librtl_shim.a and libweir.a.
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
need verilator c++ make

cycles=$((${WEIR_TEST_ROUNDS:-1} * 400000))
while read -r ports classes cells packets lanes bits; do
    shape="PORTS=$ports CLASSES=$classes CELLS=$cells PACKETS=$packets LANES=$lanes NW=$bits"
    # shellcheck disable=SC2086
    verilator --cc --exe --build -O3 --x-assign 0 -Mdir "$scratch/cosim" --top-module weir_tm -G${shape// / -G} \
        -CFLAGS "-O1 -I$root -I$root/include -D${shape// / -D}" -LDFLAGS "$LIBRARIES" -o cosim \
        "$root"/hw/rtl/weir_*.v "$root/tests/hw/rtl/cosim.cpp" >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log"; exit 1; }
    for run in "occamy 1" "occamy 3" "dt -1" "dt 1"; do
        # shellcheck disable=SC2086
        "$scratch/cosim/cosim" $run "$cycles" "$lanes"
    done
    rm -rf "$scratch/cosim"
done <<'SHAPES'
8 1 64 40 1 3
64 1 512 400 2 4
4 4 61 50 3 3
8 2 128 110 4 4
SHAPES
