import Foundation

/// stunnel: TLS in front of a plain server, as many RTMPS services have it.
package struct Stunnel: Sendable {
    package let peer: Peer
    /// Where it takes TLS, on 127.0.0.1.
    package let port: Int

    /// Passes on what comes within TLS to `port` of 127.0.0.1, and waits until it listens. `options` are lines of its
    /// configuration (`sslVersionMax = TLSv1.1`).
    nonisolated(nonsending) package static func start(
        in peers: Peers, certificate: Certificates.Pair, to port: Int, options: String = ""
    ) async throws -> Stunnel {
        let folder = try peers.makeFolder("stunnel")
        let accept = try freePort()
        let configuration = """
            foreground = yes
            pid =
            syslog = no
            debug = info
            \(options)
            [rtmps]
            accept = 127.0.0.1:\(accept)
            connect = 127.0.0.1:\(port)
            cert = \(certificate.certificate)
            key = \(certificate.key)
            """
        try configuration.write(toFile: folder + "/stunnel.conf", atomically: false, encoding: .utf8)
        let peer = try peers.start("stunnel", ["stunnel4", folder + "/stunnel.conf"], folder: folder)
        try await peer.wait(for: "its port") { isBound(accept) }
        return Stunnel(peer: peer, port: accept)
    }
}
