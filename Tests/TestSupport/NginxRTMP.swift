import Foundation

/// nginx with its RTMP module: what most RTMP services are made of. Its application `live` passes streams on.
package struct NginxRTMP: Sendable {
    /// The process: one, without workers.
    package let peer: Peer
    /// Where RTMP is served, on 127.0.0.1.
    package let port: Int
    /// Where HTTP is served: `/stat` tells about the streams, in XML.
    package let statisticsPort: Int

    /// Its error log so far, at level info: handshakes, publish and play commands, disconnections.
    package var log: String { text(of: "error.log") }
    /// Its access log so far, a line for each client that has left.
    package var accessLog: String { text(of: "access.log") }

    /// `rtmp://127.0.0.1:PORT/live/KEY`
    package func url(key: String) -> String { "rtmp://127.0.0.1:\(port)/live/\(key)" }

    /// Starts it and waits until it listens. `live` adds directives to the application (`"record all; record_path
    /// /tmp;"`).
    nonisolated(nonsending) package static func start(in peers: Peers, live directives: String = "") async throws
        -> NginxRTMP
    {
        let folder = try peers.makeFolder("nginx")
        let port = try freePort()
        let statisticsPort = try freePort()
        let configuration = Self.configuration(
            folder: folder, port: port, statisticsPort: statisticsPort, live: directives)
        try configuration.write(toFile: folder + "/nginx.conf", atomically: false, encoding: .utf8)
        let peer = try peers.start(
            "nginx", ["nginx", "-p", folder, "-e", folder + "/error.log", "-c", folder + "/nginx.conf"], folder: folder)
        let server = NginxRTMP(peer: peer, port: port, statisticsPort: statisticsPort)
        try await peer.wait(for: "its port") { isListening(port) }
        return server
    }

    /// Starts it anew on the same ports and in the same folder, once its process has ended.
    nonisolated(nonsending) package func startAgain(in peers: Peers) async throws -> NginxRTMP {
        let folder = peer.folder
        let again = try peers.start(
            "nginx", ["nginx", "-p", folder, "-e", folder + "/error.log", "-c", folder + "/nginx.conf"], folder: folder)
        try await again.wait(for: "its port") { [port] in isListening(port) }
        return NginxRTMP(peer: again, port: port, statisticsPort: statisticsPort)
    }

    /// Whether a client is publishing that key now, by the server's own statistics.
    nonisolated(nonsending) package func isPublishing(key: String) async throws -> Bool {
        let statistics = try await statistics()
        return statistics.components(separatedBy: "<stream>").dropFirst().contains { stream in
            stream.contains("<name>\(key)</name>") && stream.contains("<publishing/>")
        }
    }

    /// The statistics page, XML.
    nonisolated(nonsending) package func statistics() async throws -> String {
        let answer = await withCheckedContinuation { continuation in
            BlockingQueue.run { [statisticsPort] in
                continuation.resume(returning: httpGet(port: statisticsPort, path: "/stat"))
            }
        }
        guard let answer else { throw PeerError.answer("nginx gives no statistics") }
        return answer
    }

    private func text(of file: String) -> String {
        String(decoding: FileManager.default.contents(atPath: "\(peer.folder)/\(file)") ?? Data(), as: UTF8.self)
    }

    /// One process: with a master, a killed test would leave its workers behind.
    private static func configuration(folder: String, port: Int, statisticsPort: Int, live: String) -> String {
        """
        load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
        daemon off;
        master_process off;
        pid \(folder)/nginx.pid;
        error_log \(folder)/error.log info;
        events { worker_connections 64; }
        rtmp {
            access_log \(folder)/access.log;
            server {
                listen 127.0.0.1:\(port);
                application live { live on; \(live) }
            }
        }
        http {
            access_log off;
            client_body_temp_path \(folder)/body;
            proxy_temp_path \(folder)/proxy;
            fastcgi_temp_path \(folder)/fastcgi;
            uwsgi_temp_path \(folder)/uwsgi;
            scgi_temp_path \(folder)/scgi;
            server {
                listen 127.0.0.1:\(statisticsPort);
                location /stat { rtmp_stat all; }
            }
        }
        """
    }
}
