#!/usr/bin/env bash
# weir policies: the list, one policy, JSON, mistakes.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

expect_run 0 '' "$WEIR" policies
list=$output
expect_match 'heading' "$list" '^name +side +title +published$'
expect_match 'dt in the list' "$list" '^dt +egress +Dynamic Threshold +ToN 1998$'
expect_match 'one line per policy' "$list" '^credence +egress +Credence: FollowLQD with predictions +NSDI 2024$'
expect_match 'a headroom scheme' "$list" '^dsh +ingress +Dynamic and Shared Headroom +ToN 2025$'
expect_match 'the venue of a long source' "$list" '^followlqd +.* NSDI 2024$'
expect_no_match 'at most 100 columns' "$list" '^.{101}'
expect_no_match 'no colours without a terminal' "$list" $'\033'
expect_no_match 'no spaces at the end of a line' "$list" ' $'

while read -r name _; do
    expect_run 0 '' "$WEIR" policies "$name"
    expect_match "$name" "$output" "^name +$name$"
    for field in title paper deviations needs; do
        expect_match "$name" "$output" "^$field +[^ ]"
    done
    expect_match "$name" "$output" '^parameters? +(none|unit)'
    expect_run 0 '' "$WEIR" policies --json "$name"
    expect_match "$name as JSON" "$output" "^  \"name\": \"$name\",$"
done < <(tail -n +2 <<<"$list")

expect_run 0 '' "$WEIR" policies dt
expect_equal 'dt' "$output" "name        dt
title       Dynamic Threshold
paper       Choudhury & Hahne, ToN 1998
deviations  The arriving packet counts too, so that a long one does not carry
            an account far beyond T.
needs       nothing

parameter  unit   default  range             per    meaning
alpha      ratio        1  0.00001526..4096  class  Share of the free buffer that one account may hold."

expect_run 0 '' "$WEIR" policies occamy
expect_match 'needs' "$output" '^needs +longest-queue view, offers of spare memory bandwidth$'
expect_match 'a flag' "$output" '^empty_exception +flag +no +yes or no +switch '
expect_match 'a choice' "$output" '^select +choice +round-robin +round-robin or longest +switch '
expect_run 0 '' "$WEIR" policies followlqd
expect_match 'the whole source' "$output" '^paper +Addanki, Pacut & Schmid, NSDI 2024 \(Credence\), appendix B$'
expect_run 0 '' "$WEIR" policies cs
expect_match 'no parameters' "$output" '^parameters  none$'

expect_run 0 '' "$WEIR" policies --json
if command -v python3 >/dev/null; then
    names=$(python3 -c 'import json,sys; print("\n".join(p["name"] for p in json.load(sys.stdin)))' <<<"$output")
    expect_equal 'the same policies as JSON' "$names" "$(tail -n +2 <<<"$list" | cut -d' ' -f1)"
fi

expect_run 3 "weir: unknown policy 'ocamy' (did you mean 'occamy'?)" "$WEIR" policies ocamy
expect_equal 'nothing on stdout' "$output" ''
expect_run 3 "weir: unknown policy 'something' (see 'weir policies'; --policy-file loads others)" "$WEIR" policies something --json
expect_run 2 "weir: policies: unknown option --jsn (did you mean --json?)" "$WEIR" policies --jsn
expect_run 2 "weir: policies: --json: unexpected value (expected none)" "$WEIR" policies --json=yes
expect_run 2 "weir: policies: unexpected operand 'lqd' (see 'weir policies --help')" "$WEIR" policies dt lqd
finish
