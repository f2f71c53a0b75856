import Foundation
import TestSupport

/// What most tests need: a painted screen, a sound server and a `broadcast` that sees both.
struct Studio: Sendable {
    let peers: Peers
    let screen: Xvfb
    /// nil where no sound server runs.
    let pulse: PulseServer?
    let painter: Peer
    /// Where recordings go, an absolute path.
    let folder: String
    var broadcast: BroadcastCommand

    /// Opens one. `scene` is what TestScreen paints and plays (`["clock", "--beep"]`); the sound server is PulseAudio, unless one is given.
    nonisolated(nonsending) static func open(
        _ scene: [String], width: Int = 1280, height: Int = 720, hasSound: Bool = true, sound: PulseServer? = nil, in peers: Peers
    ) async throws -> Studio {
        let screen = try await Xvfb.start(in: peers, width: width, height: height)
        let pulse = hasSound && sound == nil ? try await PulseServer.start(in: peers) : sound
        let painter = try await PaintedScreen.start(scene, on: screen.display, pulse: pulse, in: peers)
        return Studio(
            peers: peers, screen: screen, pulse: pulse, painter: painter, folder: try peers.makeFolder("recordings"),
            broadcast: try BroadcastCommand(in: peers, display: screen.display, pulse: pulse))
    }

    /// A path in the folder for recordings.
    func path(_ name: String) -> String { folder + "/" + name }

    /// Runs `broadcast start` in the foreground until it says that the session is live.
    nonisolated(nonsending) func startLive(_ arguments: [String], session: String = "default") async throws -> Peer {
        let peer = try broadcast.start(["start"] + arguments + (session == "default" ? [] : ["--session", session]))
        _ = try await peer.waitForErrorLine(containing: "session \(session): live")
        return peer
    }

    /// Runs `broadcast start` to its end, which `--duration` sets, and throws unless its status is 0.
    @discardableResult
    nonisolated(nonsending) func record(_ arguments: [String]) async throws -> BroadcastCommand.Result {
        let result = try await broadcast.run(["start"] + arguments, deadline: .seconds(60))
        guard result.status == .exited(0) else { throw PeerError.ended("broadcast", status: result.status, errors: result.errors) }
        return result
    }

    /// What `broadcast status --json` says of a session; nil while it says nothing of it.
    nonisolated(nonsending) func status(of session: String = "default") async throws -> SessionStatus? {
        let answer = try await broadcast.run(["status", "--json"])
        return try StatusAnswer(json: answer.output).sessions.first { $0.session == session }
    }

    /// Waits until a session has run for so many seconds, by its own clock.
    nonisolated(nonsending) func waitUntilElapsed(_ seconds: Double, of peer: Peer, session: String = "default") async throws {
        try await peer.wait(for: "\(seconds) s of broadcast") { (try await status(of: session)?.elapsed ?? 0) >= seconds }
    }
}

/// Gives a test a studio, and closes it when the test returns or throws.
nonisolated(nonsending) func withStudio(
    _ scene: [String] = ["clock"], width: Int = 1280, height: Int = 720, hasSound: Bool = true, _ body: (Studio) async throws -> Void
) async throws {
    try await withPeers { peers in
        try await body(try await Studio.open(scene, width: width, height: height, hasSound: hasSound, in: peers))
    }
}
