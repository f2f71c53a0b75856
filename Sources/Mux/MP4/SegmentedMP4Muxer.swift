import Media

/// Fragmented MP4 in pieces that are kept apart: the header (`ftyp`, `moov`), and media segments that are cut where the caller says
/// (ISO/IEC 14496-12, 8.8; RFC 8216, 3.3).
///
/// Every time stamp is moved on by `startOffset`, so that the priming of sound and the decode times of reordered pictures stay
/// positive without an edit list, which some players of segments ignore.
package struct SegmentedMP4Muxer: Sendable {
    /// Added to every time stamp: what a transport stream of ours has too.
    package static let startOffset = MPEGTSClock.startOffset

    /// `ftyp` and `moov`: what a player reads before any segment.
    package let header: [UInt8]
    private var fragments: MP4FragmentWriter

    /// A muxer for the tracks of `stream` that MP4 can hold.
    package init(_ stream: StreamDescription) {
        var stream = stream
        // The priming is in the time stamps.
        for index in stream.audio.indices { stream.audio[index].priming = 0 }
        let tracks = MP4Track.tracks(of: stream)
        fragments = MP4FragmentWriter(tracks: tracks, title: stream.title, pageByteCount: nil)
        var writer = ByteWriter(capacity: 2048)
        MP4FileType.write(tracks, to: &writer)
        fragments.writeMovie(to: &writer)
        header = writer.bytes
    }

    /// The fragment that `packet` closed, which belongs to the segment before it was cut; empty while one is gathered.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        fragments.append(Self.moved(packet))?.bytes ?? []
    }

    /// What is still open, for the end of a segment. `next` is the packet that will start the next one, where there is one.
    package mutating func cut(before next: EncodedPacket?) -> [UInt8] {
        fragments.flush(before: next.map(Self.moved))?.bytes ?? []
    }

    private static func moved(_ packet: EncodedPacket) -> EncodedPacket {
        EncodedPacket(
            track: packet.track, presentationTime: packet.presentationTime + startOffset, decodeTime: packet.decodeTime + startOffset,
            isKeyframe: packet.isKeyframe, isDiscontinuity: packet.isDiscontinuity, sequence: packet.sequence, data: packet.data)
    }
}
