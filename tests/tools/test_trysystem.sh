#!/usr/bin/env bash
# test_trysystem.sh - what tools/trysystem refuses, with nothing made. A whole system takes too long for here.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

run_trysystem() {
    status=0
    out=$("$root/tools/trysystem" --folder "$scratch/systems" "$@" 2>&1) || status=$?
}

run_trysystem
expect_equal 'no suite' "$status" 2
expect_match 'no suite' "$out" 'tools/trysystem \[OPTION\.\.\.\] SUITE'
run_trysystem --nonsense trixie
expect_equal 'an unknown option' "$status" 2
run_trysystem ../trixie
expect_equal 'a path as a suite' "$status:$out" '1:trysystem: ../trixie is no suite of Debian (expected a name such as trixie)'
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
if [ "$(id -u)" -ne 0 ]; then
    as_nobody=()
fi
if "${as_nobody[@]}" test -x "$root/tools/trysystem" 2>/dev/null; then
    out=$("${as_nobody[@]}" "$root/tools/trysystem" trixie 2>&1) || status=$?
    expect_equal 'not root' "$status:$out" '1:trysystem: only root can make another system (try sudo)'
fi
expect_equal 'nothing was made' "$(ls "$scratch")" ''
finish
