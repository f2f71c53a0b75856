import Foundation

/// What ffprobe tells about a file or a stream, an independent reader of what we wrote.
package struct FFProbe: Sendable, Decodable {
    /// One track.
    package struct Stream: Sendable, Decodable {
        /// `video` or `audio`.
        package let kind: String
        /// `h264`, `aac` …
        package let codec: String
        /// `High`, `LC` …
        package let profile: String?
        /// Pixels.
        package let width: Int?
        /// Pixels.
        package let height: Int?
        /// `yuv420p`, `yuv444p` …
        package let pixelFormat: String?
        /// `tv` is limited range.
        package let colourRange: String?
        /// The matrix: `bt709` …
        package let colourSpace: String?
        /// `bt709` …
        package let colourTransfer: String?
        /// `bt709` …
        package let colourPrimaries: String?
        /// How many B-frames may follow one another.
        package let hasBFrames: Int?
        /// A fraction, `30/1`.
        package let frameRate: String?
        /// Samples a second.
        package let sampleRate: String?
        /// Audio channels.
        package let channels: Int?
        /// Seconds.
        package let startTime: String?
        /// Seconds, where the container tells it for each track.
        package let duration: String?
        /// Frames that could be decoded.
        package let frameCount: String?

        private enum CodingKeys: String, CodingKey {
            case kind = "codec_type"
            case codec = "codec_name"
            case profile, width, height, channels, duration
            case pixelFormat = "pix_fmt"
            case colourRange = "color_range"
            case colourSpace = "color_space"
            case colourTransfer = "color_transfer"
            case colourPrimaries = "color_primaries"
            case hasBFrames = "has_b_frames"
            case frameRate = "avg_frame_rate"
            case sampleRate = "sample_rate"
            case startTime = "start_time"
            case frameCount = "nb_read_frames"
        }
    }

    /// The container.
    package struct Format: Sendable, Decodable {
        /// `flv`, `mov,mp4,m4a,3gp,3g2,mj2` …
        package let name: String
        /// Seconds.
        package let startTime: String?
        /// Seconds.
        package let duration: String?
        /// Bits a second.
        package let bitrate: String?

        private enum CodingKeys: String, CodingKey {
            case name = "format_name"
            case startTime = "start_time"
            case duration
            case bitrate = "bit_rate"
        }
    }

    /// The tracks, in the container's order.
    package let streams: [Stream]
    /// The container.
    package let format: Format

    /// The first video track.
    package var video: Stream? { streams.first { $0.kind == "video" } }
    /// The first audio track.
    package var audio: Stream? { streams.first { $0.kind == "audio" } }

    /// Reads a file (or a URL) to its end and decodes every frame. Throws with ffprobe's words if it is not whole.
    nonisolated(nonsending) package static func probe(_ source: String, in peers: Peers) async throws -> FFProbe {
        let answer = try await peers.run(
            "ffprobe",
            ["ffprobe", "-v", "error", "-show_streams", "-show_format", "-count_frames", "-of", "json", source],
            deadline: .seconds(300))
        return try JSONDecoder().decode(FFProbe.self, from: Data(answer.utf8))
    }
}
