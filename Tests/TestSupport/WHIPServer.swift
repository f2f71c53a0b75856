import Foundation

/// A server of WHIP: aiortc (`Programs/whip_server.py`), which decodes what it gets, or Janus.
package struct WHIPServer: Sendable {
    /// What it has seen of a broadcast at a moment. Each event has only the values that belong to it.
    package struct Event: Decodable, Sendable {
        /// `ready`, `busy`, `offer`, `state`, `picture`, `sound`, `end`, `delete` or `refused`; of Janus also `up` and
        /// `recorded`.
        package let event: String
        package let state: String?
        package let profile: [String]?
        /// Pictures, or packets of sound, so far.
        package let count: Int?
        package let width: Int?
        package let height: Int?
        /// The standard deviation of the luma: near zero for a picture without content.
        package let spread: Double?
        package let keyframes: Int?
        /// The longest time between two pictures since the last of these events, in milliseconds.
        package let gap: Double?
        /// How old the painted clock was in what was seen, each 33 ms since the last of these events, in milliseconds.
        package let ages: [Double]?
        /// Of samples of 16 bits.
        package let loudest: Int?
        /// `video` or `audio`, and the recording of it.
        package let kind: String?
        package let path: String?
        /// When an offer came, in seconds: of `busy` and `offer`.
        package let time: Double?
    }

    package let peer: Peer
    package let port: Int

    private let host: String

    package var url: String { "whip:http://\(host):\(port)/whip" }

    /// Starts it, and waits until it listens.
    ///
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - options: `--token TOKEN`; `--pli SECONDS`, how often it asks for a keyframe; `--busy SECONDS`, for how long
    ///     it refuses, at the first offer; `--slow SECONDS`, how long it takes to answer.
    ///   - place: the command as it is run elsewhere, such as in another network namespace.
    nonisolated(nonsending) package static func start(
        in peers: Peers, host: String = "127.0.0.1", port: Int? = nil, options: [String] = [],
        at place: ([String]) -> [String] = { $0 }
    ) async throws -> WHIPServer {
        let port = try port ?? freePort()
        // Debian's own Python: only that one has python3-aiortc.
        let command = ["/usr/bin/python3", "-u", SharedDesktop.program("whip_server.py"), "\(port)", "--host", host]
        let server = WHIPServer(peer: try peers.start("whip", place(command + options)), port: port, host: host)
        try await server.wait(for: "its port") { $0.event == "ready" }
        return server
    }

    /// Starts Janus behind an endpoint of WHIP (`Programs/janus_whip.py`), which records what arrives.
    nonisolated(nonsending) package static func startJanus(in peers: Peers) async throws -> WHIPServer {
        let port = try freePort()
        let folder = try peers.makeFolder("janus")
        let peer = try peers.start(
            "janus", ["/usr/bin/python3", "-u", SharedDesktop.program("janus_whip.py"), "\(port)", folder])
        let server = WHIPServer(peer: peer, port: port, host: "127.0.0.1")
        try await server.wait(for: "Janus") { $0.event == "ready" }
        return server
    }

    /// What it has seen so far.
    package var events: [Event] {
        peer.standardOutput.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Event.self, from: Data($0.utf8))
        }
    }

    /// Waits until it has seen an event.
    nonisolated(nonsending) package func wait(
        for what: String, _ isSeen: @escaping @Sendable (Event) -> Bool
    ) async throws {
        try await peer.wait(for: what) { events.contains(where: isSeen) }
    }
}
