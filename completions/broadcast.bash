# Completion of broadcast(1) for bash 4.4 or later. "broadcast complete" knows what can follow.

_broadcast() {
    # Readline splits words at the characters of COMP_WORDBREAKS, such as : and =. Join what belongs together.
    local line=${COMP_LINE:0:COMP_POINT} before token
    local -a words=()
    local -i index
    for ((index = 0; index <= COMP_CWORD; index++)); do
        before=$line
        line=${line#"${line%%[![:space:]]*}"}
        token=${COMP_WORDS[index]}
        # The last word ends at the cursor.
        ((index < COMP_CWORD)) || token=$line
        if ((${#words[@]} == 0)) || [[ $before != "$line" ]]; then
            words+=("$token")
        else
            words[-1]+=$token
        fi
        line=${line#"$token"}
    done

    local program=${words[0]/#\~\//"$HOME/"} quote='' value=${words[-1]}
    local -a answer=()
    mapfile -t answer < <("$program" complete -- "${words[@]:1}" 2> /dev/null)

    # The value of --option=value.
    local isOption=
    if [[ $value == --*=* ]]; then value=${value#*=}; elif [[ $value == -* ]]; then isOption=yes; fi
    case $value in
    \"* | \'*) quote=${value:0:1} value=${value:1} ;;
    *) value=${value//\\/} ;;
    esac
    # Readline replaces only what follows the last of these characters.
    local kept='' character
    for character in : = @; do
        if [[ $COMP_WORDBREAKS == *"$character"* && -z $quote && $value == *"$character"* ]]; then
            token=${value%"${value##*"$character"}"}
            ((${#token} <= ${#kept})) || kept=$token
        fi
    done

    local -a values=() summaries=()
    for token in "${answer[@]:1}"; do
        if [[ ${token%%$'\t'*} == "$value"* ]]; then
            values+=("${token%%$'\t'*}")
            summaries+=("${token#"${token%%$'\t'*}"}")
        fi
    done

    # ? lists and inserts nothing.
    local isList='' names=() kind=-f
    ((COMP_TYPE != 63)) || isList=yes
    COMPREPLY=()
    if [[ ${answer[0]-} == files || ${answer[0]-} == folders ]]; then
        if ((${#values[@]} == 0)); then
            # Readline's own completion of file names knows quotes and ~.
            if [[ ${answer[0]} == folders ]]; then compopt -o dirnames; else compopt -o default; fi
            return
        fi
        [[ ${answer[0]} != folders ]] || kind=-d
        mapfile -t names < <(compgen "$kind" -- "$value")
        # Readline quotes names of files, and shows of an address only what follows its last slash.
        if [[ -z $isList ]] && ((${#names[@]} > 0)); then
            compopt -o filenames
            COMPREPLY=("${values[@]#"$kept"}" "${names[@]#"$kept"}")
            return
        fi
    fi
    for index in "${!values[@]}"; do
        token=${values[index]#"$kept"}
        [[ -n $token ]] || continue
        [[ -n $quote ]] || printf -v token %q "$token"
        if [[ -n $isList && -z $isOption && -n ${summaries[index]} ]] && ((${#values[@]} + ${#names[@]} > 1)); then
            token+="  ${summaries[index]#$'\t'}"
        fi
        COMPREPLY+=("$token")
    done
    for token in "${names[@]}"; do
        [[ ! -d $token ]] || token+=/
        COMPREPLY+=("${token#"$kept"}")
    done
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[:=/] ]] || compopt -o nospace
}

complete -F _broadcast broadcast
