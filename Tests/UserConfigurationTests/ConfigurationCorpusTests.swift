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
        #expect(Self.problems(ofConfiguration: Self.configuration) == [])
        #expect(ManifestFile.parse(Self.manifest, folder: "/test").problems == [])
    }

    @Test(.timeLimit(.minutes(2))) func `Every prefix is parsed or rejected`() {
        for text in [Self.configuration, Self.manifest] { Mutations.prefixes(of: Array(text.utf8), Self.feed) }
    }

    @Test(.timeLimit(.minutes(2))) func `Flipped bits are parsed or rejected`() {
        for text in [Self.configuration, Self.manifest] { Mutations.wrongBits(in: Array(text.utf8), Self.feed) }
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["[", "{", "a.", "a = [", "a = {b = ", "\"", "'''", "[[a]]\n", "\u{0}", "1"])
    func `Deep nesting and long text are parsed or rejected`(piece: String) {
        Self.feed(Array(String(repeating: piece, count: 5000).utf8))
        Self.feed(Array(("a = " + String(repeating: piece, count: 5000)).utf8))
    }

    private static func feed(_ bytes: [UInt8]) {
        FuzzTargets.toml(bytes)
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        for problem in problems(ofConfiguration: text) + ManifestFile.parse(text, folder: "/test").problems {
            switch problem {
            case .syntax(let path, let line, let message): #expect(path.hasPrefix("/test/") && line > 0 && !message.isEmpty)
            case .fault(let fault): #expect(fault.path.hasPrefix("/test/") && fault.line > 0 && !fault.key.isEmpty, "\(fault)")
            default: Issue.record("\(problem)")
            }
        }
    }

    private static func problems(ofConfiguration text: String) -> [ConfigurationError] {
        do throws(ConfigurationError) {
            _ = try ConfigurationFile.parse(text, path: "/test/config.toml")
            return []
        } catch {
            return [error]
        }
    }
}
