import Foundation

/// The way into a real server, which can be shut and opened again as servers do (`Programs/door.py`).
package struct Door: Sendable {
    /// The process.
    package let peer: Peer
    /// Where it is open, on 127.0.0.1.
    package let port: Int

    /// What a connection sees of its end.
    package enum End: String {
        case fin, rst
    }

    /// `rtmp://127.0.0.1:PORT/live/KEY`
    package func url(key: String) -> String { "rtmp://127.0.0.1:\(port)/live/\(key)" }

    /// An open one to that port of 127.0.0.1.
    nonisolated(nonsending) package static func open(to target: Int, in peers: Peers) async throws -> Door {
        let port = try freePort()
        let peer = try peers.start("door", FaultProgram.command("door.py", "\(port)", "\(target)"), input: .pipe)
        _ = try await peer.waitForOutputLine(containing: "ready")
        return Door(peer: peer, port: port)
    }

    /// Ends the connections, and refuses others until it is opened again.
    nonisolated(nonsending) package func shut(_ end: End) async throws {
        try await tell(end.rawValue)
    }

    /// Ends the connections, and answers others with an HTTP error until it is opened again.
    nonisolated(nonsending) package func answer503() async throws {
        try await tell("503")
    }

    /// Lets connections in again.
    nonisolated(nonsending) package func openAgain() async throws {
        try await tell("open")
    }

    private nonisolated(nonsending) func tell(_ command: String) async throws {
        try await peer.write(Array((command + "\n").utf8))
        _ = try await peer.waitForOutputLine(containing: command)
    }
}
