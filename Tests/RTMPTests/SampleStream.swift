import Foundation
import Media
import TestSupport

/// H.264 and AAC from ffmpeg as packets, like those of this project's encoders.
struct SampleStream: Sendable {
    var description = StreamDescription(video: nil, audio: [], title: "A title")
    /// Sorted by decode time.
    var packets: [EncodedPacket] = []

    var pictures: [EncodedPacket] { packets.filter { $0.track == .screen } }
    var sounds: [EncodedPacket] { packets.filter { $0.track == .mixed } }

    /// Creates 320x180 at 30 frames a second with one IDR picture a second, and 48 kHz stereo.
    nonisolated(nonsending) static func make(in peers: Peers, seconds: Int = 3, bFrames: Int = 0) async throws
        -> SampleStream
    {
        let folder = try peers.makeFolder("sample")
        try await peers.run(
            "ffmpeg-sample",
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
                "testsrc2=size=320x180:rate=30:duration=\(seconds)", "-f", "lavfi", "-i",
                "sine=frequency=440:sample_rate=48000:duration=\(seconds)", "-c:v", "libx264", "-pix_fmt", "yuv420p",
                "-preset", "veryfast",
                "-threads", "1", "-g", "30", "-bf", "\(bFrames)", "-x264-params", "scenecut=0:open-gop=0", "-c:a",
                "aac", "-ac", "2", "-b:a", "128k",
                "\(folder)/sample.flv",
            ])
        let bytes = [UInt8](FileManager.default.contents(atPath: "\(folder)/sample.flv") ?? Data())
        return try SampleStream(flv: bytes)
    }

    /// Parses the output of ffmpeg's FLV muxer. It does not support other files.
    init(flv bytes: [UInt8]) throws {
        struct Malformed: Error {}
        var position = 13
        while position + 11 <= bytes.count {
            let length = Int(bytes[position + 1]) << 16 | Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            let time = Int64(bytes[position + 4]) << 16 | Int64(bytes[position + 5]) << 8 | Int64(bytes[position + 6])
            guard position + 11 + length <= bytes.count else { throw Malformed() }
            let body = Array(bytes[position + 11..<position + 11 + length])
            if bytes[position] == 9 { try addVideo(body, time) }
            if bytes[position] == 8 { addAudio(body, time) }
            position += 11 + length + 4
        }
        guard description.video != nil, !description.audio.isEmpty, !packets.isEmpty else { throw Malformed() }
    }

    private mutating func addVideo(_ body: [UInt8], _ time: Int64) throws {
        let payload = Array(body.dropFirst(5))
        if body[1] == 0 {
            let length = Int(payload[6]) << 8 | Int(payload[7])
            let pictureParameterSet = payload[(8 + length + 3)...].prefix(
                Int(payload[8 + length + 1]) << 8 | Int(payload[8 + length + 2]))
            description.video = VideoTrackFormat(
                codec: .h264(
                    sequenceParameterSet: Array(payload[8..<8 + length]),
                    pictureParameterSet: Array(pictureParameterSet)),
                size: PixelSize(width: 320, height: 180), frameRate: 30, bitrate: 500)
        } else if body[1] == 1 {
            let composition = Int64(body[2]) << 16 | Int64(body[3]) << 8 | Int64(body[4])
            packets.append(
                EncodedPacket(
                    track: .screen, presentationTime: MediaTime(milliseconds: time + composition),
                    decodeTime: MediaTime(milliseconds: time),
                    isKeyframe: body[0] >> 4 == 1, sequence: UInt32(pictures.count), data: payload))
        }
    }

    private mutating func addAudio(_ body: [UInt8], _ time: Int64) {
        let payload = Array(body.dropFirst(2))
        if body[1] == 0 {
            description.audio = [
                AudioTrackFormat(
                    track: .mixed, format: .broadcast, audioSpecificConfig: payload, bitrate: 128, priming: 1024)
            ]
        } else {
            let time = MediaTime(milliseconds: time)
            packets.append(
                EncodedPacket(
                    track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true,
                    sequence: UInt32(sounds.count), data: payload))
        }
    }
}
