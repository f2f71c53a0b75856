import Foundation

/// A Wayland compositor that has outputs and nothing else (`Programs/wayland.py`).
package struct FakeCompositor: Sendable {
    package let peer: Peer
    /// The path of its socket.
    package let socket: String

    /// Starts it with outputs of these names.
    nonisolated(nonsending) package static func start(outputs: [String], in peers: Peers) async throws -> FakeCompositor
    {
        let socket = try peers.makeFolder("compositor") + "/wayland"
        let peer = try peers.start(
            "compositor", ["/usr/bin/python3", "-u", SharedDesktop.program("wayland.py"), socket] + outputs,
            input: .pipe)
        _ = try await peer.waitForOutputLine(containing: "ready")
        return FakeCompositor(peer: peer, socket: socket)
    }

    /// Adds, removes or turns an output (`remove DP-1`), and waits until it is done.
    nonisolated(nonsending) package func tell(_ command: String) async throws {
        let count = answers
        try await peer.write(Array((command + "\n").utf8))
        try await peer.wait(for: "the answer to \(command)") { answers > count }
    }

    private var answers: Int { peer.standardOutput.split(separator: "\n").count { $0 == "ok" } }
}
