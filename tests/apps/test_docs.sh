#!/usr/bin/env bash
# What is written about the command is true: manual pages and completions, which come from the tables of the commands,
# name every option that the help names, and shells offer what they should. DOCS is where the build puts them.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"
: "${DOCS:?the folder of the pages that were built}"

# check PAGE PROGRAM COMMAND...
check() {
    local page=$1 program=$2 option options
    shift 2
    options=$("$program" "$@" --help | grep -oE -- '^  (-[a-z], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+')
    expect_match "$page: options of $*" "$options" '^--help$'
    for option in $options; do
        expect_match "$page names $option of $*" "$(cat "$DOCS/$page")" "^\\.It .*Fl ${option#-}( |$)"
        expect_match "completion names $option of $*" "$("$program" --complete "$@" "$option")" "^$option"$'\t.'
    done
}
for command in policies headroom lint scenario init check run show diff export measures report repro replay switch; do
    check "weir-$command.1" "$WEIR" "$command"
done
for command in run fig14 table1; do
    check weir-slot.1 "$WEIR" slot "$command"
done
for command in up run down status; do
    check weir-testbed.1 "$WEIR" testbed "$command"
done
switch=${WEIR_SWITCH:-$(dirname "$WEIR")/../weir-switch/weir-switch}
if [ -x "$switch" ]; then
    check weir-switch.1 "$switch"
    expect_no_match 'marks that nobody filled in' "$(cat "$DOCS"/*.1)" '^\.\\" [A-Z]+ weir'
fi
for command in $("$WEIR" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    expect_match "weir.1 names $command" "$(cat "$DOCS/weir.1")" "^\\.It Cm $command$"
    expect_match "weir.1 sees $command" "$(cat "$DOCS/weir.1")" "^\\.Xr weir-$command 1"
done
if command -v mandoc >/dev/null; then
    # The pages refer to one another, but are not installed here.
    findings=$(mandoc -T lint "$DOCS"/*.1 2>&1 | grep -vE 'referenced manual not found|operating system explicitly specified' || true)
    expect_equal 'mandoc -T lint' "$findings" ''
fi

# A page made by tools/newpolicy has the sections of those that are there.
sections=$(grep '^## ' "$root/tools/templates/doc.md.in" || true)
expect_equal 'sections of a new page' "$sections" "$(grep '^## ' "$root/docs/policies/dt.md")"
# shellcheck disable=SC2016 # the quotes of Markdown
expect_match 'title of a new page' "$(head -n 1 "$root/tools/templates/doc.md.in")" '^# .* \(`@NAME@`\)$'

# complete LINE: what bash offers at its end, words split as readline does.
complete_line() { # complete_line LINE
    complete_with "$WEIR" _weir "$1"
}
expect_equal 'help of a command of slot' "$(complete_line 'weir help slot fi')" 'fig14'
expect_equal 'commands' "$(complete_line 'weir repl')" 'replay'
expect_equal 'options of run' "$(complete_line 'weir run --se')" '--seed --seeds --series --set'
expect_equal 'help of a command' "$(complete_line 'weir help sh')" 'show'
expect_equal 'a chip' "$(complete_line 'weir headroom --chip trident2')" 'trident2'
expect_equal 'a format' "$(complete_line 'weir report --format s')" 'svg'
expect_equal 'a format behind =' "$(complete_line 'weir report --format=s')" 'svg'
expect_equal 'what an answer means' "$("$WEIR" --complete report --no)" $'--no-title\tleave the title to the caption'
expect_equal 'files of one kind' "$("$WEIR" --complete show '')" ':files .db'
expect_equal 'options' "$(complete_line 'weir replay --no')" '--no-naive'
expect_equal 'a policy' "$(complete_line 'weir policies cred')" 'credence'
expect_equal 'a policy to run' "$(complete_line 'weir slot run --policy occ')" 'occamy occamy-p4'
expect_equal 'a parameter' "$(complete_line 'weir slot run --policy occamy:al')" 'alpha='
expect_equal 'a second parameter' "$(complete_line 'weir slot run --policy occamy:alpha=8:sel')" 'select='
expect_equal 'a scenario of testbed up' "$(cd "$root" && complete_line 'weir testbed up scenarios/de')" 'scenarios/demo.yaml'
expect_equal 'a choice' "$(complete_line 'weir slot run --traffic uni')" 'uniform'
expect_equal 'commands of switch' "$(complete_line 'weir switch st')" 'status stop'
expect_equal 'a view' "$(complete_line 'weir switch counters --clear us')" 'user'
expect_equal 'commands of slot' "$(complete_line 'weir slot fi')" 'fig14'
expect_equal 'actions of switch trace' "$(complete_line 'weir switch trace st')" 'start stop'
expect_equal 'a figure' "$(complete_line 'weir repro tdt/fig1')" 'tdt/fig10 tdt/fig11 tdt/fig12 tdt/fig13 tdt/fig14'
expect_equal 'nothing for a number' "$(complete_line 'weir run --seed ')" ''
expect_equal 'no options of others' "$(complete_line 'weir testbed down --')" '--all --help --name'
touch here.yaml here.db
mkdir folder
expect_equal 'a file' "$(complete_line 'weir run he')" 'here.yaml'
expect_equal 'a database behind a letter' "$(complete_line 'weir run x.yaml -o he')" 'here.db'
expect_equal 'a folder' "$(complete_line 'weir repro --output ')" 'folder'
for shell in "$DOCS"/weir "$DOCS"/weir-*; do
    case $shell in *.1 | *.half) continue ;; esac
    expect_equal "syntax of $(basename "$shell")" "$(bash -n "$shell" 2>&1)" ''
    if command -v shellcheck >/dev/null; then
        expect_equal "shellcheck of $(basename "$shell")" "$(shellcheck -s bash -f gcc "$shell" || true)" ''
    fi
done
if command -v zsh >/dev/null; then
    for shell in "$DOCS"/_weir*; do
        expect_equal "syntax of $(basename "$shell")" "$(zsh -n "$shell" 2>&1)" ''
    done
    # What zsh is told, without a terminal: its own functions print what they get.
    told=$(cd "$root" && PATH=$(dirname "$WEIR"):$PATH zsh -fc '
        compadd() { print -r -- "compadd $*:" $settings; }
        _describe() { print -r -- $names; }
        _files() { print -r -- "_files $*"; }
        compset() { true; }
        ask() { source "$DOCS/_weir"; }
        for line in "repl" "show " "slot run --policy occamy:al" "repro --output "; do
            words=(weir ${(s: :)line})
            [[ $line == *" " ]] && words+=("")
            CURRENT=$#words
            ask
        done' 2>&1)
    expect_equal 'zsh' "$told" "replay:run a recorded trace again and compare every decision
_files -g *(.db)
compadd -S  -a settings: occamy:alpha=
_files -/"
fi
# Every metric of the dashboard and of the alerts is one that the switch gives.
if [ -n "$has_python" ]; then
    for metric in $(python3 -c 'import json, re, sys
for panel in json.load(open(sys.argv[1]))["panels"]:
    for target in panel["targets"]:
        print("\n".join(re.findall(r"weir_(\w+)", target["expr"])))
for line in open(sys.argv[2]):
    if line.strip().startswith("expr:"):
        print("\n".join(re.findall(r"weir_(\w+)", line)))' \
        "$root/docs/grafana/weir-switch.json" "$root/docs/grafana/weir-switch-alerts.yaml" | sort -u); do
        expect_match "the dashboard's weir_$metric" "$(cat "$root/switch/control/metrics.c" "$root/switch/control/prometheus.c")" "\"$metric\""
    done
fi
finish
