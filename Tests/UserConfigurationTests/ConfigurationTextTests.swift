import Testing
import UserConfiguration

/// Changes of single keys, which leave the rest of the file as it is.
struct ConfigurationTextTests {
    private static let file = """
        # My settings
        preferred = "mine"   # at home

        [video]
        fps = 30             # enough
        # bitrate = 4500

        # Where it goes.
        [destinations.mine]
        extension = "rtmp"
        url = 'rtmp://h/app' # the studio

        [privacy]
        hide = [
            "class:KeePassXC",
        ]

        """

    private func changed(_ key: String, _ value: String, in text: String = file) throws -> String {
        var file = ConfigurationText(text, path: "/c.toml")
        try file.set(key, to: value)
        return file.text
    }

    @Test(arguments: [
        ("video.fps", "60", "fps = 60             # enough"),
        ("preferred", "other", "preferred = \"other\"   # at home"),
        ("destinations.mine.url", "rtmp://a/b", "url = \"rtmp://a/b\" # the studio"),
    ])
    func `A value is replaced, and its comment stays`(key: String, value: String, line: String) throws {
        let text = try changed(key, value)
        #expect(text.contains("\n\(line)\n"), "\(text)")
        let (old, new) = (Self.file.split(separator: "\n"), text.split(separator: "\n"))
        #expect(old.count == new.count && zip(old, new).count { $0 != $1 } == 1, "\(text)")
    }

    @Test func `A new key stands at the end of its table, before the comment of the next one`() throws {
        #expect(try changed("video.size", "720p").contains("fps = 30             # enough\nsize = \"720p\"\n# bitrate"))
        #expect(try changed("audio.mic", "true").hasSuffix("]\n\n[audio]\nmic = true\n"))
        #expect(try changed("video.fps", "25", in: "") == "[video]\nfps = 25\n")
        #expect(
            try changed("preferred", "mine", in: "[video]\nfps = 25\n") == "preferred = \"mine\"\n[video]\nfps = 25\n")
    }

    @Test func `A list is written as TOML`() throws {
        let text = try changed("privacy.hide", "[\"class:X\", \"title:*Y*\"]", in: "[privacy]\nmute = true\n")
        #expect(text == "[privacy]\nmute = true\nhide = [\"class:X\", \"title:*Y*\"]\n")
        #expect(try ConfigurationText(text, path: "/c").value(of: "privacy.hide") == "class:X, title:*Y*")
    }

    @Test(arguments: [
        ("video.fps", "fast"), ("video.fps", "0"), ("video.nosuch", "1"), ("nosuch", "1"), ("a.b.c.d", "1"), ("", "1"),
        ("privacy.hide", "class:X"), ("video.fps", "30\nbitrate = 3"), ("destinations.mine.url", "http://h"),
        ("video.fps", "30]"), ("preferred", "a\"\n[x]\nb=\"1"),
    ])
    func `A wrong key or value changes nothing`(key: String, value: String) {
        var file = ConfigurationText(Self.file, path: "/c.toml")
        #expect(throws: ConfigurationText.Problem.self) { try file.set(key, to: value) }
        #expect(file.text == Self.file)
    }

    @Test func `Lines that end as on Windows stay so, and a mixed file is not changed`() throws {
        #expect(try changed("video.fps", "60", in: "[video]\r\nfps = 30\r\n") == "[video]\r\nfps = 60\r\n")
        #expect(throws: ConfigurationText.Problem.notAlone) {
            _ = try changed("video.fps", "60", in: "[video]\r\nfps = 30\n")
        }
    }

    @Test(arguments: [
        "video = { fps = 30 }\n", "video.fps = 30\n", "[privacy]\nhide = [\n  \"class:A\",\n]\n", "video . fps = 30\n",
    ])
    func `A key that is not alone in its line is left to the user`(text: String) {
        let key = text.contains("hide") ? "privacy.hide" : "video.size"
        #expect(throws: ConfigurationText.Problem.notAlone) {
            _ = try changed(key, key == "video.size" ? "720p" : "[]", in: text)
        }
    }

    @Test func `A long list is read in its order`() throws {
        let rules = (0..<12).map { "class:W\($0)" }
        let text = "[privacy]\nhide = [" + rules.map { "\"\($0)\"" }.joined(separator: ", ") + "]\n"
        #expect(try ConfigurationText(text, path: "/c").value(of: "privacy.hide") == rules.joined(separator: ", "))
        #expect(
            try changed(
                "destinations.a.setup.bucket", "b",
                in: "[destinations.a.setup]\nx = \"1\"\n\n[destinations.a]\nextension = \"hls\"\n"
            ).contains("x = \"1\"\nbucket = \"b\"\n"))
    }

    @Test func `A value is read without its quotes, and nil if it is not there`() throws {
        let file = ConfigurationText(Self.file, path: "/c.toml")
        #expect(try file.value(of: "video.fps") == "30" && file.value(of: "preferred") == "mine")
        #expect(
            try file.value(of: "destinations.mine.url") == "rtmp://h/app"
                && file.value(of: "privacy.hide") == "class:KeePassXC")
        #expect(try file.value(of: "video.bitrate") == nil && file.value(of: "video") == nil)
    }

    @Test func `The sample is a valid configuration that changes nothing, and so is each of its settings`() throws {
        let sample = ConfigurationSample.text
        let empty = try ConfigurationFile.parse(sample, path: "/c.toml")
        #expect(empty.destinations.isEmpty && empty.preferred == nil)
        for setting in SettingCatalog.all { #expect(sample.contains("\n# \(setting.key) = "), "\(setting.key)") }
        // Without its marks it is valid too, but for the settings whose default depends on something.
        let lines = sample.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let isSetting = line.hasPrefix("# ") && line.contains(" = ") && !line.contains("…")
            return isSetting || line.hasPrefix("# [") ? String(line.dropFirst(2)) : String(line)
        }
        let full = try ConfigurationFile.parse(lines.joined(separator: "\n"), path: "/c.toml")
        #expect(full.destinations.count == 2 && full.video.fps == 30)
    }
}
