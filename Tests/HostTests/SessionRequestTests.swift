import ContentCapture
import Control
import Credentials
import Foundation
import Host
import Media
import PortalCapture
import Session
import TestSupport
import Testing
import Upload
import UserConfiguration

/// A host of the session that a command line describes: names, a control socket and the user's configuration.
struct SessionRequestTests {
    private func paths(_ folder: String) -> Paths {
        Paths(environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder + "/config"])
    }

    private func configure(_ folder: String, _ text: String) throws -> Configuration {
        let file = paths(folder).configFile
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try ConfigurationFile.load(file)
    }

    private func environment(_ folder: String) -> SessionEnvironment {
        SessionEnvironment(
            paths: paths(folder),
            secrets: CredentialStore(service: SecretService(environment: [:], helper: nil), paths: paths(folder)),
            sessionBusAddress: nil, environment: [:])
    }

    /// A host of the program's own pictures, whose socket is `kit.sock`.
    private func host(
        in folder: String, _ targets: [String], configuration: Configuration = Configuration(path: "/c.toml"),
        format: ContainerFormat? = nil,
        output: DestinationResolver.StandardOutput = .usable, handed: HandedSecrets? = nil,
        change: (inout SessionSettings) -> Void = { _ in }
    ) -> SessionHost {
        let environment = environment(folder)
        let feed = PictureFeed(size: PixelSize(width: 64, height: 64))
        let picture = [UInt8](repeating: 128, count: 64 * 64 * 4)
        _ = picture.withUnsafeBytes { feed.push(bgra: $0, stride: 64 * 4) }
        var settings = SessionSettings()
        settings.source = .feed(feed)
        settings.audio.app = false
        change(&settings)
        var options = HostOptions(name: "kit", phrases: TestPhrases())
        options.socket = folder + "/kit.sock"
        return SessionHost(options: options) { [settings] () throws(ConfigurationError) in
            var request = try SessionRequest(
                settings, over: configuration, destinations: .named(targets), environment: environment)
            request.format = format
            request.output = output
            if let handed { request.secrets = HandedSecretSource(handed, otherwise: request.secrets) }
            request.readsAddressKey = handed != nil
            return request
        }
    }

    @Test func `The targets of the command line are recorded, and further ones come from the current configuration`()
        async throws
    {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let host = host(in: folder, [folder + "/a.mp4"])
            #expect(host.session == nil)
            try await host.start()
            #expect(host.session?.snapshot().state == .live)
            // The configuration was written after the start.
            _ = try configure(
                folder, "[destinations.archive]\nextension = \"file\"\npath = \"\(folder)/archive.mp4\"\n")
            let running = RunningSession(name: "kit", socket: folder + "/kit.sock")
            #expect(try await running.ask(.addDestination("archive", folder: nil))?.destination?.name == "archive")
            // A relative path starts at the folder of the command that asks.
            #expect(
                try await running.ask(.addDestination("b.mp4", folder: folder))?.destination?.path == folder + "/b.mp4")
            let refused = try await running.ask(.addDestination("twich", folder: folder))
            #expect(refused?.error?.message.contains("unknown(\"twich\"") == true)
            host.requestStop()
            let outcome = try await host.ended()
            #expect(outcome.failure == nil && outcome.isAsked)
            #expect(outcome.snapshot.destinations.map(\.name) == ["a.mp4", "archive", "b.mp4"])
            #expect(outcome.snapshot.destinations.allSatisfy { $0.state == .finished && $0.byteCount > 0 })
            var states: [SessionState] = []
            for await event in host.events { if case .state(let state) = event { states.append(state) } }
            #expect(states == [.live, .finishing, .finished])
        }
    }

    @Test func `A configuration that became invalid rejects further targets, and the session continues`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let host = host(in: folder, [folder + "/a.mp4"])
            try await host.start()
            let file = paths(folder).configFile
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try "no TOML".write(toFile: file, atomically: true, encoding: .utf8)
            let running = RunningSession(name: "kit", socket: folder + "/kit.sock")
            let reply = try await running.ask(.addDestination(folder + "/b.mp4", folder: nil))
            #expect(reply?.error?.code == 400 && host.session?.snapshot().state == .live)
            host.requestStop()
            #expect(try await host.ended().snapshot.destinations.map(\.name) == ["a.mp4"])
        }
    }

    @Test func `Without targets the preferred destination of the configuration is used`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let text =
                "preferred = \"archive\"\n[destinations.archive]\nextension = \"file\"\npath = \"\(folder)/archive.mp4\"\n"
            let host = host(in: folder, [], configuration: try configure(folder, text))
            try await host.start()
            host.requestStop()
            #expect(try await host.ended().snapshot.destinations.map(\.path) == [folder + "/archive.mp4"])
        }
    }

    @Test func `What cannot start is rejected with its reason, and nothing is written`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            func expect(
                _ problem: ConfigurationError, _ targets: [String], format: ContainerFormat? = nil,
                output: DestinationResolver.StandardOutput = .usable, sourceLocation: SourceLocation = #_sourceLocation,
                change: (inout SessionSettings) -> Void = { _ in }
            ) async {
                let host = host(in: folder, targets, format: format, output: output, change: change)
                await #expect(throws: HostError.configuration(problem), sourceLocation: sourceLocation) {
                    try await host.start()
                }
                await #expect(throws: HostError.configuration(problem), sourceLocation: sourceLocation) {
                    try await host.ended()
                }
            }
            await expect(.destination(.output(.terminal)), ["-"], output: .terminal)
            await expect(.destination(.output(.closed)), ["-"], output: .closed)
            await expect(.destination(.duplicate(.file(folder + "/a.mp4"))), [folder + "/a.mp4", folder + "/a.mp4"])
            await expect(.setting(.withoutEffect(.bitrate, .noEncodedPicture)), [folder + "/a.y4m"]) {
                $0.video.bitrate = 1000
            }
            await expect(.setting(.outOfRange(.frameRate, 1...240, value: 500)), [folder + "/a.mp4"]) {
                $0.video.fps = 500
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("a.") } == [])
        }
    }

    @Test func `The key of an address is handed over separately, and no text has it`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let port = try freePort()
            let address = "rtmp://127.0.0.1:\(port)/app"
            let host = host(in: folder, [address, folder + "/a.mp4"], handed: HandedSecrets(addressKey: "s3cret"))
            try await host.start()
            let destination = try #require(host.session?.snapshot().destinations.first)
            #expect(destination.kind == .rtmp && destination.url?.hasPrefix(address) == true)
            #expect(
                destination.error == .rtmp(.unreachable(host: "127.0.0.1", port: port, .system(code: ECONNREFUSED))))
            host.requestStop()
            #expect(!"\(try await host.ended())".contains("s3cret"))
            let without = self.host(in: folder, [address])
            await #expect(throws: HostError.configuration(.destination(.address(.withoutKey)))) {
                try await without.start()
            }
        }
    }
    // MARK: What the user chooses meanwhile

    @Test func `A clicked window replaces the selection, and the other settings of the screen stay`() async throws {
        try await withTemporaryFolder { folder in
            var settings = SessionSettings()
            settings.source = .screen(display: ":7", .wholeScreen)
            settings.video.cursor = false
            var request = try SessionRequest(
                settings, over: Configuration(path: "/c.toml"), destinations: .named([]),
                environment: environment(folder.path))
            request.select(window: 7)
            guard case .screen(let screen) = request.session.media.picture else {
                throw PeerError.answer("another source")
            }
            #expect(screen.display == ":7" && screen.selection == .window(7) && !screen.showsCursor)
            // Destinations that are added later are checked against the same source.
            guard case .screen(":7", .window(7)) = request.settings.source else {
                throw PeerError.answer("another setting")
            }
        }
    }

    @Test func `The choice of a preview is used without another dialog`() async throws {
        try await withTemporaryFolder { folder in
            var settings = SessionSettings()
            var portal = PortalRequest(busAddress: nil, display: "wayland-0")
            portal.asks = true
            settings.source = .portal(portal)
            settings.video.cursor = false
            var request = try SessionRequest(
                settings, over: Configuration(path: "/c.toml"), destinations: .named([]),
                environment: environment(folder.path))
            request.keepSharedChoice()
            guard case .portal(let shared) = request.session.media.picture else {
                throw PeerError.answer("another source")
            }
            #expect(!shared.asks && !shared.showsCursor)
            guard case .portal(let chosen) = request.settings.source else { throw PeerError.answer("another setting") }
            #expect(!chosen.asks)
        }
    }
}
