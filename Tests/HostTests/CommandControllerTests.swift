import BroadcastKit
import ContentCapture
import Control
import Credentials
import Foundation
import Host
import Media
import Session
import TestSupport
import Testing
import Upload
import UserConfiguration

/// A controller with the names of a command line, a control socket and the user's configuration.
struct CommandControllerTests {
    private func paths(_ folder: String) -> Paths {
        Paths(environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder + "/config"])
    }

    private func configure(_ folder: String, _ text: String) throws -> Configuration {
        let file = paths(folder).configFile
        try FileManager.default.createDirectory(atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return try ConfigurationFile.load(file)
    }

    /// A controller of the program's own pictures, whose socket is `kit.sock`.
    private func controller(
        in folder: String, _ targets: [String], configuration: Configuration = Configuration(path: "/c.toml"), format: ContainerFormat? = nil,
        output: DestinationResolver.StandardOutput = .usable, handed: HandedSecrets? = nil, change: (inout SessionSettings) -> Void = { _ in }
    ) -> BroadcastController {
        let context = KitContext(
            paths: paths(folder), secrets: CredentialStore(service: SecretService(environment: [:], helper: nil), paths: paths(folder)),
            sessionBusAddress: nil, environment: [:])
        let feed = PictureFeed(size: PixelSize(width: 64, height: 64))
        let picture = [UInt8](repeating: 128, count: 64 * 64 * 4)
        _ = picture.withUnsafeBytes { feed.push(bgra: $0, stride: 64 * 4) }
        var settings = SessionSettings()
        settings.source = .feed(feed)
        settings.appAudio = false
        change(&settings)
        var options = HostOptions(name: "kit", phrases: TestPhrases())
        options.socket = folder + "/kit.sock"
        return BroadcastController(
            options: options, settings: settings, configuration: configuration, targets: targets, format: format, separatesAudio: false,
            output: output, handed: handed, readsAddressKey: handed != nil, context: context)
    }

    @Test func `The targets of the command line are recorded, and further ones come from the current configuration`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let controller = controller(in: folder, [folder + "/a.mp4"])
            #expect(controller.snapshot == nil)
            try await controller.begin()
            #expect(controller.snapshot?.state == .live)
            // The configuration was written after the start.
            _ = try configure(folder, "[destinations.archive]\nextension = \"file\"\npath = \"\(folder)/archive.mp4\"\n")
            let running = RunningSession(name: "kit", socket: folder + "/kit.sock")
            var request = ControlRequest(command: "add-destination")
            request.destination = "archive"
            #expect(try await running.ask(request)?.destination?.name == "archive")
            // A relative path starts at the folder of the command that asks.
            request.destination = "b.mp4"
            request.folder = folder
            #expect(try await running.ask(request)?.destination?.path == folder + "/b.mp4")
            request.destination = "twich"
            let refused = try await running.ask(request)
            #expect(refused?.error?.message.contains("unknown(\"twich\"") == true)
            controller.requestStop()
            let outcome = try await controller.outcome()
            #expect(outcome.failure == nil && outcome.isAsked)
            #expect(outcome.snapshot.destinations.map(\.name) == ["a.mp4", "archive", "b.mp4"])
            #expect(outcome.snapshot.destinations.allSatisfy { $0.state == .finished && $0.byteCount > 0 })
            var states: [SessionState] = []
            for await event in controller.hostEvents { if case .state(let state) = event { states.append(state) } }
            #expect(states == [.live, .finishing, .finished])
        }
    }

    @Test func `A configuration that became invalid rejects further targets, and the session continues`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let controller = controller(in: folder, [folder + "/a.mp4"])
            try await controller.begin()
            let file = paths(folder).configFile
            try FileManager.default.createDirectory(atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try "no TOML".write(toFile: file, atomically: true, encoding: .utf8)
            var request = ControlRequest(command: "add-destination")
            request.destination = folder + "/b.mp4"
            let reply = try await RunningSession(name: "kit", socket: folder + "/kit.sock").ask(request)
            #expect(reply?.error?.code == 400 && controller.snapshot?.state == .live)
            controller.requestStop()
            #expect(try await controller.outcome().snapshot.destinations.map(\.name) == ["a.mp4"])
        }
    }

    @Test func `Without targets the preferred destination of the configuration is used`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let text = "preferred = \"archive\"\n[destinations.archive]\nextension = \"file\"\npath = \"\(folder)/archive.mp4\"\n"
            let controller = controller(in: folder, [], configuration: try configure(folder, text))
            try await controller.begin()
            controller.requestStop()
            #expect(try await controller.outcome().snapshot.destinations.map(\.path) == [folder + "/archive.mp4"])
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
                let controller = controller(in: folder, targets, format: format, output: output, change: change)
                await #expect(throws: HostError.configuration(problem), sourceLocation: sourceLocation) { try await controller.begin() }
                await #expect(throws: HostError.configuration(problem), sourceLocation: sourceLocation) { try await controller.outcome() }
            }
            await expect(.destination(.outputIsATerminal), ["-"], output: .terminal)
            await expect(.destination(.outputIsClosed), ["-"], output: .closed)
            await expect(.destination(.fileTwice(folder + "/a.mp4")), [folder + "/a.mp4", folder + "/a.mp4"])
            await expect(.setting(.withoutEffect(.bitrate, .noEncodedPicture)), [folder + "/a.y4m"]) { $0.bitrate = 1000 }
            await expect(.setting(.outOfRange(.frameRate, 1...240, value: 500)), [folder + "/a.mp4"]) { $0.frameRate = 500 }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("a.") } == [])
        }
    }

    @Test func `The key of an address is handed over separately, and no text has it`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let port = try freePort()
            let address = "rtmp://127.0.0.1:\(port)/app"
            let controller = controller(in: folder, [address, folder + "/a.mp4"], handed: HandedSecrets(addressKey: "s3cret"))
            try await controller.begin()
            let destination = try #require(controller.snapshot?.destinations.first)
            #expect(destination.kind == .rtmp && destination.url?.hasPrefix(address) == true)
            #expect(destination.error == .rtmp(.unreachable(host: "127.0.0.1", port: port, .system(code: ECONNREFUSED))))
            controller.requestStop()
            #expect(!"\(try await controller.outcome())".contains("s3cret"))
            let without = self.controller(in: folder, [address])
            await #expect(throws: HostError.configuration(.destination(.addressWithoutKey))) { try await without.begin() }
        }
    }
}
