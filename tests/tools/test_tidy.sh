#!/usr/bin/env bash
# test_tidy.sh - plants one violation of each rule in a small tree and expects tidy to name file and line.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

tree=$scratch/tree
run_tidy() {
    status=0
    out=$("$root/tools/tidy" "$tree" 2>&1) || status=$?
}

# A clean tree with one policy, to which single violations are added.
clean_tree() {
    rm -rf "$tree"
    mkdir -p "$tree"/{include/weir,lib/core,lib/policies,sim/slot,apps/weir,bench,tests/lib/policies,docs/policies,tools}
    cp "$root/.clang-format" "$tree/"
    echo '#include <stdint.h>' >"$tree/include/weir/policy.h"
    printf "%s\n" "'good', 'core.c', 'slot.c', 'cli.c', 'bench_x.c'" >"$tree/meson.build"
    cat >"$tree/lib/policies/good.c" <<'C'
#include "weir/policy.h"

struct weir_policy {
    const char *name;
};

static const char *const table[] = {"constant", "pointers"};

extern const struct weir_policy weir_policy_good;
const struct weir_policy weir_policy_good = {
    .name = "good",
};

/* rand() and double in a comment, and "malloc(" in a string, are fine. */
const char *good_text(int i)
{
    return i > 1 ? "malloc(1) rand() double" : table[i];
}
C
    echo 'int main(void);' >"$tree/tests/lib/policies/test_good.c"
    echo '# good' >"$tree/docs/policies/good.md"
}

# violation WHAT FILE PATTERN, the file's text on standard input
violation() {
    clean_tree
    cat >"$tree/$2"
    run_tidy
    expect_equal "$1: exit status" "$status" 1
    expect_match "$1" "$out" "^$2:$3"
}

repeat() {
    local i
    for ((i = 0; i < $1; i++)); do printf '%s\n' "$2"; done
}

clean_tree
run_tidy
expect_equal "clean tree" "$status" 0
expect_match "clean tree" "$out" ' 0 errors, 0 pieces of advice$'

violation "header that needs another" include/weir/lonely.h '1: does not stand alone in c: ' <<<'uint32_t lonely(void);'
if command -v c++ >/dev/null; then
    violation "header that is no C++" include/weir/old.h '1: does not stand alone in c\+\+: ' <<<'int old(int class);'
fi
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    violation "layout" lib/core/core.c '1: layout differs' <<<'int  x(void);'
else
    echo 'skipped: layout: clang-format 14, which judges it, is missing'
fi
clean_tree
echo 'int slot_run(void);' >"$tree/sim/slot/slot.h"
echo '#include "slot.h"' >"$tree/lib/core/core.c"
run_tidy
expect_match "upward include" "$out" '^lib/core/core.c:1: lib/core/ must not include from sim/slot/'
clean_tree
echo 'int core_run(void);' >"$tree/lib/core/core.h"
echo '#include "core.h"' >"$tree/lib/policies/good_helper.c"
echo '#include "core.h"' >"$tree/sim/slot/slot.c"
run_tidy
expect_match "sideways include" "$out" '^lib/policies/good_helper.c:1: lib/policies/ must not include from lib/core/'
expect_no_match "downward include" "$out" '^sim/slot/slot.c:.*include'
clean_tree
mkdir -p "$tree/sim/engine" "$tree/sim/net" "$tree/apps/weir-switch"
echo 'int wheel(void);' >"$tree/sim/engine/wheel.h"
echo 'int node(void);' >"$tree/sim/net/node.h"
echo 'int options(void);' >"$tree/apps/weir/options.h"
echo '#include "sim/net/node.h"' >"$tree/sim/engine/link.h"
echo '#include "sim/engine/wheel.h"' >"$tree/sim/net/switch.h"
echo '#include "apps/weir/options.h"' >"$tree/apps/weir-switch/main.h"
echo '#include "apps/weir/options.h"' >"$tree/tests/lib/policies/test_good.c"
echo "files('../apps/weir/cmd_run.c')" >"$tree/tests/meson.build"
run_tidy
expect_match "upward include inside a room" "$out" '^sim/engine/link.h:1: sim/engine/ must not include from sim/net/'
expect_no_match "downward include inside a room" "$out" '^sim/net/switch.h:.*include'
expect_match "a program's private file" "$out" '^apps/weir-switch/main.h:1: apps/weir-switch/ must not include from apps/weir/'
expect_match "a test that looks into a program" "$out" '^tests/lib/policies/test_good.c:1: tests/ must not include from apps/weir/'
expect_match "a test that compiles a program's file" "$out" '^tests/meson.build:1: .*../apps/weir/cmd_run.c'
# C++: the module for ns-3 knows the headers of the library alone, and no other room knows ns-3.
clean_tree
mkdir -p "$tree/bind/ns3"
touch "$tree/lib/core/core.h"
printf '%s\n' '#include "lib/core/core.h"' '#include "ns3/node.h"' '#include "weir/policy.h"' >"$tree/bind/ns3/switch.cc"
echo '#include "ns3/node.h"' >"$tree/sim/slot/slot.c"
run_tidy
expect_match "C++ that looks into the library" "$out" '^bind/ns3/switch.cc:1: bind/ns3/ must not include from lib/core/'
expect_no_match "ns-3 and the library in its room" "$out" '^bind/ns3/switch.cc:[23]:'
expect_match "ns-3 elsewhere" "$out" '^sim/slot/slot.c:1: "ns3/node.h" belongs in bind/ns3/'
expect_match "C++ that nobody compiles" "$out" '^bind/ns3/switch.cc:1: no meson.build lists this file'

# Calls: objects of a build show what no include does.
build_objects() {
    local source entries=()
    mkdir -p "$tree/build/checked"
    for source in "$@"; do
        cc -Iinclude -c "$tree/$source" -o "$tree/build/checked/${source//\//_}.o"
        entries+=("{\"directory\": \"$tree/build/checked\", \"file\": \"../../$source\", \"output\": \"${source//\//_}.o\"}")
    done
    (IFS=,; echo "[${entries[*]}]") >"$tree/build/checked/compile_commands.json"
}
clean_tree
printf 'int slot_run(void);\nint core_run(void);\n\nint core_run(void)\n{\n    return slot_run();\n}\n' >"$tree/lib/core/core.c"
printf 'int slot_run(void);\nint core_run(void);\n\nint slot_run(void)\n{\n    return core_run();\n}\n' >"$tree/sim/slot/slot.c"
run_tidy
expect_equal "calls without a build" "$status" 0
build_objects lib/core/core.c sim/slot/slot.c
run_tidy
expect_equal "upward call: exit status" "$status" 1
expect_match "upward call" "$out" '^lib/core/core.c:1: lib/core/ must not call slot_run of sim/slot/: calls point downward only'
expect_no_match "downward call" "$out" '^sim/slot/slot.c:.*must not call'
touch -d '1 minute' "$tree/lib/core/core.c"
run_tidy
expect_equal "an object that is older than its source" "$status" 0
mv "$tree/build/checked" "$tree/other"
sed -i "s,$tree/build/checked,$tree/other,g; s,\.\./\.\./,../,g" "$tree/other/compile_commands.json"
touch "$tree"/other/*.o
touch -d '1 hour ago' "$tree/lib/core/core.c" "$tree/sim/slot/slot.c"
status=0
out=$("$root/tools/tidy" --build other "$tree" 2>&1) || status=$?
expect_match "another build" "$out" '^lib/core/core.c:1: lib/core/ must not call slot_run'

# What headers declare is defined in their room, and names begin with a word of it.
clean_tree
mkdir -p "$tree/sim/net"
echo 'int slot_far(void);' >"$tree/sim/slot/slot.h"
printf '#include "sim/slot/slot.h"\n\nint slot_far(void)\n{\n    return 1;\n}\n' >"$tree/sim/net/slot.c"
run_tidy
expect_match "declared below, defined above" "$out" '^sim/slot/slot.h:1: slot_far is declared here and defined in sim/net/'
clean_tree
printf 'int slot_near(void);\n' >"$tree/sim/slot/slot.h"
printf '#include "slot.h"\n' >"$tree/sim/slot/slot.c"
printf '#include "slot.h"\n\nint slot_near(void)\n{\n    return 1;\n}\n\nint other_near(void)\n{\n    return 1;\n}\n' >"$tree/sim/slot/cli.c"
run_tidy
expect_equal "advice on names: exit status" "$status" 0
expect_match "declared beside another file" "$out" '^sim/slot/slot.h:1: advice: declares what other files of the room define: slot_near$'
expect_match "a name of no room" "$out" '^sim/slot/cli.c:8: advice: other_near does not begin with a word of sim/slot/'
expect_no_match "a name of its room" "$out" 'advice: slot_near does not begin'

# The map and the table of rooms are written from LAYERS.
clean_tree
printf '# x\n<!-- map: tools/tidy --map -->\n<!-- /map -->\n' >"$tree/README.md"
printf '<!-- rooms: tools/tidy --map -->\n<!-- /rooms -->\n' >"$tree/docs/rooms.md"
run_tidy
expect_match "a map that differs" "$out" '^README.md:2: the map differs from LAYERS'
expect_match "a table that differs" "$out" '^docs/rooms.md:1: the table differs from LAYERS'
"$root/tools/tidy" --map "$tree"
run_tidy
expect_equal "maps are written" "$status" 0
expect_match "the table" "$(cat "$tree/docs/rooms.md")" '^\| 0 \| .include/weir/. \| the contract'
expect_match "the map" "$(cat "$tree/README.md")" '^lib/\{.*core,policies,naive\} '
violation "include of nothing" lib/core/core.c '1: include "nowhere.h" points to no file' <<<'#include "nowhere.h"'
violation "foreign headers" sim/slot/slot.c '1: <rte_mbuf.h> belongs in switch/dpdk' <<<'#include <rte_mbuf.h>'

violation "long line" lib/core/core.c '1: 126 columns' <<<"/* $(printf '%0120d' 0) */"
violation "trailing blanks" lib/core/core.c '1: blanks at the end' <<<'int x(void); '
clean_tree
{
    printf 'void f(int a, int b, int c, void (*d)(int, int), int e, int g)\n{\n    d(a + b, c + e + g);\n}\n'
    repeat 401 'int x(void);'
} >"$tree/sim/slot/slot.c"
run_tidy
expect_equal "lengths are advice" "$status" 0
expect_match "advice on files" "$out" '^sim/slot/slot.c:401: advice: 405 lines'
expect_match "advice on parameters" "$out" '^sim/slot/slot.c:1: advice: f has 6 parameters'
clean_tree
{
    printf 'void f(int x)\n{\n'
    repeat 71 '    f(x);'
    printf '    if (x)\n        if (x)\n            if (x)\n                if (x)\n                    f(x);\n}\n'
} >"$tree/sim/slot/slot.c"
run_tidy
expect_equal "advice does not fail" "$status" 0
expect_match "advice on length" "$out" '^sim/slot/slot.c:2: advice: f has 76 lines'
expect_match "advice on nesting" "$out" '^sim/slot/slot.c:77: advice: f nests 4 deep'
for call in rand time strcpy sprintf gets atoi clock_gettime; do
    violation "$call" sim/slot/slot.c "4: $call\(\) does not belong in sim/slot/" <<C
int x(void);
int x(void)
{
    return $call(0);
}
C
done
for call in malloc free printf fopen; do
    violation "$call" lib/core/core.c "1: $call\(\) does not belong in lib/core/" <<<"#define X $call(0)"
done
violation "floating point" lib/core/core.c '1: double: decisions use fixed point' <<<'double x(void);'
clean_tree
printf 'void x(void)\n{\n    clock_gettime(0);\n    malloc(0);\n}\n' >"$tree/bench/bench_x.c"
echo 'double x(void);' >"$tree/lib/core/random.c"
mkdir -p "$tree/cli"
printf '#include "written.h"\n\nvoid x(void)\n{\n    clock_gettime(0);\n}\n' >"$tree/cli/clock.c"
echo '#define X "@X@"' >"$tree/cli/written.h.in"
sed -i "s/'good'/'good', 'random.c', 'clock.c'/" "$tree/meson.build"
run_tidy
expect_equal "exceptions" "$status" 0
violation "a clock elsewhere" apps/weir/run.c '3: clock_gettime\(\) does not belong in apps/weir/' <<'C'
void x(void)
{
    clock_gettime(0);
}
C

# Whoever runs something opens a run: one room creates simulations.
for call in sim_create scenario_create; do
    violation "a second maker: $call" apps/weir/run.c "3: $call\(\) is for run/ alone" <<C
void x(void)
{
    $call(0, 0);
}
C
done

violation "a guard of another room" sim/slot/slot.h '1: the guard OTHER_SLOT_H is not named by its place: SIM_SLOT_SLOT_H' <<'C'
#ifndef OTHER_SLOT_H
#define OTHER_SLOT_H
#endif
C

violation "mutable global" lib/core/core.c '1: count is a mutable global' <<<'int count;'
violation "mutable static" lib/policies/good.c '3: calls is a mutable global' <<'C'
int good_count(void)
{
    static int calls = 1;
    return calls++;
}
C
violation "does not compile" lib/core/core.c '1: does not compile alone' <<<'int x('

clean_tree
rm "$tree/docs/policies/good.md" "$tree/tests/lib/policies/test_good.c"
run_tidy
expect_match "policy without a page" "$out" '^lib/policies/good.c:1: the policy has no docs/policies/good.md'
expect_match "policy without a test" "$out" '^lib/policies/good.c:1: the policy has no tests/lib/policies/test_good.c'
violation "not built" sim/slot/forgotten.c '1: no meson.build lists this file' <<<'int x(void);'

violation "a file that is not there" sim/slot/slot.c '1: there is no file gone.h' <<<'/* See gone.h, x.c and lib/core/core.h. */'

# In pieces, so that tidy does not find them here.
violation "unfinished work" docs/notes.md '2: `TO''DO`' < <(printf 'text\nTO''DO: later\n')
violation "a machine's path" docs/notes.md '1: `/wo''rk/`: a path' <<<"see /wo""rk/x"
violation "a package host" docs/notes.md '1: `regi''stry.npmjs.org`' <<<"from regi""stry.npmjs.org"
if command -v shellcheck >/dev/null; then
    violation "shell" tools/x.sh '3: shellcheck: ' <<'S'
#!/bin/bash
x=$1
rm $x
S
fi
finish
