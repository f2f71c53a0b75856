/// A line with a limited rate to a server on this machine (`Programs/slow_line.py`).
package enum SlowLine {
    /// Opens one to that port of 127.0.0.1. Returns its own port.
    ///
    /// - Parameter rate: kbit/s towards the server.
    nonisolated(nonsending) package static func open(to target: Int, rate: Int, in peers: Peers) async throws -> Int {
        let port = try freePort()
        let peer = try peers.start("slow line", FaultProgram.command("slow_line.py", "\(port)", "\(target)", "\(rate)"))
        _ = try await peer.waitForOutputLine(containing: "ready")
        return port
    }
}
