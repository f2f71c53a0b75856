import Media

/// Writes a fragmented MP4 for outputs that cannot seek, such as an extension with `container = "fmp4"`: `ftyp`,
/// `moov`, then a `moof` and an `mdat` at each video keyframe, without an index at the end (ISO/IEC 14496-12, 8.8).
package struct FragmentedMP4Muxer: Muxer {
    private var fragments = MP4FragmentWriter(tracks: [], information: MP4Information())

    /// Creates a muxer that waits for `begin`.
    package init() {}

    /// Returns `ftyp` and the `moov` without samples. If pictures are reordered, the `moov` follows with the first
    /// fragment.
    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        let tracks = MP4Track.tracks(of: stream)
        fragments = MP4FragmentWriter(tracks: tracks, information: MP4Information(stream))
        var writer = ByteWriter(capacity: 2048)
        MP4FileType.write(tracks, to: &writer)
        fragments.writeMovieIfKnown(to: &writer)
        return writer.bytes
    }

    /// Returns the fragment that `packet` closed; empty while the fragment is incomplete.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        fragments.append(packet)?.bytes ?? []
    }

    /// Returns the last fragment. There are no patches.
    package mutating func end() -> MuxEnding {
        MuxEnding(bytes: fragments.flush()?.bytes ?? [])
    }
}
