#!/usr/bin/env bash
# test_codedigest.sh - in a copy of the tree: digests follow the content of what decides results and nothing else, and a
# weir built from an edited policy makes the runs of that policy again, and no others.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

copy=$scratch/weir
mkdir "$copy"
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" -xf -

# digests: those of the copy, one per line, without the form of the header.
digests() {
    "$copy/tools/codedigest" "$copy" "$scratch/code.h" "$scratch/code.d"
    sed -n -e 's/^#define CODE_\(SHARED\|REAL\) "\(.*\)"/\1 \2/p' -e 's/.*CODE_POLICY(\(\w*\), "\(.*\)").*/\1 \2/p' "$scratch/code.h"
}

# expect_change WHAT NAMES: since `before`, the digests of exactly these have changed.
expect_change() {
    expect_equal "$1" "$(comm -13 <(sort <<<"$before") <(digests | sort) | cut -d ' ' -f 1 | tr '\n' ' ')" "$2"
    before=$(digests)
}

"$root/tools/codedigest" "$root" "$scratch/root.h" "$scratch/root.d"
before=$(digests)
expect_equal 'in another folder' "$(cat "$scratch/code.h")" "$(cat "$scratch/root.h")"
expect_equal 'digests' "$(wc -l <<<"$before")" "$((2 + $(grep -c '^POLICY(' "$copy/lib/policies/registry.def")))"
touch "$copy/lib/core/mmu.c"
"$copy/tools/newpolicy" fresh >/dev/null
before=$(printf '%s\nfresh' "$before")
expect_change 'a new policy changes no other' 'fresh '
echo '/* x */' >>"$copy/lib/policies/lqd.c"
expect_change 'a policy' 'lqd '
echo '/* x */' >>"$copy/lib/policies/dsh_estimate.c"
expect_change 'what only one policy includes' 'dsh '
echo '/* x */' >>"$copy/lib/policies/virtual_lqd.h"
expect_change 'what policies share' 'REAL SHARED '
echo '/* x */' >>"$copy/sim/net/host.c"
expect_change 'the simulator' 'REAL SHARED '
echo '/* x */' >>"$copy/sim/slot/run.c"
expect_change 'the slotted model, which scenarios can ask for' 'REAL SHARED '
echo '/* x */' >>"$copy/run/foresee.c"
expect_change 'what is foreseen' 'REAL SHARED '
echo '/* x */' >>"$copy/run/measures/measures.def"
expect_change 'a measure' 'REAL SHARED '
echo '/* x */' >"$copy/sim/workload/new.h"
expect_change 'a new file' 'REAL SHARED '
echo '/* x */' >>"$copy/switch/dpdk/forward.c"
expect_change 'the switch' 'REAL '
echo '/* x */' >>"$copy/hw/p4/occamy.p4"
expect_change 'the P4 program' 'REAL '
for file in cli/output.c show/page/page.c show/writers/export_csv.c docs/reference/scenarios.md apps/weir/main.c lab/spread/sweep.c \
    scenario/schema/schema.c lab/store/claims.c lib/naive/naive.c tests/meson.build meson.build; do
    echo ' ' >>"$copy/$file"
done
expect_change 'what decides no result' ''
rm "$copy/sim/workload/new.h"

# Two builds of weir: -O0, since only the digest is looked at.
command -v python3 >/dev/null || { echo 'skipped: python3 is missing'; exit 77; }
build() {
    if ! { [ -d "$copy/build/t" ] || meson setup "$copy/build/t" "$copy" -Dbuildtype=plain -Dtests=disabled -Ddpdk=disabled; } \
        >"$scratch/log" 2>&1 || ! ninja -C "$copy/build/t" apps/weir/weir >"$scratch/log" 2>&1; then
        tail -n 40 "$scratch/log"
        exit 1
    fi
}
build
weir=$copy/build/t/apps/weir/weir
cat >"$scratch/tiny.yaml" <<'END'
until: 1ms
topology: {kind: single, hosts: 3, rate: 10Gbps, delay: 1us}
switch: {buffer: 20KB, policy: dt}
transports: {u: {kind: udp, rate: 10Gbps}}
traffic:
- {kind: long, transport: u, tag: flood, sources: h0-h1, destinations: h2, bytes: 90KB}
sweep: {policy: {switch.policy: [dt, lqd, occamy], labels: [DT, Mine, Occamy]}}
END
cd "$scratch"
"$weir" run tiny.yaml >first 2>err
cp "$weir" old-weir
echo '/* edited */' >>"$copy/lib/policies/lqd.c"
build
"$weir" run tiny.yaml >second 2>err
expect_equal 'an edited policy' "$(cat err)" "weir: tiny.db: 1 run was made by another build of policy lqd: made again
weir: tiny.db: resuming: 2 of 3 runs are done"
sed -i '$d' "$copy/lib/policies/lqd.c"
build
"$weir" run tiny.yaml >third 2>err
expect_match 'and back' "$(cat err)" '^weir: tiny.db: 1 run was made by another build of policy lqd: made again$'
./old-weir run tiny.yaml >fourth 2>err
expect_equal 'the same content is the same code' "$(cat err)" 'weir: tiny.db: all 3 runs are done (--again repeats them)'
finish
