#!/usr/bin/env bash
# The study of Ultra Ethernet in shared buffers, at quick size: every scenario of scenarios/ai runs in ten seconds, and
# its claims hold.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
for file in "$root"/scenarios/ai/*.yaml; do
    name=$(basename "$file" .yaml)
    expect_run 0 '' "$WEIR" run --quick --quiet --jobs 1 "$file"
    expect_no_match "a claim of $name fails" "$output" '(fails|missed|undecided|no data)$'
    expect_match "a claim of $name holds" "$output" '  holds$'
done
finish
