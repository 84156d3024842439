#!/usr/bin/env bash
# Studies that no paper has, at quick size: every scenario of scenarios/ai (Ultra Ethernet in shared buffers) and
# scenarios/policies (buffer policies) runs in ten seconds, and its claims hold or
# are about the full size.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
for file in "$root"/scenarios/{ai,policies}/*.yaml; do
    name=$(basename "$file" .yaml)
    expect_run 0 '' "$WEIR" run --quick --quiet --jobs 1 "$file"
    expect_no_match "a claim of $name fails" "$output" '(fails|missed|undecided|no data)$'
    expect_match "a claim of $name is judged, or none at this size" "$output" '  (holds|not at this size)$'
done
finish
