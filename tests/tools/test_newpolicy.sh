#!/usr/bin/env bash
# test_newpolicy.sh - in a copy of the tree, a policy and a headroom scheme made by tools/newpolicy build, pass their
# tests, agree with their naive twins and are tidy.
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
expect_match "the registry itself" "$out" 'lib/policies/registry.c exists already'
run_newpolicy dt
expect_match "existing name" "$out" 'lib/policies/dt.c exists already'
run_newpolicy
expect_equal "no name" "$status" 2
run_newpolicy --ingress
expect_equal "no name of a scheme" "$status" 2
run_newpolicy --ingress sih
expect_match "existing scheme" "$out" 'lib/policies/sih.c exists already'
run_newpolicy --egress x
expect_equal "unknown option" "$status" 2
expect_equal "refusals change nothing" "$(find "$copy" -type f -exec cksum {} + | sort)" "$before"

# make_one NAME [OPTION]
make_one() {
    local ident=${1//-/_} made
    run_newpolicy "${@:2}" "$1"
    expect_equal "new $1" "$status" 0
    expect_match "the next step" "$out" "^newpolicy: then \`make\`, after which weir knows '$1', and \`make test\`\$"
    for made in "lib/policies/$ident.c" "lib/naive/naive_$ident.c" "tests/lib/policies/test_$ident.c" "docs/policies/$1.md"; do
        [ -s "$copy/$made" ] || expect_equal "$made" "missing" "made"
    done
    run_newpolicy "${@:2}" "$1"
    expect_equal "$1 again" "$status" 1
}

# check_one NAME TESTS INDEX: its own tests, and the random comparison with its naive twin
check_one() {
    status=0
    out=$("$copy/build/t/tests/lib_policies_${1//-/_}" 2>&1) || status=$?
    expect_equal "tests of $1" "$status" 0
    expect_match "tests of $1" "$out" "PASSED.* $2 test"
    status=0
    out=$(WEIR_SEED=$((0x5eed << 8 | $3)) "$copy/build/t/tests/swarm_swarm" 2>&1) || status=$?
    expect_equal "random comparison of $1" "$status" 0
    expect_match "random comparison of $1" "$out" "OK.* $1\$"
}

# Whatever else a policy needed would be an edit of something that is not listed here.
make_one made-by-a-test
make_one made-headroom --ingress
make_one third
changed=$(find "$copy" -type f -exec cksum {} + | sort | comm -13 <(echo "$before") - | sed "s|.* $copy/||" | sort | tr '\n' ' ')
expect_equal "files that change" "$changed" "docs/policies/made-by-a-test.md docs/policies/made-headroom.md \
docs/policies/third.md lib/naive/naive_made_by_a_test.c lib/naive/naive_made_headroom.c lib/naive/naive_third.c lib/naive/registry.def \
lib/policies/made_by_a_test.c lib/policies/made_headroom.c lib/policies/meson.build lib/policies/registry.def lib/policies/third.c \
tests/lib/policies/test_made_by_a_test.c tests/lib/policies/test_made_headroom.c tests/lib/policies/test_third.c "

# from_tutorial RESULT FILE: third_admit of FILE becomes that of the tutorial, by the type of its result.
from_tutorial() {
    awk -v start="static $1 third_admit(" '
        FNR == NR { if (index($0, start) == 1) taken = 1; if (taken) text = text $0 "\n"; if (/^}/) taken = 0; next }
        index($0, start) == 1 { printf "%s", text; skip = 1 }
        !skip { print }
        /^}/ { skip = 0 }' "$copy/docs/tutorial.md" "$copy/$2" >"$scratch/changed"
    ! cmp -s "$copy/$2" "$scratch/changed" || expect_equal "third_admit of the tutorial for $2" missing there
    cp "$scratch/changed" "$copy/$2"
}
if ! { meson setup "$copy/build/t" "$copy" -Dchecks=true -Dapps=disabled &&
    ninja -C "$copy/build/t" tests/lib_policies_made_by_a_test tests/lib_policies_made_headroom tests/swarm_swarm; } >"$scratch/log" 2>&1; then
    cat "$scratch/log"
fi
last=$(($(grep -c '^POLICY(' "$copy/lib/policies/registry.def") - 1))
check_one made-by-a-test 1 $((last - 2))
check_one made-headroom 2 $((last - 1))

# The policy of the tutorial: the random test finds that its twin shares completely, until that has the rule as well.
# failing_worlds: of twenty worlds of the policy, in how many the two differ.
failing_worlds() {
    ninja -C "$copy/build/t" tests/swarm_swarm >"$scratch/log" 2>&1 || cat "$scratch/log"
    local world failed=0
    for ((world = 1; world <= 20; world++)); do
        WEIR_SEED=$((world << 8 | last)) "$copy/build/t/tests/swarm_swarm" >"$scratch/out" 2>&1 || failed=$((failed + 1))
        grep -q "\(OK\|FAILED\).* third\$" "$scratch/out" || cat "$scratch/out"
    done
    echo "$failed"
}
from_tutorial 'struct weir_verdict' lib/policies/third.c
expect_match "the tutorial's policy and a twin that shares completely" "$(failing_worlds)" '^[1-9][0-9]*$'
from_tutorial 'enum weir_reason' lib/naive/naive_third.c
expect_equal "the tutorial's policy and its twin" "$(failing_worlds)" 0
out=$("$copy/tools/tidy" "$copy" || true)
expect_no_match "their files are tidy" "$out" 'made.(by.a.test|headroom)'
finish
