#!/usr/bin/env bash
# test_astra_sim.sh - ASTRA-sim's network backend of the documentation compiles against a stub of its interface, and does
# what tests/run/embed/test_astra_sim.cc expects. BUILD is the build folder.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
: "${BUILD:?the build folder}"
if ! command -v c++ >/dev/null || [ ! -e "$BUILD/libweir-sim.so" ]; then
    echo 'skipped: the backend of ASTRA-sim: a C++ compiler or libweir-sim is missing'
    exit 77
fi
expect_equal 'warnings' "$(c++ -std=c++11 -Wall -Wextra -Werror -I"$root/docs/examples" -I"$root/tests/run/embed" -I"$root/include" \
    "$root/tests/run/embed/test_astra_sim.cc" -L"$BUILD" -lweir-sim -lweir -Wl,-rpath,"$BUILD" -o "$scratch/test" 2>&1)" ''
said=$("$scratch/test" 2>&1) || expect_equal 'its result' "$said" 'every expectation met'
finish
