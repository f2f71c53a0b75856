import Media

/// Turns packets into FLV tags: which of them go out, and under which times.
///
/// It carries H.264 and the first audio track; packets of other tracks are left out, as is sound before the start
/// (the AAC encoder's priming). Timestamps of a track never run backwards.
package struct FLVPacketizer: Sendable {
    /// What timestamps are counted from.
    package enum Origin: Sendable {
        /// The session's start. A picture that is decoded before it, for reordering, is moved up to it.
        case session
        /// The decode time of the first keyframe, of the first sound where there is no video; what comes before it is left out.
        case firstKeyframe
    }

    private let hasVideo: Bool
    private let audioTrack: Track?
    /// nil until the first keyframe.
    private var origin: MediaTime?
    /// The decode time of the last picture, in milliseconds since the origin.
    private var lastPicture: Int64 = -1
    /// The time of the last sound, in milliseconds since the origin.
    private var lastSound: Int64 = 0

    package init(_ stream: StreamDescription, origin: Origin) {
        if case .h264 = stream.video?.codec { hasVideo = true } else { hasVideo = false }
        audioTrack = stream.audio.first?.track
        self.origin =
            switch origin {
            case .session: .zero
            case .firstKeyframe: nil
            }
    }

    /// The latest time that was given out, in milliseconds since the origin.
    package var latestTimestamp: Int64 { max(lastPicture, lastSound) }

    /// The sequence headers of `stream`, the sound's first, at `timestamp` milliseconds.
    package static func sequenceHeaders(of stream: StreamDescription, timestamp: UInt32 = 0) -> [FLVTag] {
        var tags: [FLVTag] = []
        if let audio = stream.audio.first {
            tags.append(.aacSequenceHeader(audioSpecificConfig: audio.audioSpecificConfig, timestamp: timestamp))
        }
        if case .h264(let sequenceParameterSet, let pictureParameterSet) = stream.video?.codec {
            tags.append(
                .avcSequenceHeader(
                    sequenceParameterSet: sequenceParameterSet, pictureParameterSet: pictureParameterSet, timestamp: timestamp))
        }
        return tags
    }

    /// The packet's tag; nil where it does not go out.
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
        // 24 bits, two's complement: more than two hours apart is not a time that anyone meant.
        let composition = min(max((packet.presentationTime - origin).milliseconds - decode, -0x80_0000), 0x7F_FFFF)
        return .avc(
            accessUnit: packet.data, isKeyframe: packet.isKeyframe, timestamp: UInt32(truncatingIfNeeded: decode), compositionTime: Int32(composition)
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
