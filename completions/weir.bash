# Completion of the weir command for bash: commands, options, policy names and parameters, files.
# Names come from the command itself (`weir policies`), so that a new policy is completed without a change here.

_weir_policies() {
    "${COMP_WORDS[0]}" policies 2>/dev/null | tail -n +2 | cut -d' ' -f1
}

# Completes NAME or NAME:parameter=...; readline splits words at ':' and '=', hence the joined text.
_weir_policy_text() {
    local text=${COMP_LINE:0:COMP_POINT} name
    text=${text##*[[:space:]]}
    text=${text#--policy=}
    if [[ $text != *:* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_weir_policies)" -- "$text")
        return
    fi
    name=${text%%:*}
    [[ ${text##*:} == *=* ]] && return
    mapfile -t COMPREPLY < <(compgen -S = -W "$("${COMP_WORDS[0]}" policies "$name" 2>/dev/null |
        sed '1,/^parameter /d' | cut -d' ' -f1)" -- "${text##*:}")
    compopt -o nospace
}

_weir_options() {
    "${COMP_WORDS[0]}" "$@" --help 2>/dev/null | grep -v '^example:' | grep -oE -- '(^|[ [,|])--[a-z0-9-]+' |
        tr -d ' [,|' | sort -u
}

_weir() {
    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} path=("${COMP_WORDS[1]}") before
    local line=${COMP_LINE:0:COMP_POINT}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W 'policies headroom slot run show export report repro replay switch testbed help
            --help --version' -- "$current")
        return
    fi
    if ((COMP_CWORD == 2)) && [[ $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'policies headroom slot run show export report repro replay switch
            testbed' -- "$current")
        return
    fi
    if ((COMP_CWORD == 3)) && [[ $command == help && ${COMP_WORDS[2]} == slot ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'run fig14 table1' -- "$current")
        return
    fi
    if ((COMP_CWORD == 3)) && [[ $command == help && ${COMP_WORDS[2]} == testbed ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'up run down status' -- "$current")
        return
    fi
    if ((COMP_CWORD == 2)) && [[ $command == slot ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'run fig14 table1 help --help' -- "$current")
        return
    fi
    if ((COMP_CWORD == 2)) && [[ $command == testbed ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'up run down status help --help' -- "$current")
        return
    fi
    if ((COMP_CWORD == 2)) && [[ $command == switch ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'status counters set trace stop --help' -- "$current")
        return
    fi
    if ((COMP_CWORD == 3)) && [[ $command == switch && ${COMP_WORDS[2]} == trace ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'start stop' -- "$current")
        return
    fi
    [[ $command == slot || $command == testbed ]] && path+=("${COMP_WORDS[2]}")
    if [[ $line =~ --policy[=[:space:]]+[^[:space:]]*$ ]]; then
        _weir_policy_text
        return
    fi
    before=${COMP_WORDS[COMP_CWORD - 1]}
    case $before in
    --traffic)
        mapfile -t COMPREPLY < <(compgen -W 'bursts uniform onoff cs-adversary dt-adversary followlqd-adversary
            lqd-adversary file' -- "$current")
        ;;
    --oracle) mapfile -t COMPREPLY < <(compgen -W 'perfect wrong flip=' -- "$current") ;;
    --headroom-size) mapfile -t COMPREPLY < <(compgen -W 'equation safe' -- "$current") ;;
    --chip)
        mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" headroom --trend 2>/dev/null | tail -n +2 |
            cut -d' ' -f1)" -- "$current")
        ;;
    --clear) mapfile -t COMPREPLY < <(compgen -W 'periodic user persistent' -- "$current") ;;
    --format) mapfile -t COMPREPLY < <(compgen -W 'html svg gnuplot' -- "$current") ;;
    --arrivals | --save-arrivals | --trace | --rows | --csv | --records | --series | --losses | --pauses | --output | -o | \
        --results | --scenarios | --control)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        ;;
    *)
        if [[ $current == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$(_weir_options "${path[@]}")" -- "$current")
        elif [[ $command == policies ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$(_weir_policies)" -- "$current")
        elif [[ $command == repro ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" repro 2>/dev/null |
                sed -n '/^[a-z0-9-]*\//s/ .*//p')" -- "$current")
        elif [[ $command == replay || $command == run || $command == show || $command == export ||
            $command == report || $command == headroom || $command == switch || $command == testbed ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        ;;
    esac
}

complete -o filenames -F _weir weir
