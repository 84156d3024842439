#!/usr/bin/env bash
# The top level of the command: help, version, unknown commands and options, a full disk.
# shellcheck source=tests/apps/lib.sh
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
expect_match 'version' "$output" '^weir [0-9]+(\.[0-9]+)+(\+[0-9a-f]+(-dirty)?)?$'

for command in policies headroom run show export report repro slot replay; do
    expect_match 'help names every command' "$help" "^  $command "
    expect_run 0 '' "$WEIR" "$command" --help
    expect_equal "-h of $command" "$(grep -cE '^  -h, --help +print this text$' <<<"$output")" \
        "$(($(grep -c '^commands:$' <<<"$output") == 0))"
    text=$output
    expect_match "usage of $command" "$text" "^usage: weir $command"
    expect_match "example of $command" "$text" 'example'
    expect_run 0 '' "$WEIR" help "$command"
    expect_equal "help $command" "$output" "$text"
    expect_run 0 '' "$WEIR" "$command" -h
    expect_equal "$command -h" "$output" "$text"
done

for command in run fig14 table1; do
    expect_run 0 '' "$WEIR" slot "$command" --help
    text=$output
    expect_match "usage of slot $command" "$text" "^usage: weir slot $command"
    expect_run 0 '' "$WEIR" help slot "$command"
    expect_equal "help slot $command" "$output" "$text"
    expect_run 0 '' "$WEIR" slot help "$command"
    expect_equal "slot help $command" "$output" "$text"
done
expect_run 2 "weir: slot: unknown command 'fig15' (did you mean 'fig14'?)" "$WEIR" slot fig15
expect_run 2 "weir: slot: unknown command 'something' (see 'weir slot --help')" "$WEIR" help slot something
expect_run 2 "weir: slot: unexpected '-' (expected a command)" "$WEIR" slot -

expect_run 2 "weir: unknown command 'replya' (did you mean 'replay'?)" "$WEIR" replya
expect_run 2 "weir: unknown command 'polcies' (did you mean 'policies'?)" "$WEIR" help polcies
expect_run 2 "weir: unknown command 'something' (see 'weir --help')" "$WEIR" something else
expect_run 2 "weir: unknown command '' (see 'weir --help')" "$WEIR" ''
expect_run 2 "weir: unknown option --versoin (did you mean --version?)" "$WEIR" --versoin
expect_run 2 "weir: unknown option --policies (see 'weir --help')" "$WEIR" --policies
expect_run 2 "weir: unknown option -x (see 'weir --help')" "$WEIR" -x
expect_run 2 "weir: --version: unexpected value (expected none)" "$WEIR" --version=1
expect_run 2 "weir: unexpected '-' (expected a command)" "$WEIR" -
expect_run 2 "weir: unexpected '--' (expected a command)" "$WEIR" -- policies

full=0
"$WEIR" policies >/dev/full 2>.stderr || full=$?
expect_equal 'exit status with a full disk' "$full" 4
expect_equal 'message of a full disk' "$(cat .stderr)" 'weir: standard output: cannot write: No space left on device'
finish
