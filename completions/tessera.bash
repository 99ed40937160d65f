# Completion of the tessera command in bash: commands, options, files, and objects inside files (run.h5/entry/da<Tab>).
# Commands and options are those that the program itself names in its help.

# The words of a help text on stdin that are options.
_tessera_options()
{
    sed -n 's/^  *\(-[A-Za-z]\), \(--[a-z-]*\).*/\1 \2/p'
}

# _tessera_objects TOOL WORD: what WORD, FILE/PATH, may go on with. Groups end with a slash.
_tessera_objects()
{
    local tool=$1 word=$2 file=$2 path
    while [[ $file == */* && ! -f $file ]]; do
        file=${file%/*}
    done
    [[ -f $file && $file != "$word" ]] || return
    path=${word#"$file"}
    path=${path%/*}
    "$tool" ls -- "$file${path:-/}" 2>/dev/null | while IFS= read -r line; do
        local name=${line%%  *}
        [[ $line == *"  group, "* ]] && name+=/
        printf '%s\n' "$file$name"
    done
}

# Outside of a completion, in tests, there is nothing to set.
_tessera_set()
{
    compopt -o "$1" 2>/dev/null
}

_tessera()
{
    local tool=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} IFS=$'\n'
    COMPREPLY=()
    if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $command == help ]]; }; then
        COMPREPLY=($(compgen -W "$("$tool" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
help
--help
--version" -- "$cur"))
        return
    fi
    case $command:$prev in
    run:*)
        _tessera_set filenames
        if ((COMP_CWORD == 2)) && [[ $cur != -* ]]; then
            COMPREPLY=($(compgen -c -- "$cur"))
            return
        fi
        [[ $cur == -* ]] || COMPREPLY=($(compgen -f -- "$cur"))
        ;;
    chunks:-o | chunks:--order) COMPREPLY=($(compgen -W $'coord\naddr\nnative' -- "$cur")) ;;
    demo:-o | demo:--output)
        _tessera_set filenames
        COMPREPLY=($(compgen -d -- "$cur"))
        ;;
    demo:-V | demo:--verify | chunks:-m | chunks:--map)
        _tessera_set filenames
        COMPREPLY=($(compgen -f -- "$cur"))
        ;;
    chunks:-b | chunks:--box | dump:-n | dump:--limit | watch:-[icn] | watch:--interval | watch:--count | watch:--rows | \
        demo:-[nsS] | demo:--frames | demo:--size | demo:--seed) return ;; # a number is the user's
    esac
    [[ ${#COMPREPLY[@]} -eq 0 ]] || return
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$("$tool" "$command" --help 2>/dev/null | _tessera_options | tr ' ' '\n')" -- "$cur"))
    elif [[ $command != demo ]]; then
        local objects
        objects=$(_tessera_objects "$tool" "$cur")
        if [[ -n $objects ]]; then
            local one
            while read -r one; do
                [[ $one == "$cur"* ]] && COMPREPLY+=("$one")
            done <<<"$objects"
            [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] && _tessera_set nospace
        else
            _tessera_set filenames
            COMPREPLY=($(compgen -f -- "$cur"))
        fi
    fi
}

complete -F _tessera tessera
