import Media

/// Writes FLV: H.264 and the first audio track, one tag per packet (Adobe Flash Video File Format 10.1, annex E).
///
/// At the end it writes the duration into the metadata, if the file is seekable.
package struct FLVMuxer: Muxer {
    /// The order of tags of different tracks. The tags of one track are always in the order of time.
    package enum Order: Sendable {
        /// A tag is written when its packet arrives: without delay. Sound arrives later than the picture of its time.
        case arrival
        /// Tags are in the order of time. A tag waits for the other track, for 2 s at most.
        case time
    }

    /// The number of bytes before the body of the first tag: file header (9), size of the previous tag (4), tag header
    /// (11).
    private static let metadataBodyOffset = 9 + 4 + 11

    private let order: Order
    private var packetizer = FLVPacketizer(StreamDescription(video: nil, audio: []), origin: .session)
    private var hasBothTracks = false
    private var interleaver = Interleaver<FLVTag>(trackCount: 2)

    package init(order: Order = .arrival) {
        self.order = order
    }

    package var maximumPacketSize: Int { FLVTag.maximumPictureSize }

    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        packetizer = FLVPacketizer(stream, origin: .session)
        interleaver = Interleaver(trackCount: 2)
        var writer = ByteWriter(capacity: 1024)
        writer.utf8("FLV")
        writer.u8(1)
        var tracks: UInt8 = 0
        if case .h264 = stream.video?.codec { tracks |= 1 }
        if !stream.audio.isEmpty { tracks |= 4 }
        hasBothTracks = tracks == 5
        writer.u8(tracks)
        writer.u32(9)
        writer.u32(0)
        for tag in [.metadata(of: stream, duration: 0)] + FLVPacketizer.sequenceHeaders(of: stream) {
            Self.write(tag, to: &writer)
        }
        return writer.bytes
    }

    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        guard let tag = packetizer.tag(for: packet) else { return [] }
        guard order == .time, hasBothTracks else { return Self.bytes([tag]) }
        let isPicture = packet.track == .screen
        let time = isPicture ? packetizer.lastPicture : packetizer.lastSound
        return Self.bytes(interleaver.add(tag, time: time, track: isPicture ? 0 : 1))
    }

    package mutating func end() -> MuxEnding {
        var duration = ByteWriter(capacity: 8)
        duration.u64((Double(max(packetizer.latestTimestamp, 0)) / 1000).bitPattern)
        return MuxEnding(
            bytes: Self.bytes(interleaver.end()),
            patches: [
                MuxEnding.Patch(offset: UInt64(Self.metadataBodyOffset + FLVTag.durationOffset), bytes: duration.bytes)
            ])
    }

    private static func bytes(_ tags: [FLVTag]) -> [UInt8] {
        var writer = ByteWriter(capacity: tags.reduce(0) { $0 + $1.bodyCount + 15 })
        for tag in tags { write(tag, to: &writer) }
        return writer.bytes
    }

    /// Returns the tag's header (E.4.1), its body, and the size of both.
    private static func write(_ tag: FLVTag, to writer: inout ByteWriter) {
        writer.u8(tag.kind.rawValue)
        writer.u24(UInt32(truncatingIfNeeded: tag.bodyCount))
        writer.u24(tag.timestamp)
        writer.u8(UInt8(truncatingIfNeeded: tag.timestamp >> 24))
        writer.u24(0)
        writer.append(tag.header)
        writer.append(tag.payload)
        writer.u32(UInt32(truncatingIfNeeded: tag.bodyCount + 11))
    }
}
