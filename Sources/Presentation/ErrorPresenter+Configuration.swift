import Credentials
import Glibc
import PickerModel
import UserConfiguration

extension CommandError {
    package init(_ error: ConfigurationError) {
        switch error {
        case .unreadable(let path): self.init(.config, "Cannot read the config \(path). Check its permissions.")
        case .notText(let path): self.init(.config, "The config \(path) is not UTF-8 text. Save it as UTF-8.")
        case .syntax(let path, let line, let message):
            self.init(.config, "\(path):\(line): \(message.hasSuffix(".") ? String(message.dropLast()) : message). Correct that line.")
        case .fault(let fault): self.init(.config, fault.sentence)
        case .manifest(let problem): self.init(.config, problem.sentence)
        case .folder(let path, let problem): self.init(.cannotCreate, problem.sentence(path: path))
        case .setting(let problem): self.init(.usage, problem.sentence)
        case .destination(let problem): self.init(problem)
        }
    }

    package init(_ problem: DestinationProblem) {
        switch problem {
        case .unknown(let target, let known):
            self.init(
                .noInput,
                "There is no destination \"\(target)\". \(NearestName.hint(target, among: known)) "
                    + "A file needs an ending such as .mp4; see broadcast list-destinations.")
        case .rtmpWithoutAddress:
            self.init(.usage, "The rtmp extension needs an address: use --to rtmp://HOST/APP/KEY, or configure a destination.")
        case .unknownEnding(let path, let ending):
            self.init(
                .usage,
                "The ending \(ending) of \(path) is not a known format. "
                    + "Use .mp4, .flv, .ts, .h264 or .y4m, or name the format: --format mp4|flv|mpegts|h264|y4m.")
        case .liveWithFullChroma(let name):
            self.init(
                .usage,
                "\(name) is live, and live destinations need --chroma 420: 444 is for files and standard output. "
                    + "Omit --chroma 444, or use --chroma 420 if the config says 444.")
        case .unknownScheme(let scheme, let source):
            self.init(.usage, "No extension sends to \(scheme):// addresses (\(source ?? "--to")). Use rtmp://HOST/APP/KEY.")
        case .notAnRTMPAddress(let reason, let source): self.init(source == nil ? .usage : .config, "\(source ?? "--to"): \(reason)")
        case .notSignedIn(let name): self.init(.notPermitted, "Not signed in to \(name). Run: broadcast setup \(name)")
        case .notSetUp(let name, let question, let prompt):
            self.init(.notPermitted, "Not set up: \(name) needs \(question) (\(prompt)). Run: broadcast setup \(name)")
        case .passwordInAddress(let name):
            self.init(
                .usage,
                "Other users of this machine can read the password in the address. Run: broadcast setup \(name), and omit user and password in --to.")
        case .secretInAddress(let name, let key):
            self.init(
                .usage, "Other users of this machine can read the \(key) in the address. Run: broadcast setup \(name), and omit it in --to.")
        case .outputIsClosed: self.init(.usage, "Standard output is closed, so nothing can be written to it. Use > FILE, or --to FILE.")
        case .outputIsATerminal:
            self.init(.usage, "Standard output is a terminal, which cannot show media. Append > FILE or | ffplay - to the command.")
        case .outputTwice: self.init(.usage, "There is only one standard output. Give - once.")
        case .outputLater: self.init(.usage, "Standard output can only be given when a session starts.")
        case .nameTwice(let name): self.init(.usage, "The destination \(name) is given twice. Give it once.")
        case .fileTwice(let path): self.init(.usage, "The file \(path) is given twice. Give it once.")
        case .cannotCreateFolder(let path, let destination, let configuration, let code):
            self.init(
                .cannotCreate,
                "Cannot create the folder \(path) of the destination \(destination): \(String(cString: strerror(code))). "
                    + "Create it, or correct path in \(configuration).")
        case .unsupported(let name, let problem): self.init(.config, problem.sentence(extension: name, destination: name))
        case .credentials(let problem): self.init(problem)
        }
    }

    package init(_ problem: CredentialProblem) {
        switch problem {
        case .keyringLocked(let name):
            self.init(.notPermitted, "The key of \(name) is in a keyring that is locked. Unlock it, or use key-command in the config.")
        case .keyringKeepsSecret(let name):
            self.init(.unavailable, "The keyring did not remove the key of \(name). Unlock it and try again.")
        case .keyCommandNotRun(let name): self.init(.notPermitted, "The key-command of \(name) cannot be run. Try it in a shell.")
        case .keyCommandTimedOut(let name, let limit):
            self.init(
                .notPermitted, "Not signed in to \(name): its key-command did not end within \(limit.wholeSeconds) s. Try the command in a shell.")
        case .keyCommandInterrupted(let name):
            self.init(.nothing, "Nothing was started: the key-command of \(name) was interrupted.")
        case .keyCommandWithoutKey(let name):
            self.init(.notPermitted, "Not signed in to \(name): its key-command printed no key. Try the command in a shell.")
        case .unreadable(let path): self.init(.config, "Cannot read \(path). Check its permissions.")
        case .damaged(let path, let line): self.init(.config, "\(path):\(line): this line is not TOML. Run broadcast setup again.")
        case .cannotWrite(let path, let code):
            self.init(.cannotCreate, "Cannot write \(path): \(String(cString: strerror(code))). Check the folder's permissions.")
        case .cannotRemove(let path, let code):
            self.init(.cannotCreate, "Cannot remove \(path): \(String(cString: strerror(code))). Check the folder's permissions.")
        case .folder(let path, let problem): self.init(.cannotCreate, problem.sentence(path: path))
        }
    }

    package init(_ problem: SetupProblem) {
        switch problem {
        case .unknown(let name, let known):
            self.init(.noInput, "There is no destination \"\(name)\" to set up. \(NearestName.hint(name, among: known))")
        case .configuration(let error): self.init(error)
        case .programNotStarted(let path, let code):
            self.init(
                .config,
                "The setup program \(path) cannot start: \(String(cString: strerror(code))). Check that it is executable, and its first line.")
        case .refused(let name, let message):
            self.init(.notPermitted, "Not signed in to \(name): \(Self.line(message)) Nothing was changed.")
        case .cancelled: self.init(.nothing, "Nothing was changed.")
        case .programEnded(let name, let status):
            self.init(
                .notPermitted, "Not signed in to \(name): its setup program ended with \(ExitStatus.text(status)). Nothing was changed.")
        case .notAnAnswer(let path):
            self.init(
                .protocolError,
                "The setup program \(path) did not print one JSON object of strings; "
                    + "see man 7 broadcast-extension. Nothing was changed.")
        case .wrongAnswer(let name, let answer):
            self.init(.protocolError, "The setup program of \(name) is wrong: \(answer.phrase). Nothing was changed.")
        }
    }

    /// A program's own message as one sentence, without terminal control characters.
    private static func line(_ message: String) -> String {
        let line = DisplayWidth.printable(String(message.prefix(500)))
        return line.last.map { ".?!".contains($0) } == true ? line : line + "."
    }
}

extension SetupProblem.Answer {
    fileprivate var phrase: String {
        switch self {
        case .undeclared(let key): "it answered \(DisplayWidth.printable(key)), which the manifest does not declare in [[setup]]"
        case .notASecret(let key): "it answered \(key) as a secret, and the manifest does not declare it as one"
        case .secretInTheOpen(let key): "it answered the secret \(key) as if it were not secret"
        case .missing(let key): "it did not answer \(key), which is required"
        case .notAnAddress: "its watch_url is not an https:// or http:// address"
        }
    }
}

extension ConfigurationFault {
    package var sentence: String {
        let phrase = problem.phrase + problem.hint + keyHint
        return "\(path):\(line): \(key): \(phrase)" + (phrase.hasSuffix("?") || phrase.hasSuffix(".") ? "" : ".")
    }
}

extension ConfigurationFault {
    /// A suggestion for an unknown key, or the known keys.
    private var keyHint: String {
        guard case .unknownKey(let known) = problem else { return "" }
        let name = key.split(separator: ".").last.map(String.init) ?? key
        return "; " + (NearestName.of(name, among: known).map { "did you mean \($0)?" } ?? "known are \(known.joined(separator: ", ")).")
    }
}

extension ConfigurationFault.Problem {
    fileprivate var phrase: String {
        switch self {
        case .unknownKey: "there is no such key"
        case .missing(let expected): "this is required: \(expected.phrase)"
        case .wrong(let expected): "this must be \(expected.phrase)"
        case .notAChoice(let value, let choices): "\"\(value)\" is not one of \(choices.joined(separator: ", "))"
        case .notASize(let value): "\"\(value)\" is not a size from 16x16 to 16384x16384; write it like 1280x720"
        case .notARule(let value):
            "\"\(value)\" is not a rule; write class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER"
        case .bitrateAndQuality: "bitrate and quality exclude each other; remove one of them"
        case .noExtension: "every destination needs an extension or a service; see broadcast list-extensions"
        case .noURL: "an rtmp destination needs a url"
        case .notAnRTMPAddress(let reason): reason
        case .certificatesOfNoRTMP: "only rtmp destinations have certificates to check"
        case .unreadableCertificates(let path): "cannot read \(path). Name a file of PEM certificates"
        case .unknownService(let name, _): "there is no service \"\(name)\""
        case .unknownExtension(let name, _): "there is no extension \"\(name)\""
        case .unknownDestination(let name, _): "there is no destination \"\(name)\""
        case .notAName: "this must be letters, digits, - and _"
        case .nameIsBuiltIn(let name): "\"\(name)\" is built in; choose another name"
        case .noQuestions: "the keys that it answers must be declared: add [[setup]] tables"
        case .clipsWithoutScreen: "clips need the screen track"
        case .nothingToSend: "this extension would get neither picture nor sound"
        case .notAScheme(let name): "\"\(name)\" is not a scheme that an extension can have"
        case .schemesWithoutURL: "the address is the answer to the question url, which is not declared"
        case .notAsked(let name, let questions):
            "the extension \(name) does not ask for this. "
                + (questions.isEmpty ? "It asks for nothing" : "It asks for \(questions.joined(separator: ", "))")
        case .isSecret: "this is secret and must not be in the config. Remove it from there"
        case .passwordInAddress(let destination):
            "the password in this address must not be in the config. Give it to broadcast setup \(destination), and remove it here"
        }
    }

    /// `; did you mean …?`, or the known names.
    fileprivate var hint: String {
        switch self {
        case .unknownService(let name, let known), .unknownExtension(let name, let known), .unknownDestination(let name, let known):
            "; " + (NearestName.of(name, among: known).map { "did you mean \($0)?" } ?? "known are \(known.joined(separator: ", "))")
        default: ""
        }
    }
}

extension ConfigurationFault.Expected {
    fileprivate var phrase: String {
        switch self {
        case .table: "a table"
        case .text: "a string in quotes"
        case .boolean: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .texts(let choices): choices.isEmpty ? "an array of strings" : "an array of \(choices.joined(separator: ", "))"
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
        case .notThere(let path, let code): "Cannot read \(path): \(String(cString: strerror(code))). Check that it exists."
        case .notExecutable(let path, let key, let program):
            "\(path): \(key): \(program) is not a program that you may run. Correct the path, or make it executable."
        case .foreignOwner(let path):
            "\(path) belongs to another user, so that user can change what it does. Copy it to a file of your own."
        case .writableByOthers(let path): "Users other than its owner may write \(path). Forbid that: chmod go-w '\(path)'."
        }
    }
}

extension FolderProblem {
    package func sentence(path: String) -> String {
        switch self {
        case .cannotCreate(let code): "Cannot create the folder \(path): \(String(cString: strerror(code))). Check the folder above it."
        case .notOurs: "The folder \(path) is not yours. Set XDG_RUNTIME_DIR to a folder of your own, or remove it."
        }
    }
}

extension SettingProblem {
    package var sentence: String {
        switch self {
        case .outOfRange(.quality, _, _): "--quality must be from 0 (lossless) to 51; 23 is usual."
        case .outOfRange(.keyframeInterval, _, _): "--keyframe-interval must be from 0.1 to 60 seconds; 2 is usual."
        case .outOfRange(let setting, let range, let value):
            "\(setting.option) must be from \(Int(range.lowerBound)) to \(Int(range.upperBound)), not \(Int(value))."
        case .bitrateAndQuality: "--bitrate and --quality exclude each other. Use --bitrate for live, --quality for files."
        case .unknownPreset(let name, let known): "There is no preset \"\(name)\". Use one of \(known.joined(separator: ", "))."
        case .pictureFileAndScreen: "--y4m replaces the screen: omit --display and --follow-focus."
        case .soundFileAndApplications: "--wav replaces the sound of the applications: omit --app-source and --no-app-audio."
        case .twoStandardInputs: "Pictures and sound cannot both come from standard input. Use a named pipe for one of them."
        }
    }
}

extension SettingProblem.Setting {
    fileprivate var option: String {
        switch self {
        case .frameRate: "--fps"
        case .bitrate: "--bitrate (kbit/s)"
        case .quality: "--quality"
        case .keyframeInterval: "--keyframe-interval"
        case .audioBitrate: "--audio-bitrate (kbit/s)"
        }
    }
}

extension NearestName {
    /// `Did you mean …?`, or the known names.
    package static func hint(_ name: String, among known: [String]) -> String {
        of(name, among: known).map { "Did you mean \($0)?" } ?? "Known are \(known.joined(separator: ", "))."
    }
}
