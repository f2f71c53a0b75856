import CommandModels
import Credentials
import Glibc
import UserConfiguration

extension CommandError {
    package init(_ error: ConfigurationError) {
        switch error {
        case .unreadable(let path):
            self.init(
                .config,
                "Cannot read the config \(path). Check that it, its folder and what it links to exist, and their permissions."
            )
        case .notText(let path): self.init(.config, "The config \(path) is not UTF-8 text. Save it as UTF-8.")
        case .syntax(let path, let line, let message):
            // What the parser reports for text that is not quoted.
            let isText = ["could not determine value type", "expected digit, saw '"].contains { message.contains($0) }
            let way = isText ? "If this is text, it needs quotes, as in size = \"1280x720\"." : "Correct that line."
            self.init(
                .config, "\(path):\(line): \(message.hasSuffix(".") ? String(message.dropLast()) : message). \(way)")
        case .fault(let fault): self.init(.config, fault.sentence)
        case .manifest(let problem): self.init(.config, problem.sentence)
        case .folder(let path, let problem): self.init(.cannotCreate, problem.sentence(path: path))
        case .setting(let problem): self.init(.usage, problem.sentence)
        case .destination(let problem): self.init(problem)
        case .unknownProfile(let name, let known, let path):
            self.init(
                .config,
                "\(path) has no profile \(NearestName.quoted(name, among: known)). "
                    + (known.isEmpty
                        ? "Add [profile.NAME] to it (man 5 broadcast.toml)." : NearestName.hint(name, among: known)))
        }
    }

    /// Why `config set` changed nothing.
    package init(_ problem: ConfigurationText.Problem, key: String) {
        switch problem {
        case .notAKey(let text):
            self.init(
                .usage,
                "There is no key \"\(text)\". A key has its table before it, as in video.fps or destinations.mine.url. "
                    + "Run: broadcast config sample")
        case .notAlone:
            self.init(
                .nothing,
                "\(key) was not changed, because its line has more than its value, or its value has several lines. "
                    + "Run: broadcast config edit")
        case .invalid(.fault(let fault)) where fault.key == key || key.hasPrefix(fault.key + "."):
            // Its line is that of a text that was not written.
            self.init(
                .config,
                "\(key) was not changed"
                    + (fault.key == key ? ": \(fault.reason)" : ". \(fault.statement)"))
        case .invalid(let error):
            self.init(error)
            message = "\(key) was not changed. " + message
        }
    }

    package init(_ problem: DestinationProblem) {
        switch problem {
        case .unknown(let target, let known):
            self.init(
                .noInput,
                "There is no destination \(NearestName.quoted(target, among: known)). \(NearestName.hint(target, among: known)) "
                    + "A file needs an ending such as .mp4; see broadcast list-destinations.")
        case .notInstalled(let name):
            self.init(
                .noInput,
                "The extension \(name) is not installed. Install it together with broadcast (sudo make install), or set "
                    + "BROADCAST_EXTENSION_PATH to the folder above its own. See broadcast list-extensions.")
        case .address(let problem): self.init(problem)
        case .format(let problem): self.init(problem)
        case .output(let problem): self.init(problem)
        case .duplicate(let problem): self.init(problem)
        case .notSignedIn(let name): self.init(.notPermitted, "Not signed in to \(name). Run: broadcast setup \(name)")
        case .passwordMissing(let name, let user):
            self.init(
                .notPermitted,
                "Not signed in to \(name): the password of the user \(user) is missing. Run: broadcast setup \(name) --secret-from-stdin password"
            )
        case .proxyWithoutPassword:
            self.init(
                .notPermitted,
                "The proxy requires a password. Set the variable BROADCAST_PROXY_PASSWORD, or omit the user in the address of the proxy."
            )
        case .networkNotSupported(let name, let setting):
            self.init(
                .usage,
                "The extension \(name) cannot use \(setting == "ip-version" ? "-4 or -6 (ip-version)" : "--\(setting) (\(setting))"), "
                    + "so its connections would not use that setting. Omit the setting, or this destination.")
        case .notSetUp(let name, let question, let prompt):
            self.init(
                .notPermitted,
                "Not set up: \(name) needs \(question), \"\(prompt)\". Run: broadcast setup \(name)"
            )
        case .cannotCreateFolder(let path, let destination, let configuration, let code):
            self.init(
                .cannotCreate,
                "Cannot create the folder \(path) of the destination \(destination): \(String(cString: strerror(code))). "
                    + (configuration.map { "Create it, or correct path in \($0)." }
                        ?? "Create it, or choose another folder."))
        case .unsupported(let name, let problem):
            self.init(.config, problem.sentence(extension: name, destination: name))
        case .credentials(let problem): self.init(problem)
        }
    }

    private init(_ problem: AddressProblem) {
        switch problem {
        case .mistyped:
            self.init(
                .usage,
                "A destination looks like an address, and is none: write rtmp://HOST/APP/KEY, or the name of a service alone. "
                    + "For a file, write ./NAME.")
        case .takenByName(let name, let questions):
            self.init(
                .usage,
                "The extension \(name) takes no address. Run: broadcast start --to \(name)"
                    + (questions.isEmpty
                        ? "" : " (to set \(questions.joined(separator: ", ")), first run: broadcast setup \(name))"))
        case .missing:
            self.init(
                .usage, "The rtmp extension needs an address: use --to rtmp://HOST/APP/KEY, or configure a destination."
            )
        case .unknownScheme("file", let source):
            self.init(
                .usage, "A file has no address here (\(source ?? "--to")): write its path alone, as in /tmp/talk.mp4.")
        case .unknownScheme(let scheme, let source):
            self.init(
                .usage, "No extension sends to \(scheme):// addresses (\(source ?? "--to")). Use rtmp://HOST/APP/KEY.")
        case .notRTMP(let error, let source):
            self.init(source == nil ? .usage : .config, "\(source ?? "--to"): \(error.sentence)")
        case .secret(let secret, let name):
            self.init(
                .usage,
                "\(secret.phrase) must not be in an address on the command line. Run: broadcast setup \(name), "
                    + "and omit \(secret == .password ? "user and password" : "it") in --to.")
        case .passwordInRTMPAddress:
            self.init(
                .usage,
                "A password must not be in an address on the command line. Configure a destination without it, "
                    + "and run: broadcast setup NAME --set user=USER --secret-from-stdin password")
        case .withoutKey:
            self.init(
                .usage,
                "The address in --to has no stream key. Use --key-from-stdin and enter the key, or append it: rtmp://HOST/APP/KEY."
            )
        }
    }

    private init(_ problem: FormatProblem) {
        switch problem {
        case .withoutEnding(let path):
            self.init(
                .usage,
                "\(path) is not a folder, and its name has no ending. "
                    + "Write \(path).mp4 for this file, or \(path)/ for a new file in a new folder.")
        case .unknownEnding(let path, let ending) where ending.lowercased() == ".m3u8":
            self.init(
                .usage,
                "\(path) cannot be written: \(ending) belongs to HLS, which needs a folder. "
                    + "Run: broadcast start --to hls:\(URLName.folder(of: path))")
        case .unknownEnding(let path, let ending):
            self.init(
                .usage,
                "\(path) cannot be written: \(ending) is not a format of this program. "
                    + "Use .mp4, .mkv, .flv, .ts, .h264 or .y4m. broadcast start also has --format mp4|mkv|flv|mpegts|h264|y4m."
            )
        case .withoutFile:
            self.init(.usage, "--format has no effect: it is for files and standard output. Omit it, or add --to FILE.")
        case .separateTracksWithoutFile:
            self.init(
                .usage,
                "--audio-tracks separate has no effect: it is for .mp4 and .ts files and for standard output. Omit it, or add --to FILE.mp4."
            )
        case .fullChroma(let name):
            self.init(
                .usage,
                "\(name) is live, and live destinations need --chroma 420: 444 is for files and standard output. "
                    + "Omit --chroma 444, or use --chroma 420 if the config says 444.")
        case .lossless(let name):
            self.init(
                .usage,
                "\(name) is live, and browsers and services cannot show lossless video: --quality 0 is for files and standard output. "
                    + "Use --bitrate, or --quality 1 or more.")
        }
    }

    private init(_ problem: OutputProblem) {
        switch problem {
        case .closed:
            self.init(.usage, "Standard output is closed, so nothing can be written to it. Use > FILE, or --to FILE.")
        case .terminal:
            self.init(
                .usage,
                "Standard output is a terminal, which cannot show media. Append > FILE or | ffplay - to the command.")
        }
    }

    private init(_ problem: DuplicateDestination) {
        switch problem {
        case .output: self.init(.usage, "There is only one standard output. Give - once.")
        case .name(let name): self.init(.usage, "The destination \(name) is given twice. Give it once.")
        case .file(let path): self.init(.usage, "The file \(path) is given twice. Give it once.")
        case .address(let url): self.init(.usage, "The address \(url) is given twice. Give it once.")
        case .configured(let one, let other):
            self.init(.usage, "The destinations \(one) and \(other) have the same address. Give one of them.")
        }
    }

    package init(_ problem: CredentialProblem) {
        switch problem {
        case .keyringLocked(let name):
            self.init(
                .notPermitted,
                "The key of \(name) is in a keyring that is locked. Unlock it, or use key-command in the config.")
        case .keyringSilent(let name):
            self.init(
                .unavailable,
                "The keyring does not answer, so the key of \(name) cannot be read. Restart the keyring, or log in again."
            )
        case .notStored(_, let problem):
            self.init(
                problem == .refused ? .notPermitted : .unavailable,
                "\(problem.sentence) Nothing was stored. Try again, or add --plain-file to the command: it stores the "
                    + "secret in a file that only you can read.")
        case .keyringKeepsSecret(let name):
            self.init(.unavailable, "The keyring did not remove the key of \(name). Unlock it and try again.")
        case .keyCommand(let name, let problem): self.init(problem, of: name)
        case .keyringInterrupted(let name):
            self.init(
                .nothing, "Nothing was started: the keyring was still locked, so the key of \(name) was not read.")
        case .controlCharacter(let key):
            self.init(
                .usage,
                "The answer for \(key) has a control character, which no secret has. Nothing was stored. Copy it again."
            )
        case .unreadable(let path): self.init(.config, "Cannot read \(path). Check its permissions.")
        case .damaged(let path, let line):
            self.init(.config, "\(path):\(line): this line is not TOML. Run broadcast setup again.")
        case .cannotWrite(let path, let code):
            self.init(
                .cannotCreate,
                "Cannot write \(path): \(String(cString: strerror(code))). Check the folder's permissions.")
        case .cannotRemove(let path, let code):
            self.init(
                .cannotCreate,
                "Cannot remove \(path): \(String(cString: strerror(code))). Check the folder's permissions.")
        case .folder(let path, let problem): self.init(.cannotCreate, problem.sentence(path: path))
        }
    }

    private init(_ problem: KeyCommandProblem, of name: String) {
        switch problem {
        case .missing(let program):
            self.init(
                .notPermitted,
                "Not signed in to \(name): its key-command starts \(program), which is not installed. Correct the config."
            )
        case .notRun:
            self.init(.notPermitted, "The key-command of \(name) cannot be run. Try it in a shell.")
        case .timedOut(let limit):
            self.init(
                .notPermitted,
                "Not signed in to \(name): its key-command did not end within \(limit.wholeSeconds) s. Try the command in a shell."
            )
        case .interrupted(let signal):
            self.init(
                signal.map(ExitStatus.ended) ?? .nothing,
                "Nothing was started: the key-command of \(name) was interrupted.")
        case .failed(let status):
            self.init(
                .notPermitted,
                "Not signed in to \(name): its key-command ended with \(ExitStatus.text(.exited(status))). Try the command in a shell."
            )
        case .killed(let signal):
            self.init(
                .notPermitted,
                "Not signed in to \(name): its key-command ended with \(ExitStatus.text(.killed(signal: signal))). Try the command in a shell."
            )
        case .withoutKey:
            self.init(
                .notPermitted, "Not signed in to \(name): its key-command printed no key. Try the command in a shell.")
        }
    }

    package init(_ problem: SetupProblem) {
        switch problem {
        case .unknown(let name, let known):
            self.init(
                .noInput,
                "There is no destination \(NearestName.quoted(name, among: known)). \(NearestName.hint(name, among: known))"
            )
        case .configuration(let error): self.init(error)
        case .programNotStarted(let path, let code):
            self.init(
                .config,
                "The setup program \(path) cannot start: \(String(cString: strerror(code))). Check that it is executable, and its first line."
            )
        case .refused(let name, ""):
            self.init(.notPermitted, "Not signed in to \(name): its setup program gave no reason. Nothing was changed.")
        case .refused(let name, let message):
            self.init(.notPermitted, cleaned: "Not signed in to \(name): \(Self.line(message)) Nothing was changed.")
        case .cancelled: self.init(.nothing, "Nothing was changed.")
        case .programEnded(let name, let status):
            self.init(
                .notPermitted,
                "Not signed in to \(name): its setup program ended with \(ExitStatus.text(status)). Nothing was changed."
            )
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
        let line = String(message.prefix(500)).printable
        return line.last.map { ".?!".contains($0) } == true ? line : line + "."
    }
}

extension SetupProblem.Answer {
    fileprivate var phrase: String {
        switch self {
        case .undeclared(let key):
            "it answered \(key.printable), which the manifest does not declare in [[setup]]"
        case .notASecret(let key): "it answered \(key) as a secret, and the manifest does not declare it as one"
        case .secretInTheOpen(let key): "it answered the secret \(key) as if it were not secret"
        case .missing(let key): "it did not answer \(key), which is required"
        case .notAnAddress: "its watch_url is not an https:// or http:// address"
        }
    }
}
