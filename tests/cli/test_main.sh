#!/usr/bin/env bash
# The top level of the command: help, version, unknown commands and options, a full disk.
# shellcheck source=tests/cli/lib.sh
source "$(dirname "$0")/lib.sh"

expect_run 0 '' "$WEIR" --help
help=$output
expect_match 'help' "$help" '^usage: weir COMMAND'
expect_match 'help' "$help" '^example: weir '
expect_run 0 '' "$WEIR"
expect_equal 'weir alone' "$output" "$help"
expect_run 0 '' "$WEIR" help
expect_equal 'weir help' "$output" "$help"
expect_run 0 '' "$WEIR" -h
expect_equal 'weir -h' "$output" "$help"
expect_run 0 '' "$WEIR" --version
expect_match 'version' "$output" '^weir [0-9a-z.]+$'

for command in policies slot replay; do
    expect_match 'help names every command' "$help" "^  $command "
    expect_run 0 '' "$WEIR" "$command" --help
    text=$output
    expect_match "usage of $command" "$text" "^usage: weir $command"
    expect_match "example of $command" "$text" 'example'
    expect_run 0 '' "$WEIR" help "$command"
    expect_equal "help $command" "$output" "$text"
    expect_run 0 '' "$WEIR" "$command" -h
    expect_equal "$command -h" "$output" "$text"
done

expect_run 2 "weir: unknown command 'replya': weir: did you mean 'replay'?" "$WEIR" replya
expect_run 2 "weir: unknown command 'polcies': weir: did you mean 'policies'?" "$WEIR" help polcies
expect_run 2 "weir: unknown command 'something': weir: see 'weir --help'" "$WEIR" something else
expect_run 2 "weir: unknown command '': weir: see 'weir --help'" "$WEIR" ''
expect_run 2 "weir: unknown option --versoin: weir: did you mean --version?" "$WEIR" --versoin
expect_run 2 "weir: unknown option --policies: weir: see 'weir --help'" "$WEIR" --policies
expect_run 2 "weir: unknown option -x: weir: see 'weir --help'" "$WEIR" -x
expect_run 2 "weir: unexpected value: weir: option --version takes none" "$WEIR" --version=1
expect_run 2 "weir: unexpected '-': weir: expected a command" "$WEIR" -
expect_run 2 "weir: unexpected '--': weir: expected a command" "$WEIR" -- policies

full=0
"$WEIR" policies >/dev/full 2>.stderr || full=$?
expect_equal 'exit status with a full disk' "$full" 4
expect_equal 'message of a full disk' "$(cat .stderr)" 'weir: cannot write: standard output: No space left on device'
finish
