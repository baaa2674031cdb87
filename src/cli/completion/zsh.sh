#compdef mediactl
_mediactl() {
    local -a whole open
    local line value help
    for line in "${(@f)$(COMPLETE=zsh PROGRAM -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        value=${line%%$'\t'*} help=${line#*$'\t'}
        line=${${value% }//:/\\:}${help:+:$help}
        if [[ $value == *' ' ]]; then whole+=($line); else open+=($line); fi
    done
    (( $#open )) && _describe -V -t open candidates open -U -S ''
    (( $#whole )) && _describe -V -t whole candidates whole -U
}
if [[ $funcstack[1] == _mediactl ]]; then _mediactl "$@"; else compdef _mediactl mediactl; fi
