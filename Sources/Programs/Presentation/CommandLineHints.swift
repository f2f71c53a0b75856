import UserConfiguration

/// Suggestions for mistyped commands and options.
package enum CommandLineHints {
    /// Option names of other programs, and the corresponding names of this one.
    private static let otherNames = [
        "--output": "--to", "--out": "--to", "--file": "--to", "--destination": "--to", "--audio": "--app-audio",
        "--sound": "--app-audio",
        "--no-sound": "--no-app-audio", "--mute": "--no-app-audio", "--microphone": "--mic",
        "--no-microphone": "--no-mic",
        "--framerate": "--fps", "--frame-rate": "--fps", "--rate": "--fps", "--resolution": "--size",
        "--scale": "--size", "--crf": "--quality",
        "--video-bitrate": "--bitrate", "--time": "--duration", "--length": "--duration", "--for": "--duration",
        "--constant": "--frame-pacing", "--cfr": "--frame-pacing", "--vfr": "--frame-pacing", "--444": "--chroma",
        "--pix-fmt": "--chroma", "--input": "--display", "--codec": "--encoder",
        "--silent": "--quiet", "--background": "--detach",
        "--daemon": "--detach",
        "--screen": "--monitor", "--pointer": "--cursor", "--no-pointer": "--no-cursor", "--name": "--session",
        "-o": "--to", "-r": "--fps", "-s": "--size", "-t": "--duration", "-b": "--bitrate", "-f": "--format",
        "-d": "--detach", "-q": "--quiet", "-V": "--version", "-v": "--version",
    ]

    /// Words that other programs use for commands, and what they are here.
    private static let otherCommands = [
        "record": "broadcast start --to FILE.mp4", "rec": "broadcast start --to FILE.mp4",
        "capture": "broadcast start --to FILE.mp4",
        "live": "broadcast start --to DESTINATION", "stream": "broadcast start --to DESTINATION",
        "go-live": "broadcast start --to DESTINATION", "publish": "broadcast start --to DESTINATION",
        "quit": "broadcast stop", "end": "broadcast stop", "exit": "broadcast stop", "kill": "broadcast stop",
        "list": "broadcast list-destinations", "ls": "broadcast list-destinations",
        "destinations": "broadcast list-destinations", "sources": "broadcast list-sources",
        "windows": "broadcast list-sources", "monitors": "broadcast list-sources",
        "extensions": "broadcast list-extensions", "plugins": "broadcast list-extensions",
        "toggle": "broadcast start --toggle (starts and stops) or broadcast pause --toggle",
        "title": "broadcast annotate title=TEXT", "unpause": "broadcast resume", "continue": "broadcast resume",
        "mute": "broadcast mic off", "unmute": "broadcast mic on", "save": "broadcast clip", "replay": "broadcast clip",
        "rename": "broadcast annotate title=TEXT (a session keeps its name)", "man": "man broadcast",
        "add": "broadcast add-destination NAME", "remove": "broadcast remove-destination NAME",
        "why": "broadcast doctor", "troubleshoot": "broadcast doctor",
        "login": "broadcast setup NAME",
        "sign-in": "broadcast setup NAME", "auth": "broadcast setup NAME",
        "logout": "broadcast sign-out NAME", "check": "broadcast doctor", "diagnose": "broadcast doctor",
        "log": "broadcast logs", "screenshot": "broadcast preview FILE.png", "version": "broadcast --version",
    ]

    /// Destinations that are written as if they were options.
    private static let destinationOptions = ["--hls", "--lan", "--srt", "--whip", "--rtmp", "--twitch", "--youtube"]

    /// Options that would put a stream key on the command line.
    private static let keyOptions = ["--key", "--stream-key", "--streamkey", "--secret", "--password", "--token"]

    /// The sentence about an unknown option, with a suggestion.
    ///
    /// - Parameters:
    ///   - option: as it was typed, with its dashes.
    ///   - known: the options of the command, with their dashes.
    ///   - command: the name of the command; nil for `broadcast` itself.
    package static func unknownOption(_ option: String, known: [String], command: String?) -> String {
        let start = "Unknown option \(option)."
        if keyOptions.contains(option) {
            let suggestion = known.contains("--key-from-stdin") ? " Did you mean --key-from-stdin?" : ""
            return
                "\(start) Other users can read a key on the command line.\(suggestion) To store the key, run: broadcast setup NAME"
        }
        if command == "annotate", option.hasPrefix("--"), !known.contains(option) {
            return "\(start) A field is written without dashes. Run: broadcast annotate \(option.dropFirst(2))=TEXT"
        }
        if known.contains("--to"), destinationOptions.contains(option) {
            return "\(start) A destination needs --to, as in --to lan or --to hls:FOLDER. See \(help(command))."
        }
        if let name = nearestOption(option, among: known) {
            return "\(start) Did you mean \(name)? See \(help(command))."
        }
        return "\(start) See \(help(command))."
    }

    /// The sentence about a word that is not a command.
    package static func unknownCommand(_ word: String, known: [String]) -> String {
        if looksLikeAPlace(word) { return "A destination needs a command. Run: broadcast start --to \(place(word))" }
        let start =
            MistypedAddress.isLikeAKey(word)
            ? "There is no such command." : AddressSecret.cleaning("There is no command \"\(word)\".")
        if let other = otherCommands[word.lowercased()] { return "\(start) Run: \(other)" }
        return start + (NearestName.of(word, among: known).map { " Did you mean \($0)?" } ?? "") + " See \(help(nil))."
    }

    /// The options that choose a source for what a flag switches on.
    private static let sourceOptions = ["--mic": "--mic-source", "--app-audio": "--app-source"]

    /// The sentence about a word after an option that takes none; nil if the option is not known as one.
    package static func value(_ word: String, of flag: String) -> String? {
        guard !looksLikeAPlace(word) else { return nil }
        return sourceOptions[flag].map {
            "\(flag) takes no value. To choose a source, use \($0); see broadcast list-sources."
        }
    }

    /// The sentence about words that a command does not take.
    ///
    /// - Parameters:
    ///   - known: the options of the command, with their dashes.
    ///   - destination: the value of `--to` that the first word follows; nil if it follows none.
    package static func unexpected(
        _ words: [String], command: String?, known: [String] = [], after destination: String? = nil
    ) -> String {
        if command == "start", let word = words.first {
            if let destination {
                let (first, second) = (place(destination), place(word))
                return
                    "\(second) is a word of its own. If it belongs to the name, write --to \"\(first) \(second)\". If it is another destination, write --to \(first) --to \(second)."
            }
            return "A destination of start needs --to. Run: broadcast start --to \(place(word))"
        }
        if command == "add-destination", let word = words.first {
            let second = place(word)
            return
                "\(second) is a word of its own. Put a name with spaces between quotation marks, and add another destination with: broadcast add-destination \(second)"
        }
        if let command, words.count == 1, known.contains("--" + words[0]) {
            return "\(words[0]) is an option here. Run: broadcast \(command) --\(words[0])"
        }
        if let command, words.count == 1, ["stop", "pause", "resume", "status"].contains(command),
            known.contains("--session"), !words[0].contains(where: \.isWhitespace),
            !MistypedAddress.isLikeAKey(words[0])
        {
            let word = place(words[0])
            let session = "A session is named with an option. Run: broadcast \(command) --session \(word)"
            guard command == "stop" else { return session }
            return "\(session), or, to end one destination: broadcast remove-destination \(word)"
        }
        let shown = words.filter { !MistypedAddress.isLikeAKey($0) }
        let quoted = AddressSecret.cleaning(shown.map { "\"\($0)\"" }.joined(separator: ", "))
        guard shown.count == words.count else {
            return
                "There are more arguments than this command has\(shown.isEmpty ? "" : ": \(quoted)"). See \(help(command))."
        }
        return
            "\(words.count == 1 ? "This argument is" : "These arguments are") not expected: \(quoted). See \(help(command))."
    }

    /// The sentence about a value that an option cannot have.
    package static func invalidValue(_ value: String, of option: String, command: String?) -> String {
        let setting = SettingCatalog.all.first { $0.option?.name == option }
        let expected = setting.map { "takes \($0.expected.phrase), not" } ?? "cannot be"
        return "\(option) \(expected) \"\(value)\". See \(help(command))."
    }

    /// The sentence about an option without a value whose next word begins with `-`.
    package static func valueWithDash(_ word: String, of option: String, command: String?) -> String {
        let start = "\(option) has no value: \(place(word)) begins with -, so it is read as an option."
        return option == "--to"
            ? "\(start) For such a file, run: broadcast start --to ./\(place(word))" : "\(start) See \(help(command))."
    }

    /// Returns the option that `option` most likely stands for; nil if none is similar.
    package static func nearestOption(_ option: String, among known: [String]) -> String? {
        if let name = otherNames[option], known.contains(name) { return name }
        guard option.hasPrefix("--") else { return nil }
        let isNegative = option.hasPrefix("--no-")
        // Never suggest the opposite of the typed option.
        let candidates = known.filter { $0.hasPrefix("--no-") == isNegative }
        let words = parts(option)
        let extended = candidates.filter { contains(parts($0), inOrder: words) }
        if let name = extended.min(by: { parts($0).count < parts($1).count }) { return name }
        if option.count > 6, let name = candidates.first(where: { $0.hasPrefix(option) }) { return name }
        return NearestName.of(trimmed(option), among: candidates.map(trimmed)).map { "--" + $0 }
    }

    private static func trimmed(_ option: String) -> String { String(option.drop { $0 == "-" }) }

    private static func parts(_ option: String) -> [Substring] { option.split(separator: "-") }

    /// True if `words` are among `all`, in the same order.
    private static func contains(_ all: [Substring], inOrder words: [Substring]) -> Bool {
        var rest = all[...]
        for word in words {
            guard let index = rest.firstIndex(of: word) else { return false }
            rest = rest[(index + 1)...]
        }
        return !words.isEmpty
    }

    private static func looksLikeAPlace(_ word: String) -> Bool {
        word.contains(".") || word.contains("/") || word == "-"
    }

    /// The word for a command to type. An address and a long name may contain a key, which a message does not repeat.
    private static func place(_ word: String) -> String {
        if word.contains(":") || AddressSecret.cleaning(word) != word { return "ADDRESS" }
        return MistypedAddress.isLikeAKey(word) ? "NAME" : word
    }

    private static func help(_ command: String?) -> String {
        "broadcast" + (command.map { " " + $0 } ?? "") + " --help"
    }
}
