#!/usr/bin/env bash
# test_pip.sh - `pip install .` without a network, into a new virtual environment, and a program that uses nothing else.
# PYTHON is the interpreter, BUILD the build folder.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/../../tools/assert.sh"
: "${PYTHON:?an interpreter with cffi}" "${BUILD:?the build folder}"

if ! "$PYTHON" -m venv --system-site-packages "$scratch/env" >"$scratch/log" 2>&1; then
    echo "skipped: $PYTHON makes no virtual environment (python3-venv)"
    exit 77
fi
# Whatever pip would have to download is an error; and there is no network, where the system lets us have none.
quiet=()
unshare --net true 2>/dev/null && quiet=(unshare --net)
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
status=0
(cd "$root" && "${quiet[@]}" "$scratch/env/bin/pip" install --config-settings build="$BUILD" .) >"$scratch/log" 2>&1 || status=$?
expect_equal 'pip install .' "$status $(grep -i error "$scratch/log" || true)" '0 '
expect_match 'the version' "$("$scratch/env/bin/pip" show weir)" "^Version: $(sed -n 's/^#define WEIR_VERSION "\(.*\)"/\1/p' "$root/include/weir/version.h")\$"

cp "$root/docs/examples/simulate.py" "$scratch"
cd "$scratch"
unset WEIR WEIR_ROOT WEIR_LIBRARY_PATH PYTHONPATH
said=$("$scratch/env/bin/python" simulate.py 2>&1)
expect_match 'its program' "$said" '^reserve: [0-9]+ us, [0-9]+ packets lost$'
expect_match 'its libraries' "$("$scratch/env/bin/python" -c 'import weir._library as l; print(l.find_command()); print(open("/proc/self/maps").read())')" \
    "$scratch/env/.*/weir/_bundled/libweir-sim\.so\.2"
said=$("$scratch/env/bin/python" -c '
import weir
scenario = {"until": "1ms", "topology": {"kind": "single", "hosts": 3}, "switch": {"buffer": "100KB", "policy": "dt"},
            "transports": {"t": {"kind": "dctcp"}}, "seeds": 3,
            "traffic": [{"kind": "incast", "tag": "a", "transport": "t", "sources": "h1-h2", "destination": "h0", "bytes": "100KB"}]}
print(len(weir.sweep(scenario, "x.db").measures("hops")))')
expect_equal 'its command' "$said" 3
expect_equal 'the same content, the same wheel' "$(cd "$root" && "$PYTHON" -c '
import hashlib, os, sys
sys.path.insert(0, "bind/python")
sys.dont_write_bytecode = True
import backend
made = []
for folder in sys.argv[2:]:
    os.makedirs(folder)
    name = backend.build_wheel(folder, {"build": sys.argv[1]})
    made.append(hashlib.sha256(open(os.path.join(folder, name), "rb").read()).hexdigest())
print(made[0] == made[1])' "$BUILD" "$scratch/one" "$scratch/two")" True

# pip hides the modules of the system from what it starts; meson is made of them.
mkdir -p "$scratch/hidden"
echo 'raise ImportError("hidden")' >"$scratch/hidden/mesonbuild.py"
expect_match 'meson is found' "$(cd "$root" && PYTHONPATH=$scratch/hidden "$PYTHON" -c '
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "bind/python")
import backend
backend.run(["meson", "--version"])' 2>&1)" '^[0-9.]+$'
finish
