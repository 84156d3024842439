#!/usr/bin/env bash
# figure.sh ID - one figure of the papers at quick size, in a folder of its own, so that nothing is taken from an earlier
# run: the orderings it claims are there, or a finding says why not. A figure has ten seconds on two cores.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/../apps/lib.sh"

expect_run 0 '' "$WEIR" repro --quick --quiet --jobs 1 --scenarios "$root/scenarios" "$1"
[ "$failures" -eq 0 ] || echo "$output"
expect_no_match 'every claim has data' "$output" '  no data'
finish
