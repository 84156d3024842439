#!/usr/bin/env bash
# test_newpolicy.sh - in a copy of the tree, a policy made by tools/newpolicy builds, passes its test, agrees with its
# naive twin and is tidy.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

copy=$scratch/weir
mkdir "$copy"
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" -xf -

run_newpolicy() {
    status=0
    out=$("$copy/tools/newpolicy" "$@" 2>&1) || status=$?
}

before=$(find "$copy" -type f -exec cksum {} + | sort)
for bad in '' X dT '1st' 'a--b' 'a-' 'a_b' 'a b' '../x' "$(printf 'a%.0s' {1..25})"; do
    run_newpolicy "$bad"
    expect_equal "bad name '$bad'" "$status" 1
done
run_newpolicy registry
expect_match "the registry itself" "$out" 'policies/registry.c exists already'
run_newpolicy dt
expect_match "existing name" "$out" 'policies/dt.c exists already'
run_newpolicy
expect_equal "no name" "$status" 2
expect_equal "refusals change nothing" "$(find "$copy" -type f -exec cksum {} + | sort)" "$before"

run_newpolicy made-by-a-test
expect_equal "new policy" "$status" 0
for made in policies/made_by_a_test.c naive/naive_made_by_a_test.c tests/policies/test_made_by_a_test.c docs/policies/made-by-a-test.md; do
    [ -s "$copy/$made" ] || expect_equal "$made" "missing" "made"
done
run_newpolicy made-by-a-test
expect_equal "the same again" "$status" 1

if ! { meson setup "$copy/build/t" "$copy" -Dchecks=true -Dapps=disabled &&
    ninja -C "$copy/build/t" tests/policies_made_by_a_test tests/swarm_swarm; } >"$scratch/log" 2>&1; then
    cat "$scratch/log"
fi
status=0
out=$("$copy/build/t/tests/policies_made_by_a_test" 2>&1) || status=$?
expect_equal "its test" "$status" 0
expect_match "its test" "$out" 'PASSED.* 1 test'
last=$(($(grep -c '^POLICY(' "$copy/policies/registry.def") - 1))
status=0
out=$(WEIR_SEED=$((0x5eed << 8 | last)) "$copy/build/t/tests/swarm_swarm" 2>&1) || status=$?
expect_equal "random comparison" "$status" 0
expect_match "random comparison" "$out" 'OK.* made-by-a-test$'
out=$("$copy/tools/tidy" "$copy" || true)
expect_no_match "its files are tidy" "$out" 'made.by.a.test'
finish
