#!/usr/bin/env bash
# playground.sh - the tests of the playground: builds its page and drives Chromium through it. Exit status 77: something for
# it is missing.
#
# WEIR is the command, WEIR_ROOT the source tree. With PICTURES=FOLDER there are pictures for the docs instead (`make pictures`).
set -euo pipefail
here=$WEIR_ROOT/tests/browser

skip() {
    echo "skipped: $1"
    exit 77
}
clang --target=wasm32-wasi -xc -o /dev/null - <<<'int main(void) { return 0; }' 2>/dev/null ||
    skip 'clang, lld or wasi-libc is missing (make playground installs them)'
command -v node >/dev/null || skip 'node is missing (tools/deps test)'
[ -d "$here/node_modules/playwright-core" ] || skip 'playwright-core is missing (tools/deps test)'
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip 'chromium is missing (tools/deps test)'
export CHROMIUM

make -s -C "$WEIR_ROOT" playground
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$WEIR_ROOT/build/playground.html" "$scratch/"
[ -z "${PICTURES-}" ] || PICTURES=$(realpath "$PICTURES")
cd "$scratch"
node "$here/playground.js" "$scratch" "$@"
