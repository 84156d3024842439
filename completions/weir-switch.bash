# Completion of weir-switch for bash: options, which come from the program itself, and files.

_weir_switch() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    case $before in
    --set | --scale | --prometheus | --memory | --drops-max) ;;
    --device) mapfile -t COMPREPLY < <(compgen -W 'net_af_packet net_af_xdp net_tap net_memif net_pcap net_ring
        net_null' -- "$current") ;;
    *)
        if [[ $current == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --help 2>/dev/null | grep -v '^example:' |
                grep -oE -- '^  (-h, )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)" -- "$current")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        ;;
    esac
}

complete -o filenames -F _weir_switch weir-switch
