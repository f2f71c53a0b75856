import Foundation
import TestSupport
import Testing

/// A recording, looked at with tools that are not ours.
struct MediaFile {
    let path: String
    let peers: Peers

    /// Bytes.
    var size: Int { (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 }

    /// Expects that ffmpeg decodes everything without a word of complaint.
    nonisolated(nonsending) func expectDecodable(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // In the file's own time base: ffmpeg would round the uneven times of variable pacing to a frame rate, and complain of its own doing.
        let peer = try peers.start(
            "full-decode",
            ["ffmpeg", "-nostdin", "-v", "warning", "-xerror", "-i", path, "-map", "0", "-enc_time_base", "-1", "-f", "null", "-"])
        let status = try await peer.waitForExit(deadline: .seconds(120))
        let complaints = peer.standardError
        #expect(status == .exited(0) && complaints == "", "\(path): \(status). \(complaints)", sourceLocation: sourceLocation)
    }

    /// Plays an MP4 with GStreamer's demuxer and decoders, picture and sound; throws with its words if it cannot.
    nonisolated(nonsending) func playInGStreamer() async throws {
        try await peers.run(
            "gstreamer",
            ["gst-launch-1.0", "-q", "filesrc", "location=\(path)", "!", "qtdemux", "name=d"]
                + ["d.video_0", "!", "queue", "!", "h264parse", "!", "openh264dec", "!", "fakesink", "sync=false"]
                + ["d.audio_0", "!", "queue", "!", "aacparse", "!", "avdec_aac", "!", "fakesink", "sync=false"])
    }

    /// The types of an MP4's top level boxes, in order (ISO/IEC 14496-12, 4.2).
    func boxes() throws -> [String] {
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

    /// Expects an ordinary MP4, as every player seeks in it: one movie box, one box of media, no fragments.
    func expectOrdinaryMP4(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let boxes = try boxes()
        #expect(boxes.first == "ftyp", "\(boxes)", sourceLocation: sourceLocation)
        for type in ["moov", "mdat"] { #expect(boxes.count { $0 == type } == 1, "\(boxes)", sourceLocation: sourceLocation) }
        for type in ["moof", "cut off"] { #expect(!boxes.contains(type), "\(boxes)", sourceLocation: sourceLocation) }
    }

    /// The painted clock of every frame.
    nonisolated(nonsending) func clock() async throws -> ClockTrack {
        try await ClockTrack.read(FrameDecoder(path, size: (480, 270)), in: peers)
    }
}

extension Studio {
    /// A recording in the folder for recordings.
    func media(_ name: String) -> MediaFile { MediaFile(path: path(name), peers: peers) }
}

extension FFProbe.Stream {
    /// Seconds; 0 where the container does not tell.
    var seconds: Double { duration.flatMap { Double($0) } ?? 0 }
    /// Frames that were decoded.
    var frames: Int { frameCount.flatMap { Int($0) } ?? 0 }
}

extension FFProbe.Format {
    /// Seconds; 0 where the container does not tell.
    var seconds: Double { duration.flatMap { Double($0) } ?? 0 }
}
