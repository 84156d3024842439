#!/usr/bin/env bash
# What is written about the command is true: manual pages and completions name every option that the help names.
# shellcheck source=tests/apps/lib.sh
source "$(dirname "$0")/lib.sh"

options_of() {
    "$WEIR" "$@" --help | grep -v '^example:' | grep -oE -- '(^|[ [,|])--[a-z0-9-]+' | tr -d ' [,|' | sort -u
}

check() {
    local page=$1 option
    shift
    for option in $(options_of "$@"); do
        expect_match "$page names $option of weir $*" "$(cat "$root/docs/man/$page")" "Fl .*${option#-}( |$)"
        [ "$option" = --help ] || expect_match "_weir names $option of weir $*" "$(cat "$root/completions/_weir")" \
            "('|\\{-o,)(\\([^)]*\\))?\\*?$option(\\}')?\\["
    done
}
check weir-policies.1 policies
check weir-headroom.1 headroom
check weir-replay.1 replay
check weir-run.1 run
check weir-show.1 show
check weir-export.1 export
check weir-report.1 report
check weir-repro.1 repro
check weir-switch.1 switch
for command in run fig14 table1; do
    check weir-slot.1 slot "$command"
done
switch=${WEIR_SWITCH:-$(dirname "$WEIR")/../weir-switch/weir-switch}
if [ -x "$switch" ]; then
    for option in $("$switch" --help | grep -oE -- '^  (-h, )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        expect_match "weir-switch.1 names $option" "$(cat "$root/docs/man/weir-switch.1")" "Fl .*${option#-}( |$)"
        expect_match "_weir-switch names $option" "$(cat "$root/completions/_weir-switch")" "[*',)]$option(\[|\}')"
    done
fi
for command in up run down status; do
    check weir-testbed.1 testbed "$command"
done
if command -v mandoc >/dev/null; then
    # The pages refer to one another, but are not installed here.
    findings=$(mandoc -T lint "$root"/docs/man/*.1 2>&1 | grep -v 'referenced manual not found' || true)
    expect_equal 'mandoc -T lint' "$findings" ''
fi

# A page made by tools/newpolicy has the sections of those that are there.
sections=$(grep '^## ' "$root/tools/templates/doc.md.in" || true)
expect_equal 'sections of a new page' "$sections" "$(grep '^## ' "$root/docs/policies/dt.md")"
# shellcheck disable=SC2016 # the quotes of Markdown
expect_match 'title of a new page' "$(head -n 1 "$root/tools/templates/doc.md.in")" '^# .* \(`@NAME@`\)$'

# complete LINE: what bash offers at its end, words split as readline does.
complete_line() {
    PATH=$(dirname "$WEIR"):$PATH bash -c '
        source "$1/completions/weir.bash"
        compopt() { :; }
        COMP_LINE=$2 COMP_POINT=${#2}
        read -ra COMP_WORDS <<<"${2//:/ : }"
        [[ $2 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _weir
        echo "${COMPREPLY[*]}"' bash "$root" "$1"
}
expect_equal 'help of a command of slot' "$(complete_line 'weir help slot fi')" 'fig14'
expect_equal 'commands' "$(complete_line 'weir repl')" 'replay'
expect_equal 'options of run' "$(complete_line 'weir run --se')" '--seed --seeds --series --set'
expect_equal 'help of a command' "$(complete_line 'weir help sh')" 'show'
expect_equal 'a chip' "$(complete_line 'weir headroom --chip trident2')" 'trident2'
expect_equal 'a format' "$(complete_line 'weir report --format s')" 'svg'
expect_equal 'options' "$(complete_line 'weir replay --no')" '--no-naive'
expect_equal 'a policy' "$(complete_line 'weir policies cred')" 'credence'
expect_equal 'a policy to run' "$(complete_line 'weir slot run --policy occ')" 'occamy occamy-p4'
expect_equal 'a parameter' "$(complete_line 'weir slot run --policy occamy:al')" 'alpha='
expect_equal 'a choice' "$(complete_line 'weir slot run --traffic uni')" 'uniform'
expect_equal 'commands of switch' "$(complete_line 'weir switch st')" 'status stop'
expect_equal 'a view' "$(complete_line 'weir switch counters --clear us')" 'user'
expect_equal 'commands of slot' "$(complete_line 'weir slot fi')" 'fig14'
finish
