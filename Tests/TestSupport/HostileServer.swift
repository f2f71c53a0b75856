/// An RTMP server that is none (`Programs/hostile.py`).
package struct HostileServer: Sendable {
    /// The process.
    package let peer: Peer
    /// What to publish to; the key is `s3cret-k3y`.
    package let url: String

    /// Starts one that behaves like the function of that name.
    nonisolated(nonsending) package static func start(_ behaviour: String, in peers: Peers) async throws
        -> HostileServer
    {
        let port = try freePort()
        let peer = try peers.start("hostile", FaultProgram.command("hostile.py", "\(port)", behaviour))
        try await peer.wait(for: "its port") { isBound(port) }
        return HostileServer(peer: peer, url: "rtmp://127.0.0.1:\(port)/live/s3cret-k3y")
    }
}
