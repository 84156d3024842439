#!/usr/bin/env bash
# test_install.sh - weir installed into an empty prefix, and used from there alone: C and C++ programs with the shared and
# the static libraries, a Python program, and a policy of one's own, in the MMU and in an embedded simulation. Every file has
# its Debian package. BUILD is the build folder.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
: "${BUILD:?the build folder}"

meson install -C "$BUILD" --no-rebuild --quiet --destdir "$scratch/to" >"$scratch/log" 2>&1 || cat "$scratch/log"
prefix=$scratch/to$(meson introspect "$BUILD" --buildoptions |
    python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
pc=$(find "$prefix" -name weir.pc)
lib=$(dirname "$(dirname "$pc")")
cp "$root"/docs/examples/{buffer,simulate}.{c,cpp} "$root/docs/examples/simulate.py" "$scratch"
version=$(sed -n 's/^#define WEIR_VERSION "\(.*\)"/\1/p' "$root/include/weir/version.h")
with_sim=$(find "$prefix" -name weir-sim.pc)
headers=$(cd "$root/include/weir" && printf '%s\n' ./*.h | grep -v naive.h | if [ -n "$with_sim" ]; then cat; else grep -v sim.h; fi)
unset WEIR_ROOT WEIR
cd "$scratch"
export PKG_CONFIG_PATH PKG_CONFIG="pkg-config --define-variable=prefix=$prefix"
PKG_CONFIG_PATH=$(dirname "$pc")

expect_equal 'version' "$($PKG_CONFIG --modversion weir)" "$version"
expect_equal 'headers' "$(cd "$prefix/include/weir" && printf '%s\n' ./*.h)" "$headers"
expect_match 'SONAME' "$(objdump -p "$lib/libweir.so")" 'SONAME +libweir\.so\.2$'
expect_equal 'by its links' "$(readlink "$lib/libweir.so") $(readlink "$lib/libweir.so.2")" 'libweir.so.2 libweir.so.2.0.0'
expect_equal 'what it needs' "$(objdump -p "$lib/libweir.so" | awk '/NEEDED/ {print $2}' | grep -v '^lib[cm]\.so' || true)" ''

# What is in no package ends `make deb`, which is no part of `make test`. The module for ns-3 is not packaged.
mapfile -t packaged < <(grep -hv '^#' "$root"/debian/*.install "$root/debian/not-installed")
without_package() {
    local file pattern of
    while read -r file; do
        of=${file#"${lib#"$prefix/"}"}
        for pattern in "${packaged[@]}"; do
            # shellcheck disable=SC2053 # patterns
            [[ usr/$file != $pattern && usr/$file != $pattern/* ]] || continue 2
            # shellcheck disable=SC2053 # libraries: packages have them in lib/TRIPLET, a build perhaps in lib64
            [[ usr/lib/any$of != $pattern && usr/lib/any$of != $pattern/* ]] || continue 2
        done
        echo "$file"
    done
}
expect_equal 'files without a package' "$(cd "$prefix" && find . ! -type d ! -name '*ns3*' -printf '%P\n' | without_package)" ''

# Every header alone, in both languages, without a word from the compiler.
cflags=$($PKG_CONFIG --cflags weir)
strict='-Wall -Wextra -pedantic -Werror -fsyntax-only'
for header in $headers; do
    echo "#include <weir/$header>" >one.h
    for language in 'cc -x c -std=c11' 'c++ -x c++ -std=c++11' 'c++ -x c++ -std=c++20'; do
        # shellcheck disable=SC2086 # options
        expect_equal "$header, $language" "$($language $strict $cflags one.h 2>&1)" ''
    done
done

# build WHAT COMMAND...: says nothing, and reads nothing of the source tree.
build() {
    expect_equal "$1" "$("${@:2}" -Wall -Wextra -pedantic -Werror 2>&1)" ''
}
# shellcheck disable=SC2046,SC2086 # options
{
    build 'C' cc -std=c11 buffer.c $($PKG_CONFIG --cflags --libs weir) -Wl,-rpath,"$lib" -o with_c
    build 'C, static' cc -std=c11 buffer.c $cflags "$lib/libweir.a" -o with_c_static
    build 'C++' c++ -std=c++17 buffer.cpp $($PKG_CONFIG --cflags --libs weir) -Wl,-rpath,"$lib" -o with_cpp
    expect_no_match 'the source tree' "$(cc -M buffer.c $cflags)" "$root/"
}
expect_equal 'C runs' "$(./with_c)" "weir $version, Dynamic Threshold: 33 of 100 packets accepted, 33 sent"
expect_equal 'C runs, static' "$(./with_c_static)" "$(./with_c)"
expect_match 'C++ runs' "$(./with_cpp)" '^dt: 50 of 200$'

# The simulator, where it was built.
if [ -n "$with_sim" ]; then
    expect_match 'SONAME' "$(objdump -p "$lib/libweir-sim.so")" 'SONAME +libweir-sim\.so\.2$'
    expect_match 'one MMU for both' "$(objdump -p "$lib/libweir-sim.so")" 'NEEDED +libweir\.so\.2$'
    expect_equal 'names of the static one' "$(nm -g --defined-only "$lib/libweir-sim.a" | awk 'NF == 3 {print $3}' | grep -v ^weir_sim_ || true)" ''
    # shellcheck disable=SC2046,SC2086 # options
    {
        build 'sim, C' cc -std=c11 simulate.c $($PKG_CONFIG --cflags --libs weir-sim) -Wl,-rpath,"$lib" -o sim_c
        build 'sim, C, static' cc -std=c11 simulate.c $cflags "$lib/libweir-sim.a" "$lib/libweir.a" -rdynamic \
            $($PKG_CONFIG --libs yaml-0.1 jansson libpcap libzstd) $($PKG_CONFIG --libs zlib 2>/dev/null) -lm -lpthread -o sim_c_static
        build 'sim, C++' c++ -std=c++17 -pthread simulate.cpp $($PKG_CONFIG --cflags --libs weir-sim) -Wl,-rpath,"$lib" -o sim_cpp
        expect_no_match 'the source tree' "$(cc -M simulate.c $cflags)" "$root/"
    }
    expect_match 'sim runs' "$(./sim_c)" '^the burst took [0-9]+ us, [0-9]+ packets were lost, digest [0-9a-f]{16}$'
    expect_equal 'sim runs, static' "$(./sim_c_static)" "$(./sim_c)"
    expect_match 'sim says what is wrong' "$(./sim_c switch.policy=nix 2>&1)" "^set switch.policy=nix: unknown policy 'nix'"
    expect_equal 'sim runs, C++' "$(LD_LIBRARY_PATH=$lib ./sim_cpp | wc -l)" 3
    # The same numbers as the command, of the same scenario.
    sed -n 's/^[^"]*"\(.*\)\\n"[;,]*$/\1/p; s/^[^"]*"\(- {kind: incast.*, \)"$/\1/p' simulate.c | awk '/destination: h0, $/ {printf "%s", $0; next} {print}' >incast.yaml
    digest=$("$prefix/bin/weir" run --json --quiet --set switch.policy.alpha=2 -o incast.db incast.yaml | sed -n 's/.*"digest": "\(.*\)".*/\1/p')
    expect_match 'the digest of the command' "$(./sim_c)" "digest $digest\$"
fi

# The module for ns-3, where it was built: a whole program from the prefix alone.
if [ -n "$(find "$prefix" -name weir-ns3.pc)" ]; then
    cp "$root/docs/examples/ns3.cc" .
    # shellcheck disable=SC2046 # options
    {
        build 'ns-3' c++ -std=$($PKG_CONFIG --variable=std weir-ns3) ns3.cc $($PKG_CONFIG --cflags --libs weir-ns3) -lns3-applications -Wl,-rpath,"$lib" -o ns3-burst
        expect_no_match 'the source tree' "$(c++ -std=$($PKG_CONFIG --variable=std weir-ns3) -M ns3.cc $($PKG_CONFIG --cflags weir-ns3))" "$root/"
    }
    expect_match 'SONAME' "$(objdump -p "$lib/libweir-ns3.so")" 'SONAME +libweir-ns3\.so\.1$'
    expect_match 'ns-3 runs' "$(LD_LIBRARY_PATH=$lib ./ns3-burst --policy=lqd --trace=leaf.wtr)" '^lqd: 448000 B answered in '
    [ ! -x "$prefix/bin/weir" ] || expect_match 'its trace' "$("$prefix/bin/weir" replay leaf.wtr)" '^core agrees$'
fi

# Python, where cffi is.
package=$(find "$prefix" -path '*/weir/__init__.py' -printf '%h\n')
if [ -n "$package" ]; then
    python=/usr/bin/python3
    "$python" -c 'import cffi' 2>/dev/null || python=python3
    said=$(env -u WEIR_LIBRARY_PATH -u LD_LIBRARY_PATH PYTHONPATH="${package%/weir}" PYTHONDONTWRITEBYTECODE=1 "$python" simulate.py)
    expect_match 'Python' "$said" '^reserve: [0-9]+ us, [0-9]+ packets lost$'
    expect_match 'its libraries' "$(env -u WEIR_LIBRARY_PATH -u LD_LIBRARY_PATH PYTHONPATH="${package%/weir}" "$python" -c 'import weir._library; print(open("/proc/self/maps").read())')" \
        "$lib/libweir-sim\.so\.2"
fi

# A policy of one's own.
"$prefix/share/weir/tools/newpolicy" --external my-own >log
expect_match 'newpolicy' "$(cat log)" '^newpolicy: wrote my-own/my_own.c, my-own/test_my_own.c and my-own/Makefile$'
expect_equal 'twice' "$("$prefix/share/weir/tools/newpolicy" --external my-own 2>&1)" 'newpolicy: my-own exists already'
weir=$prefix/bin/weir
[ -x "$weir" ] || weir=: # the library alone
status=0
make -C my-own test -n WEIR=: >log 2>&1
expect_match 'the installed headers' "$(cat log)" " -I$prefix/include "
make -C my-own test CFLAGS='-O2 -Wall -Wextra -pedantic -Werror' WEIR="$weir" >log 2>&1 || status=$?
expect_equal 'make test' "$status" 0
expect_match 'its test' "$(cat log)" '^my-own: all as expected$'
if [ "$weir" != : ]; then
    expect_match 'in weir' "$(cat log)" '^name +my-own$'
    expect_match 'in the slotted model' "$(cat log)" '^my-own '
fi
if [ -n "$with_sim" ]; then
    sed 's/weir_sim_create(&source, &error);/weir_sim_load_policies("my-own\/my_own.so", \&error) ? weir_sim_create(\&source, \&error) : NULL;/' simulate.c >own.c
    # shellcheck disable=SC2046 # options
    build 'with a policy of its own' cc -std=c11 own.c $($PKG_CONFIG --cflags --libs weir-sim) -Wl,-rpath,"$lib" -o own
    if [ -n "$package" ]; then
        said=$(PYTHONPATH="${package%/weir}" PYTHONDONTWRITEBYTECODE=1 "$python" -c '
import weir
weir.load_policies("my-own/my_own.so")
print(weir.MMU(4, 1000, "my-own").arrive(0, 100).accepted)')
        expect_equal 'its own policy, in Python' "$said" True
    fi
    expect_match 'its own policy' "$(./own switch.policy=my-own)" '^the burst took [0-9]+ us'
fi
sed -i 's/arrival->need_cells > limit/arrival->need_cells > limit + 1/' my-own/my_own.c
make -C my-own test WEIR=: >log 2>&1 && status=0 || status=1
expect_equal 'its test can fail' "$status" 1
finish
