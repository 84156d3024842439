#!/usr/bin/env bash
# test_api.sh - the reference of the libraries has every function, field and value, as the headers say; what programs that
# were compiled before depend on is as tests/lib/core/abi.txt and tests/run/embed/abi.txt have it. BUILD is the build folder.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
: "${BUILD:?the build folder}"
cd "$root"

tools/api "$root" >"$scratch/api.md"
expect_equal 'docs/api.md is up to date (tools/api >docs/api.md)' "$(diff docs/api.md "$scratch/api.md" | head -n 5 || true)" ''

# What the compiler sees of the headers is what the reference has: names of functions, and of fields by position.
for header in include/weir/*.h; do
    [ "$header" = include/weir/naive.h ] || echo "#include \"${header#include/}\""
done >"$scratch/all.c"
cc -std=c11 -Iinclude -E "$scratch/all.c" | awk '/^# [0-9]+ "/ {ours = $3 ~ /include\/weir/} ours && !/^#/' >"$scratch/seen"
missing=$(grep -oE '\bweir_[a-z0-9_]+\(' "$scratch/seen" | sort -u | while read -r call; do
    grep -qF -- "$call" docs/api.md || echo "$call"
done)
expect_equal 'functions that the reference does not have' "$missing" ''
missing=$(grep -oE '\bWEIR_[A-Z0-9_]+\b' "$scratch/seen" | sort -u | while read -r value; do
    grep -qwF -- "$value" docs/api.md || echo "$value"
done)
expect_equal 'values that the reference does not have' "$missing" ''

# check_abi LIBRARY MAP OPTION LIST NUMBER: exported names and layout. Names may be added and structs may not
# change as long as the number, WEIR_ABI or WEIR_SIM_ABI, is the same.
check_abi() {
    local library=$1 map=$2 option=$3 list=$4 number=$5 listed unseen
    [ -e "$library" ] || return 0 # the library alone was built
    {
        echo "ABI $(sed -n "s/^#define $number //p" include/weir/*.h)"
        nm -D --defined-only --format=posix "$library" | awk '$1 !~ /^WEIR_/ {sub(/@.*/, "", $1); print "symbol " $1}' | sort
        tools/api "$option" "$root" >"$scratch/abi.c"
        cc -std=c11 -Iinclude -o "$scratch/abi" "$scratch/abi.c"
        "$scratch/abi"
    } >"$scratch/abi.txt"
    expect_equal "the ABI (raise $number where something is not only added; $list)" "$(diff "$list" "$scratch/abi.txt" | head -n 20 || true)" ''
    [ -z "${WEIR_UPDATE-}" ] || cp "$scratch/abi.txt" "$list"
    listed=$(sed -n 's/^    \(weir_[a-z0-9_]*\);$/\1/p' "$map" | sort)
    expect_equal "names of $map" "$(sed -n 's/^symbol //p' "$scratch/abi.txt")" "$listed"
    unseen=$(for name in $listed; do grep -qw "$name" "$scratch/seen" || echo "$name"; done)
    expect_equal "exported names of $map that no header has" "$unseen" ''
    all+=$listed$'\n'
}
all=
check_abi "$BUILD/libweir.so" lib/core/weir.map --abi tests/lib/core/abi.txt WEIR_ABI
check_abi "$BUILD/libweir-sim.so" run/embed/weir-sim.map --abi-sim tests/run/embed/abi.txt WEIR_SIM_ABI
declared=$(sed -e ':join' -e '/_Bool $/{N;s/\n */ /;b join}' "$scratch/seen" | grep -vE 'static inline|typedef' |
    grep -oE '^[a-z_][A-Za-z0-9_ *]*\bweir_[a-z0-9_]+\(' | grep -oE 'weir_[a-z0-9_]+\(' | tr -d '(' | sort -u)
expect_equal 'functions of headers that are not exported' "$(comm -23 <(echo "$declared") <(echo "$all" | sort))" ''

# Two simulations at once share nothing but the list of policies.
if [ -e "$BUILD/libweir-sim.so" ] && ! nm "$BUILD/libweir-sim.so" | grep -q __asan_; then
    expect_equal 'what can be written in libweir-sim' \
        "$(nm "$BUILD/libweir-sim.so" | awk '$2 ~ /^[bBC]$/ && $3 !~ /^(completed|__bss_start)/ {print $3}' | sort | tr '\n' ' ')" \
        'adding current loaded loaded_count '
fi
finish
