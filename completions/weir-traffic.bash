# Completion of weir-traffic for bash: commands, options, which come from the program itself, and files.

_weir_traffic() {
    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W 'run serve dctcp help --help --version' -- "$current")
        return
    fi
    case $before in
    --host | --addresses | --set | --scale | --start | --warm-up | --port | --congestion | --gain | --initial-alpha) ;;
    *)
        if [[ $current == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" "$command" --help 2>/dev/null |
                grep -oE -- '^  (-h, )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)" -- "$current")
        elif [[ $command == help ]]; then
            mapfile -t COMPREPLY < <(compgen -W 'run serve dctcp' -- "$current")
        elif [[ $command == dctcp ]]; then
            mapfile -t COMPREPLY < <(compgen -W 'load hold unload status' -- "$current")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        ;;
    esac
}

complete -o filenames -F _weir_traffic weir-traffic
