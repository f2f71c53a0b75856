import Foundation

/// An X server with windows on it, and a `broadcast` that sees it: for tests of what is captured.
package struct Desktop: Sendable {
    package let peers: Peers
    package let display: String
    /// Where recordings go, an absolute path.
    package let folder: String
    package let broadcast: BroadcastCommand

    package init(_ display: String, pulse: PulseServer? = nil, in peers: Peers) throws {
        self.peers = peers
        self.display = display
        folder = try peers.makeFolder("recordings")
        broadcast = try BroadcastCommand(in: peers, display: display, pulse: pulse)
    }

    /// Starts a window manager, which puts frames around windows, and waits until it manages them. A window that is
    /// mapped earlier, while openbox says already that it is there, is overlooked by it.
    nonisolated(nonsending) package func startWindowManager() async throws {
        let ready = folder + "/managed"
        let manager = try peers.start(
            "openbox", ["openbox", "--sm-disable", "--startup", "touch \(ready)"],
            environment: ["DISPLAY": display, "HOME": folder, "XDG_CACHE_HOME": folder])
        try await manager.wait(for: "its start") { FileManager.default.fileExists(atPath: ready) }
    }

    /// Opens a painted window (`"clock"`, `"640x360+50+50"`) and waits until `list-sources` shows it.
    @discardableResult
    nonisolated(nonsending) package func openWindow(_ scene: String, _ place: String) async throws
        -> SourceAnswer.Window
    {
        try await PaintedScreen.start([scene, "--window", place], on: display, in: peers)
        return try await window(titled: "broadcast test screen: \(scene)")
    }

    nonisolated(nonsending) package func window(titled title: String) async throws -> SourceAnswer.Window {
        var found: SourceAnswer.Window?
        try await waitUntil("the window \(title)") {
            found = try await sources().windows.first { $0.title == title }
            return found != nil
        }
        guard let found else { throw PeerError.answer("no window \(title)") }
        return found
    }

    /// What `list-sources --json` says.
    nonisolated(nonsending) package func sources() async throws -> SourceAnswer {
        let answer = try await broadcast.run(["list-sources", "--json"])
        return try JSONDecoder().decode(SourceAnswer.self, from: Data(answer.output.utf8))
    }

    /// Runs `xdotool`: `["mousemove", "10", "10", "click", "1"]`.
    @discardableResult
    nonisolated(nonsending) package func xdotool(_ arguments: [String]) async throws -> String {
        try await peers.run("xdotool", ["xdotool"] + arguments, environment: ["DISPLAY": display])
    }

    /// Runs `broadcast start` for two seconds into a file, without a pointer, and gives the file.
    nonisolated(nonsending) package func record(_ arguments: [String], name: String = "out.mp4") async throws
        -> MediaFile
    {
        let path = folder + "/" + name
        let result = try await broadcast.run(
            ["start"] + arguments + ["--no-cursor", "--quality", "10", "--duration", "2s", "--to", path],
            deadline: .seconds(60))
        guard result.status == .exited(0) else {
            throw PeerError.ended("broadcast", status: result.status, errors: result.errors)
        }
        return MediaFile(path: path, peers: peers)
    }

    /// Runs `broadcast start` in the foreground and returns when it reports that the session is live.
    nonisolated(nonsending) package func startLive(_ arguments: [String]) async throws -> Peer {
        try await broadcast.startLive(arguments)
    }
}

/// The answer of `broadcast list-sources --json`, as a script would read it.
package struct SourceAnswer: Decodable {
    package struct Monitor: Decodable {
        package let name: String
        package let x: Int
        package let y: Int
        package let width: Int
        package let height: Int
        package let rotation: String
        package let primary: Bool
    }

    package struct Window: Decodable {
        package let id: String
        package let `class`: String
        package let title: String
        package let x: Int
        package let y: Int
        package let width: Int
        package let height: Int
    }

    package struct Sound: Decodable {
        package let name: String
        /// True for what a sink plays.
        package let monitor: Bool
    }

    package let monitors: [Monitor]
    package let windows: [Window]
    package let audio: [Sound]
}
