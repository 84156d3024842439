# Completion of @PROGRAM@ for bash: the program says what may stand at the end of the line.
@FUNCTION@() {
    local line=${COMP_LINE:0:COMP_POINT} current start word ending
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    current=${words[-1]}
    [[ $current == --*=* ]] && current=${current#*=} # files stand behind the option
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        case $word in
        :folders)
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            ;;
        :files)
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            ;;
        :files\ *)
            mapfile -t COMPREPLY < <(compgen -d -- "$current"
                for ending in ${word#:files}; do compgen -f -X "!*$ending" -- "$current"; done)
            return
            ;;
        *) COMPREPLY+=("$word") ;;
        esac
    done < <("${COMP_WORDS[0]}" --complete "${words[@]:1}" 2>/dev/null)
    current=${words[-1]}
    start=${current%"${current##*[:=]}"} # readline replaces only what is behind these
    COMPREPLY=("${COMPREPLY[@]#"$start"}")
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}

complete -o filenames -F @FUNCTION@ @PROGRAM@
