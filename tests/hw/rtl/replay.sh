#!/usr/bin/env bash
# `weir replay --rtl`: every verdict, packet and victim of recorded runs of dt and occamy, in the slotted model and in the
# simulator, with shapes that fill the hardware and shapes that do not; what it does not have; a disagreement; what is
# missing. WEIR is the program.
set -euo pipefail
# shellcheck source=tests/hw/rtl/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# refuses TEXT COMMAND...: status 3, and this in the message.
refuses() {
    local text=$1 status=0
    shift
    "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    if [ "$status" -ne 3 ] || ! grep -qF -- "$text" "$scratch/err"; then
        cat "$scratch/err"
        echo "expected status 3 and '$text', got $status: $*"
        exit 1
    fi
}
trace=$scratch/trace.wtr

# Without the tools it says so; this runs everywhere.
"$WEIR" slot run --policy dt --traffic bursts --slots 50 --trace "$trace" >"$scratch/out"
mkdir "$scratch/bin"
for tool in bash dirname mktemp rm cat cksum tr; do
    ln -s "$(command -v "$tool")" "$scratch/bin/$tool"
done
refuses 'verilator is missing' env PATH="$scratch/bin" "$WEIR" replay --rtl "$trace"
# What the hardware does not have.
for policy in lqd dt:alpha=3 occamy:select=longest; do
    "$WEIR" slot run --policy "$policy" --traffic bursts --slots 50 --trace "$trace" >"$scratch/out"
    refuses 'the hardware does not have' "$WEIR" replay --rtl "$trace"
done

need verilator c++ make
export WEIR_RTL_CACHE=$scratch/cache
agrees() {
    "$WEIR" replay --no-naive --rtl "$trace" >"$scratch/out"
    echo "$1: $(grep '^rtl agrees: ' "$scratch/out")"
}
for run in "occamy bursts" "occamy:alpha=1 onoff" "dt bursts" "dt:alpha=0.5 uniform"; do
    read -r policy traffic <<<"$run"
    "$WEIR" slot run --policy "$policy" --traffic "$traffic" --slots 4000 --trace "$trace" >"$scratch/out"
    agrees "slots, $policy, $traffic"
done
for policy in occamy dt; do
    "$WEIR" run "$root/tests/hw/rtl/burst.yaml" --set switch.policy="$policy" --trace s0="$trace" >"$scratch/out"
    agrees "simulator, $policy"
done

# A fault in the hardware is a disagreement: the same trace, with the threshold left out.
mkdir -p "$scratch/share/weir" "$scratch/program"
cp -r "$root/hw/rtl" "$scratch/share/weir/rtl"
cp "$WEIR" "$scratch/program/weir"
sed -i 's/ & under / /' "$scratch/share/weir/rtl/weir_admission.v"
status=0
"$scratch/program/weir" replay --no-naive --rtl "$trace" >"$scratch/out" || status=$?
if [ "$status" -ne 1 ] || ! grep '^rtl disagrees: record [0-9]*: verdict' "$scratch/out"; then
    cat "$scratch/out"
    echo "a fault in the hardware was not noticed (status $status)"
    exit 1
fi
