#compdef @PROGRAM@
# Completion of @PROGRAM@ for zsh: the program says what may stand at the end of the line.
local line word
local -a names settings endings
for line in "${(@f)$("$words[1]" --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    word=${line%%$'\t'*}
    case $line in
    :folders)
        compset -P '--*='
        _files -/
        ;;
    :files*)
        compset -P '--*='
        endings=(${=line#:files})
        _files ${endings:+-g "*(${(j:|:)endings})"}
        ;;
    *=$'\t'*) settings+=("$word") ;;
    ?*) names+=("${word//:/\\:}:${line#*$'\t'}") ;;
    esac
done
(( $#settings )) && compadd -S '' -a settings
(( $#names )) && _describe -t words word names
return 0
