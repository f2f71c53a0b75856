import BroadcastKit
import Foundation
import TestSupport
import Testing

/// The library's interface, with pictures of the test's own.
struct BroadcastControllerTests {
    private func environment(_ folder: String) -> [String: String] { ["HOME": folder, "XDG_RUNTIME_DIR": folder] }

    private func controller(
        in folder: String, _ destinations: [BroadcastDestination], sound: BroadcastController.Sound = .none,
        settings: BroadcastSettings = BroadcastSettings()
    ) -> BroadcastController {
        let pictures = PictureChannel(width: 64, height: 64)
        pictures.show(bgra: [UInt8](repeating: 128, count: 64 * 64 * 4))
        return BroadcastController(
            content: .pictures(pictures), sound: sound, destinations: destinations, settings: settings,
            environment: environment(folder))
    }

    @Test func `If one destination fails, the start returns and the others continue`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let controller = controller(in: folder, [.file("/nonexistent/a.mp4"), .file(folder + "/b.mp4")])
            try await controller.start()
            let results = await controller.stop()
            #expect(results.map(\.name) == ["a.mp4", "b.mp4"] && results.map { $0.failure == nil } == [false, true])
            #expect(FileManager.default.fileExists(atPath: folder + "/b.mp4"))
            var events: [BroadcastController.Event] = []
            for await event in controller.events { events.append(event) }
            #expect(events.contains(.started) && events.last == .stopped(results))
            #expect(events.contains { if case .destinationFailed("a.mp4", .cannotWrite) = $0 { true } else { false } })
        }
    }

    @Test func `If the only destination fails, the start throws and the broadcast is over`() async throws {
        try await withPeers { peers in
            let controller = controller(in: try peers.makeFolder("kit"), [.file("/nonexistent/a.mp4")])
            await #expect(throws: BroadcastError.cannotWrite(path: "/nonexistent/a.mp4", code: ENOENT)) {
                try await controller.start()
            }
            _ = await controller.stop()
            var last: BroadcastController.Event?
            for await event in controller.events { last = event }
            switch last {
            case .stopped, .failed: break
            default: Issue.record("\(String(describing: last))")
            }
        }
    }

    // MARK: While it runs

    @Test func `Before the start there is nothing to change`() async throws {
        try await withPeers { peers in
            let controller = controller(in: try peers.makeFolder("kit"), [.file("/nonexistent/a.mp4")])
            #expect(!controller.pause() && !controller.resume() && !controller.setMicrophone(true))
            #expect(try await !controller.hide("class:KeePassXC"))
            #expect(try await !controller.unhide("class:KeePassXC"))
            #expect(try await !controller.saveClip(seconds: 5, to: "/nonexistent/clip.mp4"))
            controller.annotate(["scene": "one"])
            await #expect(throws: BroadcastError.invalidRule("KeePassXC")) { try await controller.hide("KeePassXC") }
            await #expect(throws: BroadcastError.invalidRule("colour:red")) {
                try await controller.unhide("colour:red")
            }
            #expect(await controller.stop().isEmpty)
        }
    }

    @Test func `A pause and a resume are events, and each of them counts once`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let controller = controller(in: folder, [.file(folder + "/a.mp4")])
            try await controller.start()
            #expect(!controller.resume() && controller.pause() && !controller.pause())
            #expect(controller.resume() && !controller.resume())
            // The pictures are the program's own, so there are no windows to hide, and there is no microphone.
            #expect(try await !controller.hide("class:KeePassXC"))
            #expect(!controller.setMicrophone(true))
            let results = await controller.stop()
            #expect(
                results.map(\.path) == [folder + "/a.mp4"]
                    && results.allSatisfy { $0.failure == nil && $0.byteCount > 0 })
            #expect(try await controller.ended() == results)
            var events: [BroadcastController.Event] = []
            for await event in controller.events { events.append(event) }
            #expect(events == [.started, .paused, .resumed, .stopped(results)])
            await #expect(throws: BroadcastError.alreadyStarted) { try await controller.start() }
        }
    }

    @Test func `A clip is saved while the broadcast continues, and a path that cannot be written is an error`()
        async throws
    {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            var settings = BroadcastSettings()
            settings.clipBuffer = 30
            let controller = controller(in: folder, [.file(folder + "/a.mp4")], settings: settings)
            try await controller.start()
            try await waitUntil("a clip") { try await controller.saveClip(seconds: 5, to: folder + "/clip.mp4") }
            let clip = try #require(FileManager.default.contents(atPath: folder + "/clip.mp4"))
            #expect(clip.dropFirst(4).prefix(4) == Data("ftyp".utf8))
            await #expect(throws: BroadcastError.cannotWrite(path: "/nonexistent/clip.mp4", code: ENOENT)) {
                try await controller.saveClip(seconds: 5, to: "/nonexistent/clip.mp4")
            }
            #expect(await controller.stop().map(\.name) == ["a.mp4"])
        }
    }

    @Test(arguments: [true, false])
    func `The sound of the program is a track of the file, and without sound there is none`(
        hasSound: Bool
    ) async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let channel = SoundChannel()
            let controller = controller(
                in: folder, [.file(folder + "/a.mp4")], sound: hasSound ? .channel(channel) : .none)
            try await controller.start()
            channel.play([Float](repeating: 0.25, count: 9600))
            _ = await controller.stop()
            let file = try #require(FileManager.default.contents(atPath: folder + "/a.mp4"))
            #expect((file.range(of: Data("mp4a".utf8)) != nil) == hasSound)
        }
    }

    @Test func `The end of the program's pictures, and of a file, is the end of the broadcast`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let pictures = PictureChannel(width: 64, height: 64)
            let own = BroadcastController(
                content: .pictures(pictures), sound: .none, destinations: [.file(folder + "/own.mp4")],
                environment: environment(folder))
            pictures.show(bgra: [UInt8](repeating: 128, count: 64 * 64 * 4))
            try await own.start()
            pictures.end()
            #expect(try await own.ended().map(\.name) == ["own.mp4"])

            let frames = (0..<3).map { "FRAME\n" + String(repeating: "\($0)", count: 32 * 16 * 3 / 2) }
            try ("YUV4MPEG2 W32 H16 F30:1\n" + frames.joined()).write(
                toFile: folder + "/in.y4m", atomically: true, encoding: .utf8)
            let file = BroadcastController(
                content: .y4m(path: folder + "/in.y4m"), sound: .none, destinations: [.file(folder + "/file.mp4")],
                environment: environment(folder))
            try await file.start()
            #expect(try await file.ended().map(\.failure) == [nil])
        }
    }

    @Test func `A picture has the size of its channel, and its rows can have padding`() {
        let channel = PictureChannel(width: 16, height: 16)
        #expect(channel.show(bgra: [UInt8](repeating: 0, count: 16 * 16 * 4)))
        #expect(!channel.show(bgra: [UInt8](repeating: 0, count: 16 * 16 * 4 - 1)))
        // The last row needs no padding.
        let padded = [UInt8](repeating: 0, count: 80 * 15 + 64)
        #expect(padded.withUnsafeBytes { channel.show(bgra: $0, stride: 80) })
        #expect(!padded.withUnsafeBytes { channel.show(bgra: $0, stride: 60) })
        #expect(!padded.dropLast().withUnsafeBytes { channel.show(bgra: $0, stride: 80) })
    }

    // MARK: Errors

    /// What reads an X display, none of which is there.
    private static let screens: [BroadcastController.Content] = [
        .screen(display: missingDisplay), .monitor("LEFT", display: missingDisplay),
        .window(7, display: missingDisplay),
        .region(x: 0, y: 0, width: 64, height: 64, display: missingDisplay),
    ]

    @Test(arguments: screens.indices) func `A display that does not answer is an error of the start and the last event`(
        index: Int
    ) async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let controller = BroadcastController(
                content: Self.screens[index], sound: .none, destinations: [.file(folder + "/a.mp4")],
                environment: environment(folder))
            await #expect(throws: BroadcastError.cannotOpenDisplay(missingDisplay)) { try await controller.start() }
            await #expect(throws: BroadcastError.cannotOpenDisplay(missingDisplay)) { try await controller.ended() }
            var last: BroadcastController.Event?
            for await event in controller.events { last = event }
            #expect(last == .failed(.cannotOpenDisplay(missingDisplay)))
            #expect(!FileManager.default.fileExists(atPath: folder + "/a.mp4"))
        }
    }

    /// What a Wayland desktop shares, in a session without a session bus.
    private static let shared: [BroadcastController.Content] = [
        .sharedMonitor, .sharedWindow, .screen(), .region(x: 0, y: 0, width: 64, height: 64),
    ]

    @Test(arguments: shared.indices) func `A Wayland desktop without a session bus shares nothing`(index: Int)
        async throws
    {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            var environment = environment(folder)
            environment["WAYLAND_DISPLAY"] = "wayland-7"
            let controller = BroadcastController(
                content: Self.shared[index], sound: .none, destinations: [.file(folder + "/a.mp4")],
                environment: environment)
            await #expect(
                throws: BroadcastError.source(
                    "capture(Capture.CaptureError.portal(Capture.PortalProblem.noSessionBus))")
            ) {
                try await controller.start()
            }
        }
    }

    @Test func `A setting of the program that is invalid is an error of the start`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            for change in [
                { $0.hiddenWindows = ["KeePassXC"] }, { $0.frameRate = 0 }, { $0.frameRate = Int.max },
                { $0.size = (width: 1, height: 1) },
            ] as [(inout BroadcastSettings) -> Void] {
                var settings = BroadcastSettings()
                change(&settings)
                let controller = controller(in: folder, [.file(folder + "/a.mp4")], settings: settings)
                await #expect {
                    try await controller.start()
                } throws: { error in
                    switch error as? BroadcastError {
                    case .configuration, .source: true
                    default: false
                    }
                }
            }
            let unknown = controller(in: folder, [.destination(named: "twich")])
            await #expect(throws: BroadcastError.unknownDestination("twich")) { try await unknown.start() }
            let signedOut = controller(in: folder, [.destination(named: "twitch")])
            await #expect(throws: BroadcastError.notSignedIn("twitch")) { try await signedOut.start() }
        }
    }
}
