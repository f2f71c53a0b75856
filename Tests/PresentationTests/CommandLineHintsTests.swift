import Presentation
import Testing

struct CommandLineHintsTests {
    private static let options = [
        "--to", "--display", "--y4m", "--monitor", "--size", "--fps", "--bitrate", "--quality", "--keyframe-interval",
        "--frame-pacing", "--cursor",
        "--no-cursor", "--app-audio", "--no-app-audio", "--mic", "--no-mic", "--app-source", "--mic-source", "--wav",
        "--audio-tracks",
        "--audio-bitrate", "--hide", "--session", "--detach", "--duration", "--title", "--clip-buffer", "--format",
        "--preview", "--quiet", "--wait-for-network", "--chroma",
    ]
    private static let commands = [
        "start", "stop", "status", "setup", "sign-out", "list-destinations", "list-sources", "preview", "picker",
        "clip", "help",
    ]

    @Test func `A destination that is written as an option, and a value of a flag, get the option that exists`() {
        #expect(
            CommandLineHints.unknownOption("--hls", known: Self.options, command: "start").contains("--to hls:FOLDER"))
        #expect(CommandLineHints.value("room", of: "--mic")?.contains("--mic-source") == true)
        #expect(CommandLineHints.value("room", of: "--detach") == nil)
    }

    @Test(
        arguments: [
            ("--no-audio", "--no-app-audio"), ("--audio", "--app-audio"), ("--no-pointer", "--no-cursor"),
            ("--444", "--chroma"), ("--constant", "--frame-pacing"), ("--input", "--display"), ("-q", "--quiet"),
            ("--framerate", "--fps"), ("--for", "--duration"), ("--silent", "--quiet"),
            ("--interval", "--keyframe-interval"), ("--bitrte", "--bitrate"), ("--keyframe", "--keyframe-interval"),
            ("--dispaly", "--display"),
            ("--output", "--to"), ("-o", "--to"), ("--no-microphone", "--no-mic"), ("--key", nil), ("--xyzzy", nil),
            ("-x", nil),
            ("--no-colour", nil),
        ] as [(String, String?)])
    func `An option has the suggestion that means the same, and never the opposite`(typed: String, suggestion: String?)
    {
        #expect(CommandLineHints.nearestOption(typed, among: Self.options) == suggestion)
    }

    @Test func `A key on the command line is answered with the way to store it`() {
        let sentence = CommandLineHints.unknownOption("--key", known: Self.options, command: "start")
        #expect(sentence.contains("broadcast setup NAME") && !sentence.contains("Did you mean"))
        // A command that reads keys suggests its own option.
        let known = Self.options + ["--key-from-stdin"]
        #expect(
            CommandLineHints.unknownOption("--key", known: known, command: "start").contains(
                "Did you mean --key-from-stdin?"))
    }

    @Test(
        arguments: [
            ("strat", "Did you mean start?"), ("sotp", "Did you mean stop?"), ("stauts", "Did you mean status?"),
            ("stat", "Did you mean status?"),
            ("hlep", "Did you mean help?"), ("list-destination", "Did you mean list-destinations?"),
            ("xyzzyxyzzy", "See broadcast --help."), ("talk.mp4", "broadcast start --to talk.mp4"),
            ("rtmp://h/app/s3cret", "broadcast start --to ADDRESS"),
            ("record", "Run: broadcast start --to FILE.mp4"), ("LS", "Run: broadcast list-destinations"),
            ("version", "Run: broadcast --version"),
        ])
    func `A word that is not a command has a suggestion`(word: String, words: String) {
        let sentence = CommandLineHints.unknownCommand(word, known: Self.commands)
        #expect(sentence.contains(words), "\(sentence)")
        #expect(!sentence.contains("s3cret"))
    }

    @Test func `An option of annotate is taken as a field`() {
        let sentence = CommandLineHints.unknownOption("--title", known: ["--session"], command: "annotate")
        #expect(sentence.contains("broadcast annotate title=TEXT"), "\(sentence)")
    }

    @Test func `A value that begins with a dash is explained`() {
        #expect(
            CommandLineHints.valueWithDash("-x.mp4", of: "--to", command: "start")
                == "--to has no value: -x.mp4 begins with -, so it is read as an option. For such a file, run: broadcast start --to ./-x.mp4"
        )
        #expect(
            CommandLineHints.valueWithDash("-5s", of: "--duration", command: "start")
                == "--duration has no value: -5s begins with -, so it is read as an option. See broadcast start --help."
        )
    }

    @Test func `What can be a key is not repeated`() {
        for word in ["live_8923_SEKRET", "192.168.1.5/live/SEKRET", "twitch:SEKRET", "rtmp://h/a/SEKRET"] {
            for command in ["start", "status", nil] {
                #expect(!CommandLineHints.unexpected(["x.mp4", word], command: command).contains("SEKRET"))
                #expect(!CommandLineHints.unexpected([word], command: command).contains("SEKRET"))
            }
            #expect(!CommandLineHints.unknownCommand(word, known: Self.commands).contains("SEKRET"))
        }
    }

    @Test func `A word that is an option of the command, and a value of another kind, are explained`() {
        #expect(
            CommandLineHints.unexpected(["toggle"], command: "pause", known: ["--toggle", "--session"])
                == "toggle is an option here. Run: broadcast pause --toggle")
        #expect(
            CommandLineHints.invalidValue("high", of: "--quality", command: "start")
                == "--quality takes a number from 0 to 51, not \"high\". See broadcast start --help.")
        #expect(
            CommandLineHints.invalidValue("many", of: "--lines", command: "logs")
                == "--lines cannot be \"many\". See broadcast logs --help.")
        for word in ["toggle", "title"] {
            #expect(CommandLineHints.unknownCommand(word, known: Self.commands).contains("Run: broadcast "))
        }
    }

    @Test func `A destination without --to is explained`() {
        #expect(CommandLineHints.unexpected(["x.mp4"], command: "start").contains("broadcast start --to x.mp4"))
        #expect(!CommandLineHints.unexpected(["rtmp://h/app/s3cret"], command: "start").contains("s3cret"))
        #expect(
            CommandLineHints.unexpected(["talk.mp4"], command: "start", after: "my")
                == "talk.mp4 is a word of its own. If it belongs to the name, write --to \"my talk.mp4\". If it is another destination, write --to my --to talk.mp4."
        )
        #expect(!CommandLineHints.unexpected(["x"], command: "start", after: "rtmp://h/app/s3cret").contains("s3cret"))
        #expect(CommandLineHints.unexpected(["extra"], command: "status").contains("\"extra\""))
        #expect(CommandLineHints.unexpected(["extra"], command: "status").contains("broadcast status --help"))
        #expect(
            CommandLineHints.unexpected(["talk"], command: "stop", known: ["--session"])
                == "A session is named with an option. Run: broadcast stop --session talk, or, to end one destination: broadcast remove-destination talk"
        )
    }
}
