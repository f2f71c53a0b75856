import Foundation

/// The packets of a file, as ffprobe's demuxer gives them.
extension FFProbe {
    /// One packet. Times are seconds in the container's time line.
    package struct Packet: Sendable, Decodable {
        /// `video` or `audio`.
        package let kind: String
        /// Seconds.
        package let pts: String?
        /// Seconds.
        package let dts: String?
        /// Bytes.
        package let size: String
        /// `K` at the start: a key frame.
        package let flags: String

        /// Whether it is a key frame.
        package var isKeyframe: Bool { flags.hasPrefix("K") }

        private enum CodingKeys: String, CodingKey {
            case kind = "codec_type"
            case pts = "pts_time"
            case dts = "dts_time"
            case size, flags
        }
    }

    private struct PacketList: Decodable {
        let packets: [Packet]
    }

    /// Every packet of a file, in its order.
    nonisolated(nonsending) package static func packets(of source: String, in peers: Peers) async throws -> [Packet] {
        let answer = try await peers.run(
            "ffprobe", ["ffprobe", "-v", "error", "-show_packets", "-of", "json", source], deadline: .seconds(300))
        return try JSONDecoder().decode(PacketList.self, from: Data(answer.utf8)).packets
    }
}
