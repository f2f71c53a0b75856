import Foundation
import Testing

/// A recording, checked with tools that are not part of this project.
package struct MediaFile: Sendable {
    /// A file's path, or the URL of a stream.
    package let path: String
    /// Starts the tools.
    package let peers: Peers

    /// A recording at a path or a URL.
    package init(path: String, peers: Peers) {
        self.path = path
        self.peers = peers
    }

    /// Bytes.
    package var size: Int { (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 }

    /// Expects that ffmpeg decodes everything without an error or a warning.
    nonisolated(nonsending) package func expectDecodable(sourceLocation: SourceLocation = #_sourceLocation) async throws
    {
        // In the file's own time base. Otherwise ffmpeg rounds the uneven times of variable pacing to a frame rate and
        // warns about the result.
        let peer = try peers.start(
            "full-decode",
            [
                "ffmpeg", "-nostdin", "-v", "warning", "-xerror", "-i", path, "-map", "0", "-enc_time_base", "-1", "-f",
                "null", "-",
            ])
        let status = try await peer.waitForExit(deadline: .seconds(120))
        let complaints = peer.standardError
        #expect(
            status == .exited(0) && complaints == "", "\(path): \(status). \(complaints)",
            sourceLocation: sourceLocation)
    }

    /// Plays an MP4 with GStreamer's demuxer and decoders, picture and sound. Throws with GStreamer's message if it
    /// fails.
    nonisolated(nonsending) package func playInGStreamer() async throws {
        try await peers.run(
            "gstreamer",
            ["gst-launch-1.0", "-q", "filesrc", "location=\(path)", "!", "qtdemux", "name=d"]
                + ["d.video_0", "!", "queue", "!", "h264parse", "!", "openh264dec", "!", "fakesink", "sync=false"]
                + ["d.audio_0", "!", "queue", "!", "aacparse", "!", "avdec_aac", "!", "fakesink", "sync=false"])
    }

    /// The types of an MP4's top level boxes, in order (ISO/IEC 14496-12, 4.2).
    package func boxes() throws -> [String] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        var boxes: [String] = []
        var offset = 0
        while offset + 8 <= data.count {
            let header = [UInt8](data[offset..<min(offset + 16, data.count)])
            var size = header[..<4].reduce(0) { $0 << 8 | Int($1) }
            if size == 1, header.count == 16 { size = header[8...].reduce(0) { $0 << 8 | Int($1) } }
            boxes.append(String(decoding: header[4..<8], as: UTF8.self))
            guard size >= 8, offset + size <= data.count else { return boxes + ["cut off"] }
            offset += size
        }
        return offset == data.count ? boxes : boxes + ["cut off"]
    }

    /// Expects an MP4 that every player can seek in: one movie box, one box of media, no fragments.
    package func expectOrdinaryMP4(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let boxes = try boxes()
        #expect(boxes.first == "ftyp", "\(boxes)", sourceLocation: sourceLocation)
        for type in ["moov", "mdat"] {
            #expect(boxes.count { $0 == type } == 1, "\(boxes)", sourceLocation: sourceLocation)
        }
        for type in ["moof", "cut off"] { #expect(!boxes.contains(type), "\(boxes)", sourceLocation: sourceLocation) }
    }

    /// The painted clock of every frame.
    nonisolated(nonsending) package func clock() async throws -> ClockTrack {
        try await ClockTrack.read(FrameDecoder(path, size: (480, 270)), in: peers)
    }
}

extension FFProbe.Stream {
    /// Seconds; 0 if the container does not say.
    package var seconds: Double { duration.flatMap { Double($0) } ?? 0 }
    /// Frames that were decoded.
    package var frames: Int { frameCount.flatMap { Int($0) } ?? 0 }
}

extension FFProbe.Format {
    /// Seconds; 0 if the container does not say.
    package var seconds: Double { duration.flatMap { Double($0) } ?? 0 }
}
