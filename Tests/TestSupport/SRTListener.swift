/// `ffmpeg -i srt://…?mode=listener`: an SRT server for one sender, which writes what it gets into a file without
/// decoding it.
package struct SRTListener: Sendable {
    /// The process; it ends when the sender leaves.
    package let peer: Peer
    package let port: Int
    /// The transport stream that it writes, an absolute path.
    package let output: String

    /// What to send to.
    package var url: String { "srt://127.0.0.1:\(port)" }

    /// Starts it and waits until it listens.
    nonisolated(nonsending) package static func start(in peers: Peers, passphrase: String? = nil, port: Int? = nil)
        async throws -> SRTListener
    {
        let folder = try peers.makeFolder("srt-listener")
        let port = try port ?? freePort()
        let output = folder + "/received.ts"
        let url = "srt://127.0.0.1:\(port)?mode=listener" + (passphrase.map { "&passphrase=\($0)" } ?? "")
        let peer = try peers.start(
            "srt-listener",
            ["ffmpeg", "-nostdin", "-v", "info", "-i", url, "-c", "copy", "-y", "-flush_packets", "1", output],
            folder: folder)
        try await peer.wait(for: "its port") { isBoundForDatagrams(port) }
        return SRTListener(peer: peer, port: port, output: output)
    }
}
