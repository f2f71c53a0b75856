import Glibc
import Presentation
import RTMP
import Testing
import UserConfiguration

/// The sentences about single values of a configuration or a manifest, and about settings.
struct ConfigurationFaultTests {
    private static let faults: [(ConfigurationFault.Problem, String)] = [
        (.unknownKey(known: ["fps", "size"]), "there is no such key; known are fps, size."),
        (.unknownKey(known: ["kay", "size"]), "there is no such key; did you mean kay?"),
        (.unnamedKey, "a key has no name; remove it, or give it one."),
        (.missing(.text), "this is required: a string in quotes."),
        (.wrong(.table), "this must be a table."),
        (.wrong(.boolean), "this must be true or false."),
        (.wrong(.integer(1...240)), "this must be a whole number from 1 to 240."),
        (
            .wrong(.bitrate(50...900)),
            "this must be a bitrate in kbit/s from 50 to 900, or a text with a unit, as in \"6M\"."
        ),
        (.wrong(.number(0.5...60)), "this must be a number from 0.5 to 60."),
        (.wrong(.texts(choices: [])), "this must be an array of strings."),
        (.wrong(.texts(choices: ["app", "mic"])), "this must be an array of app, mic."),
        (.wrong(.tables), "this must be an array of tables, [[key]]."),
        (.wrong(.oneOf(["a", "b"])), "this must be one of a, b."),
        (.notAChoice("c", choices: ["a", "b"]), "\"c\" is not one of a, b."),
        (.notASize("big"), "\"big\" is not a size from 16x16 to 16384x16384; write it like 1280x720 or 720p."),
        (
            .notAnEnding(".avi"),
            ".avi is not a format that can be written; use .mp4, .mkv, .flv, .ts, .h264 or .y4m, or add format."
        ),
        (.notARule("x"), "\"x\" is not a rule; write class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER."),
        (.bitrateAndQuality, "bitrate and quality exclude each other; remove one of them."),
        (.noExtension, "every destination needs an extension or a service; see broadcast list-extensions."),
        (.noURL, "an rtmp destination needs a url."),
        (.notAnRTMPAddress(.unknownScheme), "The URL must start with rtmp:// or rtmps://."),
        (
            .notRead(extension: "file", reads: ["extension", "path", "format"]),
            "the extension file does not read this key. It reads path, format."
        ),
        (.givenTwice(other: "setup.url"), "setup.url has the same meaning. Remove one of them."),
        (
            .severalSecrets(["key", "token"]),
            "the extension has several secrets. Say which one the command prints: key-command = { key = \"COMMAND\" }. It asks for key, token."
        ),
        (
            .notAProxy,
            "a proxy is socks5://HOST:PORT or http://HOST:PORT, with USER@ before HOST if it requires a password."
        ),
        (
            .passwordInProxy,
            "a password must not be in the address of the proxy; set the variable BROADCAST_PROXY_PASSWORD."
        ),
        (.notASource("et\u{1b}h"), "\"et?h\" is neither an IP address nor the name of a network interface."),
        (.unreadableCertificates(path: "/ca.pem"), "cannot read /ca.pem. Name a file of PEM certificates."),
        (
            .unknownService("twich", known: ["mobcrush", "twitch"]),
            "there is no service \"twich\"; did you mean twitch?"
        ),
        (
            .unknownService("zzzzzz", known: ["mobcrush", "twitch"]),
            "there is no service \"zzzzzz\"; known are mobcrush, twitch."
        ),
        (.unknownExtension("fil", known: ["file", "rtmp"]), "there is no extension \"fil\"; did you mean file?"),
        (.unknownDestination("zzzzzz", known: ["a"]), "there is no destination \"zzzzzz\"; known are a."),
        (.notAName, "this must be letters, digits, - and _."),
        (.nameIsBuiltIn("file"), "\"file\" is built in; choose another name."),
        (.noQuestions, "the keys that it answers must be declared: add [[setup]] tables."),
        (.clipsWithoutScreen, "clips need the screen track."),
        (.nothingToSend, "this extension would get neither picture nor sound."),
        (.notAScheme("rtmp"), "\"rtmp\" is not a scheme that an extension can have."),
        (.schemesWithoutURL, "the address is the answer to the question url, which is not declared."),
        (.notAsked(extension: "web", questions: []), "the extension web does not ask for this. It asks for nothing."),
        (
            .notAsked(extension: "web", questions: ["url", "key"]),
            "the extension web does not ask for this. It asks for url, key."
        ),
        (.isSecret, "this is secret and must not be in the config. Remove it from there."),
        (
            .streamKey(destination: "yt"),
            "the stream key must not be in the config. Remove it, and add key-command, or run: broadcast setup yt"
        ),
        (
            .secretInAddress(.password, destination: "web"),
            "the password in this address must not be in the config. Give it to broadcast setup web, and remove it here."
        ),
        (
            .secretInAddress(.parameter("cid"), destination: "web"),
            "the cid in this address must not be in the config. Give it to broadcast setup web, and remove it here."
        ),
        (
            .passwordInRTMPAddress(destination: "studio"),
            "the password in this address must not be in the config. Remove user and password here, "
                + "and run: broadcast setup studio --set user=USER --secret-from-stdin password"
        ),
    ]

    @Test(arguments: faults) func `A fault names the file, the line and the key`(
        problem: ConfigurationFault.Problem, phrase: String
    ) {
        let fault = ConfigurationFault(path: "/c.toml", line: 4, key: "destinations.mine.key", problem: problem)
        #expect(fault.sentence == "/c.toml:4: destinations.mine.key: \(phrase)")
        #expect(SentenceRules.violation(of: fault.sentence) == nil)
    }

    private static let manifests: [(ManifestProblem, String)] = [
        (.empty(path: "/e/extension.toml"), "/e/extension.toml is empty. Write a manifest."),
        (.unreadable(path: "/e/m"), "Cannot read /e/m as UTF-8 text. Check that it exists, and its permissions."),
        (.notThere(path: "/e/m", code: ENOENT), "Cannot read /e/m: No such file or directory. Check that it exists."),
        (
            .notExecutable(path: "/e/m", key: "exec", program: "/e/run"),
            "/e/m: exec: /e/run is not a program that you may run. Correct the path, or make it executable."
        ),
        (
            .foreignOwner(path: "/e/m"),
            "/e/m belongs to another user, so that user can change what it does. Copy it to a file of your own."
        ),
        (.writableByOthers(path: "/e/m"), "Users other than its owner may write /e/m. Forbid that: chmod go-w '/e/m'."),
    ]

    @Test(arguments: manifests) func `A manifest that cannot be used is named with its path`(
        problem: ManifestProblem, sentence: String
    ) {
        #expect(problem.sentence == sentence)
        #expect(CommandError(.manifest(problem)).status == .config)
    }

    private static let settings: [(SettingProblem, String)] = [
        (.outOfRange(.frameRate, 1...240, value: 500), "--fps must be from 1 to 240, not 500."),
        (.outOfRange(.bitrate, 50...200_000, value: 10), "--bitrate (kbit/s) must be from 50 to 200000, not 10."),
        (.outOfRange(.audioBitrate, 32...320, value: -1), "--audio-bitrate (kbit/s) must be from 32 to 320, not -1."),
        (
            .outOfRange(.quality, 0...51, value: 52),
            "--quality must be from 0 (lossless) to 51; lower is better, 23 is usual."
        ),
        (
            .outOfRange(.keyframeInterval, 0.1...60, value: 0),
            "--keyframe-interval must be from 0.1 to 60 seconds; 2 is usual."
        ),
        (
            .bitrateAndQuality,
            "--bitrate and --quality exclude each other. Use --bitrate for live, --quality for files."
        ),
        (.unknownPreset("quick", known: ["fast", "slow"]), "There is no preset \"quick\". Use one of fast, slow."),
        (.pictureFileAndScreen, "--y4m replaces the screen: omit --display and --follow-focus."),
        (
            .soundFileAndApplications,
            "--wav replaces the sound of the applications: omit --app-source and --no-app-audio."
        ),
        (
            .twoStandardInputs,
            "Pictures and sound cannot both come from standard input. Use a named pipe for one of them."
        ),
        (
            .withoutEffect(.preset, .noEncodedPicture),
            "--preset has no effect: no destination takes an encoded picture. Omit it."
        ),
        (
            .withoutEffect(.latency, .noEncodedPicture),
            "--latency has no effect: no destination takes an encoded picture. Omit it."
        ),
        (.withoutEffect(.microphone, .noSound), "--mic has no effect: no destination takes sound. Omit it."),
        (
            .withoutEffect(.applicationSource, .noSound),
            "--app-source has no effect: no destination takes sound. Omit it."
        ),
        (
            .withoutEffect(.microphoneSource, .noSound),
            "--mic-source has no effect: no destination takes sound. Omit it."
        ),
        (
            .withoutEffect(.audioBitrate, .noEncodedSound),
            "--audio-bitrate (kbit/s) has no effect: no destination takes encoded sound. Omit it."
        ),
        (
            .withoutEffect(.cursor, .noScreen),
            "--cursor has no effect: the picture does not come from the screen. Omit it."
        ),
        (
            .withoutEffect(.hiddenWindows, .noScreen),
            "--hide has no effect: the picture does not come from the screen. Omit it."
        ),
        (.withoutEffect(.proxy, .noServer), "--proxy has no effect: no destination connects to a server. Omit it."),
        (.withoutEffect(.bind, .noServer), "--bind has no effect: no destination connects to a server. Omit it."),
        (
            .withoutEffect(.ipVersion, .noServer),
            "-4 or -6 has no effect: no destination connects to a server. Omit it."
        ),
        (
            .withoutEffect(.waitForNetwork, .noServer),
            "--wait-for-network has no effect: no destination connects to a server. Omit it."
        ),
        (
            .withoutEffect(.quality, .noEncodedPicture),
            "--quality has no effect: no destination takes an encoded picture. Omit it."
        ),
        (
            .withoutEffect(.keyframeInterval, .noEncodedPicture),
            "--keyframe-interval has no effect: no destination takes an encoded picture. Omit it."
        ),
    ]

    @Test(arguments: settings) func `A setting is named by its option`(problem: SettingProblem, sentence: String) {
        #expect(problem.sentence == sentence)
        #expect(SentenceRules.violation(of: sentence) == nil)
        #expect(CommandError(ConfigurationError.setting(problem)).status == .usage)
    }

    @Test func `A number that no integer can hold is an error like any other`() {
        // The nearest Double to Int.max is greater than Int.max.
        let problem = SettingProblem.outOfRange(.frameRate, 1...240, value: Double(Int.max))
        #expect(problem.sentence == "--fps must be from 1 to 240, not 9.223372036854776e+18.")
    }

    @Test func `A hint names a similar name, or each known name once`() {
        #expect(NearestName.hint("twich", among: ["rtmp", "twitch"]) == "Did you mean twitch?")
        #expect(NearestName.hint("zzzzzz", among: ["b", "a", "b"]) == "Known are b, a.")
        #expect(AddressSecret.password.phrase == "A password" && AddressSecret.parameter("c\u{1b}").phrase == "The c?")
    }
}
