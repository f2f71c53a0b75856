function __broadcast_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __broadcast_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __broadcast_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __broadcast_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __broadcast_parse_tokens -S
    set -l unparsed_tokens (__broadcast_tokens -pc)
    switch $unparsed_tokens[1]
    case 'broadcast'
        __broadcast_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'start'
            __broadcast_parse_subcommand 0 'to=+' 'display=' 'y4m=' 'monitor=' 'region=' 'window=' 'follow-focus' 'force-x11' 'size=' 'fps=' 'bitrate=' 'quality=' 'preset=' 'latency=' 'chroma=' 'keyframe-interval=' 'frame-pacing=' 'cursor' 'no-cursor' 'app-audio' 'no-app-audio' 'mic' 'no-mic' 'app-source=' 'mic-source=' 'wav=' 'audio-tracks=' 'audio-bitrate=' 'hide=+' 'session=' 'detach' 'duration=' 'title=' 'clip-buffer=' 'format=' 'preview' 'version' 'h/help'
        case 'stop'
            __broadcast_parse_subcommand 0 'session=' 'all' 'json' 'version' 'h/help'
        case 'pause'
            __broadcast_parse_subcommand 0 'session=' 'version' 'h/help'
        case 'resume'
            __broadcast_parse_subcommand 0 'session=' 'version' 'h/help'
        case 'mic'
            __broadcast_parse_subcommand 1 'session=' 'version' 'h/help'
        case 'annotate'
            __broadcast_parse_subcommand -r 1 'session=' 'version' 'h/help'
        case 'clip'
            __broadcast_parse_subcommand 1 'last=' 'session=' 'version' 'h/help'
        case 'add-destination'
            __broadcast_parse_subcommand 1 'session=' 'version' 'h/help'
        case 'remove-destination'
            __broadcast_parse_subcommand 1 'session=' 'version' 'h/help'
        case 'retry'
            __broadcast_parse_subcommand 1 'session=' 'version' 'h/help'
        case 'hide'
            __broadcast_parse_subcommand 1 'display=' 'session=' 'version' 'h/help'
        case 'unhide'
            __broadcast_parse_subcommand 1 'display=' 'session=' 'version' 'h/help'
        case 'status'
            __broadcast_parse_subcommand 0 'session=' 'json' 'watch' 'version' 'h/help'
        case 'events'
            __broadcast_parse_subcommand 0 'session=' 'version' 'h/help'
        case 'logs'
            __broadcast_parse_subcommand 0 'f/follow' 'session=' 'version' 'h/help'
        case 'captured'
            __broadcast_parse_subcommand 0 'display=' 'wait' 'wait-end' 'version' 'h/help'
        case 'preview'
            __broadcast_parse_subcommand 1 'display=' 'y4m=' 'monitor=' 'region=' 'window=' 'follow-focus' 'force-x11' 'size=' 'fps=' 'bitrate=' 'quality=' 'preset=' 'latency=' 'chroma=' 'keyframe-interval=' 'frame-pacing=' 'cursor' 'no-cursor' 'hide=+' 'version' 'h/help'
        case 'picker'
            __broadcast_parse_subcommand 0 'preferred=' 'session=' 'microphone-button' 'no-microphone-button' 'menu=' 'list' 'json' 'version' 'h/help'
        case 'list-destinations'
            __broadcast_parse_subcommand 0 'json' 'version' 'h/help'
        case 'list-extensions'
            __broadcast_parse_subcommand 0 'json' 'version' 'h/help'
        case 'list-sources'
            __broadcast_parse_subcommand 0 'display=' 'json' 'version' 'h/help'
        case 'setup'
            __broadcast_parse_subcommand 1 'set=+' 'secret-from-stdin=' 'version' 'h/help'
        case 'sign-out'
            __broadcast_parse_subcommand 1 'version' 'h/help'
        case 'check-extension'
            __broadcast_parse_subcommand 1 'set=+' 'version' 'h/help'
        case 'help'
            __broadcast_parse_subcommand -r 1 'version'
        end
    end
end

function __broadcast_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __broadcast_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __broadcast_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __broadcast_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__broadcast_tokens -p)
    if test -z "$(__broadcast_tokens -t)"
        set -l index (count (__broadcast_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'broadcast' -f
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'start' -d 'Start a broadcast.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'stop' -d 'Stop a broadcast, and wait until everything is written and closed.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'pause' -d 'Pause a broadcast: viewers see a slate, recordings omit the pause.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'resume' -d 'Continue a paused broadcast.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'mic' -d 'Turn the microphone on or off while the broadcast runs.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'annotate' -d 'Send metadata to the destinations, such as an application, a scene or a score.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'clip' -d 'Save the last seconds as a playable MP4 while the broadcast continues.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'add-destination' -d 'Add a destination to a running broadcast.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'remove-destination' -d 'Remove one destination from a running broadcast, without affecting the others.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'retry' -d 'Reconnect lost destinations now instead of at their next retry.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'hide' -d 'Hide a window from viewers during a broadcast, with its dialogs and menus.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'unhide' -d 'Remove a rule that hides windows.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'status' -d 'Show the running sessions.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'events' -d 'Print the events of a session as JSON, one per line, until it ends.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'logs' -d 'Show the log of a session, also after it has ended.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'captured' -d 'Report whether a display is being broadcast.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'preview' -d 'Show what viewers would see, before you go live.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'picker' -d 'Choose a configured destination and start a broadcast to it, or stop a broadcast.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'list-destinations' -d 'List the configured destinations.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'list-extensions' -d 'List the available extensions.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'list-sources' -d 'List the screens, monitors, windows and audio sources that can be captured.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'setup' -d 'Sign in to a destination or service, for example with its stream key.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'sign-out' -d 'Delete the secrets of a destination, and stop its broadcasts.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'check-extension' -d 'Send a test broadcast to an extension and report protocol errors.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_positional "broadcast" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start"' -l 'to' -d 'Where to send the broadcast. Repeatable.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" display' -l 'display' -d 'The X display.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" y4m' -l 'y4m' -d 'Read pictures from a YUV4MPEG2 file or pipe instead of the screen; - is standard input.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" monitor' -l 'monitor' -d 'Capture one monitor, by its name in list-sources. Default: the whole screen.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" region' -l 'region' -d 'Capture a part of the screen: its size and top-left corner.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" window' -l 'window' -d 'Capture one window, even if others cover it: by number, the active one, or the one that you click.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" follow-focus' -l 'follow-focus' -d 'Follow the monitor that has the focused window. With --monitor: start with that one.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" force-x11' -l 'force-x11' -d 'Allow X11 capture in a Wayland session. It shows only the programs under Xwayland.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" size' -l 'size' -d 'The output size; the picture keeps its aspect ratio. Default: the size of the source.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" fps' -l 'fps' -d 'The maximum frame rate in frames per second. Default: 30.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" bitrate' -l 'bitrate' -d 'The video bitrate in kbit/s. Default with a live destination: chosen by size.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" quality' -l 'quality' -d 'Constant quality instead of a bitrate: x264\'s CRF, 0 is lossless. Default if only files are written: 23.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" preset' -l 'preset' -d 'x264\'s preset. Default: veryfast.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" latency' -l 'latency' -d 'low: send each frame at once. normal: better quality at the same bitrate, with more delay. Default: low.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" chroma' -l 'chroma' -d 'Chroma subsampling: 420 works in every player; 444 keeps small coloured text sharp, for files only. Default: 420.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" keyframe-interval' -l 'keyframe-interval' -d 'Seconds between keyframes. Default: 2.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" frame-pacing' -l 'frame-pacing' -d 'constant: send a frame at every tick. variable: send a frame when the picture changed. Default: constant for live destinations and stdout, variable for files.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" cursor' -l 'cursor' -d 'Show the mouse pointer. Default: shown.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" no-cursor' -l 'no-cursor' -d 'Show the mouse pointer. Default: shown.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" app-audio' -l 'app-audio' -d 'Capture the sound of applications. Default: on.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" no-app-audio' -l 'no-app-audio' -d 'Capture the sound of applications. Default: on.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" mic' -l 'mic' -d 'Capture the microphone. Default: off.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" no-mic' -l 'no-mic' -d 'Capture the microphone. Default: off.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" app-source' -l 'app-source' -d 'The PulseAudio source of the applications\' sound, or app:NAME for one application. Default: the monitor of the default sink.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" mic-source' -l 'mic-source' -d 'The PulseAudio source for the microphone. Default: the default source.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" wav' -l 'wav' -d 'Read sound from a WAV file or pipe instead of from applications; - is standard input.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" audio-tracks' -l 'audio-tracks' -d 'mixed: one track. separate: one track for applications and one for the microphone, in files. Default: mixed.' -rfka 'mixed separate'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" audio-bitrate' -l 'audio-bitrate' -d 'The audio bitrate in kbit/s. Default: 160.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start"' -l 'hide' -d 'Hide these windows, with their dialogs and menus: class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER. Repeatable.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" detach' -l 'detach' -d 'Continue in the background; return once every destination is live.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" duration' -l 'duration' -d 'Stop after this time: 90s, 5m, 1h.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" title' -l 'title' -d 'The title of the broadcast, for services and files.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" clip-buffer' -l 'clip-buffer' -d 'Keep this much of the broadcast in memory for broadcast clip. Default with --to clips: 60s.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" format' -l 'format' -d 'The format of files and of stdout: mp4, flv, mpegts, h264, y4m. Default: by the file\'s ending; for stdout, mpegts.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" preview' -l 'preview' -d 'Show what viewers will see, and go live after Enter, or at once if there is no terminal.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast start" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast stop" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast stop" all' -l 'all' -d 'Stop every session.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast stop" json' -l 'json' -d 'Answer in JSON.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast stop" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast stop" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast pause" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast pause" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast pause" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast resume" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast resume" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast resume" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast mic" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast mic" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast mic" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast annotate" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast annotate" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast annotate" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast clip" last' -l 'last' -d 'The length of the clip: 30s, 2m.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast clip" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast clip" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast clip" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast add-destination" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast add-destination" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast add-destination" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast remove-destination" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast remove-destination" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast remove-destination" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast retry" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast retry" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast retry" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast hide" display' -l 'display' -d 'The X display of the active window.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast hide" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast hide" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast hide" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast unhide" display' -l 'display' -d 'The X display of the active window.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast unhide" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast unhide" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast unhide" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast status" session' -l 'session' -d 'One session; the exit status is 1 if it does not run. Default: all.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast status" json' -l 'json' -d 'Answer in JSON.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast status" watch' -l 'watch' -d 'Repeat once per second until no session runs.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast status" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast events" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast events" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast events" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast logs" f follow' -l 'follow' -s 'f' -d 'Continue to print the log until the session ends.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast logs" session' -l 'session' -d 'The session\'s name.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast logs" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast logs" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast captured" display' -l 'display' -d 'The X display.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast captured" wait' -l 'wait' -d 'Wait until the display is being broadcast.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast captured" wait-end' -l 'wait-end' -d 'Wait until the display is no longer being broadcast.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast captured" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast captured" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" display' -l 'display' -d 'The X display.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" y4m' -l 'y4m' -d 'Read pictures from a YUV4MPEG2 file or pipe instead of the screen; - is standard input.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" monitor' -l 'monitor' -d 'Capture one monitor, by its name in list-sources. Default: the whole screen.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" region' -l 'region' -d 'Capture a part of the screen: its size and top-left corner.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" window' -l 'window' -d 'Capture one window, even if others cover it: by number, the active one, or the one that you click.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" follow-focus' -l 'follow-focus' -d 'Follow the monitor that has the focused window. With --monitor: start with that one.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" force-x11' -l 'force-x11' -d 'Allow X11 capture in a Wayland session. It shows only the programs under Xwayland.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" size' -l 'size' -d 'The output size; the picture keeps its aspect ratio. Default: the size of the source.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" fps' -l 'fps' -d 'The maximum frame rate in frames per second. Default: 30.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" bitrate' -l 'bitrate' -d 'The video bitrate in kbit/s. Default with a live destination: chosen by size.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" quality' -l 'quality' -d 'Constant quality instead of a bitrate: x264\'s CRF, 0 is lossless. Default if only files are written: 23.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" preset' -l 'preset' -d 'x264\'s preset. Default: veryfast.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" latency' -l 'latency' -d 'low: send each frame at once. normal: better quality at the same bitrate, with more delay. Default: low.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" chroma' -l 'chroma' -d 'Chroma subsampling: 420 works in every player; 444 keeps small coloured text sharp, for files only. Default: 420.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" keyframe-interval' -l 'keyframe-interval' -d 'Seconds between keyframes. Default: 2.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" frame-pacing' -l 'frame-pacing' -d 'constant: send a frame at every tick. variable: send a frame when the picture changed. Default: constant for live destinations and stdout, variable for files.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" cursor' -l 'cursor' -d 'Show the mouse pointer. Default: shown.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" no-cursor' -l 'no-cursor' -d 'Show the mouse pointer. Default: shown.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview"' -l 'hide' -d 'Hide these windows, with their dialogs and menus: class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER. Repeatable.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast preview" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast picker" preferred' -l 'preferred' -d 'The destination that is selected at first.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast picker" session' -l 'session' -d 'The session to start or stop. The picker also shows the other running sessions.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast picker" microphone-button' -l 'microphone-button' -d 'Offer to turn the microphone on. Default: offered.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast picker" no-microphone-button' -l 'no-microphone-button' -d 'Offer to turn the microphone on. Default: offered.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast picker" menu' -l 'menu' -d 'Choose with a menu program that reads one name per line and prints one, such as \'rofi -dmenu\', \'dmenu\' or \'fzf\'. sh runs the command.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast picker" list' -l 'list' -d 'Only list the destinations.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast picker" json' -l 'json' -d 'Only list the destinations, in JSON.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast picker" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast picker" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-destinations" json' -l 'json' -d 'Answer in JSON.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-destinations" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-destinations" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-extensions" json' -l 'json' -d 'Answer in JSON.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-extensions" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-extensions" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-sources" display' -l 'display' -d 'The X display.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-sources" json' -l 'json' -d 'Answer in JSON.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-sources" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast list-sources" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast setup"' -l 'set' -d 'Answer a question that is not secret. Repeatable.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast setup" secret-from-stdin' -l 'secret-from-stdin' -d 'Read the answer to a secret question from standard input.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast setup" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast setup" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast sign-out" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast sign-out" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast check-extension"' -l 'set' -d 'Answer a setup question of the extension. Repeatable. Do not use a real secret: other users can read a command line.' -rfka ''
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast check-extension" version' -l 'version' -d 'Show the version.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast check-extension" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'broadcast' -n '__broadcast_should_offer_completions_for_flags_or_options "broadcast help" version' -l 'version' -d 'Show the version.'
