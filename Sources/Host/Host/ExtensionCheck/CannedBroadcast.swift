import Encode
import Media
import Opus

/// A short broadcast with the same content each time: moving pictures and silence, a pause, an annotation, and a gap of
/// dropped pictures.
package struct CannedBroadcast {
    private static let size = PixelSize(width: 320, height: 180)
    private static let frameRate = 10

    package private(set) var stream: StreamDescription
    /// The elements that a destination's queue would deliver, in order.
    package private(set) var elements: [PacketQueue.Element] = []

    /// - Parameters:
    ///   - seconds: the duration, at least 4.
    ///   - isRaw: true for I420 pictures instead of H.264.
    ///   - soundCodec: what the sound is encoded to.
    ///   - profile: of the pictures; nil for High.
    package init(
        seconds: Int, isRaw: Bool, hasVideo: Bool, hasSound: Bool, soundCodec: MediaRequirements.Audio,
        profile: VideoProfile? = nil
    ) throws(EncodeError) {
        stream = StreamDescription(video: nil, audio: [], title: "A canned broadcast")
        var packets: [EncodedPacket] = []
        if hasVideo {
            packets += try Self.pictures(
                seconds: seconds, isRaw: isRaw, profile: profile, stream: &stream)
        }
        if hasSound { packets += try Self.sound(seconds: seconds, codec: soundCodec, stream: &stream) }
        packets.sort { ($0.presentationTime, $0.track.rawValue) < ($1.presentationTime, $1.track.rawValue) }
        let middle = MediaTime(milliseconds: Int64(seconds) * 500)
        var isPastMiddle = false
        var isDropping = false
        var hasDropped = false
        for packet in packets {
            if !isPastMiddle && packet.presentationTime >= middle {
                isPastMiddle = true
                elements += [
                    .paused(at: middle), .resumed(at: middle),
                    .annotated([
                        "application": "org.example.editor", "applicationName": "Editor",
                        "applicationTitle": "notes.txt",
                    ]),
                ]
            }
            var packet = packet
            if packet.track == .screen && isPastMiddle && !hasDropped {
                // Drop pictures up to the next keyframe, as for a slow reader.
                if !isDropping && !(packet.isKeyframe && !isRaw) { isDropping = true }
                if isDropping {
                    guard packet.isKeyframe && packet.presentationTime > middle + MediaTime(milliseconds: 300) else {
                        continue
                    }
                    packet.isDiscontinuity = true
                    hasDropped = true
                }
            }
            elements.append(.packet(packet))
        }
    }

    private static func pictures(
        seconds: Int, isRaw: Bool, profile: VideoProfile?, stream: inout StreamDescription
    ) throws(EncodeError) -> [EncodedPacket] {
        var settings = VideoSettings(
            size: size, frameRate: frameRate, rateControl: .quality(30),
            coding: CodingOptions(
                preset: "ultrafast", latency: .low, keyframeInterval: MediaTime(milliseconds: 1000)))
        settings.profile = profile
        let encoder = try VideoEncoder(settings: settings)
        stream.video = isRaw ? VideoTrackFormat(codec: .i420, size: size, frameRate: frameRate) : encoder.format
        var packets: [EncodedPacket] = []
        for number in 0..<seconds * frameRate {
            let frame = PixelBuffer(format: .i420, size: size)
            let chroma = frame.planeOffsets.u
            frame.withUnsafeMutableBytes { bytes in
                for index in 0..<chroma { bytes[index] = UInt8(16 + (index % size.width + number * 4) % 220) }
                for index in chroma..<bytes.count { bytes[index] = 128 }
            }
            let time = MediaTime(value: Int64(number), timescale: Int64(frameRate))
            if isRaw {
                packets.append(
                    EncodedPacket(
                        track: .screen, presentationTime: time, decodeTime: time, isKeyframe: true,
                        sequence: UInt32(number),
                        data: frame.withUnsafeBytes { Array($0) }))
            } else {
                let picture = Picture(size: size, patches: [.init(x: 0, y: 0, pixels: frame)], damage: .whole(size))
                packets += try encoder.encode(
                    SampleBuffer(track: .screen, presentationTime: time, payload: .picture(picture)))
            }
        }
        return try isRaw ? packets : packets + encoder.finish()
    }

    private static func sound(
        seconds: Int, codec: MediaRequirements.Audio, stream: inout StreamDescription
    ) throws(EncodeError) -> [EncodedPacket] {
        let format = AudioFormat.broadcast
        let bitrate = 64
        let length = AudioTrackFormat.framesPerPacket
        let silence = Sound(format: format, samples: [Float](repeating: 0, count: length * format.channelCount))
        let blocks = (0..<seconds * format.sampleRate / length).map { number in
            SampleBuffer(
                track: .mixed,
                presentationTime: MediaTime(value: Int64(number * length), timescale: Int64(format.sampleRate)),
                payload: .sound(silence))
        }
        let encoder = try AACEncoder(track: .mixed, bitrate: bitrate)
        stream.audio = [encoder.format]
        switch codec {
        case .aac:
            var packets: [EncodedPacket] = []
            for block in blocks { packets += try encoder.encode(block) }
            return packets + (try encoder.finish())
        case .pcm:
            var packetizer = RawAudioPacketizer(track: .mixed)
            return blocks.compactMap { packetizer.packet(for: $0) }
        case .opus:
            guard let encoder = OpusTrackEncoder(track: .mixed, bitrate: bitrate),
                let format = OpusTrackEncoder.format(of: .mixed, bitrate: bitrate)
            else { throw .cannotOpenAudio(.outOfMemory) }
            stream.audio = [format]
            return blocks.flatMap(encoder.encode) + encoder.finish()
        }
    }
}
