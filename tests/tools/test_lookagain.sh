#!/usr/bin/env bash
# test_lookagain.sh - a build that was configured before DPDK and ns-3 were there finds both: what `make bench` needs
# after `make demo`. ns-3 is pretended, DPDK is hidden at first.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

build=$scratch/build
mkdir -p "$scratch/pc" "$scratch/include/ns3" "$scratch/lib"
for folder in $(pkg-config --variable pc_path pkg-config | tr : ' '); do
    for file in "$folder"/*.pc; do
        [ ! -e "$file" ] || ln -sf "$file" "$scratch/pc/"
    done
done
rm -f "$scratch/pc/libdpdk.pc"

# has TARGET: whether the build would make it.
has() {
    meson introspect --targets "$build" | grep -q "\"name\": \"$1\"" && echo yes || echo no
}

cd "$root"
"$root/tools/lookagain" "$build" weir-switch # nothing is there yet: no complaint
PKG_CONFIG_LIBDIR=$scratch/pc meson setup "$build" -Dtests=disabled >"$scratch/log" 2>&1 || cat "$scratch/log"
expect_equal 'the switch without DPDK' "$(has weir-switch)" no
for module in core network traffic-control internet point-to-point; do
    touch "$scratch/include/ns3/$module-module.h"
    echo "int weir_$(tr - _ <<<"$module");" | cc -shared -x c - -o "$scratch/lib/libns3-$module.so"
done
before=$(stat -c %Y%i "$build/build.ninja")
"$root/tools/lookagain" "$build" weir-switch:libnowhere
expect_equal 'what needs a library that is not there' "$(stat -c %Y%i "$build/build.ninja")" "$before"
export CPATH=$scratch/include LIBRARY_PATH=$scratch/lib
"$root/tools/lookagain" "$build" weir-switch weir-ns3-leaf-spine
expect_equal 'ns-3 that came later' "$(has weir-ns3-leaf-spine)" yes
if pkg-config --exists 'libdpdk >= 22.11'; then
    expect_equal 'DPDK that came later' "$(has weir-switch)" yes
    before=$(stat -c %Y%i "$build/build.ninja")
    "$root/tools/lookagain" "$build" weir-switch:libdpdk weir-ns3-leaf-spine
    expect_equal 'a build that knows both' "$(stat -c %Y%i "$build/build.ninja")" "$before"
fi
finish
