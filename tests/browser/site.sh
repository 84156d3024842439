#!/usr/bin/env bash
# site.sh - builds the site without reports and looks at it in Chromium. Exit status 77: something for it is missing.
#
# BUILD is the build folder, WEIR_ROOT the source tree.
set -euo pipefail
here=$WEIR_ROOT/tests/browser

skip() {
    echo "skipped: $1 (tools/deps test)"
    exit 77
}
command -v node >/dev/null || skip 'node is missing'
[ -d "$here/node_modules/playwright-core" ] || skip 'playwright-core is missing'
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip 'chromium is missing'
export CHROMIUM
/usr/bin/python3 -c 'import markdown_it' 2>/dev/null || skip 'python3-markdown-it is missing'
command -v mandoc >/dev/null || skip 'mandoc is missing'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$WEIR_ROOT/tools/site" "$scratch/site" --build "$BUILD" --no-reports
node "$here/site.js" "$scratch/site"
