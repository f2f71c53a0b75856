import BroadcastKit
import Credentials
import Desktop
import Foundation
import Host
import Media
import Session
import TestSupport
import Testing
import Upload
import UserConfiguration

/// Destinations that a program describes with its own values: the user's configuration limits them like all others.
@Suite struct ProgramRequestTests {
    private func environment(_ folder: String) -> [String: String] {
        [
            "HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder,
            "XDG_STATE_HOME": folder,
        ]
    }

    private func context(_ folder: String, _ text: String, proxyPassword: String? = nil) throws -> SessionEnvironment {
        var environment = environment(folder)
        environment[SessionEnvironment.proxyPasswordVariable] = proxyPassword
        let paths = Paths(environment: environment)
        try FileManager.default.createDirectory(
            atPath: (paths.configFile as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: paths.configFile, atomically: true, encoding: .utf8)
        return SessionEnvironment(
            paths: paths,
            secrets: CredentialStore(service: SecretService(environment: environment, helper: nil), paths: paths),
            sessionBusAddress: "unix:path=/nonexistent", environment: environment)
    }

    private func session(
        _ destinations: [BroadcastDestination], _ context: SessionEnvironment,
        _ own: SessionSettings = SessionSettings(),
        settings: BroadcastSettings = BroadcastSettings()
    ) throws(ConfigurationError) -> PreparedSession {
        try context.request(own, destinations, settings).prepare(
            HostPreparation(notice: { _ in }, isStopWanted: { false }))
    }

    private func prepare(
        _ destinations: [BroadcastDestination], _ context: SessionEnvironment, usesConfiguration: Bool = true
    ) throws(ConfigurationError) -> [DestinationPlan] {
        var settings = BroadcastSettings()
        settings.usesConfiguration = usesConfiguration
        return try session(destinations, context, settings: settings).destinations
    }

    @Test func `A known service gets no window titles, by its name and by its address`() async throws {
        try await withPeers { peers in
            let context = try context(try peers.makeFolder("kit"), "")
            let plans = try prepare(
                [
                    .service("twitch", key: "k"), .rtmp("rtmp://live.twitch.tv/app", key: "k"),
                    .rtmp("rtmp://example.org/app", key: "k"),
                    .file("/tmp/a.mp4"),
                ], context)
            #expect(plans.map(\.applicationDetail) == [.windowClass, .windowClass, .full, .full])
        }
    }

    @Test func `A configuration that publishes no titles applies to all of them`() async throws {
        try await withPeers { peers in
            let context = try context(try peers.makeFolder("kit"), "[privacy]\ntitles = \"none\"\n")
            let plans = try prepare(
                [.service("twitch", key: "k"), .rtmp("rtmp://example.org/app", key: "k"), .file("/tmp/a.mp4")], context)
            #expect(plans.map(\.applicationDetail) == [.none, .none, .none])
        }
    }

    @Test func `A file or a configured destination is accepted once, and servers get names of their own`() async throws
    {
        try await withPeers { peers in
            let context = try context(try peers.makeFolder("kit"), "[destinations.archive]\nextension = \"file\"\n")
            #expect(throws: ConfigurationError.destination(.duplicate(.file("/tmp/a.mp4")))) {
                try prepare([.file("/tmp/a.mp4"), .file("/tmp/a.mp4")], context)
            }
            #expect(throws: ConfigurationError.destination(.duplicate(.name("archive")))) {
                try prepare([.destination(named: "archive"), .destination(named: "archive")], context)
            }
            #expect(throws: ConfigurationError.destination(.duplicate(.address("rtmp://example.org/app/…")))) {
                try prepare([.rtmp("rtmp://example.org/app", key: "k"), .rtmp("rtmp://example.org/app/k")], context)
            }
            let plans = try prepare(
                [.rtmp("rtmp://example.org/app", key: "k"), .rtmp("rtmp://example.org/app", key: "l")], context)
            #expect(plans.map(\.name) == ["example.org", "example.org-2"])
        }
    }

    @Test(arguments: [true, false])
    func `A proxy that requires a password is refused without it, also if the program has settings of its own`(
        usesConfiguration: Bool
    ) async throws {
        try await withPeers { peers in
            let text = "[network]\nproxy = \"socks5://anna@127.0.0.1:1080\"\n"
            let folder = try peers.makeFolder("kit")
            let destination = try BroadcastDestination.rtmp("rtmp://example.org/app", key: "k")
            let without = try context(folder, text)
            #expect(throws: ConfigurationError.destination(.proxyWithoutPassword)) {
                try prepare([destination], without, usesConfiguration: usesConfiguration)
            }
            let with = try context(folder, text, proxyPassword: "secret")
            #expect(try prepare([destination], with, usesConfiguration: usesConfiguration).count == 1)
        }
    }

    @Test func `An extension that cannot use the proxy of the configuration is refused, and one that can gets it`()
        async throws
    {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let context = try context(folder, "[network]\nproxy = \"socks5://127.0.0.1:1080\"\n")
            let extensions = try #require(Paths(environment: environment(folder)).extensionFolders.first)
            for (name, network) in [("direct", ""), ("through", "network = [\"proxy\"]")] {
                try FileManager.default.createDirectory(
                    atPath: extensions + "/" + name, withIntermediateDirectories: true)
                let manifest = """
                    name = "\(name)"
                    exec = "/bin/true"
                    mode = "samples"
                    \(network)
                    [[setup]]
                    key = "url"
                    """
                try manifest.write(toFile: extensions + "/\(name)/extension.toml", atomically: true, encoding: .utf8)
            }
            #expect(throws: ConfigurationError.destination(.networkNotSupported("direct", setting: "proxy"))) {
                try prepare([.extension("direct", setup: ["url": "x"])], context)
            }
            #expect(try prepare([.extension("through", setup: ["url": "x"])], context).count == 1)
        }
    }

    @Test(arguments: [
        ("", true, true, true, true), ("", false, true, false, true),
        ("[privacy]\ndo-not-disturb = false\nkeep-awake = false\n", true, true, false, false),
        ("[privacy]\ndo-not-disturb = false\nkeep-awake = false\n", true, false, true, true),
    ])
    func `The desktop is asked as the program and the configuration say, and the screen lock is always watched`(
        text: String, suppresses: Bool, usesConfiguration: Bool, holdsNotifications: Bool, keepsAwake: Bool
    ) async throws {
        try await withPeers { peers in
            let context = try context(try peers.makeFolder("kit"), text)
            var settings = BroadcastSettings()
            settings.suppressesNotifications = suppresses
            settings.usesConfiguration = usesConfiguration
            // A request means that the lock is watched.
            let request = try #require(session([], context, settings: settings).desktop)
            #expect(request.holdsNotifications == holdsNotifications && request.keepsAwake == keepsAwake)
        }
    }

    @Test func `Services, extensions and addresses of the program are checked like those of a user`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let context = try context(folder, "")
            func expect(
                _ problem: DestinationProblem, _ destination: BroadcastDestination,
                sourceLocation: SourceLocation = #_sourceLocation
            ) {
                #expect(throws: ConfigurationError.destination(problem), sourceLocation: sourceLocation) {
                    try prepare([destination], context)
                }
            }
            expect(.unknown("twich", known: KnownService.all.map(\.name)), .service("twich", key: "k"))
            expect(.address(.notRTMP(.missingKey, source: nil)), .service("twitch", key: ""))
            // The known names contain the shipped extensions, if they are installed beside the tests.
            expect(
                .unknown(
                    "web",
                    known: ExtensionCatalog(folders: Paths(environment: environment(folder)).extensionFolders).names),
                .extension("web"))
            let extensions = try #require(Paths(environment: environment(folder)).extensionFolders.first)
            try FileManager.default.createDirectory(atPath: extensions + "/web", withIntermediateDirectories: true)
            let manifest =
                "name = \"web\"\nexec = \"/bin/true\"\nmode = \"samples\"\n[[setup]]\nkey = \"url\"\nprompt = \"Address\"\nrequired = true\n"
            try manifest.write(toFile: extensions + "/web/extension.toml", atomically: true, encoding: .utf8)
            expect(.notSetUp("web", question: "url", prompt: "Address"), .extension("web"))
            #expect(try prepare([.extension("web", setup: ["url": "x"])], context).map(\.name) == ["web"])
        }
    }

    @Test func `A known service has its backup addresses and its limits, and an unknown ending is MP4`() async throws {
        try await withPeers { peers in
            let context = try context(try peers.makeFolder("kit"), "")
            let plans = try prepare(
                [.service("youtube", key: "s3cret"), .file("/tmp/a.unknown"), .file("/tmp/a.ts")], context)
            #expect(plans.map(\.name) == ["youtube", "a.unknown", "a.ts"])
            #expect(plans.first?.limits.size == PixelSize(width: 3840, height: 2160))
            #expect(plans.allSatisfy { $0.url?.contains("s3cret") != true })
        }
    }

    @Test func `What a Wayland desktop is asked to share has the display and the file of earlier choices`() async throws
    {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            var environment = environment(folder)
            environment["WAYLAND_DISPLAY"] = "/run/user/1000/wayland-7"
            let paths = Paths(environment: environment)
            let context = SessionEnvironment(
                paths: paths,
                secrets: CredentialStore(service: SecretService(environment: environment, helper: nil), paths: paths),
                sessionBusAddress: "unix:path=/nonexistent", environment: environment)
            let request = context.portalRequest(.window)
            #expect(
                request.display == "wayland-7" && request.choice == .window
                    && request.busAddress == "unix:path=/nonexistent")
            #expect(request.choices?.path == paths.rememberedChoices.path)
            #expect(context.portalRequest().choice == .monitor)
        }
    }

    @Test func `Clips keep the last minute, unless the program chose another length`() async throws {
        try await withPeers { peers in
            let context = try context(try peers.makeFolder("kit"), "")
            func length(_ settings: SessionSettings, _ destination: BroadcastDestination) throws -> Double? {
                try session([destination], context, settings).configuration.media.clipBuffer?.seconds
            }
            var settings = SessionSettings()
            #expect(
                try length(settings, .destination(named: "clips")) == 60 && length(settings, .file("/tmp/a.mp4")) == nil
            )
            settings.clipBuffer = MediaTime(milliseconds: 5000)
            #expect(try length(settings, .destination(named: "clips")) == 5)
        }
    }
}
