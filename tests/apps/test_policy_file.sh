#!/usr/bin/env bash
# Policies outside of the tree: --policy-file in all commands that take a policy, `policy.file` of scenarios, what is
# refused, and which results a changed file makes old. tests/tools/test_install.sh builds one without the source tree.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=tests/apps/sweep.sh
source "$root/tests/apps/sweep.sh"

# compile SOURCE OBJECT [OPTION...]
compile() {
    cc -std=c11 -Wall -Wextra -Werror -I"$root/include" -shared -fPIC "$1" -o "$2" "${@:3}"
}
# From a source tree alone: its headers, its library and its weir.
"$root/tools/newpolicy" --external mine >/dev/null
status=0
library=$(dirname "$(dirname "$(dirname "$WEIR")")")/libweir.a
PKG_CONFIG=false make -C mine test WEIR="$WEIR" WEIR_LIBRARY="$library" >log 2>&1 || status=$?
expect_equal "make test without an installed weir: $(tail -n 3 log)" "$status" 0
expect_match 'its test' "$(cat log)" '^mine: all as expected$'
mv mine/mine.c mine.c
rm -r mine
compile mine.c mine.so
here=$PWD

# Longest queue drop of its own: it calls the library, which is in the program.
sed 's/weir_policy_lqd/own_lqd/; s/^const struct/static const struct/; s/"lqd"/"own-lqd"/; s|weir/policy.h|weir/plugin.h|' \
    "$root/lib/policies/lqd.c" >lqd.c
echo 'WEIR_PLUGIN(&own_lqd)' >>lqd.c
compile lqd.c lqd.so

# In the slotted model, as the library's own.
expect_run 0 '' "$WEIR" slot run --policy-file mine.so --policy-file lqd.so --policy dt --policy mine --policy lqd --policy own-lqd
row() { awk -v name="$1" '$1 == name {$1 = ""; print}' <<<"$output"; }
expect_match 'a row' "$(row dt)" '[0-9]'
expect_equal 'mine is dt' "$(row mine)" "$(row dt)"
expect_equal 'own-lqd is lqd' "$(row own-lqd)" "$(row lqd)"
expect_run 3 "weir: unknown policy 'mine' (add --policy-file mine.so)" "$WEIR" slot run --policy mine
mkdir -p lib/policies their-own
touch lib/policies/mine.c their-own/their_own.c
expect_run 3 "weir: unknown policy 'mine' (lib/policies/mine.c is not in this weir yet: build it with \`make\`)" \
    "$WEIR" policies mine
expect_run 3 "weir: unknown policy 'their-own' (\`make -C their-own\`, then add --policy-file their-own/their_own.so)" \
    "$WEIR" policies their-own
rm -r lib their-own
expect_run 3 "weir: unknown policy 'mime' (did you mean 'mine'?)" "$WEIR" slot run --policy-file mine.so --policy mime
expect_run 0 '' "$WEIR" policies --policy-file mine.so --policy-file ./mine.so
expect_match 'in the list' "$output" '^mine +egress +mine'
expect_run 0 '' "$WEIR" policies --policy-file mine.so mine
expect_match 'its parameters' "$output" '^alpha +ratio +1 '

# In the simulator: the same flows as dt, whose name is all that differs.
write_sweep sweep.yaml
sed '/^seeds:/,$d' sweep.yaml >one.yaml
records() { "$WEIR" run one.yaml --quiet --records "$1.csv" "${@:2}" -o "$1.db" >"$1.out" 2>"$1.err" || cat "$1.err"; }
records dt --set 'switch.policy={name: dt, alpha: 0.5}'
records mine --policy-file mine.so --set 'switch.policy={name: mine, alpha: 0.5}' --trace s0=mine.wtr
records lqd --set switch.policy=lqd
records own --policy-file lqd.so --set switch.policy=own-lqd
expect_match 'flows' "$(wc -l <dt.csv)" '^[0-9]{2,}$'
expect_equal 'mine is dt' "$(cmp dt.csv mine.csv 2>&1)" ''
expect_equal 'own-lqd is lqd' "$(cmp lqd.csv own.csv 2>&1)" ''
expect_match 'lqd is not dt' "$(cmp dt.csv lqd.csv 2>&1 || true)" differ
expect_run 0 '' "$WEIR" replay --policy-file mine.so mine.wtr
expect_match 'a trace' "$output" '^policy +mine'
expect_match 'without a twin' "$output" '^naive skipped: a policy from a file has no naive twin$'
expect_match 'without its file' "$("$WEIR" replay mine.wtr 2>&1 || true)" "^weir: mine.wtr: byte [0-9]+: policy 'mine' is unknown to this build\$"

# Effective values name the file, and are a scenario again.
expect_run 0 '' "$WEIR" run one.yaml --policy-file mine.so --set switch.policy=mine --print-config
expect_match 'print-config' "$output" "file: $here/mine.so"
echo "$output" >whole.yaml
expect_run 0 '' "$WEIR" run whole.yaml --policy-file mine.so --print-config
expect_equal 'again' "$output" "$(cat whole.yaml)"

# A scenario alone loads no code.
cat >ran.c <<'END'
#include <stdio.h>
static __attribute__((constructor)) void ran(void)
{
    fclose(fopen("ran", "w"));
}
END
compile ran.c ran.so
set_file() { "$WEIR" run one.yaml --set "switch.policy={name: $1, file: $2}" --list "${@:3}" 2>&1 || true; }
expect_match 'not by itself' "$(set_file mine ran.so)" "policy.file: 'ran.so' is code, which no scenario loads by itself \(expected --policy-file $here/ran.so on the command line, if you trust it\)$"
expect_equal 'nothing ran' "$(ls ran 2>/dev/null || true)" ''
expect_match 'another file' "$(set_file mine lqd.so --policy-file mine.so)" "policy.file: mine is from $here/mine.so \(expected 'lqd.so', as --policy-file\)$"
expect_match 'of weir itself' "$(set_file dt mine.so --policy-file mine.so)" 'policy.file: dt is a policy of weir itself \(expected no file\)$'
expect_match 'the right one' "$(set_file mine mine.so --policy-file mine.so)" '^[0-9a-f]{16} '
expect_run 0 '' "$WEIR" check --policy-file mine.so whole.yaml

# A sweep, in processes of its own; a changed file makes its own runs old and no others.
sed -i 's/\[dt, lqd\]/[dt, mine]/; /^claims:/,$d' sweep.yaml
expect_run 0 '' "$WEIR" run sweep.yaml --policy-file mine.so --quiet
digits='[0-9a-f]{16}'
code() { ask sweep.db "SELECT DISTINCT code FROM run WHERE code LIKE '%mine%'"; }
expect_match 'the code of a run' "$(code)" "^weir=$digits mine=$digits\$"
before=$(code)
ids=$("$WEIR" run --list sweep.yaml --policy-file mine.so | awk '{print $1}')
expect_run 0 '' "$WEIR" show sweep.db
expect_run 0 '' "$WEIR" report sweep.db -o page.html
mkdir moved && mv mine.so moved/
expect_run 0 '' "$WEIR" run sweep.yaml --policy-file moved/mine.so --quiet
expect_equal 'a moved file is the same code' "$(code)" "$before"
sed -i 's/arrival->need_cells > limit/arrival->need_cells > limit - 1/' mine.c
compile mine.c mine.so
runs=$(ask sweep.db "SELECT count(*) FROM run WHERE code LIKE '%mine%'")
expect_run 0 "weir: sweep.db: $runs runs were made by another build of policy mine: made again" \
    "$WEIR" run sweep.yaml --policy-file mine.so --quiet
expect_equal 'other code' "$([ "$(code)" != "$before" ] && echo other)" other
expect_equal 'the same runs' "$("$WEIR" run --list sweep.yaml --policy-file mine.so | awk '{print $1}')" "$ids"

# What is no policy file, or one of other headers.
echo text >text.so
cp -r "$root/include" other
sed -i 's/^#define WEIR_ABI .*/#define WEIR_ABI 99/' other/weir/version.h
cc -std=c11 -Iother -shared -fPIC mine.c -o abi.so
cp -r "$root/include/." other
sed -i 's/^struct weir_arrival {/&\n    uint64_t more;/' other/weir/policy.h
cc -std=c11 -Iother -shared -fPIC mine.c -o size.so
{ cat mine.c; echo 'int weir_not_there(void); int mine_use(void); int mine_use(void) { return weir_not_there(); }'; } >lost.c
compile lost.c lost.so
# variant NAME SED: mine.c, edited
variant() { sed "$2" mine.c >variant.c && compile variant.c "$1.so"; }
variant taken 's/\.name = "mine"/.name = "dt"/'
variant word 's/\.name = "mine"/.name = "My Own"/'
variant param 's/{"alpha"/{"file"/'
variant range 's/WEIR_Q16_ONE, 1, 4096/WEIR_Q16_ONE, 2 * WEIR_Q16_ONE, 4096/'
variant admit '/\.admit = /d; s/^static struct weir_verdict/__attribute__((unused)) &/'
refuse() { expect_run 3 "weir: $1: $2" "$WEIR" policies --policy-file "$1"; }
made="(compile it with the headers of weir $("$WEIR" --version | sed 's/^weir \([0-9.]*\).*/\1/'))"
status=0
"$WEIR" policies --policy-file missing.so 2>err >out || status=$?
expect_equal 'a missing file' "$(cat err)" 'weir: missing.so: No such file or directory'
expect_equal 'its status' "$([ "$status" -ne 0 ] && echo failed)" failed
refuse text.so 'cannot be loaded: file too short'
refuse ran.so 'is no policy file: there is no weir_plugin in it (expected WEIR_PLUGIN of weir/plugin.h)'
refuse abi.so "was compiled for ABI 99, this program has ABI 2 $made"
arrival=$("$WEIR" policies --policy-file size.so 2>&1 >/dev/null || true)
expect_match 'other sizes' "$arrival" '^weir: size.so: was compiled for other structures: struct weir_arrival has [0-9]+ bytes there and [0-9]+ here '
refuse lost.so 'cannot be loaded: undefined symbol: weir_not_there'
refuse taken.so 'policy dt: there is one of this name already (expected another name)'
refuse word.so 'a policy has no usable name (expected at most 24 of a-z, 0-9 and -, a letter first)'
refuse param.so 'policy mine: parameter file has a name that scenarios use for something else (expected another one)'
refuse range.so 'policy mine: parameter alpha has a default out of its range (expected min <= initial <= max)'
refuse admit.so 'policy mine: state_size, init or admit is missing (expected all three)'

# In the switch.
: "${WEIR_SWITCH:=$(dirname "$WEIR")/../weir-switch/weir-switch}"
if [ -x "$WEIR_SWITCH" ]; then
    cat >two.yaml <<'END'
topology: {kind: single, hosts: 2, rate: 10Gbps}
switch: {buffer: 20KB, policy: {name: mine, alpha: 2}}
dataplane: {devices: [net_null0, net_null1], sleeps: yes, huge_pages: no, scale: 1000}
END
    expect_run 0 '' "$WEIR_SWITCH" --policy-file mine.so --print-config two.yaml
    expect_match 'weir-switch' "$output" "file: $here/mine.so"
    "$WEIR_SWITCH" --policy-file mine.so --control ./control two.yaml >stdout 2>stderr &
    wait_until 'ready' grep -q '^ready: ' stdout
    expect_match 'under the policy' "$(cat stdout)" '^ready: 2 ports, .* under mine, '
    expect_run 0 '' "$WEIR" switch set --control ./control alpha=4
    expect_run 0 '' "$WEIR" switch stop --control ./control
    wait || true
    expect_match 'to its end' "$(cat stdout stderr)" '^stopped: '
fi

# Jobs elsewhere get the file too.
expect_run 0 '' "$WEIR" run sweep.yaml --policy-file mine.so --slurm 2 --quiet -o elsewhere.db
expect_equal 'jobs with the file' "$(grep -c -- "run --policy-file $here/mine.so --output elsewhere.db sweep.yaml" <<<"$output")" 2
finish
