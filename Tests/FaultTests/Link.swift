import Foundation
import TestSupport

/// Two hosts with a line between them that can be made bad: network namespaces of their own, which end with the last
/// process in them.
struct Link: Sendable {
    /// The far host's address.
    static let farAddress = "10.77.0.2"

    /// The line itself (`Programs/link.py`).
    let peer: Peer
    private let nearDescriptor: Int

    /// Opens one that is fast and loses nothing.
    nonisolated(nonsending) static func open(in peers: Peers) async throws -> Link {
        let peer = try peers.start("link", ["unshare", "--net"] + FaultProgram.command("link.py"), input: .pipe)
        let line = try await peer.waitForOutputLine(containing: "ready")
        guard let descriptor = line.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw PeerError.answer(line)
        }
        return Link(peer: peer, nearDescriptor: descriptor)
    }

    /// Whether that can be had here: it takes root and /dev/net/tun.
    nonisolated(nonsending) static func isPossible() async -> Bool {
        (try? await withPeers { peers in _ = try await open(in: peers) }) != nil
    }

    /// Makes the way from near to far worse, or better: `"loss 5"` (percent), `"delay 300"` (ms), `"rate 1500"`
    /// (kbit/s; 0 has no limit).
    nonisolated(nonsending) func set(_ fault: String) async throws {
        try await peer.write(Array((fault + "\n").utf8))
        _ = try await peer.waitForOutputLine(containing: fault)
    }

    /// The command, run on the near host.
    func near(_ command: [String]) -> [String] {
        ["nsenter", "--net=/proc/\(peer.processIdentifier)/fd/\(nearDescriptor)", "--"] + command
    }

    /// The command, run on the far host.
    func far(_ command: [String]) -> [String] {
        ["nsenter", "--net=/proc/\(peer.processIdentifier)/ns/net", "--"] + command
    }

    /// `ffmpeg -listen 1` on the far host, which writes what it gets into `file` (an absolute path) without decoding
    /// it.
    nonisolated(nonsending) func listen(writing file: String, in peers: Peers) async throws -> (peer: Peer, url: String)
    {
        let url = "rtmp://\(Self.farAddress):1935/live/key"
        let listener = try peers.start(
            "far-ffmpeg",
            far(["ffmpeg", "-nostdin", "-v", "info", "-listen", "1", "-i", url, "-c", "copy", "-y", file]))
        try await listener.wait(for: "its port") {
            // The table of the far host. The listener itself enters that name space a moment after its start.
            let table = textOfProc("/proc/\(peer.processIdentifier)/net/tcp")
            // 078F is 1935, 0A is TCP_LISTEN.
            return table.split(separator: "\n").contains {
                $0.contains(":078F 00000000:0000 0A")
            }
        }
        return (listener, url)
    }
}
