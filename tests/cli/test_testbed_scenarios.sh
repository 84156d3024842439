#!/usr/bin/env bash
# The scenarios of the testbed: both sizes can be read, every point is there simulated and on real packets, a full size
# takes at most a quarter of an hour on real packets and a quick one a few minutes, and none is a figure of `weir repro`.
# shellcheck source=tests/cli/lib.sh
source "$(dirname "$0")/lib.sh"

# wall FILE [--quick]: seconds that the points on real packets take, from what is effective: each takes `until` times
# `scale`. Times in these files have no other units than ms and s.
wall() {
    local points config until scale
    points=$("$WEIR" run --list "$@" | grep -c 'network=testbed,')
    config=$("$WEIR" run --print-config "$@")
    until=$(sed -n 's/^until: //p' <<<"$config")
    scale=$(sed -n '/^testbed:/,/^[^ t]/s/^  scale: //p' <<<"$config")
    case $until in
        *ms) echo $((${until%ms} * scale * points / 1000)) ;;
        *s) echo $((${until%s} * scale * points)) ;;
    esac
}

# check FILE SECONDS [--quick]
check() {
    local file=$1 most=$2 name seconds
    shift 2
    name="$(basename "$file" .yaml) $*"
    expect_run 0 '' "$WEIR" run --print-config "$file" "$@"
    expect_run 0 '' "$WEIR" run --list "$file" "$@"
    expect_equal "$name: as many points on real packets as simulated" \
        "$(grep -c 'network=testbed,' <<<"$output")" "$(grep -c 'network=simulation,' <<<"$output")"
    seconds=$(wall "$file" "$@")
    expect_equal "$name: $seconds s are few enough" "$((seconds > 0 && seconds <= most))" 1
}

count=0
for file in "$root"/scenarios/testbed/*.yaml; do
    check "$file" 900
    check "$file" 150 --quick
    count=$((count + 1))
done
expect_equal 'files' "$count" 5

expect_run 0 '' "$WEIR" repro --scenarios "$root/scenarios"
expect_no_match 'no figures of weir repro' "$output" '^testbed'
finish
