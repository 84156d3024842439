#!/usr/bin/env bash
# test_parts.sh - what is missing leaves out a part, and the build says which: without cffi, without ns-3, without MPI, and
# the library alone. That weir without MPI is compiled and run takes a minute, so that only `make test-long` does it.
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

configure without_mpi -Dmpi=disabled -Dpython=disabled -Dns3=disabled -Dbuildtype=debug
expect_match 'without MPI, Open MPI' "$out" 'a sweep over Open MPI +: NO$'
expect_match 'without MPI, MPICH' "$out" 'a sweep over MPICH +: NO$'
targets=$(meson introspect --targets "$scratch/without_mpi")
expect_no_match 'without MPI, its modules' "$targets" 'weir-mpi'
# expect_missing PREFIX NAME PACKAGE: what weir says to an MPI whose variables begin with PREFIX.
expect_missing() {
    status=0
    out=$(env "$1_RANK=0" "$1_SIZE=2" "$weir" run scenarios/demo.yaml --quiet -o "$scratch/none.db" 2>&1) || status=$?
    expect_equal "without $2, status" "$status" 4
    expect_equal "without $2, message" "$out" \
        "weir: started by $2 as rank 0 of 2, and this weir was built without it (build weir where $3 is installed, or leave mpirun out: --jobs uses the processors of one machine)"
}
if [ "${WEIR_TEST_ROUNDS:-1}" -gt 1 ]; then
    weir=$scratch/without_mpi/apps/weir/weir
    nice ninja -C "$scratch/without_mpi" apps/weir/weir >"$scratch/log" 2>&1 || tail -n 40 "$scratch/log"
    expect_missing OMPI_COMM_WORLD 'Open MPI' libopenmpi-dev
    expect_missing PMI MPICH libmpich-dev
    status=0
    "$weir" run scenarios/demo.yaml --quiet -o "$scratch/demo.db" >"$scratch/log" 2>&1 || status=$?
    expect_equal 'without MPI, a sweep' "$status" 0
fi

configure library_alone -Dapps=disabled -Dns3=disabled
expect_match 'not asked for' "$out" 'module for ns-3 +: NO$'
expect_match 'the library alone' "$out" 'libweir-sim +: NO$'
expect_match 'the library alone, Python' "$out" 'Message: the Python package is not installed: there is no libweir-sim$'
if ninja -C "$scratch/library_alone" libweir.so.2.0.0 libweir.a >"$scratch/log" 2>&1; then status=0; else status=1; fi
expect_equal 'the library alone is built' "$status" 0
meson install -C "$scratch/library_alone" --no-rebuild --destdir "$scratch/to" --quiet >"$scratch/log" 2>&1 || cat "$scratch/log"
expect_equal 'what is installed of the simulator' "$(find "$scratch/to" -name '*sim*')" ''
finish
