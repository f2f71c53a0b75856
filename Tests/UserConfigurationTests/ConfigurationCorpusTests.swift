import FuzzTargets
import Testing
import UserConfiguration

/// Typical configs and manifests, truncated at every position and with flipped bits: each is parsed, or rejected with
/// errors that name a line.
@Suite struct ConfigurationCorpusTests {
    private static let configuration = """
        preferred = "mobcrush"
        [video]
        fps = 30
        bitrate = 3000                      # kbit/s
        size = "1280x720"
        keyframe-interval = 2.5
        cursor = true
        [audio]
        mic = false
        [privacy]
        hide = ["class:KeePassXC", "title:*Signal*"]
        [destinations.mobcrush]
        service = "mobcrush"
        [destinations.mine]
        extension = "rtmp"
        url = "rtmp://127.0.0.1/live"
        bitrate = 800
        [destinations."a name \\u00e6"]
        extension = "file"
        path = '~/Videos'
        """

    private static let manifest = """
        name = "example"
        version = "1.0"
        description = \"\"\"
        two lines\"\"\"
        exec = "./example.py"
        mode = "samples"
        video = "h264-annexb"
        audio = "aac-adts"
        tracks = ["screen", "mixed"]
        clip-duration = 5.0
        schemes = ["srt"]
        [[setup]]
        key = "url"
        prompt = "Address"
        required = true
        [[setup]]
        key = "password"
        prompt = "Password"
        secret = true
        """

    @Test func `The unchanged files are valid`() {
        #expect(throws: Never.self) { try ConfigurationFile.parse(Self.configuration, path: "/test/config.toml") }
        #expect(ManifestFile.parse(Self.manifest, folder: "/test").problems == [])
    }

    @Test(.timeLimit(.minutes(2))) func `Every prefix is parsed or rejected`() {
        for text in [Self.configuration, Self.manifest] { Mutations.prefixes(of: Array(text.utf8), Self.feed) }
    }

    @Test(.timeLimit(.minutes(2))) func `Flipped bits are parsed or rejected`() {
        for text in [Self.configuration, Self.manifest] { Mutations.wrongBits(in: Array(text.utf8), Self.feed) }
    }

    @Test(arguments: [
        "\"\" = 1", "[video]\n\"\" = 1", "[\"\"]\na = 1", "[[setup]]\n'' = 1", "a = [{ \"\" = { \"\" = 1 } }]",
    ])
    func `Keys without a name are rejected`(text: String) {
        Self.feed(Array(text.utf8))
    }

    @Test(
        .timeLimit(.minutes(2)),
        arguments: ["[", "{", "a.", "a = [", "a = {b = ", "\"", "'''", "[[a]]\n", "\u{0}", "1"])
    func `Deep nesting and long text are parsed or rejected`(piece: String) {
        Self.feed(Array(String(repeating: piece, count: 5000).utf8))
        Self.feed(Array(("a = " + String(repeating: piece, count: 5000)).utf8))
    }

    private static func feed(_ bytes: [UInt8]) {
        FuzzTargets.toml(bytes)
        FuzzTargets.configuration(bytes)
        FuzzTargets.manifest(bytes)
    }
}
