# Completion of broadcast(1) for fish. "broadcast complete" knows what can follow.

function __broadcast_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l unquoted (string unescape -- $current)
    or set unquoted $current
    set -l answer ($words[1] complete -- $words[2..] "$unquoted" 2>/dev/null)
    # The value of --option=value.
    set -l option (string match -r -- '^--[^=]+=' $current)
    set -l value (string replace -r -- '^--[^=]+=' '' $current)
    # A command that fish does not know has file names as arguments.
    switch "$answer[1]"
        case files
            set -a answer (complete -C "__broadcast_no_such_command $value")
        case folders
            set -a answer (complete -C "__broadcast_no_such_command $value" | string match -r -- '.*/(?:\t.*)?$')
    end
    for line in $answer[2..]
        printf '%s\n' "$option$line"
    end
end

complete -c broadcast -f -a '(__broadcast_complete)'
