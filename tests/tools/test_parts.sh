#!/usr/bin/env bash
# test_parts.sh - what is missing leaves out a part, and the build says which: without cffi, without ns-3, and the library
# alone.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
cd "$root"

# configure NAME OPTIONS...: a build in a folder of its own; `out` is what meson says.
configure() {
    local name=$1
    shift
    status=0
    out=$(meson setup "$scratch/$name" -Dtests=disabled -Ddpdk=disabled -Dbpf=disabled "$@" 2>&1) || status=$?
    expect_equal "$name is configured" "$status" 0
}

mkdir "$scratch/hidden"
echo 'raise ImportError("hidden")' >"$scratch/hidden/cffi.py"
PYTHONPATH=$scratch/hidden configure without_cffi
expect_match 'without cffi' "$out" 'Message: the Python package is not installed: cffi is missing \(tools/deps test\)$'
expect_match 'without cffi, the summary' "$out" 'Python package +: NO$'
expect_match 'without cffi, the rest' "$out" 'libweir-sim +: YES$'

# A compiler that finds no header of ns-3, and none at all.
cat >"$scratch/c++" <<'END'
#!/bin/sh
for word; do
    if [ -f "$word" ] && grep -q 'ns3/' "$word"; then exit 1; fi
done
exec c++ "$@"
END
chmod +x "$scratch/c++"
CXX=$scratch/c++ configure without_ns3 -Dapps=disabled
expect_match 'without ns-3' "$out" "Message: the module for ns-3 is not built: it needs \['ns3-core', .* \(tools/deps test\)$"
expect_match 'without ns-3, the summary' "$out" 'module for ns-3 +: NO$'
CXX=/nowhere/c++ configure without_cxx -Dapps=disabled
expect_match 'without C++' "$out" "Message: the module for ns-3 is not built: it needs \['a C\+\+ compiler'\] \(tools/deps test\)$"

configure library_alone -Dapps=disabled -Dns3=disabled
expect_match 'not asked for' "$out" 'module for ns-3 +: NO$'
expect_match 'the library alone' "$out" 'libweir-sim +: NO$'
expect_match 'the library alone, Python' "$out" 'Message: the Python package is not installed: there is no libweir-sim$'
if ninja -C "$scratch/library_alone" libweir.so.1.0.0 libweir.a >"$scratch/log" 2>&1; then status=0; else status=1; fi
expect_equal 'the library alone is built' "$status" 0
meson install -C "$scratch/library_alone" --no-rebuild --destdir "$scratch/to" --quiet >"$scratch/log" 2>&1 || cat "$scratch/log"
expect_equal 'what is installed of the simulator' "$(find "$scratch/to" -name '*sim*')" ''
finish
