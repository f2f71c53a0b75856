import Foundation
import Media
import Mux

/// Real H.264 and AAC from ffmpeg's encoders, as packets like those from this project's encoders.
struct TestStream: Sendable {
    let description: StreamDescription
    /// The packets, in the order of their decode times.
    let packets: [EncodedPacket]

    /// The available streams, as a test argument.
    enum Kind: Sendable {
        /// No reordering.
        case simple
        /// Two B-frames, so that decode times start before zero.
        case reordered

        func stream() throws -> TestStream {
            switch self {
            case .simple: try TestStream.simple.get()
            case .reordered: try TestStream.reordered.get()
            }
        }
    }

    /// 6 s of 320x180 with 30 frames per second, an IDR picture every 2 s, no reordering, and 48 kHz stereo with 1024
    /// frames of priming.
    static let simple = Result { try make(bFrames: 0) }
    /// The same with two B-frames, so that decode times start before zero.
    static let reordered = Result { try make(bFrames: 2) }

    func packets(of track: Track) -> [EncodedPacket] { packets.filter { $0.track == track } }

    /// Only the sound.
    var soundOnly: TestStream {
        TestStream(
            description: StreamDescription(video: nil, audio: description.audio),
            packets: packets.filter { $0.track != .screen })
    }

    /// Only the picture.
    var pictureOnly: TestStream {
        TestStream(description: StreamDescription(video: description.video, audio: []), packets: packets(of: .screen))
    }

    /// The stream with each packet changed by `change`. If it returns nil, the packet is dropped.
    func retimed(_ change: (EncodedPacket) -> MediaTime?) -> TestStream {
        let moved = packets.compactMap { packet in
            change(packet).map { delay in
                EncodedPacket(
                    track: packet.track, presentationTime: packet.presentationTime + delay,
                    decodeTime: packet.decodeTime + delay,
                    isKeyframe: packet.isKeyframe, sequence: packet.sequence, data: packet.data)
            }
        }
        return TestStream(description: description, packets: moved.sorted { $0.decodeTime < $1.decodeTime })
    }

    /// The sound again, as another track.
    func addingTrack(_ track: Track) -> TestStream {
        var description = description
        guard var second = description.audio.first else { return self }
        let first = second.track
        second.track = track
        description.audio.append(second)
        let copies = packets(of: first).map {
            EncodedPacket(
                track: track, presentationTime: $0.presentationTime, decodeTime: $0.decodeTime, isKeyframe: true,
                sequence: $0.sequence, data: $0.data
            )
        }
        return TestStream(
            description: description, packets: (packets + copies).sorted { $0.decodeTime < $1.decodeTime })
    }

    /// All bytes that `muxer` returns for the stream, with patches applied.
    func muxed(_ muxer: some Muxer) -> [UInt8] {
        var muxer = muxer
        var file = muxer.begin(description)
        for packet in packets { file += muxer.append(packet) }
        let ending = muxer.end()
        file += ending.bytes + ending.index
        for patch in ending.patches {
            file.replaceSubrange(Int(patch.offset)..<Int(patch.offset) + patch.bytes.count, with: patch.bytes)
        }
        return file
    }

    private static func make(bFrames: Int) throws -> TestStream {
        let folder = try TemporaryFolder()
        let source = folder.path("source.mp4")
        try Tool.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=30:duration=6", "-f", "lavfi",
            "-i",
            "sine=frequency=440:sample_rate=48000:duration=6", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-preset",
            "veryfast", "-threads", "1",
            "-g", "60", "-bf", "\(bFrames)", "-x264-params", "scenecut=0:open-gop=0", "-colorspace", "bt709",
            "-color_primaries", "bt709",
            "-color_trc", "bt709", "-color_range", "tv", "-c:a", "aac", "-ac", "2", "-b:a", "128k", source)
        let video = folder.path("video.h264")
        let audio = folder.path("audio.aac")
        try Tool.run(
            "ffmpeg", "-v", "error", "-i", source, "-map", "0:v", "-c", "copy", "-bsf:v",
            "h264_mp4toannexb,h264_metadata=aud=insert", "-f", "h264",
            video, "-map", "0:a", "-c", "copy", "-f", "adts", audio)
        let units = ByteStreamParser.accessUnits(try folder.read("video.h264"))
        let times = try Tool.packetTimes(source, stream: "v")
        guard units.packets.count == 180, times.count == 180 else {
            throw Tool.Failure(command: "parse", output: "\(units.packets.count) pictures")
        }
        var packets = zip(units.packets, times).enumerated().map { index, pair in
            // The demuxer stored the decode delay in an edit list; ffprobe returns it as negative times.
            EncodedPacket(
                track: .screen, presentationTime: MediaTime(seconds: pair.1.presentation),
                decodeTime: MediaTime(seconds: pair.1.decode),
                isKeyframe: pair.0.isIDR, sequence: UInt32(index), data: pair.0.data)
        }
        for (index, data) in ByteStreamParser.adtsPayloads(try folder.read("audio.aac")).enumerated() {
            let time = MediaTime(value: Int64(index - 1) * 1024, timescale: 48_000)
            packets.append(
                EncodedPacket(
                    track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: UInt32(index),
                    data: data))
        }
        let description = StreamDescription(
            video: VideoTrackFormat(
                codec: .h264(
                    sequenceParameterSet: units.sequenceParameterSet, pictureParameterSet: units.pictureParameterSet),
                size: PixelSize(width: 320, height: 180), frameRate: 30),
            audio: [
                AudioTrackFormat(
                    track: .mixed, format: .broadcast, audioSpecificConfig: [0x11, 0x90], bitrate: 128, priming: 1024)
            ],
            title: "A title")
        return TestStream(description: description, packets: packets.sorted { $0.decodeTime < $1.decodeTime })
    }
}
