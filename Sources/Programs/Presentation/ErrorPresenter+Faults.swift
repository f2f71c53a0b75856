import CommandModels
import Glibc
import Media
import Pipeline
import RTMP
import Session
import UserConfiguration

extension ConfigurationFault {
    package var sentence: String { "\(path):\(line): \(statement)" }

    /// What is wrong with which key, without the place in the file.
    package var statement: String { "\(key): \(reason)" }

    /// What is wrong with the key.
    package var reason: String {
        let phrase = problem.phrase + problem.hint + keyHint
        return phrase
            + (phrase.hasSuffix("?") || phrase.hasSuffix(".") || problem.endsInCommand ? "" : ".")
    }
}

extension ConfigurationFault {
    /// A suggestion for an unknown key, or the known keys.
    private var keyHint: String {
        guard case .unknownKey(let known) = problem else { return "" }
        let name = key.split(separator: ".").last.map(String.init) ?? key
        return "; "
            + (NearestName.of(name, among: known).map { "did you mean \($0)?" }
                ?? "known are \(known.joined(separator: ", ")).")
    }
}

extension ConfigurationFault.Problem {
    fileprivate var phrase: String {
        switch self {
        case .unknownKey: "there is no such key"
        case .unnamedKey: "a key has no name; remove it, or give it one"
        case .missing(let expected): "this is required: \(expected.phrase)"
        case .wrong(let expected): "this must be \(expected.phrase)"
        case .notAChoice(let value, let choices): "\"\(value)\" is not one of \(choices.joined(separator: ", "))"
        case .notASize(let value):
            "\"\(value)\" is not a size from \(PixelSize.smallest) to \(PixelSize.largest); write it like 1280x720 or 720p"
        case .notAnEnding(let ending):
            "\(ending) is not a format that can be written; use .mp4, .mkv, .flv, .ts, .h264 or .y4m, or add format"
        case .notARule(let value):
            "\"\(value)\" is not a rule; write class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER"
        case .bitrateAndQuality: "bitrate and quality exclude each other; remove one of them"
        case .noExtension: "every destination needs an extension or a service; see broadcast list-extensions"
        case .noURL: "an rtmp destination needs a url"
        case .notAnRTMPAddress(let error): error.sentence
        case .notRead(let name, let keys):
            "the extension \(name) does not read this key. It reads \(keys.filter { $0 != "extension" }.joined(separator: ", "))"
        case .givenTwice(let other): "\(other) has the same meaning. Remove one of them"
        case .severalSecrets(let keys):
            "the extension has several secrets. Say which one the command prints: key-command = { \(keys[0]) = \"COMMAND\" }. "
                + "It asks for \(keys.joined(separator: ", "))"
        case .notAProxy: RTMPRoute.Proxy.problem
        case .passwordInProxy: RTMPRoute.Proxy.passwordProblem
        case .notASource(let text):
            "\"\(text.printable)\" is neither an IP address nor the name of a network interface"
        case .unreadableCertificates(let path): "cannot read \(path). Name a file of PEM certificates"
        case .unknownService(let name, _): "there is no service \"\(name)\""
        case .unknownExtension(let name, _): "there is no extension \"\(name)\""
        case .unknownDestination(let name, _): "there is no destination \"\(name)\""
        case .notAName: "this must be letters, digits, - and _"
        case .nameIsBuiltIn(let name): "\"\(name)\" is built in; choose another name"
        case .noQuestions: "the keys that it answers must be declared: add [[setup]] tables"
        case .clipsWithoutScreen: "clips need the screen track"
        case .nothingToSend: "this extension would get neither picture nor sound"
        case .notAPattern(let text): "\"\(text)\" is not an extended regular expression"
        case .notAScheme(let name): "\"\(name)\" is not a scheme that an extension can have"
        case .schemesWithoutURL: "the address is the answer to the question url, which is not declared"
        case .notAsked(let name, let questions):
            "the extension \(name) does not ask for this. "
                + (questions.isEmpty ? "It asks for nothing" : "It asks for \(questions.joined(separator: ", "))")
        case .isSecret: "this is secret and must not be in the config. Remove it from there"
        case .streamKey(let destination):
            "the stream key must not be in the config. Remove it, and add key-command, or run: broadcast setup \(destination)"
        case .secretInAddress(.password, let destination):
            "the password in this address must not be in the config. Give it to broadcast setup \(destination), and remove it here"
        case .secretInAddress(.parameter(let key), let destination):
            "the \(key.printable) in this address must not be in the config. "
                + "Give it to broadcast setup \(destination), and remove it here"
        case .passwordInRTMPAddress(let destination):
            "the password in this address must not be in the config. Remove user and password here, "
                + "and run: broadcast setup \(destination) --set user=USER --secret-from-stdin password"
        }
    }

    /// True if the phrase ends in a command to type, which a period would change.
    fileprivate var endsInCommand: Bool {
        switch self {
        case .passwordInRTMPAddress, .streamKey: true
        default: false
        }
    }

    /// `; did you mean …?`, or the known names.
    fileprivate var hint: String {
        switch self {
        case .unknownService(let name, let known), .unknownExtension(let name, let known),
            .unknownDestination(let name, let known):
            "; "
                + (NearestName.of(name, among: known).map { "did you mean \($0)?" }
                    ?? "known are \(known.joined(separator: ", "))")
        default: ""
        }
    }
}

extension ConfigurationFault.Expected {
    /// `51` for 51.0.
    private static func text(_ number: Double) -> String {
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// What it is, for the middle of a sentence.
    package var phrase: String {
        switch self {
        case .table: "a table"
        case .text: "a string in quotes"
        case .boolean: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .bitrate(let range):
            "a bitrate in kbit/s from \(range.lowerBound) to \(range.upperBound), or a text with a unit, as in \"6M\""
        case .number(let range): "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
        case .texts(let choices):
            choices.isEmpty ? "an array of strings" : "an array of \(choices.joined(separator: ", "))"
        case .tables: "an array of tables, [[key]]"
        case .oneOf(let choices): "one of \(choices.joined(separator: ", "))"
        }
    }
}

extension ManifestProblem {
    package var sentence: String {
        switch self {
        case .empty(let path): "\(path) is empty. Write a manifest."
        case .unreadable(let path): "Cannot read \(path) as UTF-8 text. Check that it exists, and its permissions."
        case .notThere(let path, let code):
            "Cannot read \(path): \(String(cString: strerror(code))). Check that it exists."
        case .notExecutable(let path, let key, let program):
            "\(path): \(key): \(program) is not a program that you may run. Correct the path, or make it executable."
        case .foreignOwner(let path):
            "\(path) belongs to another user, so that user can change what it does. Copy it to a file of your own."
        case .writableByOthers(let path):
            "Users other than its owner may write \(path). Forbid that: chmod go-w '\(path)'."
        }
    }
}

extension FolderProblem {
    package func sentence(path: String) -> String {
        switch self {
        case .cannotCreate(let code):
            "Cannot create the folder \(path): \(String(cString: strerror(code))). Check the folder above it."
        case .ofAnotherUser:
            "The folder \(path) would be root's among the files of another user, who could not use it any more. "
                + "Run the command as that user, or with HOME and XDG_RUNTIME_DIR of root (sudo without -E)."
        case .notOurs: "The folder \(path) is not yours. Set XDG_RUNTIME_DIR to a folder of your own, or remove it."
        }
    }
}

extension SettingProblem {
    package var sentence: String {
        switch self {
        case .outOfRange(let setting, let range, _) where setting == .quality:
            "\(setting.option) must be from \(Self.text(range.lowerBound)) (lossless) to \(Self.text(range.upperBound)); "
                + "lower is better, \(Self.text(MediaConfiguration.standardQuality)) is usual."
        case .outOfRange(let setting, let range, _) where setting == .keyframeInterval:
            "\(setting.option) must be from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)) seconds; "
                + "\(SettingCatalog.video.keyframeInterval.standardText) is usual."
        case .outOfRange(let setting, let range, let value)
        where setting == .bitrate && range.contains(value / 1000):
            "\(setting.option) must be from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)), not \(Self.text(value)). "
                + "For so many bit/s, write \(Self.text(value / 1000)), or \(Self.text(value / 1_000_000))M."
        case .outOfRange(let setting, let range, let value):
            "\(setting.option) must be from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)), not \(Self.text(value))."
        case .bitrateAndQuality:
            "--bitrate and --quality exclude each other. Use --bitrate for live, --quality for files."
        case .withoutEffect(let setting, let reason): "\(setting.option) has no effect: \(reason.phrase). Omit it."
        case .unknownPreset(let name, let known):
            "There is no preset \"\(name)\". Use one of \(known.joined(separator: ", "))."
        case .pictureFileAndScreen: "--y4m replaces the screen: omit --display and --follow-focus."
        case .soundFileAndApplications:
            "--wav replaces the sound of the applications: omit --app-source and --no-app-audio."
        case .twoStandardInputs:
            "Pictures and sound cannot both come from standard input. Use a named pipe for one of them."
        }
    }

    /// A whole number without a fraction. A user can give one that no `Int` can hold.
    private static func text(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }
}

extension SettingProblem.Ineffectiveness {
    fileprivate var phrase: String {
        switch self {
        case .noEncodedPicture: "no destination takes an encoded picture"
        case .noSound: "no destination takes sound"
        case .noEncodedSound: "no destination takes encoded sound"
        case .noScreen: "the picture does not come from the screen"
        case .noApplicationSound: "the sound of applications is off (--app-audio turns it on)"
        case .constantFrameRate: "the format has a constant frame rate"
        case .noServer: "no destination connects to a server"
        }
    }
}

extension NearestName {
    /// `Did you mean …?`, or the known names.
    package static func hint(_ name: String, among known: [String]) -> String {
        of(name, among: known).map { "Did you mean \($0)?" } ?? Self.known(known)
    }

    /// The name in quotes, or "with that name" if it can be a stream key: like one, or with a colon, and not like a
    /// known name.
    package static func quoted(_ name: String, among known: [String]) -> String {
        let canBeAKey = MistypedAddress.isLikeAKey(name) || name.contains(":") && !name.contains("://")
        return canBeAKey && of(name, among: known) == nil ? "with that name" : "\"\(name)\""
    }

    /// `Known are …`, with each name once: a configured destination can be called like its service.
    package static func known(_ names: [String]) -> String {
        let unique = names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
        return "Known are \(unique.joined(separator: ", "))."
    }
}

extension AddressSecret {
    /// The secret as the subject of a sentence.
    package var phrase: String {
        switch self {
        case .password: "A password"
        case .parameter(let name): "The \(name.printable)"
        }
    }
}

extension RTMPRoute.Proxy {
    /// The reason why a text is not the address of a proxy.
    package static let problem =
        "a proxy is socks5://HOST:PORT or http://HOST:PORT, with USER@ before HOST if it requires a password"
    /// The reason why an address of a proxy with a password is rejected.
    package static let passwordProblem =
        "a password must not be in the address of the proxy; set the variable BROADCAST_PROXY_PASSWORD"
}
