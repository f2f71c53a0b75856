import Media

/// A fragmented MP4 for readers that can't seek, as an extension's `container = "fmp4"`: `ftyp`, `moov`, then a `moof` and an
/// `mdat` at each video keyframe, and nothing else at the end (ISO/IEC 14496-12, 8.8).
package struct FragmentedMP4Muxer: Muxer {
    private var fragments = MP4FragmentWriter(tracks: [], title: nil)

    /// A muxer that waits for `begin`.
    package init() {}

    /// `ftyp` and the `moov` without samples; where pictures are reordered, the `moov` comes with the first fragment.
    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        let tracks = MP4Track.tracks(of: stream)
        fragments = MP4FragmentWriter(tracks: tracks, title: stream.title)
        var writer = ByteWriter(capacity: 2048)
        MP4FileType.write(tracks, to: &writer)
        fragments.writeMovieIfKnown(to: &writer)
        return writer.bytes
    }

    /// The fragment that `packet` closed; empty while one is gathered.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        fragments.append(packet)?.bytes ?? []
    }

    /// The last fragment; there is nothing to patch.
    package mutating func end() -> MuxEnding {
        MuxEnding(bytes: fragments.flush()?.bytes ?? [])
    }
}
