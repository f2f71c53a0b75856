import Foundation
import TestSupport

/// An X server with windows on it, and a `broadcast` that sees it: for tests of what is captured.
struct Desktop: Sendable {
    let peers: Peers
    let display: String
    /// Where recordings go, an absolute path.
    let folder: String
    let broadcast: BroadcastCommand

    init(_ display: String, pulse: PulseServer? = nil, in peers: Peers) throws {
        self.peers = peers
        self.display = display
        folder = try peers.makeFolder("recordings")
        broadcast = try BroadcastCommand(in: peers, display: display, pulse: pulse)
    }

    /// Starts a window manager, which puts frames around windows, and waits until it manages them. A window that is mapped earlier,
    /// while openbox says already that it is there, is overlooked by it.
    nonisolated(nonsending) func startWindowManager() async throws {
        let ready = folder + "/managed"
        let manager = try peers.start(
            "openbox", ["openbox", "--sm-disable", "--startup", "touch \(ready)"],
            environment: ["DISPLAY": display, "HOME": folder, "XDG_CACHE_HOME": folder])
        try await manager.wait(for: "its start") { FileManager.default.fileExists(atPath: ready) }
    }

    /// Opens a painted window (`"clock"`, `"640x360+50+50"`) and waits until `list-sources` shows it.
    @discardableResult
    nonisolated(nonsending) func openWindow(_ scene: String, _ place: String) async throws -> SourceAnswer.Window {
        try await PaintedScreen.start([scene, "--window", place], on: display, in: peers)
        return try await window(titled: "broadcast test screen: \(scene)")
    }

    nonisolated(nonsending) func window(titled title: String) async throws -> SourceAnswer.Window {
        var found: SourceAnswer.Window?
        try await waitUntil("the window \(title)") {
            found = try await sources().windows.first { $0.title == title }
            return found != nil
        }
        guard let found else { throw PeerError.answer("no window \(title)") }
        return found
    }

    /// What `list-sources --json` says.
    nonisolated(nonsending) func sources() async throws -> SourceAnswer {
        let answer = try await broadcast.run(["list-sources", "--json"])
        return try JSONDecoder().decode(SourceAnswer.self, from: Data(answer.output.utf8))
    }

    /// Runs `xdotool`: `["mousemove", "10", "10", "click", "1"]`.
    @discardableResult
    nonisolated(nonsending) func xdotool(_ arguments: [String]) async throws -> String {
        try await peers.run("xdotool", ["xdotool"] + arguments, environment: ["DISPLAY": display])
    }

    /// Runs `broadcast start` for two seconds into a file, without a pointer, and gives the file.
    nonisolated(nonsending) func record(_ arguments: [String], name: String = "out.mp4") async throws -> MediaFile {
        let path = folder + "/" + name
        let result = try await broadcast.run(
            ["start"] + arguments + ["--no-cursor", "--quality", "10", "--duration", "2s", "--to", path], deadline: .seconds(60))
        guard result.status == .exited(0) else { throw PeerError.ended("broadcast", status: result.status, errors: result.errors) }
        return MediaFile(path: path, peers: peers)
    }

    /// Runs `broadcast start` in the foreground until it says that the session is live.
    nonisolated(nonsending) func startLive(_ arguments: [String]) async throws -> Peer {
        let peer = try broadcast.start(["start"] + arguments)
        _ = try await peer.waitForErrorLine(containing: "session default: live")
        return peer
    }
}

/// The answer of `broadcast list-sources --json`, as a script would read it.
struct SourceAnswer: Decodable {
    struct Monitor: Decodable {
        let name: String
        let x: Int
        let y: Int
        let width: Int
        let height: Int
        let rotation: String
        let primary: Bool
    }

    struct Window: Decodable {
        let id: String
        let `class`: String
        let title: String
        let x: Int
        let y: Int
        let width: Int
        let height: Int
    }

    let monitors: [Monitor]
    let windows: [Window]
}
