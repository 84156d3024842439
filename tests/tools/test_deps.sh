#!/usr/bin/env bash
# test_deps.sh - tools/deps on pretended systems: complete, incomplete as user and as root, and not Debian.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

bin=$scratch/bin
mkdir -p "$bin"
ln -s "$(command -v bash)" "$(command -v env)" "$bin/"

# pretend NAME, the script on standard input
pretend() {
    { echo '#!/bin/bash' && cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}

run_deps() {
    status=0
    out=$(PATH=$bin "$root/tools/deps" "$@" 2>&1) || status=$?
}

pretend apt-cache <<<'echo Package:'
pretend apt-get <<<"echo \"\$*\" >>'$scratch/apt'"
pretend npm <<<"echo \"\$PWD \$*\" >>'$scratch/npm'"
pretend chromium <<<'exit 0'
pretend id <<<'echo 1000'
pretend dpkg-query <<'S'
shift 3
for package; do printf '%s/installed ' "$package"; done
S
run_deps test
expect_equal "complete" "$status:$out" "0:"
run_deps nonsense
expect_equal "bad mode" "$status" 2

# One package was removed, one was never there.
pretend dpkg-query <<'S'
shift 3
for package; do
    case $package in
    meson) printf 'meson/config-files ' ;;
    libcmocka-dev) ;;
    *) printf '%s/installed ' "$package" ;;
    esac
done
exit 1
S
run_deps test
expect_equal "user" "$status" 1
expect_match "user" "$out" 'run: sudo apt-get install --no-install-recommends meson libcmocka-dev$'
[ ! -e "$scratch/apt" ] || expect_equal "user must not install" "$(cat "$scratch/apt")" ""

pretend id <<<'echo 0'
run_deps build
expect_equal "root" "$status" 0
expect_equal "root installs what is missing" "$(tail -n 1 "$scratch/apt")" \
    "install -y -qq --no-install-recommends meson"

pretend apt-cache <<<"[ \"\$2\" = libcmocka-dev ] || echo Package:"
run_deps test
expect_equal "root, one package unknown" "$status:$(tail -n 1 "$scratch/apt")" \
    "0:install -y -qq --no-install-recommends meson"
expect_match "root, one package unknown" "$out" 'warning: this system has no package libcmocka-dev; going on without it$'
pretend apt-cache <<<'echo Package:'

pretend dpkg-query <<<'exit 1'
run_deps mpich
expect_equal "MPICH alone" "$(tail -n 1 "$scratch/apt")" "install -y -qq --no-install-recommends mpich libmpich-dev"

# npm and chromium are looked for by command: another source than Debian may have brought them. What npm installs is
# asked of it once, where the folder is not there; that it cannot is no reason to fail.
pretend dpkg-query <<'S'
shift 3
for package; do printf '%s/installed ' "$package"; done
S
rm "$bin/chromium"
run_deps test
expect_equal "chromium" "$(tail -n 1 "$scratch/apt")" "install -y -qq --no-install-recommends chromium"
pretend chromium <<<'exit 0'
copy=$scratch/copy
mkdir -p "$copy/tools" "$copy/show/node_modules/uplot" "$copy/tests/browser"
cp "$root/tools/deps" "$copy/tools/"
rm -f "$scratch/npm"
out=$(PATH=$bin "$copy/tools/deps" test 2>&1)
expect_equal "npm is asked for what is missing" "$out:$(cat "$scratch/npm")" \
    ":$copy/tests/browser ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000 --silent"
pretend npm <<<'exit 1'
status=0
out=$(PATH=$bin "$copy/tools/deps" test 2>&1) || status=$?
expect_equal "npm fails" "$status:$out" "0:deps: warning: npm could not install playwright-core; going on without it"

rm "$bin/dpkg-query" "$bin/apt-get" "$bin/npm"
run_deps build
expect_equal "other system, tools missing" "$status" 1
expect_match "other system, tools missing" "$out" 'not a Debian system.*meson ninja.*jansson\.pc'
for tool in cc meson ninja pkg-config python3 npm; do
    pretend "$tool" <<<'exit 0'
done
run_deps build
expect_equal "other system, tools there" "$status:$out" "0:"

# Whoever cannot install goes on with what there is, but not in CI. The commands that would build do nothing here.
cp "$root/Makefile" "$copy/"
printf '#!/bin/bash\necho "deps: missing packages; run: install them"; exit 1\n' >"$copy/tools/deps"
printf '#!/bin/bash\n' >"$copy/tools/lookagain"
chmod +x "$copy/tools/lookagain"
make=$(command -v make || true)
if [ -n "$make" ]; then
    for tool in echo mkdir sh; do
        ln -s "$(type -P "$tool")" "$bin/"
    done
    out=$(PATH=$bin "$make" -C "$copy" --no-print-directory demo CI= WEIR="$bin/npm" 2>&1) || true
    expect_match "demo goes on" "$out" '^demo: going on with what there is$'
    expect_match "demo, to its end" "$out" '^Open build/demo/demo.html'
    out=$(PATH=$bin "$make" -C "$copy" --no-print-directory demo CI= WEIR="$bin/none" 2>&1) || true
    expect_match "demo without the command" "$out" 'demo: the weir command was not built; it needs jansson'
    out=$(PATH=$bin "$make" -C "$copy" --no-print-directory demo CI=true WEIR="$bin/npm" 2>&1) || true
    expect_no_match "demo in CI" "$out" 'going on|Open build'
    expect_match "warnings are errors in CI" "$("$make" -C "$copy" -n test CI=true)" '-Dwerror=true'
    expect_no_match "and nowhere else" "$("$make" -C "$copy" -n test CI=)" 'werror'
fi
finish
