#!/usr/bin/env bash
# test_install.sh - weir installed into an empty prefix, and used from there alone: a C and a C++ program with the shared
# and the static library, and a policy of one's own. BUILD is the build folder.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
: "${BUILD:?the build folder}"

meson install -C "$BUILD" --no-rebuild --quiet --destdir "$scratch/to" >"$scratch/log" 2>&1 || cat "$scratch/log"
prefix=$scratch/to$(meson introspect "$BUILD" --buildoptions |
    python3 -c 'import json, sys; print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
pc=$(find "$prefix" -name weir.pc)
lib=$(dirname "$(dirname "$pc")")
cp "$root/docs/examples/buffer.c" "$root/docs/examples/buffer.cpp" "$scratch"
version=$(sed -n 's/^#define WEIR_VERSION "\(.*\)"/\1/p' "$root/include/weir/version.h")
headers=$(cd "$root/include/weir" && printf '%s\n' ./*.h | grep -v naive.h)
unset WEIR_ROOT WEIR
cd "$scratch"
export PKG_CONFIG_PATH PKG_CONFIG="pkg-config --define-variable=prefix=$prefix"
PKG_CONFIG_PATH=$(dirname "$pc")

expect_equal 'version' "$($PKG_CONFIG --modversion weir)" "$version"
expect_equal 'headers' "$(cd "$prefix/include/weir" && printf '%s\n' ./*.h)" "$headers"
expect_match 'SONAME' "$(objdump -p "$lib/libweir.so")" 'SONAME +libweir\.so\.1$'
expect_equal 'by its links' "$(readlink "$lib/libweir.so") $(readlink "$lib/libweir.so.1")" 'libweir.so.1 libweir.so.1.0.0'
expect_equal 'what it needs' "$(objdump -p "$lib/libweir.so" | awk '/NEEDED/ {print $2}' | grep -v '^lib[cm]\.so' || true)" ''

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
sed -i 's/arrival->need_cells > limit/arrival->need_cells > limit + 1/' my-own/my_own.c
make -C my-own test WEIR=: >log 2>&1 && status=0 || status=1
expect_equal 'its test can fail' "$status" 1
finish
