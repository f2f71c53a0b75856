import Foundation
import TestPatterns

/// What most end-to-end tests need: a screen with a test picture, a sound server, and a `broadcast` that uses both.
package struct Studio: Sendable {
    /// Starts and ends the processes of the test.
    package let peers: Peers
    /// The X server.
    package let screen: Xvfb
    /// The sound server, or nil if the test runs without one.
    package let pulse: PulseServer?
    /// The process that paints the screen and plays the sound.
    package let painter: Peer
    /// The folder for recordings, an absolute path.
    package let folder: String
    /// The program under test, with its own home folder.
    package var broadcast: BroadcastCommand

    /// Starts everything.
    ///
    /// - Parameters:
    ///   - scene: the arguments of TestScreen: what it paints and plays (`["clock", "--beep"]`).
    ///   - hasSound: whether to start PulseAudio.
    ///   - sound: a sound server to use instead of PulseAudio.
    nonisolated(nonsending) package static func open(
        _ scene: [String], width: Int = 1280, height: Int = 720, hasSound: Bool = true, sound: PulseServer? = nil,
        in peers: Peers
    ) async throws -> Studio {
        let screen = try await Xvfb.start(in: peers, width: width, height: height)
        let pulse = hasSound && sound == nil ? try await PulseServer.start(in: peers) : sound
        let painter = try await PaintedScreen.start(scene, on: screen.display, pulse: pulse, in: peers)
        return Studio(
            peers: peers, screen: screen, pulse: pulse, painter: painter, folder: try peers.makeFolder("recordings"),
            broadcast: try BroadcastCommand(in: peers, display: screen.display, pulse: pulse))
    }

    /// A path in the folder for recordings.
    package func path(_ name: String) -> String { folder + "/" + name }

    /// The seconds by which the sound server played each beep late, as the player learnt afterwards, by the beep's
    /// second modulo 8: how it is numbered in the sound.
    package var latePlayback: [Int: Double] {
        var late: [Int: Double] = [:]
        for line in painter.standardOutput.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, words[0] == "beep", let second = Int(words[1]), let milliseconds = Double(words[2])
            else { continue }
            late[second % BeepPattern.numbers] = milliseconds / 1000
        }
        return late
    }

    /// A recording in the folder for recordings.
    package func media(_ name: String) -> MediaFile { MediaFile(path: path(name), peers: peers) }

    /// Runs `broadcast start` in the foreground and returns when it reports that the session is live.
    nonisolated(nonsending) package func startLive(_ arguments: [String], session: String = "default") async throws
        -> Peer
    {
        try await broadcast.startLive(arguments, session: session)
    }

    /// Runs `broadcast start` to its end, which `--duration` sets. Throws if its exit status is not 0.
    @discardableResult
    nonisolated(nonsending) package func record(_ arguments: [String]) async throws -> BroadcastCommand.Result {
        let result = try await broadcast.run(["start"] + arguments, deadline: .seconds(60))
        guard result.status == .exited(0) else {
            throw PeerError.ended("broadcast", status: result.status, errors: result.errors)
        }
        return result
    }

    /// The status of a session, or nil if no session of that name answers.
    nonisolated(nonsending) package func status(of session: String = "default") async throws -> SessionStatus? {
        try await broadcast.status(of: session)
    }

    /// Returns when the session has run for `seconds`, by its own clock. Throws if `peer` ends earlier.
    nonisolated(nonsending) package func waitUntilElapsed(_ seconds: Double, of peer: Peer, session: String = "default")
        async throws
    {
        try await broadcast.waitUntilElapsed(seconds, of: peer, session: session)
    }
}

/// Runs a test with a studio, and closes the studio when the test returns or throws.
nonisolated(nonsending) package func withStudio(
    _ scene: [String] = ["clock"], width: Int = 1280, height: Int = 720, hasSound: Bool = true,
    _ body: (Studio) async throws -> Void
) async throws {
    try await withPeers { peers in
        try await body(try await Studio.open(scene, width: width, height: height, hasSound: hasSound, in: peers))
    }
}
