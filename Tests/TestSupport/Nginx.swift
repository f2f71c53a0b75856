import Foundation

/// nginx with a configuration as an administrator would write it: a file of `Examples/origin-and-edges`, other ports
/// and folders put in.
package struct Nginx: Sendable {
    /// The process: one, without workers.
    package let peer: Peer
    /// Where it listens, on 127.0.0.1.
    package let port: Int

    /// Its error log so far.
    package var log: String {
        String(decoding: FileManager.default.contents(atPath: peer.folder + "/error.log") ?? Data(), as: UTF8.self)
    }

    /// Starts it and waits until it listens.
    ///
    /// - Parameters:
    ///   - configuration: what nginx.conf says, with one `listen` directive.
    ///   - replacements: what takes the place of its names and folders.
    ///   - port: where it listens; a free one is found where it is nil.
    nonisolated(nonsending) package static func start(
        _ configuration: String, replacing replacements: [String: String] = [:], port: Int? = nil, in peers: Peers
    ) async throws -> Nginx {
        let folder = try peers.makeFolder("nginx")
        let port = try port ?? freePort()
        var text = configuration.replacingOccurrences(
            of: #"listen [0-9]+;"#, with: "listen 127.0.0.1:\(port);", options: .regularExpression)
        for (name, replacement) in replacements {
            guard text.contains(name) else { throw PeerError.answer("the configuration does not say \(name)") }
            text = text.replacingOccurrences(of: name, with: replacement)
        }
        // Debian's places for temporary files are root's. A body must not be moved between file systems to its place.
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder)/\($0);" }
            .joined(separator: " ")
        text = text.replacingOccurrences(of: "http {", with: "http { access_log off; \(temporary)")
        // The RTMP module has a log of its own, which is in a folder of root's.
        text = text.replacingOccurrences(of: "rtmp {\n", with: "rtmp { access_log off;\n")
        try text.write(toFile: folder + "/nginx.conf", atomically: false, encoding: .utf8)
        // One process: with a master, a killed test would leave its workers behind.
        let peer = try peers.start(
            "nginx",
            [
                "nginx", "-p", folder, "-e", folder + "/error.log", "-c", folder + "/nginx.conf", "-g",
                "daemon off; master_process off; pid \(folder)/nginx.pid;",
            ], folder: folder)
        try await peer.wait(for: "its port") { isListening(port) }
        return Nginx(peer: peer, port: port)
    }
}
