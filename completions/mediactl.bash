_mediactl() {
    # Nothing that a candidate holds is expanded.
    local - words=() piece rest line=${COMP_LINE:0:COMP_POINT}
    set -o noglob
    # Bash splits words at `=`, `:` and `@`, too; the program gets them as they were typed.
    for piece in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        rest=${line#"${line%%[![:space:]]*}"}
        [[ -z $line || $rest == "$piece"* ]] || piece=$rest
        if [[ ${#words[@]} -gt 0 && -n $rest && $rest == "$line" ]]; then
            words[-1]+=$piece
        else
            words+=("$piece")
        fi
        line=${rest#"$piece"}
    done
    # What stands in front of the word that bash replaces is not repeated.
    local before=${words[-1]%"${2-${words[-1]}}"}
    mapfile -t COMPREPLY < <(COMPLETE=bash mediactl -- "${words[@]}" 2>/dev/null)
    # Behind these, something has to follow.
    [[ ${#COMPREPLY[@]} != 1 || $COMPREPLY != *[][=/:.] ]] || compopt -o nospace 2>/dev/null
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -o nosort -F _mediactl mediactl
