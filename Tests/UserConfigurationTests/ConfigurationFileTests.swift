import Encode
import Foundation
import Media
import Mix
import RTMP
import TestSupport
import Testing
import Upload
import UserConfiguration
import WindowPrivacy

private let fileKeys = ["extension", "path", "format", "size", "bitrate"]
private let stdoutKeys = ["extension", "format", "size", "bitrate"]
private let clipsKeys = ["extension", "size", "bitrate"]
private let rtmpKeys = ["extension", "service", "url", "key-command", "ca-file", "retries", "size", "bitrate"]
private let programKeys = ["extension", "setup", "url", "key-command", "ca-file", "retries", "size", "bitrate"]

struct ConfigurationFileTests {
    private func parse(_ text: String) throws -> Configuration {
        try ConfigurationFile.parse(text, path: "/test/config.toml")
    }

    @Test func `A bitrate is kbit/s, or a text with a unit`() throws {
        for (text, kilobits) in [("4000", 4000), ("\"6M\"", 6000), ("\"2.5Mbit/s\"", 2500), ("\"800k\"", 800)] {
            #expect(try parse("[video]\nbitrate = \(text)").video.bitrate == kilobits, "\(text)")
        }
        for text in ["\"fast\"", "\"6000000 bit/s\"", "\"1k\"", "4.5", "true"] {
            let fault = expectFault { () throws(ConfigurationError) in
                _ = try ConfigurationFile.parse("[video]\nbitrate = \(text)", path: "/test/config.toml")
            }
            #expect(fault?.problem == .wrong(.bitrate(50...200_000)), "\(text)")
        }
    }

    @Test func `A configuration that cannot be reached is an error, and one that does not exist is empty`() async throws
    {
        try await withTemporaryFolder { folder in
            let path = folder.path + "/config/broadcast/config.toml"
            #expect(try ConfigurationFile.load(path).destinations.isEmpty)
            try folder.makeFolder("config/broadcast")
            #expect(try ConfigurationFile.load(path).destinations.isEmpty)
            // What dotfiles leave whose target is on a disk that is not mounted.
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere/config.toml")
            #expect(throws: ConfigurationError.unreadable(path: path)) { try ConfigurationFile.load(path) }
            let linked = folder.path + "/linked/broadcast/config.toml"
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/linked", withDestinationPath: "/nowhere")
            #expect(throws: ConfigurationError.unreadable(path: linked)) { try ConfigurationFile.load(linked) }
            try folder.makeFolder("closed")
            chmod(folder.path + "/closed", 0o600)
            defer { chmod(folder.path + "/closed", 0o700) }
            let closed = folder.path + "/closed/config.toml"
            if getuid() != 0 {
                #expect(throws: ConfigurationError.unreadable(path: closed)) { try ConfigurationFile.load(closed) }
            }
        }
    }

    @Test func `An empty file changes nothing`() throws {
        let configuration = try parse("")
        #expect(configuration.path == "/test/config.toml")
        #expect(configuration.preferred == nil)
        #expect(configuration.destinations.isEmpty)
        #expect(configuration.video.size == nil && configuration.rateConflict == nil)
        #expect(configuration.audio.app == nil)
        #expect(configuration.privacy.hide == [])
    }

    @Test func `Every key of the picture is read`() throws {
        let video = try parse(
            """
            [video]
            size = "1281x721"
            fps = 25
            bitrate = 4000
            preset = "faster"
            latency = "normal"
            chroma = "444"
            keyframe-interval = 2.5
            frame-pacing = "variable"
            cursor = false
            """
        ).video
        #expect(video.size == PixelSize(width: 1280, height: 720))
        #expect(video.fps == 25)
        #expect(video.bitrate == 4000)
        #expect(video.quality == nil)
        #expect(video.preset == "faster")
        #expect(video.latency == .normal)
        #expect(video.chroma == .yuv444)
        #expect(video.keyframeInterval == 2.5)
        #expect(video.framePacing == .variable)
        #expect(video.cursor == false)
        #expect(try parse("video.quality = 18").video.quality == 18)
    }

    @Test func `Every key of the sound is read`() throws {
        let audio = try parse(
            """
            [audio]
            app = false
            mic = true
            app-source = "speakers.monitor"
            mic-source = "headset"
            bitrate = 128
            app-gain = -6.5
            mic-gain = 12
            """
        ).audio
        #expect(audio.app == false && audio.mic == true)
        #expect(audio.appSource == "speakers.monitor" && audio.micSource == "headset")
        #expect(audio.bitrate == 128)
        #expect(audio.appGain == -6.5 && audio.micGain == 12)
    }

    @Test func `Every key of privacy is read`() throws {
        let privacy = try parse(
            """
            [privacy]
            notice = false
            hide = ["class:KeePassXC", "title:*Signal*"]
            mute = true
            titles = "class"
            do-not-disturb = true
            keep-awake = false
            """
        ).privacy
        #expect(
            privacy.notice == false && privacy.mute == true && privacy.doNotDisturb == true
                && privacy.keepAwake == false)
        #expect(privacy.titles == .windowClass)
        #expect(privacy.hide.map(\.description) == ["class:KeePassXC", "title:*Signal*"])
    }

    @Test func `Every key of network is read`() throws {
        let network = try parse(
            """
            [network]
            proxy = "socks5://127.0.0.1:9050"
            bind = "wg0"
            ip-version = 6
            """
        ).network
        #expect(
            network.proxy == .socks5(host: "127.0.0.1", port: 9050) && network.source == .interface("wg0")
                && network.version == .six)
        #expect(try parse("").network == RTMPRoute())
    }

    @Test(
        arguments: [
            ("proxy = \"http://ann:word@h:1\"", .passwordInProxy), ("proxy = \"ftp://h\"", .notAProxy),
            ("bind = \"a/b\"", .notASource("a/b")),
            ("ip-version = 5", .wrong(.oneOf(["4", "6"]))),
        ] as [(String, ConfigurationFault.Problem)])
    func `A wrong value of network is a fault of its line`(text: String, problem: ConfigurationFault.Problem) throws {
        let fault = expectFault { () throws(ConfigurationError) in
            try ConfigurationFile.parse("[network]\n" + text, path: "/c")
        }
        #expect(fault?.line == 2 && fault?.problem == problem)
    }

    @Test func `Every key of a destination is read`() throws {
        let configuration = try parse(
            """
            preferred = "mine"
            [destinations.mine]
            extension = "rtmp"
            url = "rtmps://live.example/app"
            key-command = "pass show key"
            size = "640x360"
            bitrate = 700
            retries = 3
            ca-file = "ca.pem"
            [destinations.archive]
            extension = "file"
            path = "~/Films"
            format = "mpegts"
            [destinations.other]
            extension = "srt"
            [destinations.other.setup]
            url = "srt://host"
            """)
        #expect(configuration.preferred == "mine" && configuration.preferredLine == 1)
        #expect(configuration.destinations.map(\.name) == ["archive", "mine", "other"])
        let mine = try #require(configuration.destination(named: "mine"))
        #expect(mine.line == 2 && mine.extensionLine == 3 && mine.kind == .rtmp && mine.service == nil)
        #expect(mine.url == "rtmps://live.example/app" && mine.keyCommand == "pass show key")
        #expect(mine.size == PixelSize(width: 640, height: 360) && mine.bitrate == 700 && mine.retries == 3)
        #expect(mine.caFile == "ca.pem" && mine.lines["ca-file"] == 9)
        let archive = try #require(configuration.destination(named: "archive"))
        #expect(archive.path == "~/Films" && archive.format == .mpegts)
        #expect(configuration.destination(named: "other")?.setup == ["url": "srt://host"])
        #expect(configuration.destination(named: "nobody") == nil)
    }

    @Test func `A service needs no extension, and the configuration may still name the extension rtmp`() throws {
        let service = try #require(try parse("[destinations.a]\nservice = \"twitch\"").destination(named: "a"))
        #expect(
            service.kind == .rtmp && service.service == "twitch" && service.url == nil && service.extensionLine == 1)
        #expect(
            try parse("[destinations.a]\nservice = \"twitch\"\nextension = \"rtmp\"").destination(named: "a")?.service
                == "twitch")
    }

    @Test func `Bitrate and quality together are a fault only if nothing overrides them`() throws {
        let conflict = try parse("[video]\nbitrate = 3000\nquality = 20").rateConflict
        #expect(
            conflict
                == ConfigurationFault(
                    path: "/test/config.toml", line: 3, key: "video.quality", problem: .bitrateAndQuality))
    }

    /// Text, and the line, key and problem of its fault.
    typealias Case = (text: String, line: Int, key: String, problem: ConfigurationFault.Problem)

    @Test(
        arguments: [
            (
                "size = 1", 1, "size",
                .unknownKey(known: ["preferred", "video", "audio", "privacy", "network", "profile", "destinations"])
            ),
            ("preferred = \"a\"\n\"\" = 1", 2, "\"\"", .unnamedKey),
            ("[video]\n'' = 1\nfsp = 2", 2, "video.\"\"", .unnamedKey),
            ("[destinations.\"\"]\nextension = \"file\"", 1, "destinations.\"\"", .unnamedKey),
            (
                "[destinations.a]\nextension = \"web\"\nkey-command = { \"\" = \"echo\" }", 3,
                "destinations.a.key-command.\"\"", .unnamedKey
            ),
            ("preferred = 1", 1, "preferred", .wrong(.text)),
            ("\nvideo = 1", 2, "video", .wrong(.table)),
            ("audio = []", 1, "audio", .wrong(.table)),
            ("[[privacy]]", 1, "privacy", .wrong(.table)),
            ("destinations = true", 1, "destinations", .wrong(.table)),
            ("[destinations]\na = 1", 2, "destinations.a", .wrong(.table)),
            (
                "[destinations.yt]\nservice = \"youtube\"\nkey = \"s3cret\"", 3, "destinations.yt.key",
                .streamKey(destination: "yt")
            ),
            ("[video]\nsize = 720", 2, "video.size", .wrong(.text)),
            ("[video]\n\nsize = \"720\"", 3, "video.size", .notASize("720")),
            ("[video]\nfps = 0", 2, "video.fps", .wrong(.integer(1...240))),
            ("[video]\nfps = 29.97", 2, "video.fps", .wrong(.integer(1...240))),
            ("[video]\nbitrate = 200001", 2, "video.bitrate", .wrong(.bitrate(50...200_000))),
            ("[video]\nquality = 51.5", 2, "video.quality", .wrong(.number(0...51))),
            ("[video]\nquality = nan", 2, "video.quality", .wrong(.number(0...51))),
            (
                "[video]\npreset = \"fasterer\"", 2, "video.preset",
                .notAChoice("fasterer", choices: CodingOptions.presets)
            ),
            ("[video]\nlatency = \"high\"", 2, "video.latency", .notAChoice("high", choices: ["low", "normal"])),
            ("[video]\nchroma = 444", 2, "video.chroma", .wrong(.text)),
            ("[video]\nkeyframe-interval = 0", 2, "video.keyframe-interval", .wrong(.number(0.1...60))),
            (
                "[video]\nframe-pacing = \"none\"", 2, "video.frame-pacing",
                .notAChoice("none", choices: ["constant", "variable"])
            ),
            ("[video]\ncursor = \"yes\"", 2, "video.cursor", .wrong(.boolean)),
            ("[video]\ncursor = 2020-01-01", 2, "video.cursor", .wrong(.boolean)),
            (
                "[video]\nfsp = 30", 2, "video.fsp",
                .unknownKey(
                    known: [
                        "size", "fps", "bitrate", "quality", "encoder", "preset", "latency", "chroma",
                        "keyframe-interval",
                        "frame-pacing", "cursor",
                    ])
            ),
            ("[audio]\napp = 1", 2, "audio.app", .wrong(.boolean)),
            ("[audio]\nmic = \"on\"", 2, "audio.mic", .wrong(.boolean)),
            ("[audio]\napp-source = 1", 2, "audio.app-source", .wrong(.text)),
            ("[audio]\nmic-source = false", 2, "audio.mic-source", .wrong(.text)),
            ("[audio]\nbitrate = 31", 2, "audio.bitrate", .wrong(.bitrate(32...320))),
            ("[audio]\napp-gain = 31", 2, "audio.app-gain", .wrong(.number(-60...30))),
            ("[audio]\nmic-gain = \"loud\"", 2, "audio.mic-gain", .wrong(.number(-60...30))),
            (
                "[audio]\ngain = 1", 2, "audio.gain",
                .unknownKey(known: ["app", "mic", "app-source", "mic-source", "bitrate", "app-gain", "mic-gain"])
            ),
            ("[privacy]\nnotice = 1", 2, "privacy.notice", .wrong(.boolean)),
            ("[privacy]\nhide = \"class:a\"", 2, "privacy.hide", .wrong(.texts(choices: []))),
            ("[privacy]\nhide = [\"class:a\", 1]", 2, "privacy.hide", .wrong(.texts(choices: []))),
            ("[privacy]\nhide = [\n\"class:a\",\n\"b\"]", 2, "privacy.hide", .notARule("b")),
            ("[privacy]\nmute = 0", 2, "privacy.mute", .wrong(.boolean)),
            ("[privacy]\ndo-not-disturb = 0", 2, "privacy.do-not-disturb", .wrong(.boolean)),
            ("[privacy]\nkeep-awake = 0", 2, "privacy.keep-awake", .wrong(.boolean)),
            (
                "[privacy]\nhidden = 0", 2, "privacy.hidden",
                .unknownKey(known: ["notice", "hide", "mute", "titles", "do-not-disturb", "keep-awake"])
            ),
        ] as [Case])
    func `A fault names its line and key`(text: String, line: Int, key: String, problem: ConfigurationFault.Problem) {
        let fault = expectFault { () throws(ConfigurationError) in
            try ConfigurationFile.parse(text, path: "/test/config.toml")
        }
        #expect(fault == ConfigurationFault(path: "/test/config.toml", line: line, key: key, problem: problem))
    }

    @Test(
        arguments: [
            ("url = \"rtmp://h/a\"", 1, "extension", .noExtension),
            ("extension = 1", 2, "extension", .wrong(.text)),
            ("service = 1", 2, "service", .wrong(.text)),
            ("service = \"twitsch\"", 2, "service", .unknownService("twitsch", known: KnownService.all.map(\.name))),
            ("extension = \"rtmp\"", 1, "url", .noURL),
            ("extension = \"rtmp\"\nurl = 1", 3, "url", .wrong(.text)),
            ("extension = \"rtmp\"\nurl = \"http://h/a\"", 3, "url", .notAnRTMPAddress(.unknownScheme)),
            ("extension = \"file\"\npath = 1", 3, "path", .wrong(.text)),
            (
                "extension = \"file\"\nformat = \"avi\"", 3, "format",
                .notAChoice("avi", choices: ContainerFormat.allCases.map(\.rawValue))
            ),
            ("extension = \"srt\"\nkey-command = 1", 3, "key-command", .wrong(.text)),
            ("extension = \"srt\"\nkey-command = { key = 1 }", 3, "key-command.key", .wrong(.text)),
            ("service = \"twitch\"\nkey-command = { key = \"x\" }", 3, "key-command", .wrong(.text)),
            ("extension = \"file\"\nsize = \"big\"", 3, "size", .notASize("big")),
            ("extension = \"file\"\nbitrate = 49", 3, "bitrate", .wrong(.bitrate(50...200_000))),
            ("extension = \"srt\"\nretries = 1001", 3, "retries", .wrong(.integer(0...1000))),
            ("extension = \"srt\"\nca-file = 1", 3, "ca-file", .wrong(.text)),
            ("extension = \"file\"\nca-file = \"a\"", 3, "ca-file", .notRead(extension: "file", reads: fileKeys)),
            (
                "extension = \"file\"\nretries = 3\nurl = \"u\"", 3, "retries",
                .notRead(extension: "file", reads: fileKeys)
            ),
            ("url = \"u\"\nextension = \"file\"\nretries = 3", 2, "url", .notRead(extension: "file", reads: fileKeys)),
            (
                "extension = \"file\"\nkey-command = \"show\"", 3, "key-command",
                .notRead(extension: "file", reads: fileKeys)
            ),
            ("extension = \"stdout\"\npath = \"p\"", 3, "path", .notRead(extension: "stdout", reads: stdoutKeys)),
            ("extension = \"clips\"\nformat = \"mp4\"", 3, "format", .notRead(extension: "clips", reads: clipsKeys)),
            (
                "extension = \"rtmp\"\nurl = \"rtmp://h/a\"\npath = \"p\"", 4, "path",
                .notRead(extension: "rtmp", reads: rtmpKeys)
            ),
            ("service = \"twitch\"\nsetup = {}", 3, "setup", .notRead(extension: "rtmp", reads: rtmpKeys)),
            ("service = \"twitch\"\nextension = \"srt\"", 2, "service", .notRead(extension: "srt", reads: programKeys)),
            ("extension = \"srt\"\npath = \"p\"", 3, "path", .notRead(extension: "srt", reads: programKeys)),
            ("extension = \"srt\"\nsetup = 1", 3, "setup", .wrong(.table)),
            ("extension = \"srt\"\nsetup.url = 1", 3, "setup.url", .wrong(.text)),
            (
                "extension = \"file\"\nkey = \"k\"", 3, "key",
                .unknownKey(
                    known: [
                        "extension", "service", "url", "path", "format", "key-command", "setup", "size", "bitrate",
                        "retries", "ca-file",
                    ])
            ),
        ] as [Case])
    func `A fault of a destination names its line and key`(
        text: String, line: Int, key: String, problem: ConfigurationFault.Problem
    ) {
        let fault = expectFault { () throws(ConfigurationError) in
            try ConfigurationFile.parse("[destinations.a]\n" + text, path: "/test/config.toml")
        }
        #expect(
            fault
                == ConfigurationFault(
                    path: "/test/config.toml", line: line, key: "destinations.a." + key, problem: problem))
    }

    @Test func `A file that is not TOML is named with the line`() {
        let error = expectError { () throws(ConfigurationError) in
            try ConfigurationFile.parse("[video]\nfps = = 3", path: "/test/config.toml")
        }
        guard case .syntax("/test/config.toml", 2, let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!message.isEmpty && !message.contains("\n"))
    }

    @Test func `A key that is given twice is an error of its line`() {
        let error = expectError { () throws(ConfigurationError) in
            try ConfigurationFile.parse("[destinations.a]\n[destinations.a]", path: "/test/config.toml")
        }
        guard case .syntax(_, 2, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `A file is read from its path, and there need not be one`() async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("video.fps = 15", to: "config.toml")
            #expect(try ConfigurationFile.load(path).video.fps == 15)
            #expect(try ConfigurationFile.load(folder.path + "/other.toml").video.fps == nil)
        }
    }

    @Test func `A file that cannot be read, or is not text, is an error`() async throws {
        try await withTemporaryFolder { folder in
            try folder.makeFolder("config.toml")
            let path = folder.path + "/config.toml"
            #expect(
                expectError { () throws(ConfigurationError) in try ConfigurationFile.load(path) }
                    == .unreadable(path: path))
            let binary = folder.path + "/binary.toml"
            #expect([UInt8]([0x61, 0xff, 0xfe]).withUnsafeBytes { write($0, to: binary) })
            #expect(
                expectError { () throws(ConfigurationError) in try ConfigurationFile.load(binary) }
                    == .notText(path: binary))
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to path: String) -> Bool {
        FileManager.default.createFile(atPath: path, contents: Data(bytes))
    }
}
