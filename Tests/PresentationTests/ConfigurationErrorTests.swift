import Credentials
import Glibc
import Host
import Presentation
import Processes
import RTMP
import Testing
import Upload
import UserConfiguration

/// The sentences about a configuration, the names of destinations, stored secrets and `setup`.
struct ConfigurationErrorTests {
    typealias Status = Presentation.ExitStatus

    private static let errors: [(ConfigurationError, Status, String)] = [
        (
            .unreadable(path: "/c.toml"), .config,
            "Cannot read the config /c.toml. Check that it, its folder and what it links to exist, and their permissions."
        ),
        (.notText(path: "/c.toml"), .config, "The config /c.toml is not UTF-8 text. Save it as UTF-8."),
        (
            .syntax(path: "/c.toml", line: 3, message: "A value is missing."), .config,
            "/c.toml:3: A value is missing. Correct that line."
        ),
        (
            .syntax(path: "/c.toml", line: 3, message: "A value is missing"), .config,
            "/c.toml:3: A value is missing. Correct that line."
        ),
        (
            .syntax(path: "/c.toml", line: 3, message: "Error while parsing decimal integer: expected digit, saw 'x'"),
            .config,
            "/c.toml:3: Error while parsing decimal integer: expected digit, saw 'x'. If this is text, it needs quotes, as in size = \"1280x720\"."
        ),
        (
            .fault(ConfigurationFault(path: "/c.toml", line: 2, key: "video.fps", problem: .wrong(.integer(1...240)))),
            .config,
            "/c.toml:2: video.fps: this must be a whole number from 1 to 240."
        ),
        (.manifest(.empty(path: "/e/extension.toml")), .config, "/e/extension.toml is empty. Write a manifest."),
        (
            .folder(path: "/run/b", .notOurs), .cannotCreate,
            "The folder /run/b is not yours. Set XDG_RUNTIME_DIR to a folder of your own, or remove it."
        ),
        (
            .folder(path: "/run/b", .cannotCreate(code: ENOTDIR)), .cannotCreate,
            "Cannot create the folder /run/b: Not a directory. Check the folder above it."
        ),
        (
            .setting(.bitrateAndQuality), .usage,
            "--bitrate and --quality exclude each other. Use --bitrate for live, --quality for files."
        ),
        (.destination(.duplicate(.output)), .usage, "There is only one standard output. Give - once."),
    ]

    @Test(arguments: errors) func `An error of the configuration names the file and what to do`(
        error: ConfigurationError, status: Status, message: String
    ) {
        #expect(CommandError(error) == CommandError(status, message))
        #expect(SentenceRules.violation(of: message) == nil)
    }

    private static let destinations: [(DestinationProblem, Status, String)] = [
        (
            .unknown("twich", known: ["rtmp", "twitch"]), .noInput,
            "There is no destination \"twich\". Did you mean twitch? A file needs an ending such as .mp4; see broadcast list-destinations."
        ),
        (
            .unknown("zzzzzz", known: ["rtmp", "clips", "rtmp"]), .noInput,
            "There is no destination \"zzzzzz\". Known are rtmp, clips. "
                + "A file needs an ending such as .mp4; see broadcast list-destinations."
        ),
        (
            .notInstalled("hls"), .noInput,
            "The extension hls is not installed. Install it together with broadcast (sudo make install), or set "
                + "BROADCAST_EXTENSION_PATH to the folder above its own. See broadcast list-extensions."
        ),
        (
            .address(.missing), .usage,
            "The rtmp extension needs an address: use --to rtmp://HOST/APP/KEY, or configure a destination."
        ),
        (
            .format(.unknownEnding(path: "talk.avi", ending: ".avi")), .usage,
            "talk.avi cannot be written: .avi is not a format of this program. "
                + "Use .mp4, .mkv, .flv, .ts, .h264 or .y4m. broadcast start also has --format mp4|mkv|flv|mpegts|h264|y4m."
        ),
        (
            .format(.unknownEnding(path: "www/live.m3u8", ending: ".m3u8")), .usage,
            "www/live.m3u8 cannot be written: .m3u8 belongs to HLS, which needs a folder. "
                + "Run: broadcast start --to hls:www"
        ),
        (
            .format(.withoutEnding(path: "/home/ada/Videos")), .usage,
            "/home/ada/Videos is not a folder, and its name has no ending. "
                + "Write /home/ada/Videos.mp4 for this file, or /home/ada/Videos/ for a new file in a new folder."
        ),
        (
            .format(.withoutFile), .usage,
            "--format has no effect: it is for files and standard output. Omit it, or add --to FILE."
        ),
        (
            .format(.separateTracksWithoutFile), .usage,
            "--audio-tracks separate has no effect: it is for .mp4 and .ts files and for standard output. Omit it, or add --to FILE.mp4."
        ),
        (
            .format(.fullChroma(live: "studio")), .usage,
            "studio is live, and live destinations need --chroma 420: 444 is for files and standard output. "
                + "Omit --chroma 444, or use --chroma 420 if the config says 444."
        ),
        (
            .format(.lossless(live: "studio")), .usage,
            "studio is live, and browsers and services cannot show lossless video: --quality 0 is for files and standard output. "
                + "Use --bitrate, or --quality 1 or more."
        ),
        (
            .address(.unknownScheme("ftp", source: nil)), .usage,
            "No extension sends to ftp:// addresses (--to). Use rtmp://HOST/APP/KEY."
        ),
        (
            .address(.unknownScheme("file", source: nil)), .usage,
            "A file has no address here (--to): write its path alone, as in /tmp/talk.mp4."
        ),
        (
            .address(.unknownScheme("ftp", source: "/c.toml:4")), .usage,
            "No extension sends to ftp:// addresses (/c.toml:4). Use rtmp://HOST/APP/KEY."
        ),
        (
            .address(.notRTMP(.invalidPort, source: nil)), .usage,
            "--to: The URL's port is not a number from 1 to 65535."
        ),
        (
            .address(.notRTMP(.missingApp, source: "/c.toml:4")), .config,
            "/c.toml:4: The URL names no application: write rtmp://host/app."
        ),
        (.notSignedIn("twitch"), .notPermitted, "Not signed in to twitch. Run: broadcast setup twitch"),
        (
            .passwordMissing("studio", user: "ann"), .notPermitted,
            "Not signed in to studio: the password of the user ann is missing. Run: broadcast setup studio --secret-from-stdin password"
        ),
        (
            .proxyWithoutPassword, .notPermitted,
            "The proxy requires a password. Set the variable BROADCAST_PROXY_PASSWORD, or omit the user in the address of the proxy."
        ),
        (
            .networkNotSupported("web", setting: "ip-version"), .usage,
            "The extension web cannot use -4 or -6 (ip-version), so its connections would not use that setting. "
                + "Omit the setting, or this destination."
        ),
        (
            .networkNotSupported("web", setting: "bind"), .usage,
            "The extension web cannot use --bind (bind), so its connections would not use that setting. "
                + "Omit the setting, or this destination."
        ),
        (
            .notSetUp("web", question: "url", prompt: "Address"), .notPermitted,
            "Not set up: web needs url, \"Address\". Run: broadcast setup web"
        ),
        (
            .address(.secret(.password, extension: "hls")), .usage,
            "A password must not be in an address on the command line. Run: broadcast setup hls, and omit user and password in --to."
        ),
        (
            .address(.secret(.parameter("streamid"), extension: "srt")), .usage,
            "The streamid must not be in an address on the command line. Run: broadcast setup srt, and omit it in --to."
        ),
        (
            .address(.passwordInRTMPAddress), .usage,
            "A password must not be in an address on the command line. Configure a destination without it, "
                + "and run: broadcast setup NAME --set user=USER --secret-from-stdin password"
        ),
        (
            .address(.withoutKey), .usage,
            "The address in --to has no stream key. Use --key-from-stdin and enter the key, or append it: rtmp://HOST/APP/KEY."
        ),
        (
            .output(.closed), .usage,
            "Standard output is closed, so nothing can be written to it. Use > FILE, or --to FILE."
        ),
        (
            .output(.terminal), .usage,
            "Standard output is a terminal, which cannot show media. Append > FILE or | ffplay - to the command."
        ),
        (.duplicate(.name("studio")), .usage, "The destination studio is given twice. Give it once."),
        (.duplicate(.file("/v/a.mp4")), .usage, "The file /v/a.mp4 is given twice. Give it once."),
        (.duplicate(.address("rtmp://h/live/…")), .usage, "The address rtmp://h/live/… is given twice. Give it once."),
        (
            .duplicate(.configured("web", "cdn")), .usage,
            "The destinations web and cdn have the same address. Give one of them."
        ),
        (
            .cannotCreateFolder(path: "/v", destination: "archive", configuration: nil, code: EACCES), .cannotCreate,
            "Cannot create the folder /v of the destination archive: Permission denied. Create it, or choose another folder."
        ),
        (
            .cannotCreateFolder(path: "/v", destination: "archive", configuration: "/c.toml", code: EACCES),
            .cannotCreate,
            "Cannot create the folder /v of the destination archive: Permission denied. Create it, or correct path in /c.toml."
        ),
        (
            .unsupported(name: "web", .tooManySoundTracks(2)), .config,
            "The extension web asks for 2 sound tracks, and FLV holds one. Use container = \"mpegts\"."
        ),
        (
            .credentials(.keyringSilent(destination: "twitch")), .unavailable,
            "The keyring does not answer, so the key of twitch cannot be read. Restart the keyring, or log in again."
        ),
    ]

    @Test(arguments: destinations) func `A destination that cannot be used is named with its problem`(
        problem: DestinationProblem, status: Status, message: String
    ) {
        #expect(CommandError(ConfigurationError.destination(problem)) == CommandError(status, message))
        #expect(SentenceRules.violation(of: message) == nil)
    }

    private static let credentials: [(CredentialProblem, Status, String)] = [
        (
            .keyringLocked(destination: "twitch"), .notPermitted,
            "The key of twitch is in a keyring that is locked. Unlock it, or use key-command in the config."
        ),
        (
            .notStored(destination: "twitch", .absent), .unavailable,
            "No Secret Service answers. Nothing was stored. Try again, or add --plain-file to the command: "
                + "it stores the secret in a file that only you can read."
        ),
        (
            .notStored(destination: "twitch", .silent), .unavailable,
            "The keyring does not answer in time. Nothing was stored. Try again, or add --plain-file to the command: "
                + "it stores the secret in a file that only you can read."
        ),
        (
            .notStored(destination: "twitch", .refused), .notPermitted,
            "The keyring did not store the secret: its dialog was closed, or it rejected the request. Nothing was stored. "
                + "Try again, or add --plain-file to the command: it stores the secret in a file that only you can read."
        ),
        (
            .keyCommand(destination: "twitch", .missing(program: "pass")), .notPermitted,
            "Not signed in to twitch: its key-command starts pass, which is not installed. Correct the config."
        ),
        (
            .keyringKeepsSecret(destination: "twitch"), .unavailable,
            "The keyring did not remove the key of twitch. Unlock it and try again."
        ),
        (
            .keyCommand(destination: "twitch", .notRun), .notPermitted,
            "The key-command of twitch cannot be run. Try it in a shell."
        ),
        (
            .keyCommand(destination: "twitch", .timedOut(after: .seconds(60))), .notPermitted,
            "Not signed in to twitch: its key-command did not end within 60 s. Try the command in a shell."
        ),
        (
            .keyCommand(destination: "twitch", .interrupted(signal: nil)), .nothing,
            "Nothing was started: the key-command of twitch was interrupted."
        ),
        (
            .keyCommand(destination: "twitch", .interrupted(signal: SIGINT)), .interrupted,
            "Nothing was started: the key-command of twitch was interrupted."
        ),
        (
            .keyCommand(destination: "twitch", .interrupted(signal: SIGHUP)), .hungUp,
            "Nothing was started: the key-command of twitch was interrupted."
        ),
        (
            .keyringInterrupted(destination: "twitch"), .nothing,
            "Nothing was started: the keyring was still locked, so the key of twitch was not read."
        ),
        (
            .keyCommand(destination: "twitch", .failed(status: 3)), .notPermitted,
            "Not signed in to twitch: its key-command ended with exit status 3. Try the command in a shell."
        ),
        (
            .keyCommand(destination: "twitch", .killed(signal: SIGTERM)), .notPermitted,
            "Not signed in to twitch: its key-command ended with signal 15, Terminated. Try the command in a shell."
        ),
        (
            .keyCommand(destination: "twitch", .withoutKey), .notPermitted,
            "Not signed in to twitch: its key-command printed no key. Try the command in a shell."
        ),
        (.unreadable(path: "/s/secrets.toml"), .config, "Cannot read /s/secrets.toml. Check its permissions."),
        (
            .damaged(path: "/s/secrets.toml", line: 2), .config,
            "/s/secrets.toml:2: this line is not TOML. Run broadcast setup again."
        ),
        (
            .cannotWrite(path: "/s/secrets.toml", code: EROFS), .cannotCreate,
            "Cannot write /s/secrets.toml: Read-only file system. Check the folder's permissions."
        ),
        (
            .cannotRemove(path: "/s/secrets.toml", code: EACCES), .cannotCreate,
            "Cannot remove /s/secrets.toml: Permission denied. Check the folder's permissions."
        ),
        (
            .folder(path: "/s", .cannotCreate(code: EACCES)), .cannotCreate,
            "Cannot create the folder /s: Permission denied. Check the folder above it."
        ),
    ]

    @Test(arguments: credentials) func `A secret that cannot be read or stored is answered with the next step`(
        problem: CredentialProblem, status: Status, message: String
    ) {
        #expect(CommandError(problem) == CommandError(status, message))
        #expect(SentenceRules.violation(of: message) == nil)
    }

    private static let setups: [(SetupProblem, Status, String)] = [
        (
            .unknown("twich", known: ["rtmp", "twitch"]), .noInput,
            "There is no destination \"twich\". Did you mean twitch?"
        ),
        (.configuration(.notText(path: "/c.toml")), .config, "The config /c.toml is not UTF-8 text. Save it as UTF-8."),
        (
            .programNotStarted(path: "/e/setup", code: ENOEXEC), .config,
            "The setup program /e/setup cannot start: Exec format error. Check that it is executable, and its first line."
        ),
        (
            .refused(name: "web", message: "The sign-in was refused."), .notPermitted,
            "Not signed in to web: The sign-in was refused. Nothing was changed."
        ),
        (
            .refused(name: "web", message: "The sign-in was refused"), .notPermitted,
            "Not signed in to web: The sign-in was refused. Nothing was changed."
        ),
        (
            .refused(name: "web", message: "Who is it?"), .notPermitted,
            "Not signed in to web: Who is it? Nothing was changed."
        ),
        (
            .refused(name: "web", message: ""), .notPermitted,
            "Not signed in to web: its setup program gave no reason. Nothing was changed."
        ),
        (.cancelled, .nothing, "Nothing was changed."),
        (
            .programEnded(name: "web", .exited(3)), .notPermitted,
            "Not signed in to web: its setup program ended with exit status 3. Nothing was changed."
        ),
        (
            .programEnded(name: "web", .killed(signal: SIGKILL)), .notPermitted,
            "Not signed in to web: its setup program ended with signal 9, Killed. Nothing was changed."
        ),
        (
            .notAnAnswer(path: "/e/setup"), .protocolError,
            "The setup program /e/setup did not print one JSON object of strings; see man 7 broadcast-extension. Nothing was changed."
        ),
        (
            .wrongAnswer(name: "web", .undeclared(key: "a\u{1b}b")), .protocolError,
            "The setup program of web is wrong: it answered a?b, which the manifest does not declare in [[setup]]. Nothing was changed."
        ),
        (
            .wrongAnswer(name: "web", .notASecret(key: "url")), .protocolError,
            "The setup program of web is wrong: it answered url as a secret, and the manifest does not declare it as one. Nothing was changed."
        ),
        (
            .wrongAnswer(name: "web", .secretInTheOpen(key: "key")), .protocolError,
            "The setup program of web is wrong: it answered the secret key as if it were not secret. Nothing was changed."
        ),
        (
            .wrongAnswer(name: "web", .missing(key: "url")), .protocolError,
            "The setup program of web is wrong: it did not answer url, which is required. Nothing was changed."
        ),
        (
            .wrongAnswer(name: "web", .notAnAddress), .protocolError,
            "The setup program of web is wrong: its watch_url is not an https:// or http:// address. Nothing was changed."
        ),
    ]

    @Test(arguments: setups) func `A failed setup says that nothing was changed`(
        problem: SetupProblem, status: Status, message: String
    ) {
        #expect(CommandError(problem) == CommandError(status, message))
        #expect(SentenceRules.violation(of: message) == nil)
    }

    /// The same sentence goes to the terminal, the log, a control client and the notification.
    @Test(arguments: [
        "rtmp://h/a/SEKRET", "twitch:SEKRET", "192.168.1.5/live/SEKRET", "rtmp://h/a/K'SEKRET", "live_8923_SEKRET",
    ])
    func `No error repeats what can be a key`(word: String) {
        let problem = ConfigurationError.destination(.unknown(word, known: ["twitch"]))
        let errors = [
            CommandError(problem), CommandError(SetupProblem.unknown(word, known: ["twitch"])),
            CommandError(RequestProblem.unknownDestination(word, known: ["twitch"])),
        ]
        for error in errors { #expect(!error.message.contains("SEKRET"), "\(error.message)") }
        let log = ErrorPresenter().report(.configuration(problem)).message
        #expect(!log.contains("SEKRET") && log == errors[0].message)
        if word != "live_8923_SEKRET" {
            #expect(!CommandError(.noInput, "Cannot read \(word): no such file.").message.contains("SEKRET"))
        }
    }

    @Test func `Links in the words of an extension stay`() {
        let message = CommandError(SetupProblem.refused(name: "web", message: "Sign in at https://h.example/activate."))
            .message
        #expect(message.contains("https://h.example/activate"))
    }

    @Test func `A long message of a setup program is cut, and stays one line`() {
        let message = CommandError(.refused(name: "web", message: String(repeating: "a\n", count: 1000))).message
        #expect(message.count < 600 && SentenceRules.violation(of: message) == nil)
        #expect(message.hasSuffix("a?. Nothing was changed.") || message.hasSuffix("a? Nothing was changed."))
    }
}
