import Media

/// Writes fragmented MP4 in separate parts: the header (`ftyp`, `moov`), and media segments that end where the caller
/// decides (ISO/IEC 14496-12, 8.8; RFC 8216, 3.3).
///
/// `startOffset` is added to every timestamp, so that the priming of sound and the decode times of reordered pictures
/// are positive without an edit list, which some players ignore in segments.
package struct SegmentedMP4Muxer: Sendable {
    /// Added to every timestamp. The transport stream muxer uses the same value.
    package static let startOffset = MPEGTSClock.startOffset

    /// `ftyp` and `moov`, which a player reads before any segment.
    package let header: [UInt8]
    private var fragments: MP4FragmentWriter

    /// Creates a muxer for the tracks of `stream` that MP4 supports.
    package init(_ stream: StreamDescription) {
        var stream = stream
        // The timestamps include the priming.
        for index in stream.audio.indices { stream.audio[index].priming = 0 }
        let tracks = MP4Track.tracks(of: stream)
        fragments = MP4FragmentWriter(tracks: tracks, information: MP4Information(stream), pageByteCount: nil)
        var writer = ByteWriter(capacity: 2048)
        MP4FileType.write(tracks, to: &writer)
        fragments.writeMovie(to: &writer)
        header = writer.bytes
    }

    /// Returns the fragment that `packet` closed, which belongs to the current segment; empty while the fragment is
    /// incomplete.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        fragments.append(Self.moved(packet))?.bytes ?? []
    }

    /// Returns the open fragment, for the end of a segment. `next` is the first packet of the next segment, if there is
    /// one.
    package mutating func cut(before next: EncodedPacket?) -> [UInt8] {
        fragments.flush(before: next.map(Self.moved))?.bytes ?? []
    }

    private static func moved(_ packet: EncodedPacket) -> EncodedPacket {
        packet.moved(by: startOffset)
    }
}
