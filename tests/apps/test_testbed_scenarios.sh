#!/usr/bin/env bash
# The scenarios of the testbed: both sizes can be read, every point is there simulated and on real packets, flows have
# the time to finish after a timeout, a full size takes at most a quarter of an hour on real packets and a quick one a few
# minutes, and none is a figure of `weir repro`.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

# in_ms TIME: what is below a millisecond does not count.
in_ms() {
    case $1 in
        *[nup]s) echo 0 ;;
        *ms) awk -v ms="${1%ms}" 'BEGIN { printf "%d\n", ms }' ;;
        *s) awk -v s="${1%s}" 'BEGIN { printf "%d\n", 1000 * s }' ;;
    esac
}

# last_arrival CONFIG: of the flows that are measured, in ms; traffic to the `end` is there for the others to meet.
last_arrival() {
    local last=0 until
    while read -r until; do
        [ "$until" = end ] || [ "$(in_ms "$until")" -le "$last" ] || last=$(in_ms "$until")
    done < <(sed -n '/^traffic:/,/^[^ ]/s/^ *until: //p' <<<"$1")
    echo "$last"
}

# wall CONFIG POINTS: seconds that they take on real packets. A run goes on for about one timeout after the last
# arrival, or to its end when that comes first.
wall() {
    local until last scale
    until=$(in_ms "$(sed -n 's/^until: //p' <<<"$1")")
    last=$(($(last_arrival "$1") + 250))
    scale=$(sed -n '/^testbed:/,/^[^ t]/s/^  scale: //p' <<<"$1")
    echo $(((last < until ? last : until) * scale * $2 / 1000))
}

# check FILE SECONDS LEFT [--quick]: at most so many seconds, and at least so many ms left after the last arrival.
check() {
    local file=$1 most=$2 least=$3 name seconds config left points
    shift 3
    name="$(basename "$file" .yaml) $*"
    expect_run 0 '' "$WEIR" run --print-config "$file" "$@"
    config=$output
    left=$(($(in_ms "$(sed -n 's/^until: //p' <<<"$config")") - $(last_arrival "$config")))
    grep -q 'min_rto: ' <<<"$config" || least=0 # UDP has no timeouts
    expect_equal "$name: $left ms are time enough to finish" "$((left >= least))" 1
    expect_run 0 '' "$WEIR" run --list "$file" "$@"
    points=$(grep -o 'network=[^,]*,' <<<"$output" | sort | uniq -c)
    expect_match "$name: what it is compared with" "$points" 'network=simulation,'
    expect_equal "$name: as many points on real packets as simulated" "$(awk '{ print $1 }' <<<"$points" | uniq | wc -l)" 1
    seconds=$(wall "$config" "$(grep -v 'network=simulation,' <<<"$points" | awk '{ sum += $1 } END { print sum }')")
    expect_equal "$name: $seconds s are few enough" "$((seconds > 0 && seconds <= most))" 1
}

count=0
for file in "$root"/scenarios/testbed/*.yaml; do
    check "$file" 900 500
    check "$file" 160 250 --quick
    count=$((count + 1))
done
expect_equal 'files' "$count" 7

expect_run 0 '' "$WEIR" repro --scenarios "$root/scenarios"
expect_no_match 'no figures of weir repro' "$output" '^testbed'
finish
