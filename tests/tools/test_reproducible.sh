#!/usr/bin/env bash
# test_reproducible.sh - the same tree gives the same bytes: two copies in folders of different names and depths, built
# at different times and under different names of the build folder, without a cache of compilations. Takes minutes, so
# that only `make test-long` does it.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
if [ "${WEIR_TEST_ROUNDS:-1}" -le 1 ]; then
    echo 'skipped: two builds take minutes (make test-long)'
    exit 77
fi
export CCACHE_DISABLE=1

# build SOURCE FOLDER: a copy of the tree without what was built, and its programs.
build() {
    local source=$1 folder=$2
    mkdir -p "$source"
    tar -C "$root" --exclude=./build --exclude=./.git --exclude=node_modules -cf - . | tar -C "$source" -xf -
    [ ! -d "$root/show/node_modules" ] || cp -r "$root/show/node_modules" "$source/show/"
    meson setup "$folder" "$source" -Dtests=disabled >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
    nice ninja -C "$folder" >"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; exit 1; }
}
build "$scratch/one" "$scratch/one/build"
build "$scratch/a/longer/way/to/two" "$scratch/elsewhere"
for file in apps/weir/weir apps/weir-traffic/weir-traffic apps/weir-switch/weir-switch libweir.a libweir.so.2.0.0 libweir-sim.a libweir-sim.so.2.0.0; do
    [ -e "$scratch/one/build/$file" ] || continue # the switch needs DPDK
    expect_equal "$file" "$(sha256sum <"$scratch/elsewhere/$file")" "$(sha256sum <"$scratch/one/build/$file")"
    echo "$file: $(sha256sum <"$scratch/one/build/$file" | cut -c 1-16)"
done
finish
