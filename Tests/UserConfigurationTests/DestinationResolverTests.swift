import Foundation
import Glibc
import Media
import RTMP
import Session
import Synchronization
import TestSupport
import Testing
import Upload
import UserConfiguration

/// Secrets and answers that a test gives.
struct FakeSecrets: SecretSource {
    /// By `DESTINATION/KEY`.
    var secrets: [String: String] = [:]
    var answers: [String: [String: String]] = [:]
    var problem: CredentialProblem?
    /// What key commands print.
    var key: String?

    func secret(_ key: String, of destination: String, isInterrupted: () -> Bool) throws(CredentialProblem) -> String? {
        if let problem { throw problem }
        return secrets["\(destination)/\(key)"]
    }

    func answers(of destination: String) throws(CredentialProblem) -> [String: String] {
        answers[destination] ?? [:]
    }

    func key(from command: String, for destination: String, isInterrupted: () -> Bool) throws(CredentialProblem)
        -> String
    {
        if isInterrupted() { throw .keyCommand(destination: destination, .interrupted(signal: nil)) }
        guard let key else { throw .keyCommand(destination: destination, .withoutKey) }
        return "\(key)-of-\(command)"
    }
}

/// What a user calls a destination, and what that makes. The home folder is `home` in the test's folder, the working
/// folder `cwd`.
struct DestinationResolverTests {
    /// A resolver in a folder of its own, for a configuration file of `text`.
    private func resolver(
        in folder: TemporaryFolder, _ text: String = "", secrets: FakeSecrets = FakeSecrets(),
        session: SessionConfiguration = .init()
    ) throws -> DestinationResolver {
        try folder.makeFolder("home")
        try folder.makeFolder("cwd")
        let environment = ["HOME": folder.path + "/home", "BROADCAST_EXTENSION_PATH": folder.path + "/extensions"]
        var resolver = DestinationResolver(
            configuration: try ConfigurationFile.parse(text, path: folder.path + "/config.toml"),
            paths: Paths(environment: environment),
            secrets: secrets, catalog: folder.catalog, session: session, now: Date(timeIntervalSince1970: 1_700_000_000)
        )
        resolver.folder = folder.path + "/cwd"
        return resolver
    }

    private func name(_ ending: String) -> String {
        "broadcast-\(FileDate.text(Date(timeIntervalSince1970: 1_700_000_000))).\(ending)"
    }

    @Test(arguments: [
        "rtmp:/127.0.0.1/live/KEY", "rtmp//h/live/KEY", "live.twitch.tv/app/KEY", "twitch:KEY", "nowhere:KEY",
        "bad:foo.mp4", "localhost/live/KEY/",
    ])
    func `A mistyped address is refused without its text, and is no file`(target: String) async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(in: folder)
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(target) } == .address(.mistyped))
            #expect(try resolver.resolve("./\(target.replacing("/", with: "_")).mp4").kind == .file)
        }
    }

    @Test(arguments: ["hls:https://h/live.m3u8", "HLS:/srv/www", "hls", "srt://h:9000?passphrase=word", "srt:h", "srt"])
    func `An address or the name of a shipped extension that is not installed says so`(target: String) async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(in: folder)
            let name = String(target.prefix(3)).lowercased()
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(target) } == .notInstalled(name))
        }
    }

    // MARK: RTMP

    @Test func `An address is a live RTMP destination whose displayed URL has no key`() async throws {
        try await withTemporaryFolder { folder in
            let plan = try resolver(in: folder).resolve("rtmp://live.example/app/secret")
            #expect(plan.name == "rtmp" && plan.kind == .rtmp && plan.isLive && plan.path == nil)
            #expect(plan.delivery == .live(retry: .liveDestination))
            #expect(plan.url?.hasPrefix("rtmp://live.example/app") == true && plan.url?.contains("secret") == false)
        }
    }

    @Test(arguments: [
        ("rtmp://live.example/app/secret", true), ("rtmp://127.0.0.1/app/key", false),
        ("rtmp://localhost/app/key", false),
        ("rtmp://[::1]/a/k", false),
    ])
    func `A key on the command line is noticed, unless the server is this machine`(address: String, isNoticed: Bool)
        async throws
    {
        try await withTemporaryFolder { folder in
            let notices = Notices()
            var resolver = try resolver(in: folder)
            resolver.notice = { notices.add($0) }
            _ = try resolver.resolve(address)
            #expect(notices.all == (isNoticed ? [.keyInAddress] : []))
        }
    }

    @Test func `An address without its key gets the key that was given apart`() async throws {
        try await withTemporaryFolder { folder in
            let notices = Notices()
            var resolver = try resolver(
                in: folder, secrets: FakeSecrets(secrets: ["\(DestinationResolver.addressName)/key": "s/e?cret"]))
            resolver.notice = { notices.add($0) }
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("rtmp://live.example/app") }
                    == .address(.withoutKey))
            resolver.readsAddressKey = true
            #expect(
                try resolver.resolve("rtmp://live.example/app").url == "rtmp://live.example/app/…" && notices.all == [])
            // The user may append the key nevertheless.
            var without = try self.resolver(in: folder)
            without.readsAddressKey = true
            #expect(try without.resolve("rtmp://localhost/app/key").url == "rtmp://localhost/app/…")
        }
    }

    @Test func `A wrong address is a problem with its reason`() async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(in: folder)
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("rist://host") }
                    == .address(.unknownScheme("rist", source: nil)))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("rtmp://host:0/app/key") }
                    == .address(.notRTMP(.invalidPort, source: nil)))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("rtmp://host") }
                    == .address(.withoutKey))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("rtmp://ann:word@host/app/key") }
                    == .address(.passwordInRTMPAddress))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("rtmp") } == .address(.missing))
        }
    }

    @Test func `The key of a configured address is in the address, in the store, or printed by a command`() async throws
    {
        let text = """
            [destinations.stored]
            extension = "rtmp"
            url = "rtmp://live.example/app"
            [destinations.command]
            extension = "rtmp"
            url = "rtmp://live.example/app"
            key-command = "show"
            [destinations.whole]
            extension = "rtmp"
            url = "rtmp://live.example/app/key"
            """
        try await withTemporaryFolder { folder in
            let resolver = try resolver(
                in: folder, text, secrets: FakeSecrets(secrets: ["stored/key": "k"], key: "printed"))
            for name in ["stored", "command", "whole"] {
                let plan = try resolver.resolve(name)
                #expect(plan.name == name && plan.kind == .rtmp)
            }
            let without = try self.resolver(in: folder, text)
            #expect(
                expectProblem { () throws(ConfigurationError) in try without.resolve("stored") }
                    == .notSignedIn("stored"))
            #expect(
                expectProblem { () throws(ConfigurationError) in try without.resolve("command") }
                    == .credentials(.keyCommand(destination: "command", .withoutKey)))
        }
    }

    @Test func `If the user cancels, the key command ends`() async throws {
        try await withTemporaryFolder { folder in
            var resolver = try resolver(
                in: folder, "[destinations.a]\nextension = \"rtmp\"\nurl = \"rtmp://h/a\"\nkey-command = \"show\"",
                secrets: FakeSecrets(key: "k"))
            resolver.isInterrupted = { true }
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("a") }
                    == .credentials(.keyCommand(destination: "a", .interrupted(signal: nil)))
            )
        }
    }

    @Test func `A keyring that is locked is a problem`() async throws {
        try await withTemporaryFolder { folder in
            let problem = CredentialProblem.keyringLocked(destination: "twitch")
            let resolver = try resolver(in: folder, secrets: FakeSecrets(problem: problem))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("twitch") }
                    == .credentials(problem))
        }
    }

    @Test func `A known service has its own address, unless the user or the configuration has another`() async throws {
        try await withTemporaryFolder { folder in
            let secrets = FakeSecrets(
                secrets: ["twitch/key": "k", "mine/key": "k", "kick/key": "k"],
                answers: ["kick": ["url": "rtmp://answer.example/app"]])
            let resolver = try resolver(
                in: folder, "[destinations.mine]\nservice = \"twitch\"\nurl = \"rtmp://mine.example/app\"",
                secrets: secrets)
            #expect(try resolver.resolve("twitch").url == "rtmps://ingest.global-contribute.live-video.net/app/…")
            #expect(try resolver.resolve("kick").url?.hasPrefix("rtmp://answer.example/app") == true)
            let mine = try resolver.resolve("mine")
            #expect(mine.name == "mine" && mine.url?.hasPrefix("rtmp://mine.example/app") == true)
        }
    }

    @Test func `A service that the user has not signed in to is a problem`() async throws {
        try await withTemporaryFolder { folder in
            let plain = try resolver(in: folder)
            #expect(
                expectProblem { () throws(ConfigurationError) in try plain.resolve("twitch") } == .notSignedIn("twitch")
            )
            // The service without an address of its own.
            #expect(
                expectProblem { () throws(ConfigurationError) in try plain.resolve("custom") } == .notSignedIn("custom")
            )
            // A wrong address comes before a missing key.
            let wrong = try resolver(
                in: folder, secrets: FakeSecrets(answers: ["custom": ["url": "rtmp://host:0/app"]]))
            guard
                case .address(.notRTMP(_, source: folder.path + "/config.toml")) = expectProblem({
                    () throws(ConfigurationError) in
                    try wrong.resolve("custom")
                })
            else {
                Issue.record("another problem")
                return
            }
        }
    }

    @Test func `Limits of a service that the session exceeds are noticed`() async throws {
        try await withTemporaryFolder { folder in
            var session = SessionConfiguration()
            session.media.rateControl = .bitrate(8000)
            let notices = Notices()
            var resolver = try resolver(
                in: folder, secrets: FakeSecrets(secrets: ["twitch/key": "k"]), session: session)
            resolver.notice = { notices.add($0) }
            _ = try resolver.resolve("twitch")
            #expect(notices.all == [.limit(.bitrate(limit: 6000, actual: 8000), service: "Twitch")])
        }
    }

    @Test(
        arguments: [
            ("twitch", nil, .windowClass), ("mine", nil, .windowClass), ("own", nil, .full),
            ("rtmp://A.RTMP.youtube.com/live2/secret", nil, .windowClass),
            ("rtmp://live-fra.twitch.tv/app/secret", nil, .windowClass), ("rtmp://nottwitch.tv/app/secret", nil, .full),
            ("rtmp://live.example/app/secret", nil, .full), ("out.mp4", nil, .full), ("twitch", "full", .full),
            ("own", "class", .windowClass),
            ("out.mp4", "none", .none),
        ] as [(String, String?, ApplicationDetail)])
    func `Known services get no titles, unless the configuration decides`(
        target: String, titles: String?, expected: ApplicationDetail
    ) async throws {
        try await withTemporaryFolder { folder in
            let configuration =
                (titles.map { "[privacy]\ntitles = \"\($0)\"\n" } ?? "")
                    + """
                    [destinations.mine]
                    service = "kick"
                    [destinations.own]
                    service = "custom"
                    url = "rtmp://live.example/app"
                    """
            let secrets = FakeSecrets(secrets: ["twitch/key": "k", "mine/key": "k", "own/key": "k"])
            let plan = try resolver(in: folder, configuration, secrets: secrets).resolve(target)
            #expect(plan.applicationDetail == expected)
        }
    }

    @Test(
        arguments: [
            ("rtmp://127.0.0.1/live/secret", false), ("twitch", true), ("rtmp://live.twitch.tv/app/secret", true),
            ("youtube", nil), ("rtmp://a.rtmp.youtube.com/live2/secret", nil), ("out.mp4", nil),
            // Parameters can say where a stream goes; a relay can pass the key on; several services use this domain.
            ("rtmp://127.0.0.1/live/secret?streamname=live", nil), ("relay", false),
            ("rtmp://fra.global-contribute.live-video.net/app/secret", nil),
        ] as [(String, Bool?)]) func `A line is tested under another name, in a service's test mode, or not at all`(
            target: String, usesKey: Bool?
        ) async throws
    {
        try await withTemporaryFolder { folder in
            let secrets = FakeSecrets(
                secrets: ["twitch/key": "s3cret", "youtube/key": "s3cret", "relay/key": "s3cret"])
            let configuration = "[destinations.relay]\nservice = \"twitch\"\nurl = \"rtmp://127.0.0.1/live\"\n"
            let plan = try resolver(in: folder, configuration, secrets: secrets).resolve(target)
            #expect(plan.lineTest?.usesKey == usesKey)
        }
    }

    @Test func `The limits of a service are part of its plan, and a larger screen is scaled with a notice`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let notices = Notices()
            var resolver = try resolver(
                in: folder, "[destinations.small]\nservice = \"twitch\"\nsize = \"2560x1440\"",
                secrets: FakeSecrets(secrets: ["twitch/key": "k", "small/key": "k", "restream/key": "k"]))
            resolver.notice = { notices.add($0) }
            #expect(
                try resolver.resolve("twitch").limits
                    == PictureLimits(size: PixelSize(width: 1920, height: 1080), frameRate: 60, bitrate: 6000))
            #expect(try resolver.resolve("restream").limits == PictureLimits() && notices.all == [])
            // The destination's own size is a choice of the user, so it is not changed.
            _ = try resolver.resolve("small")
            let sizes = (limit: PixelSize(width: 1920, height: 1080), actual: PixelSize(width: 2560, height: 1440))
            #expect(notices.all == [.limit(.size(limit: sizes.limit, actual: sizes.actual), service: "Twitch")])
        }
    }

    @Test func `A service of an extension is reached by it, within its limits`() async throws {
        try await withTemporaryFolder { folder in
            let notices = Notices()
            let text = "[destinations.stage]\nservice = \"ivs\"\nurl = \"https://x.global-bm.whip.live-video.net\"\n"
            var resolver = try resolver(
                in: folder, text, secrets: FakeSecrets(answers: ["livekit": ["url": "https://me.whip.livekit.cloud/w"]])
            )
            resolver.notice = { notices.add($0) }
            let missing = #expect(throws: ConfigurationError.self) { try resolver.resolve("ivs") }
            #expect(missing.map { "\($0)".contains("notInstalled") } == true)
            try folder.writeExtension(
                "whip",
                """
                video = "h264-avcc"
                keyframe-interval = 10
                [[setup]]
                key = "url"
                required = true
                [[setup]]
                key = "token"
                secret = true
                [[setup]]
                key = "redirect-domains"
                """)
            resolver = try self.resolver(
                in: folder, text, secrets: FakeSecrets(answers: ["livekit": ["url": "https://me.whip.livekit.cloud/w"]])
            )
            for name in ["ivs", "stage"] {
                let plan = try resolver.resolve(name)
                #expect(plan.kind == .program("whip") && plan.name == name && plan.isLive)
                #expect(
                    plan.limits
                        == PictureLimits(size: PixelSize(width: 1280, height: 720), frameRate: 60, bitrate: 8500))
                #expect(plan.media.keyframeInterval == MediaTime(seconds: 2))
                // The service sees no titles of windows.
                #expect(plan.applicationDetail == .windowClass)
            }
            for wrong in ["service = \"ivs\"\nextension = \"rtmp\"", "service = \"twitch\"\nextension = \"whip\""] {
                #expect(throws: ConfigurationError.self) {
                    try ConfigurationFile.parse("[destinations.x]\n" + wrong, path: "/c.toml")
                }
            }
            // Each has an address of its own, so they are no duplicates.
            #expect(try resolver.resolve(["ivs", "stage"]).count == 2)
            #expect(try resolver.resolve("livekit").kind == .program("whip"))
            let open = #expect(throws: ConfigurationError.self) { try resolver.resolve("millicast") }
            #expect(open.map { "\($0)".contains("notSetUp") } == true)
        }
    }

    @Test func `Sending a stored key to another machine without TLS is a notice`() async throws {
        try await withTemporaryFolder { folder in
            let notices = Notices()
            let text = """
                [destinations.plain]
                extension = "rtmp"
                url = "rtmp://live.example/app"
                [destinations.local]
                extension = "rtmp"
                url = "rtmp://127.0.0.1/app"
                [destinations.secure]
                extension = "rtmp"
                url = "rtmps://live.example/app"
                """
            let secrets = FakeSecrets(secrets: [
                "plain/key": "k", "local/key": "k", "secure/key": "k", "twitch/key": "k", "mobcrush/key": "k",
            ])
            var resolver = try resolver(in: folder, text, secrets: secrets)
            resolver.notice = { notices.add($0) }
            for name in ["plain", "local", "secure", "twitch", "mobcrush"] { _ = try resolver.resolve(name) }
            #expect(
                notices.all == [
                    .unencrypted(destination: "plain", host: "live.example"),
                    .unencrypted(destination: "mobcrush", host: "live.mobcrush.net"),
                ])
        }
    }

    @Test func `A user needs a password, and an RTMP address in the configuration contains neither`() async throws {
        try await withTemporaryFolder { folder in
            let text = "[destinations.a]\nextension = \"rtmp\"\nurl = \"rtmps://h/app\""
            let answers = ["a": ["user": "ann"]]
            let whole = try resolver(
                in: folder, text, secrets: FakeSecrets(secrets: ["a/key": "k", "a/password": "p"], answers: answers))
            #expect(try whole.resolve("a").kind == .rtmp)
            let half = try resolver(in: folder, text, secrets: FakeSecrets(secrets: ["a/key": "k"], answers: answers))
            #expect(
                expectProblem { () throws(ConfigurationError) in try half.resolve("a") }
                    == .passwordMissing("a", user: "ann"))
            let fault = expectFault { () throws(ConfigurationError) in
                try ConfigurationFile.parse(
                    "[destinations.a]\nextension = \"rtmp\"\nurl = \"rtmps://ann:word@h/app\"", path: "/c")
            }
            #expect(fault?.line == 3 && fault?.problem == .passwordInRTMPAddress(destination: "a"))
        }
    }

    @Test func `The configuration sets the picture and the retries`() async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(
                in: folder,
                """
                [destinations.a]
                extension = "rtmp"
                url = "rtmp://h/a/k"
                size = "640x360"
                bitrate = 700
                retries = 3
                [destinations.b]
                extension = "file"
                """)
            let plan = try resolver.resolve("a")
            #expect(plan.picture == PictureRequirements(size: PixelSize(width: 640, height: 360), bitrate: 700))
            guard case .live(let retry?) = plan.delivery else {
                Issue.record("not live")
                return
            }
            #expect(retry.maximumAttempts == 3)
            #expect(try resolver.resolve("b").delivery == .recording)
        }
    }

    @Test func `A path of certificates is relative to the configuration or to the home folder, or absolute`()
        async throws
    {
        try await withTemporaryFolder { folder in
            func attempt(_ file: String) throws -> ConfigurationFault? {
                let text = "[destinations.a]\nextension = \"rtmp\"\nurl = \"rtmps://h/a/k\"\nca-file = \"\(file)\""
                let resolver = try resolver(in: folder, text)
                do throws(ConfigurationError) {
                    _ = try resolver.resolve("a")
                    return nil
                } catch .fault(let fault) {
                    return fault
                } catch {
                    throw error
                }
            }
            for (written, path) in [
                ("ca.pem", "/ca.pem"), ("~/ca.pem", "/home/ca.pem"), (folder.path + "/other.pem", "/other.pem"),
            ] {
                let expected = ConfigurationFault(
                    path: folder.path + "/config.toml", line: 4, key: "destinations.a.ca-file",
                    problem: .unreadableCertificates(path: folder.path + path))
                #expect(try attempt(written) == expected)
                try folder.write("", to: path)
                #expect(try attempt(written) == nil)
            }
        }
    }

    @Test func `A live destination rejects full chroma`() async throws {
        try await withTemporaryFolder { folder in
            var session = SessionConfiguration()
            session.media.chroma = .yuv444
            let resolver = try resolver(in: folder, session: session)
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("rtmp://localhost/a/k") }
                    == .format(.fullChroma(live: "rtmp")))
            #expect(try resolver.resolve("x.mp4").kind == .file)
            #expect(try resolver.resolve("-").kind == .stdout)
        }
    }

    @Test(arguments: [(0.0, false), (0.5, false), (1.0, true), (23.0, true)])
    func `A live destination rejects lossless quality`(quality: Double, isAllowed: Bool) async throws {
        try await withTemporaryFolder { folder in
            var session = SessionConfiguration()
            session.media.rateControl = .quality(quality)
            let own = "[destinations.own]\nextension = \"rtmp\"\nurl = \"rtmp://localhost/a/k\"\nbitrate = 3000"
            let resolver = try resolver(in: folder, own, session: session)
            if isAllowed {
                #expect(try resolver.resolve("rtmp://localhost/a/k").kind == .rtmp)
            } else {
                let problem = expectProblem { () throws(ConfigurationError) in
                    try resolver.resolve("rtmp://localhost/a/k")
                }
                #expect(problem == .format(.lossless(live: "rtmp")))
            }
            #expect(try resolver.resolve("x.mp4").kind == .file)
            // Its own bitrate replaces the quality.
            #expect(try resolver.resolve("own").kind == .rtmp)
        }
    }

    @Test func `A format without sound is a notice if sound is recorded`() async throws {
        try await withTemporaryFolder { folder in
            var session = SessionConfiguration()
            for (hasSound, expected) in [
                (
                    true,
                    [
                        ResolverNotice.withoutSound(destination: "a.h264", .h264),
                        .withoutSound(destination: "a.y4m", .y4m),
                    ]
                ), (false, []),
            ] {
                session.media.audio.app = hasSound ? .init() : nil
                let notices = Notices()
                var resolver = try resolver(in: folder, session: session)
                resolver.notice = { notices.add($0) }
                _ = try resolver.resolve(["a.h264", "a.y4m", "a.mp4"])
                #expect(notices.all == expected)
            }
        }
    }

    // MARK: Several

    @Test func `Without a target the preferred destination is used, else a file`() async throws {
        try await withTemporaryFolder { folder async throws in
            #expect(try resolver(in: folder, "preferred = \"clips\"").resolve([]).map(\.kind) == [.clips])
            #expect(try resolver(in: folder).resolve([]).map(\.path) == [folder.path + "/cwd/" + name("mp4")])
        }
    }

    @Test func `Each destination has a name of its own`() async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(
                in: folder,
                "[destinations.rtmp-2]\nextension = \"clips\"\n[destinations.\"a.mp4\"]\nextension = \"file\"\npath = \"~/b.mp4\""
            )
            let addresses = ["k", "l", "m"].map { "rtmp://localhost/a/\($0)" }
            let plans = try resolver.resolve([
                addresses[0], addresses[1], "rtmp-2", addresses[2], "x/a.mp4", "a.mp4", "y/a.mp4",
            ])
            #expect(plans.map(\.name) == ["rtmp", "rtmp-3", "rtmp-2", "rtmp-4", "a.mp4-2", "a.mp4", "a.mp4-3"])
        }
    }

    @Test func `A name, a file and standard output are taken once`() async throws {
        try await withTemporaryFolder { folder in
            let secrets = FakeSecrets(secrets: ["twitch/key": "k"])
            let resolver = try resolver(in: folder, "[destinations.out]\nextension = \"stdout\"", secrets: secrets)
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(["twitch", "twitch"]) }
                    == .duplicate(.name("twitch")))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(["out", "out"]) }
                    == .duplicate(.name("out")))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(["-", "out"]) }
                    == .duplicate(.output))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(["a.mp4", "./a.mp4"]) }
                    == .duplicate(.file(folder.path + "/cwd/a.mp4")))
        }
    }

    @Test func `An address is taken once, in any spelling, and another stream key makes it another one`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", questions)
            let text = """
                [destinations.mine]
                extension = "rtmp"
                url = "rtmp://LIVE.example:1935/app"
                [destinations.one]
                extension = "srt"
                setup.url = "/srv/www"
                [destinations.two]
                extension = "srt"
                setup.url = "/srv/www"
                """
            let secrets = FakeSecrets(secrets: [
                "mine/key": "k", "srt/password": "p", "one/password": "p", "two/password": "q",
            ])
            let resolver = try resolver(in: folder, text, secrets: secrets)
            func problem(_ targets: [String]) -> DestinationProblem? {
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(targets) }
            }
            #expect(
                problem(["rtmp://live.example/app/k", "a.mp4", "rtmp://live.example/app/k"])
                    == .duplicate(.address("rtmp://live.example/app/…")))
            #expect(
                problem(["mine", "rtmp://live.example/app/k"]) == .duplicate(.address("rtmp://live.example/app/…")))
            #expect(problem(["srt:/srv/www", "SRT:/srv/www"]) == .duplicate(.address("SRT:/srv/www")))
            #expect(problem(["one", "srt:/srv/www"]) == .duplicate(.address("srt:/srv/www")))
            let same = secrets.secrets.merging(["two/password": "p"]) { $1 }
            let other = try self.resolver(in: folder, text, secrets: FakeSecrets(secrets: same))
            #expect(
                expectProblem { () throws(ConfigurationError) in try other.resolve(["one", "two"]) }
                    == .duplicate(.configured("one", "two")))
            let plans = try resolver.resolve([
                "mine", "rtmp://live.example/app/l", "rtmp://live.example/other/k", "one", "two", "srt://h",
            ])
            #expect(plans.count == 6 && "\(plans[0].address as Any)".contains("app") == false)
        }
    }

    // MARK: Files and standard output

    @Test func `A path of a file is relative to the working folder or to the home folder, or absolute`() async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(in: folder)
            #expect(try resolver.resolve("a.flv").path == folder.path + "/cwd/a.flv")
            #expect(try resolver.resolve("~/a.flv").path == folder.path + "/home/a.flv")
            #expect(try resolver.resolve("/srv/a.ts").path == "/srv/a.ts")
            let plan = try resolver.resolve("sub/talk.mkv")
            #expect(
                plan.path == folder.path + "/cwd/sub/talk.mkv" && plan.name == "talk.mkv"
                    && plan.delivery == .recording)
        }
    }

    @Test func `In a folder the file is named after the date`() async throws {
        try await withTemporaryFolder { folder in
            var resolver = try resolver(in: folder)
            #expect(try resolver.resolve(folder.path).path == folder.path + "/" + name("mp4"))
            let before = umask(0)
            defer { umask(before) }
            #expect(try resolver.resolve("missing/").path == folder.path + "/cwd/missing/" + name("mp4"))
            #expect(folder.names(in: "cwd") == ["missing"])
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/cwd/missing")
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            #expect(try resolver.resolve("./missing/../talk.mp4").path == folder.path + "/cwd/missing/../talk.mp4")
            #expect(try resolver.resolve("/srv//./talk.mp4").path == "/srv/talk.mp4")
            guard
                case .cannotCreateFolder(_, "no/folder/", nil, ENOENT)? = expectProblem({
                    () throws(ConfigurationError) in
                    try resolver.resolve("no/folder/")
                })
            else {
                Issue.record("The folder above is missing.")
                return
            }
            resolver.format = .mpegts
            #expect(try resolver.resolve(folder.path).path == folder.path + "/" + name("ts"))
            #expect(try resolver.resolve("file").path == folder.path + "/cwd/" + name("ts"))
            try folder.makeFolder("home/Videos")
            #expect(try resolver.resolve("file").path == folder.path + "/home/Videos/" + name("ts"))
        }
    }

    @Test func `A path that determines no format is a problem, unless the format is given`()
        async throws
    {
        try await withTemporaryFolder { folder in
            var resolver = try resolver(in: folder)
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("./a.avi") }
                    == .format(.unknownEnding(path: "./a.avi", ending: ".avi")))
            for path in ["./.hidden", "./talk", "\(folder.path)/missing"] {
                let problem = expectProblem { () throws(ConfigurationError) in try resolver.resolve(path) }
                #expect(problem == .format(.withoutEnding(path: path)))
            }
            for name in ["x.gif", "talk.WEBM", "notes.xyz"] {
                let ending = String(name.drop { $0 != "." })
                let problem = expectProblem { () throws(ConfigurationError) in try resolver.resolve(name) }
                #expect(problem == .format(.unknownEnding(path: name, ending: ending)))
            }
            // Rather a mistyped name.
            guard
                case .unknown("twitch.t", _)? = expectProblem({ () throws(ConfigurationError) in
                    try resolver.resolve("twitch.t")
                })
            else {
                Issue.record("twitch.t is near twitch.")
                return
            }
            let existing = try folder.write("", to: "b.avi")
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(existing) }
                    == .format(.unknownEnding(path: existing, ending: ".avi")))
            #expect(try resolver.resolve("/dev/null").kind == .file)
            resolver.format = .y4m
            let plan = try resolver.resolve("a.avi")
            #expect(plan.kind == .file && plan.media.video == .raw && plan.media.audioTracks == [])
        }
    }

    @Test func `Files get separate sound tracks on request`() async throws {
        try await withTemporaryFolder { folder in
            var resolver = try resolver(in: folder)
            #expect(try resolver.resolve("a.mp4").media.audioTracks == [.mixed])
            resolver.separatesAudio = true
            #expect(try resolver.resolve("a.mp4").media.audioTracks == [.app, .mic])
            #expect(try resolver.resolve("a.flv").media.audioTracks == [.mixed])
        }
    }

    @Test func `A configured file has its own format, and its folder is made`() async throws {
        try await withTemporaryFolder { folder in
            let text = """
                [destinations.films]
                extension = "file"
                path = "Films"
                format = "flv"
                [destinations.one]
                extension = "file"
                path = "~/one.ts"
                [destinations.home]
                extension = "file"
                path = "~"
                [destinations.usual]
                extension = "file"
                [destinations.deep]
                extension = "file"
                path = "~/not/there"
                """
            var resolver = try resolver(in: folder, text)
            #expect(try resolver.resolve("films").path == folder.path + "/home/Films/" + name("flv"))
            #expect(folder.names(in: "home") == ["Films"])
            #expect(try resolver.resolve("one").path == folder.path + "/home/one.ts")
            #expect(try resolver.resolve("home").path == folder.path + "/home/" + name("mp4"))
            #expect(try resolver.resolve("usual").path == folder.path + "/cwd/" + name("mp4"))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("deep") }
                    == .cannotCreateFolder(
                        path: folder.path + "/home/not/there", destination: "deep",
                        configuration: folder.path + "/config.toml", code: ENOENT))
            resolver.format = .mp4
            #expect(try resolver.resolve("films").path?.hasSuffix(".mp4") == true)
        }
    }

    @Test func `Standard output has to be a pipe or a file`() async throws {
        try await withTemporaryFolder { folder in
            var resolver = try resolver(in: folder, "[destinations.out]\nextension = \"stdout\"")
            #expect(try ["-", "stdout", "out"].map { try resolver.resolve($0).name } == ["stdout", "stdout", "out"])
            #expect(try resolver.resolve("-").media.audioTracks == [.mixed])
            resolver.format = .y4m
            #expect(try resolver.resolve("-").media.video == .raw)
            resolver.output = .terminal
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("out") } == .output(.terminal))
            resolver.output = .closed
            #expect(expectProblem { () throws(ConfigurationError) in try resolver.resolve("-") } == .output(.closed))
        }
    }

    @Test(arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
    func `A name of the system for standard output is standard output`(
        name: String
    ) async throws {
        try await withTemporaryFolder { folder in
            var resolver = try resolver(in: folder)
            #expect(try resolver.resolve(name).kind == .stdout)
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(["-", name]) }
                    == .duplicate(.output))
            resolver.output = .terminal
            #expect(expectProblem { () throws(ConfigurationError) in try resolver.resolve(name) } == .output(.terminal))
        }
    }

    @Test func `Clips are kept by their name, by a configured name, and by a preference`() async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(
                in: folder, "preferred = \"moments\"\n[destinations.moments]\nextension = \"clips\"")
            let plans = try resolver.resolve(["clips"]) + resolver.resolve([])
            #expect(plans.map(\.name) == ["clips", "moments"] && plans.map(\.kind) == [.clips, .clips])
        }
    }

    @Test func `The problem about an unknown name contains the known names`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt")
            let resolver = try resolver(in: folder, "[destinations.mine]\nextension = \"clips\"")
            let known = ["mine"] + BuiltInExtension.names + ["srt"] + KnownService.all.map(\.name)
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("mien") }
                    == .unknown("mien", known: known))
        }
    }

    // MARK: Extensions

    @Test func `An extension gets its answers, its secrets and the settings of the configuration`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", questions)
            let secrets = FakeSecrets(secrets: ["mine/password": "p"], answers: ["mine": ["url": "srt://stored"]])
            let resolver = try resolver(
                in: folder, "[destinations.mine]\nextension = \"srt\"\nsetup.url = \"srt://configured\"",
                secrets: secrets)
            let plan = try resolver.resolve("mine")
            #expect(
                plan.name == "mine" && plan.kind == .program("srt") && plan.isLive && plan.media.audioTracks == [.mixed]
            )
        }
    }

    /// The setup that an extension's program gets, as JSON with sorted keys.
    private func receivedSetup(_ plan: DestinationPlan, in folder: TemporaryFolder) async throws -> String {
        try folder.write(
            "#!/bin/sh\necho '{\"hello\":1}'\nexec /bin/cat > input\n", to: "extensions/srt/program", mode: 0o700)
        let handler = plan.makeHandler()
        try await handler.started(StreamDescription(video: nil, audio: [], title: nil))
        try await handler.finished(deadline: .seconds(30))
        let input = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path + "/extensions/srt/input")), as: UTF8.self)
        let start = try #require(input.firstRange(of: "\"setup\":"))
        return String(input[start.upperBound...].prefix { $0 != "}" }) + "}"
    }

    @Test
    func
        `A path for an extension is absolute, and starts at the working folder or, in the configuration, at the home folder`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try folder.writeExtension(
                "srt", questions.replacing("required = true", with: "required = true\npath = true"))
            let resolver = try resolver(in: folder, "[destinations.mine]\nextension = \"srt\"\nurl = \"www/live\"")
            let (cwd, home) = (folder.path + "/cwd", folder.path + "/home")
            for (target, url) in [
                ("srt:www/", "srt:\(cwd)/www/"), ("srt:./www", "srt:\(cwd)/./www"), ("srt:~/www", "srt:\(home)/www"),
                ("srt:/srv", "srt:/srv"),
                ("srt://h:9000", "srt://h:9000"), ("srt:http:/h", "srt:http:/h"),
            ] {
                let plan = try resolver.resolve(target)
                #expect(plan.url == url)
                #expect(try await receivedSetup(plan, in: folder) == "{\"url\":\"\(url)\"}")
            }
            #expect(try await receivedSetup(resolver.resolve("mine"), in: folder) == "{\"url\":\"\(home)/www/live\"}")
        }
    }

    @Test func `url and key-command of a destination reach an extension that asks for them`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", questions)
            let text = "[destinations.mine]\nextension = \"srt\"\nurl = \"srt://configured\"\nkey-command = \"show\""
            let secrets = FakeSecrets(secrets: ["mine/password": "stored"], key: "k")
            let plan = try resolver(in: folder, text, secrets: secrets).resolve("mine")
            #expect(
                try await receivedSetup(plan, in: folder) == "{\"password\":\"k-of-show\",\"url\":\"srt://configured\"}"
            )
        }
    }

    @Test func `The settings of the network reach an extension that declares them, and another one is rejected`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", "network = [\"proxy\", \"bind\"]\n" + questions)
            let secrets = FakeSecrets(secrets: ["srt/password": "p"])
            var session = SessionConfiguration()
            session.route.proxy = .http(host: "::1", port: 3128)
            session.route.source = .address("10.0.0.1")
            session.route.proxyCredentials = RTMPCredentials(user: "ann", password: "word")
            let plan = try resolver(in: folder, secrets: secrets, session: session).resolve("srt://h")
            #expect(
                try await receivedSetup(plan, in: folder)
                    == "{\"bind\":\"10.0.0.1\",\"password\":\"p\",\"proxy\":\"http://[::1]:3128\","
                    + "\"proxy-password\":\"word\",\"proxy-user\":\"ann\",\"url\":\"srt://h\"}")
            session.route.version = .six
            let other = try resolver(in: folder, secrets: secrets, session: session)
            let problem = expectProblem { () throws(ConfigurationError) in try other.resolve("srt://h") }
            #expect(problem == .networkNotSupported("srt", setting: "ip-version"))
            session.route.version = .any
            session.lacksProxyPassword = true
            let without = try resolver(in: folder, secrets: secrets, session: session)
            for target in ["srt://h", "rtmp://h/app/key"] {
                #expect(
                    expectProblem { () throws(ConfigurationError) in try without.resolve(target) }
                        == .proxyWithoutPassword)
            }
        }
    }

    @Test func `An extension that reaches no server starts whatever the network's settings are`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt")
            var session = SessionConfiguration()
            session.route.proxy = .socks5(host: "h", port: 1)
            let plan = try resolver(in: folder, session: session).resolve("srt")
            #expect(try await receivedSetup(plan, in: folder) == "{}")
        }
    }

    @Test func `An extension with several secrets gets one from each key command`() async throws {
        try await withTemporaryFolder { folder in
            let more = "\n[[setup]]\nkey = \"token\"\nsecret = true\n[[setup]]\nkey = \"ca-file\""
            try folder.writeExtension("srt", questions + more)
            try folder.write("", to: "ca.pem")
            let text =
                "[destinations.mine]\nextension = \"srt\"\nurl = \"srt://h\"\nca-file = \"ca.pem\"\nkey-command = "
            let secrets = FakeSecrets(secrets: ["mine/password": "stored"], key: "k")
            let plan = try resolver(in: folder, text + "{ token = \"show\" }", secrets: secrets).resolve("mine")
            let setup = try await receivedSetup(plan, in: folder)
            #expect(
                setup
                    == "{\"ca-file\":\"\(folder.path)/ca.pem\",\"password\":\"stored\",\"token\":\"k-of-show\",\"url\":\"srt://h\"}"
            )
            let ambiguous = try resolver(in: folder, text + "\"show\"", secrets: secrets)
            let fault = expectFault { () throws(ConfigurationError) in try ambiguous.resolve("mine") }
            #expect(fault?.line == 5 && fault?.problem == .severalSecrets(["password", "token"]))
            let unknown = try resolver(in: folder, text + "{ url = \"show\" }", secrets: secrets)
            #expect(
                expectFault { () throws(ConfigurationError) in try unknown.resolve("mine") }?.problem
                    == .notAsked(extension: "srt", questions: ["password", "token"]))
        }
    }

    @Test(
        arguments: [
            ("url = \"u\"", 3, "url"), ("key-command = \"show\"", 3, "key-command"),
            ("retries = 3\nca-file = \"a\"", 4, "ca-file"),
            ("bitrate = 900", 3, "bitrate"), ("setup = {}", 3, "setup"),
        ])
    func `A key that the extension does not read is a fault of its line`(text: String, line: Int, key: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("plain", "video = \"none\"")
            let config = "[destinations.mine]\nextension = \"plain\"\n" + text
            let resolver = try resolver(in: folder, config)
            let expected = ConfigurationFault(
                path: folder.path + "/config.toml", line: line, key: "destinations.mine." + key,
                problem: .notRead(extension: "plain", reads: ["extension", "retries"]))
            #expect(expectFault { () throws(ConfigurationError) in try resolver.resolve("mine") } == expected)
            // Also before the destination is used.
            let configuration = try ConfigurationFile.parse(config, path: folder.path + "/config.toml")
            #expect(
                expectFault { () throws(ConfigurationError) in try configuration.check(with: folder.catalog) }
                    == expected)
        }
    }

    @Test func `An extension without addresses is started by its name, once`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension(
                "page", "[[setup]]\nkey = \"port\"\n")
            let resolver = try resolver(in: folder)
            for address in ["page:9000", "page://", "page:"] {
                #expect(
                    expectProblem { () throws(ConfigurationError) in try resolver.resolve(address) }
                        == .address(.takenByName(extension: "page", questions: ["port"])))
            }
            #expect(try resolver.resolve("page").name == "page")
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(["page", "page"]) }
                    == .duplicate(.name("page")))
        }
    }

    @Test func `An address that is given twice is a fault`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", questions)
            let resolver = try resolver(
                in: folder, "[destinations.mine]\nextension = \"srt\"\nurl = \"srt://a\"\nsetup.url = \"srt://b\"")
            let fault = expectFault { () throws(ConfigurationError) in try resolver.resolve("mine") }
            #expect(fault?.line == 3 && fault?.problem == .givenTwice(other: "setup.url"))
        }
    }

    // MARK: Choices without effect

    @Test func `A format and separate sound tracks need a file or standard output`() async throws {
        try await withTemporaryFolder { folder in
            var resolver = try resolver(in: folder)
            resolver.format = .flv
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(["rtmp://h/a/k"]) }
                    == .format(.withoutFile))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve(["clips"]) }
                    == .format(.withoutFile)
            )
            #expect(try resolver.resolve(["rtmp://h/a/k", "a.bin"]).count == 2)
            resolver.format = nil
            resolver.separatesAudio = true
            for targets in [["rtmp://h/a/k"], ["a.flv"], ["a.y4m", "rtmp://h/a/k"]] {
                #expect(
                    expectProblem { () throws(ConfigurationError) in try resolver.resolve(targets) }
                        == .format(.separateTracksWithoutFile))
            }
            #expect(
                try resolver.resolve(["rtmp://h/a/k", "a.mp4"]).count == 2 && (try resolver.resolve(["-"]).count == 1))
        }
    }

    @Test func `Settings of an encoder require a destination that takes its packets`() async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(in: folder)
            func problem(_ targets: [String], _ change: (inout SessionSettings) -> Void) throws -> SettingProblem? {
                var settings = SessionSettings()
                change(&settings)
                let plans = try resolver.resolve(targets)
                do throws(ConfigurationError) {
                    try settings.checkEffect(on: plans)
                    return nil
                } catch .setting(let problem) {
                    return problem
                } catch {
                    throw error
                }
            }
            #expect(try problem(["a.y4m"]) { $0.video.bitrate = 900 } == .withoutEffect(.bitrate, .noEncodedPicture))
            let proxy = try ProxyAddress("socks5://h")
            for file in ["a.mp4", "clips"] {
                #expect(try problem([file]) { $0.proxy = proxy } == .withoutEffect(.proxy, .noServer))
                #expect(try problem([file]) { $0.bindsTo = .interface("lo") } == .withoutEffect(.bind, .noServer))
                #expect(try problem([file]) { $0.ipVersion = .six } == .withoutEffect(.ipVersion, .noServer))
                #expect(try problem([file]) { $0.waitsForNetwork = true } == .withoutEffect(.waitForNetwork, .noServer))
            }
            #expect(try problem(["a.mp4", "rtmp://h/app/key"]) { $0.waitsForNetwork = true } == nil)
            #expect(
                try problem(["a.h264"]) { $0.video.framePacing = .variable }
                    == .withoutEffect(.framePacing, .constantFrameRate))
            #expect(try problem(["a.h264", "a.mp4"]) { $0.video.framePacing = .variable } == nil)
            #expect(try problem(["a.y4m"]) { $0.video.preset = "fast" } == .withoutEffect(.preset, .noEncodedPicture))
            #expect(try problem(["a.y4m"]) { $0.audio.bitrate = 128 } == .withoutEffect(.audioBitrate, .noSound))
            #expect(try problem(["a.h264"]) { $0.audio.mic = true } == .withoutEffect(.microphone, .noSound))
            #expect(
                try problem(["a.y4m", "a.mp4"]) {
                    $0.video.bitrate = 900; $0.audio.bitrate = 128
                } == nil)
            #expect(try problem(["a.y4m", "clips"]) { $0.video.bitrate = 900 } == nil)
            #expect(
                try problem(["a.y4m"]) {
                    $0.video.fps = 25; $0.audio.mic = false
                } == nil)
        }
    }

    @Test func `The format of a configured standard output is used`() async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(in: folder, "[destinations.out]\nextension = \"stdout\"\nformat = \"y4m\"")
            #expect(try resolver.resolve("out").media.video == .raw)
        }
    }

    @Test func `An extension without a configuration is started by its name`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("plain", "video = \"none\"")
            let plan = try resolver(in: folder).resolve("plain")
            #expect(plan.name == "plain" && plan.kind == .program("plain") && plan.media.video == .none)
        }
    }

    @Test func `An answer that is missing is a problem`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("open", "[[setup]]\nkey = \"url\"\nprompt = \"Address\"\nrequired = true")
            try folder.writeExtension("secret", "[[setup]]\nkey = \"token\"\nsecret = true\nrequired = true")
            let resolver = try resolver(in: folder)
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("open") }
                    == .notSetUp("open", question: "url", prompt: "Address"))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("secret") }
                    == .notSignedIn("secret"))
        }
    }

    @Test(
        arguments: [
            ("setup.urk = \"x\"", "setup.urk", .notAsked(extension: "srt", questions: ["url", "password"])),
            ("setup.password = \"x\"", "setup.password", .isSecret),
            ("setup.url = \"srt://a:b@host\"", "setup.url", .secretInAddress(.password, destination: "mine")),
            (
                "setup.url = \"srt://h:1?streamid=x\"", "setup.url",
                .secretInAddress(.parameter("streamid"), destination: "mine")
            ),
            (
                "setup.url = \"srt://h:1?mode=caller&pass-phrase=x\"", "setup.url",
                .secretInAddress(.parameter("pass-phrase"), destination: "mine")
            ),
        ] as [(String, String, ConfigurationFault.Problem)])
    func `An unknown or secret setting of an extension must not be in the configuration`(
        text: String, key: String, problem: ConfigurationFault.Problem
    ) async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", questions)
            let resolver = try resolver(in: folder, "[destinations.mine]\nextension = \"srt\"\n" + text)
            let fault = expectFault { () throws(ConfigurationError) in try resolver.resolve("mine") }
            #expect(
                fault?.key == "destinations.mine." + key && fault?.problem == problem
                    && fault?.path == folder.path + "/config.toml")
        }
    }

    @Test func `The extension gets the address without its secrets`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", questions)
            let resolver = try resolver(in: folder)
            let plan = try resolver.resolve("srt://host:9000?mode=caller")
            #expect(plan.name == "srt" && plan.kind == .program("srt") && plan.url == "srt://host:9000")
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("srt://a:b@host") }
                    == .address(.secret(.password, extension: "srt")))
            #expect(
                expectProblem { () throws(ConfigurationError) in
                    try resolver.resolve("srt://host?mode=caller&password=p")
                }
                    == .address(.secret(.parameter("password"), extension: "srt")))
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("srt://host?token=t") }
                    == .address(.secret(.parameter("token"), extension: "srt")))
            // This manifest does not ask for it, so it cannot be kept apart from the address.
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("srt://host?streamid=s") }
                    == .address(.secret(.parameter("streamid"), extension: "srt")))
        }
    }

    @Test func `An SRT stream identifier in an address is the answer to the secret question`() async throws {
        try await withTemporaryFolder { folder in
            try folder.writeExtension("srt", questions + "\n[[setup]]\nkey = \"stream-id\"\nsecret = true")
            let resolver = try resolver(in: folder, secrets: FakeSecrets(secrets: ["srt/stream-id": "stored"]))
            let plan = try resolver.resolve("srt://host:9000?streamid=publish:%23x&mode=caller")
            #expect(plan.url == "srt://host:9000")
            let received = try await receivedSetup(plan, in: folder)
            #expect(received.contains("\"stream-id\":\"publish:#x\"") && !received.contains("stored"), "\(received)")
        }
    }

    @Test func `A configured extension that is not installed is a fault of its line`() async throws {
        try await withTemporaryFolder { folder in
            let resolver = try resolver(in: folder, "[destinations.mine]\nextension = \"gone\"")
            let fault = expectFault { () throws(ConfigurationError) in try resolver.resolve("mine") }
            #expect(fault?.line == 2 && fault?.problem == .unknownExtension("gone", known: BuiltInExtension.names))
        }
    }

    @Test func `A manifest that cannot be served is a problem`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("#!/bin/sh\n", to: "extensions/two/program", mode: 0o700)
            try folder.write(
                "name = \"two\"\nexec = \"program\"\nmode = \"stream\"\ncontainer = \"flv\"\ntracks = [\"screen\", \"app\", \"mic\"]",
                to: "extensions/two/extension.toml")
            try folder.setMode(0o700, of: "extensions/two")
            let resolver = try resolver(in: folder)
            #expect(
                expectProblem { () throws(ConfigurationError) in try resolver.resolve("two") }
                    == .unsupported(name: "two", .tooManySoundTracks(2)))
        }
    }
}

/// Collects what a resolver reports.
private final class Notices: Sendable {
    private let notices = Mutex<[ResolverNotice]>([])

    var all: [ResolverNotice] { notices.withLock { $0 } }

    func add(_ notice: ResolverNotice) { notices.withLock { $0.append(notice) } }
}
