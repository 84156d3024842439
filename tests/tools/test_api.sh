#!/usr/bin/env bash
# test_api.sh - the reference of the library has every function, field and value, as the headers say; what programs that
# were compiled before depend on is as tests/core/abi.txt has it. BUILD is the build folder.
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

# The exported names and the layout. Names may be added and structs may not change as long as WEIR_ABI is the same.
{
    echo "ABI $(sed -n 's/^#define WEIR_ABI //p' include/weir/version.h)"
    nm -D --defined-only --format=posix "$BUILD/libweir.so" | awk '$1 !~ /^WEIR_/ {sub(/@.*/, "", $1); print "symbol " $1}' | sort
    tools/api --abi "$root" >"$scratch/abi.c"
    cc -std=c11 -Iinclude -o "$scratch/abi" "$scratch/abi.c"
    "$scratch/abi"
} >"$scratch/abi.txt"
changed=$(diff tests/core/abi.txt "$scratch/abi.txt" | head -n 20 || true)
expect_equal 'the ABI (raise WEIR_ABI where something is not only added; tests/core/abi.txt)' "$changed" ''
[ -z "${WEIR_UPDATE-}" ] || cp "$scratch/abi.txt" tests/core/abi.txt

# The list of exported names is what the headers declare and the library defines, no more.
listed=$(sed -n 's/^    \(weir_[a-z0-9_]*\);$/\1/p' core/weir.map | sort)
expect_equal 'names of core/weir.map' "$(sed -n 's/^symbol //p' "$scratch/abi.txt")" "$listed"
unseen=$(for name in $listed; do grep -qw "$name" "$scratch/seen" || echo "$name"; done)
expect_equal 'exported names that no header has' "$unseen" ''
declared=$(grep -vE 'static inline|typedef' "$scratch/seen" | grep -oE '^[a-z][a-z0-9_ *]*\bweir_[a-z0-9_]+\(' | grep -oE 'weir_[a-z0-9_]+\($' | tr -d '(' | sort -u)
hidden=$(comm -23 <(echo "$declared") <(echo "$listed"))
expect_equal 'functions of headers that are not exported' "$hidden" ''
finish
