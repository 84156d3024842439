#!/usr/bin/env bash
# test_newcommand.sh - in a copy of the tree, a command made by the steps of CONTRIBUTING.md - one file, one line in the
# registry - is built, and help, manual page and completions know it.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"

copy=$scratch/weir
mkdir "$copy"
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" -xf -

# The example of CONTRIBUTING.md itself, so that it stays true.
# shellcheck disable=SC2016 # the quotes of Markdown
sed -n '/^## Adding a command/,/^## /p' "$root/CONTRIBUTING.md" | sed -n '/^```c/,/^```/p' | grep -v '^```' >"$copy/apps/weir/cmd_hello.c"
sed -i 's/^COMMAND(policies)/COMMAND(hello)\n&/' "$copy/apps/weir/commands.def"

if ! { meson setup "$copy/build/t" "$copy" --buildtype=plain -Dtests=disabled -Ddpdk=disabled &&
    ninja -C "$copy/build/t" apps/weir/weir docs/weir.1 docs/weir-hello.1; } >"$scratch/log" 2>&1; then
    tail -n 40 "$scratch/log"
fi
weir=$copy/build/t/apps/weir/weir
docs=$copy/build/t/docs

expect_match 'the list of commands' "$("$weir" --help)" '^  hello +greet somebody$'
expect_equal 'what it does' "$("$weir" hello --times 2 world)" $'hello, world\nhello, world'
help=$("$weir" hello --help)
expect_match 'usage' "$help" '^usage: weir hello \[--times N\] NAME$'
expect_match 'its option' "$help" '^  --times N +how often; default: 1$'
expect_match 'a mistake' "$("$weir" hello --tims 2 x 2>&1 || true)" 'unknown option --tims \(did you mean --times\?\)'
expect_match 'a missing operand' "$("$weir" hello 2>&1 || true)" "hello: no name \(expected whom to greet; see 'weir hello --help'\)"

expect_match 'weir.1' "$(cat "$docs/weir.1")" '^\.Xr weir-hello 1'
page=$(cat "$docs/weir-hello.1")
expect_match 'name of its page' "$page" '^\.Nd greet somebody$'
expect_match 'options of its page' "$page" '^\.It Fl -times Ar N$'
if command -v mandoc >/dev/null; then
    findings=$(mandoc -T lint "$docs/weir-hello.1" 2>&1 | grep -v 'referenced manual not found' || true)
    expect_equal 'mandoc -T lint' "$findings" ''
fi
expect_equal 'completion' "$("$weir" --complete hel)" $'hello\tgreet somebody\nhelp\tshow the help of a command'
expect_equal 'completion of its options' "$("$weir" --complete hello --t)" $'--times\thow often'
out=$("$copy/tools/tidy" --quiet "$copy" || true)
expect_no_match 'its file is tidy' "$out" 'cmd_hello'
finish
