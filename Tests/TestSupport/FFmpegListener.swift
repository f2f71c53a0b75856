/// `ffmpeg -listen 1`: an RTMP server for one publisher, which writes what it gets into a file without decoding it.
package struct FFmpegListener: Sendable {
    /// The process; it ends when the publisher leaves.
    package let peer: Peer
    /// What to publish to.
    package let url: String
    /// The file that it writes, an absolute path.
    package let output: String

    /// Starts it and waits until it listens. The file's ending chooses its format.
    nonisolated(nonsending) package static func start(
        in peers: Peers, file: String = "received.flv", key: String = "key"
    ) async throws -> FFmpegListener {
        let folder = try peers.makeFolder("ffmpeg-listen")
        let port = try freePort()
        let url = "rtmp://127.0.0.1:\(port)/live/\(key)"
        let output = "\(folder)/\(file)"
        let peer = try peers.start(
            "ffmpeg-listen",
            ["ffmpeg", "-nostdin", "-v", "info", "-listen", "1", "-i", url, "-c", "copy", "-y", output], folder: folder)
        // A connection to look whether it listens would be taken for the publisher's.
        try await peer.wait(for: "its port") { isBound(port) }
        return FFmpegListener(peer: peer, url: url, output: output)
    }
}
