/// A relay: coturn.
package struct TURNServer: Sendable {
    package let peer: Peer
    private let port: Int
    private let first: Int

    /// The ports of its datagrams to peers, as `FIRST-LAST`.
    package var ports: String { "\(first)-\(first + 20)" }
    /// The header Link that names it (RFC 9725, section 4.6).
    package var link: String {
        "<turn:127.0.0.1:\(port)?transport=udp>; rel=\"ice-server\"; username=\"ada\"; credential=\"sesame\"; credential-type=\"password\""
    }

    /// Starts it, and waits until it listens.
    nonisolated(nonsending) package static func start(in peers: Peers) async throws -> TURNServer {
        let folder = try peers.makeFolder("turn")
        let (port, first) = (try freePort(), Int.random(in: 20_000..<30_000))
        let peer = try peers.start(
            "turn",
            [
                "turnserver", "-n", "--verbose", "--listening-ip", "127.0.0.1", "--listening-port", "\(port)",
                "--relay-ip", "127.0.0.1", "--min-port", "\(first)", "--max-port", "\(first + 20)", "--lt-cred-mech",
                "--user", "ada:sesame", "--realm", "room", "--no-tls", "--no-dtls", "--no-cli",
                "--allow-loopback-peers", "--log-file", "stdout", "--pidfile", folder + "/pid", "--userdb",
                folder + "/users",
            ])
        try await peer.wait(for: "its port") { isBound(port) }
        return TURNServer(peer: peer, port: port, first: first)
    }
}
