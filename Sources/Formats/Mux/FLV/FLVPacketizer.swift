import Media

/// Converts packets to FLV tags with timestamps.
///
/// It supports H.264 and the first audio track. It drops packets of other tracks and sound before the start (the AAC
/// encoder's priming). The timestamps of a track never decrease.
package struct FLVPacketizer: Sendable {
    /// The time that timestamps are relative to.
    package enum Origin: Sendable {
        /// The session's start. A picture with an earlier decode time, because of reordering, gets the start time.
        case session
        /// The decode time of the first keyframe or, without video, of the first sound. Earlier packets are dropped.
        case firstKeyframe
    }

    private let hasVideo: Bool
    private let audioTrack: Track?
    /// Nil until the first keyframe.
    private var origin: MediaTime?
    /// The decode time of the last picture, in milliseconds since the origin; -1 before the first picture.
    private(set) var lastPicture: Int64 = -1
    /// The time of the last sound, in milliseconds since the origin.
    private(set) var lastSound: Int64 = 0

    package init(_ stream: StreamDescription, origin: Origin) {
        if case .h264 = stream.video?.codec { hasVideo = true } else { hasVideo = false }
        audioTrack = stream.audio.first?.track
        self.origin =
            switch origin {
            case .session: .zero
            case .firstKeyframe: nil
            }
    }

    /// The latest timestamp so far, in milliseconds since the origin.
    package var latestTimestamp: Int64 { max(lastPicture, lastSound) }

    /// Returns the sequence headers of `stream`, audio first, with the timestamp `timestamp` in milliseconds.
    package static func sequenceHeaders(of stream: StreamDescription, timestamp: UInt32 = 0) -> [FLVTag] {
        var tags: [FLVTag] = []
        if let audio = stream.audio.first {
            tags.append(.aacSequenceHeader(audioSpecificConfig: audio.audioSpecificConfig, timestamp: timestamp))
        }
        if case .h264(let sequenceParameterSet, let pictureParameterSet) = stream.video?.codec {
            tags.append(
                .avcSequenceHeader(
                    sequenceParameterSet: sequenceParameterSet, pictureParameterSet: pictureParameterSet,
                    timestamp: timestamp))
        }
        return tags
    }

    /// Returns the packet's tag; nil if the packet is dropped.
    package mutating func tag(for packet: EncodedPacket) -> FLVTag? {
        switch packet.track {
        case .screen: hasVideo ? picture(packet) : nil
        case audioTrack: sound(packet)
        default: nil
        }
    }

    private mutating func picture(_ packet: EncodedPacket) -> FLVTag? {
        if origin == nil, packet.isKeyframe { origin = packet.decodeTime }
        guard let origin else { return nil }
        let decode = max((packet.decodeTime - origin).milliseconds, lastPicture + 1)
        lastPicture = decode
        // 24 bits, two's complement. A larger difference, of more than two hours, cannot be valid.
        let composition = min(max((packet.presentationTime - origin).milliseconds - decode, -0x80_0000), 0x7F_FFFF)
        return .avc(
            accessUnit: packet.data, isKeyframe: packet.isKeyframe, timestamp: UInt32(truncatingIfNeeded: decode),
            compositionTime: Int32(composition)
        )
    }

    private mutating func sound(_ packet: EncodedPacket) -> FLVTag? {
        guard packet.presentationTime >= .zero else { return nil }
        if origin == nil, !hasVideo { origin = packet.presentationTime }
        guard let origin, packet.presentationTime >= origin else { return nil }
        let time = max((packet.presentationTime - origin).milliseconds, lastSound)
        lastSound = time
        return .aac(rawDataBlock: packet.data, timestamp: UInt32(truncatingIfNeeded: time))
    }
}
