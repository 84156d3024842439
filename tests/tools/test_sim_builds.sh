#!/usr/bin/env bash
# test_sim_builds.sh - the golden simulations built with other compilers, optimisations and sanitizers: whatever made
# the program, its results are those of tests/golden/sim.txt. Units are small and built in parallel.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

cd "$root"
export WEIR_ROOT=$root
mapfile -t workload < <(find sim/workload -name "*.c" ! -name capture.c) # libpcap has no part in a digest
units=(lib/settings/*.c lib/forest/*.c lib/plugin/*.c sim/topology/*.c "${workload[@]}" sim/*.c sim/engine/*.c sim/jobs/*.c sim/net/*.c sim/parallel/*.c sim/transport/*.c lib/core/*.c lib/policies/*.c tests/swarm/sim_world*.c tests/swarm/sim_checks*.c tests/support/ranks.c tests/support/random_job.c tests/golden/test_sim_golden.c)
flags=(-std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -I. -Iinclude)

# compile OUT UNIT COMPILER FLAGS...: one unit.
compile() {
    local object=$1/${2//\//_}.o unit=$2
    shift 2
    "$@" -c "$unit" -o "$object"
}
export -f compile

# variant NAME COMPILER FLAGS...: builds and compares.
variant() {
    local name=$1 out=$scratch/$1 result=same
    shift
    if ! command -v "$1" >/dev/null; then
        echo "skipped: $name, there is no $1"
        return
    fi
    mkdir "$out"
    printf '%s\0' "${units[@]}" |
        xargs -0 -P "$(nproc)" -I{} bash -c 'compile "$@"' compile "$out" {} "$@" "${flags[@]}" || result="not built"
    if [ "$result" = same ]; then
        "$@" "$out"/*.o -lcmocka -lm -lpthread -o "$out/golden" || result="not linked"
    fi
    if [ "$result" = same ] && ! "$out/golden" >"$out/log" 2>&1; then
        cat "$out/log"
        result=different
    fi
    expect_equal "$name" "$result" same
}

variant gcc-O0 gcc -O0
variant gcc-O3 gcc -O3 -DNDEBUG
variant clang-O2 clang -O2
variant gcc-sanitized gcc -O1 -fsanitize=address,undefined -fno-sanitize-recover=all

finish
