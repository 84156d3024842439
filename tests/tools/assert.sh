# assert.sh - what the shell tests share: a scratch folder, and checks that name what went wrong.
# Source it. WEIR_ROOT is the source tree; without it, the tree this file is in.
# shellcheck shell=bash
set -euo pipefail

# shellcheck disable=SC2034 # for the tests that source this
root=${WEIR_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect_match WHAT TEXT PATTERN: some line of TEXT matches the extended regular expression.
expect_match() {
    if ! grep -qE -- "$3" <<<"$2"; then
        printf 'FAIL %s: expected a line matching: %s\n--- got:\n%s\n---\n' "$1" "$3" "$2"
        failures=$((failures + 1))
    fi
}

# expect_no_match WHAT TEXT PATTERN: no line does.
expect_no_match() {
    if grep -qE -- "$3" <<<"$2"; then
        printf 'FAIL %s: expected no line matching: %s\n--- got:\n%s\n---\n' "$1" "$3" "$2"
        failures=$((failures + 1))
    fi
}

# expect_equal WHAT GOT EXPECTED
expect_equal() {
    if [ "$2" != "$3" ]; then
        printf 'FAIL %s: got "%s", expected "%s"\n' "$1" "$2" "$3"
        failures=$((failures + 1))
    fi
}

finish() {
    [ "$failures" -eq 0 ] || exit 1
    echo "all as expected"
}

# wait_until WHAT COMMAND...: until the command succeeds, five minutes at least, after which the test has failed. A busy
# machine takes its time: nothing that must happen is given less.
wait_until() {
    local what=$1 tries
    shift
    for ((tries = 0; tries < 6000; tries++)); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.05
    done
    expect_equal "$what" 'did not happen within 5 min' 'happened'
}
