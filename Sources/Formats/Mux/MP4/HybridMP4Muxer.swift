import Media

/// Writes an MP4 file that is playable at every moment and ends as an ordinary MP4 (docs/protocols.md).
///
/// During the recording it is a fragmented file: `ftyp`, a `free` placeholder, a `moov` without samples, then a `moof`
/// and an `mdat` at each video keyframe. At the end the muxer appends a complete `moov`, and a patch turns the
/// placeholder into the header of one `mdat` that contains everything in between: readers then see `ftyp`, `mdat`,
/// `moov`. The samples are not moved.
///
/// Time zero of every track is the session's start. Raw video is omitted: MP4 files contain H.264 and AAC only.
package struct HybridMP4Muxer: Muxer {
    /// The size of the placeholder in bytes: an `mdat` header with a 64-bit size.
    private static let placeholderByteCount = 16

    private var fragments = MP4FragmentWriter(tracks: [], information: MP4Information())
    private var tables: [MP4SampleTable] = []
    /// The offset of the placeholder from the start of the file.
    private var placeholderOffset: UInt64 = 0
    private let store: (any SpillStore)?

    /// Creates a muxer that waits for `begin`.
    ///
    /// - Parameter store: keeps the sample tables of a long recording, some megabytes a day; nil to keep them in
    ///   memory.
    package init(store: (any SpillStore)? = nil) {
        self.store = store
    }

    /// Returns `ftyp`, the placeholder and the `moov` of a fragmented file. If pictures are reordered (`--latency
    /// normal`), the `moov` follows with the first fragment, because its edit list needs the first decode time.
    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        let tracks = MP4Track.tracks(of: stream)
        fragments = MP4FragmentWriter(tracks: tracks, information: MP4Information(stream))
        tables = tracks.map { [store] _ in MP4SampleTable(store: store) }
        var writer = ByteWriter(capacity: 2048)
        MP4FileType.write(tracks, to: &writer)
        placeholderOffset = UInt64(writer.count)
        writer.box("free") { $0.zeros(Self.placeholderByteCount - 8) }
        fragments.writeMovieIfKnown(to: &writer)
        return writer.bytes
    }

    /// Returns the fragment that `packet` closed; empty while the fragment is incomplete.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        guard let fragment = fragments.append(packet) else { return [] }
        return record(fragment)
    }

    /// Returns the last fragment, the complete `moov` as the index, and the patch that turns the placeholder into an
    /// `mdat`. Without any packet, or if the store lost the sample tables, the file remains a fragmented one.
    package mutating func end() -> MuxEnding {
        let last = fragments.flush().map { record($0) } ?? []
        for index in tables.indices { guard tables[index].recall() else { return MuxEnding(bytes: last) } }
        let samples = zip(fragments.tracks, tables).filter { !$1.isEmpty }
        guard !samples.isEmpty else { return MuxEnding(bytes: last) }
        let sampleCount = samples.reduce(0) { $0 + $1.1.sizes.count }
        var writer = ByteWriter(capacity: 4096 + 6 * sampleCount)
        let mediaByteCount = fragments.offset - placeholderOffset
        MP4Movie(samples.map { (track: $0, table: $1) }, information: fragments.information).write(to: &writer)
        tables = []
        fragments = MP4FragmentWriter(tracks: [], information: MP4Information())
        return MuxEnding(
            bytes: last, index: writer.bytes,
            patches: [.init(offset: placeholderOffset, bytes: Self.mediaDataHeader(byteCount: mediaByteCount))])
    }

    private mutating func record(_ fragment: MP4FragmentWriter.Fragment) -> [UInt8] {
        let offset = fragments.offset - UInt64(fragment.bytes.count)
        for run in fragment.runs { tables[run.track].appendChunk(run.samples, offset: offset + UInt64(run.offset)) }
        return fragment.bytes
    }

    /// The replacement of the placeholder: 8 bytes, or 16 if the size needs 64 bits (ISO/IEC 14496-12, 4.2). After 8
    /// bytes, the rest of the placeholder becomes media data that no sample uses.
    private static func mediaDataHeader(byteCount: UInt64) -> [UInt8] {
        var writer = ByteWriter(capacity: placeholderByteCount)
        if byteCount <= UInt64(UInt32.max) {
            writer.u32(UInt32(byteCount))
            writer.utf8("mdat")
        } else {
            writer.u32(1)
            writer.utf8("mdat")
            writer.u64(byteCount)
        }
        return writer.bytes
    }
}
