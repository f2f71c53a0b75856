import Media

/// Collects packets and returns a movie fragment, `moof` and `mdat`, each time one is complete (ISO/IEC 14496-12, 8.8).
///
/// A fragment starts with a video keyframe and ends before the next one; without video its duration is about 2 s. A
/// fragment that exceeds 10 s or 8 MB is closed early, which limits memory. Payloads are copied once, into the
/// fragment.
///
/// FFmpeg rejects a file that ends inside a `moof`, but not one that ends inside an `mdat` or a `free`. A killed
/// process and a full disk truncate a file at a page boundary. Therefore a `moof` never crosses a page boundary: if
/// necessary, a `free` box moves it to the next page.
struct MP4FragmentWriter: Sendable {
    /// The position of a track's samples in a written fragment.
    struct Run: Sendable {
        /// Index into `tracks`.
        let track: Int
        let samples: [MP4Sample]
        /// The offset from the start of the fragment to the first sample, in bytes.
        let offset: Int
    }

    /// A closed fragment: `moof` and `mdat`, and the `moov` before them if it is the first one.
    struct Fragment: Sendable {
        let bytes: [UInt8]
        let runs: [Run]
    }

    private struct Pending: Sendable {
        var samples: [MP4Sample] = []
        /// The last sample's decode time in this or an earlier fragment, in ticks.
        var lastDecodeTime: Int64?
        /// The ticks that are added to the session's timeline, so that no decode time is negative (`tfdt` is unsigned).
        /// The edit list in `moov` subtracts them. Negative composition offsets would need no edit list, but FFmpeg
        /// plays such fragments late.
        var shift: Int64
    }

    private static let audioFragmentLength = MediaTime(milliseconds: 2000)
    private static let maximumLength = MediaTime(milliseconds: 10_000)
    private static let maximumByteCount = 8_000_000

    /// The unit at which files are truncated: a page.
    static let filePageByteCount = 4096

    /// The page size in bytes; nil if the output is not a file that can be truncated.
    let pageByteCount: Int?
    let tracks: [MP4Track]
    let information: MP4Information
    /// The size of the file so far, which is the offset of the next fragment.
    private(set) var offset: UInt64 = 0
    /// True after `moov` was written.
    private var hasMovie = false
    private var pending: [Pending]
    private var sequenceNumber: UInt32 = 0
    /// The decode time of the first packet in the current fragment.
    private var start: MediaTime?
    private var payloadByteCount = 0

    init(tracks: [MP4Track], information: MP4Information, pageByteCount: Int? = filePageByteCount) {
        self.pageByteCount = pageByteCount
        self.tracks = tracks
        self.information = information
        pending = tracks.map { Pending(shift: $0.priming) }
    }

    /// Writes the `moov` after the file's first bytes. If pictures may be reordered, it is written at the start of the
    /// first fragment instead, when the earliest decode time is known.
    mutating func writeMovieIfKnown(to writer: inout ByteWriter) {
        if !tracks.contains(where: \.mayReorder) { writeMovie(to: &writer) }
        offset = UInt64(writer.count)
    }

    /// Writes the `moov` with the shifts that are known so far.
    mutating func writeMovie(to writer: inout ByteWriter) {
        MP4Movie(fragmented: zip(tracks, pending).map { (track: $0, shift: $1.shift) }, information: information).write(
            to: &writer)
        hasMovie = true
    }

    /// Adds a packet and returns the fragment that it closed. Packets of unknown tracks are dropped.
    mutating func append(_ packet: EncodedPacket) -> Fragment? {
        guard let index = tracks.firstIndex(where: { $0.source == packet.track }) else { return nil }
        let sample = sample(of: packet, track: index)
        let fragment = closesFragment(packet) ? close(before: (index, sample.decodeTime)) : nil
        if start == nil { start = packet.decodeTime }
        add(sample, track: index)
        return fragment
    }

    /// Returns the open fragment; nil if it is empty. `next` is the packet after it, if it is known.
    mutating func flush(before next: EncodedPacket? = nil) -> Fragment? {
        guard let next, let index = tracks.firstIndex(where: { $0.source == next.track }) else {
            return close(before: nil)
        }
        return close(before: (index, sample(of: next, track: index).decodeTime))
    }

    private func closesFragment(_ packet: EncodedPacket) -> Bool {
        guard let start else { return false }
        let length = packet.decodeTime - start
        if length >= Self.maximumLength || payloadByteCount + packet.data.count > Self.maximumByteCount { return true }
        // The description must fit in a page: at most 12 bytes per picture, and 4 bytes per sound packet without a gap.
        let descriptionByteCount = tracks.indices.reduce(32) { sum, index in
            sum + 80 + pending[index].samples.count * (tracks[index].source == .screen ? 12 : 4)
        }
        if let pageByteCount, descriptionByteCount + 12 > pageByteCount { return true }
        let hasVideo = tracks.indices.contains { tracks[$0].source == .screen && !pending[$0].samples.isEmpty }
        if hasVideo { return packet.track == .screen && packet.isKeyframe }
        return length >= Self.audioFragmentLength
    }

    /// Converts the packet's times to ticks. A decode time that does not increase is raised by one tick, because a
    /// sample's duration is at least one tick.
    private func sample(of packet: EncodedPacket, track: Int) -> MP4Sample {
        let timescale = Int64(tracks[track].timescale)
        let presentationTime = packet.presentationTime.value(timescale: timescale)
        var decodeTime = packet.decodeTime.value(timescale: timescale)
        if let last = pending[track].lastDecodeTime { decodeTime = max(decodeTime, last + 1) }
        return MP4Sample(
            decodeTime: decodeTime,
            // Sound is not reordered: its presentation time is its decode time.
            compositionOffset: packet.track == .screen ? Int32(clamping: presentationTime - decodeTime) : 0,
            isSync: packet.isKeyframe, data: packet.data)
    }

    private mutating func add(_ sample: MP4Sample, track: Int) {
        if pending[track].lastDecodeTime == nil, !hasMovie {
            pending[track].shift = max(pending[track].shift, -sample.decodeTime)
        }
        pending[track].lastDecodeTime = sample.decodeTime
        pending[track].samples.append(sample)
        payloadByteCount += sample.data.count
    }

    /// Writes the collected samples. `next` is the sample after them, if it is known; it determines the duration of the
    /// last sample.
    private mutating func close(before next: (track: Int, decodeTime: Int64)?) -> Fragment? {
        guard start != nil else { return nil }
        let filled = tracks.indices.filter { !pending[$0].samples.isEmpty }
        var writer = ByteWriter(capacity: payloadByteCount + 2048 + 2 * Self.filePageByteCount)
        if !hasMovie { writeMovie(to: &writer) }
        sequenceNumber &+= 1
        var description = describe(filled, before: next)
        writePadding(before: description.box.count, to: &writer)
        let runStarts = filled.reduce(into: [description.box.count + 8]) { starts, index in
            starts.append((starts.last ?? 0) + pending[index].samples.reduce(0) { $0 + $1.data.count })
        }
        for (position, start) in zip(description.offsetPositions, runStarts) {
            description.box.overwriteU32(UInt32(start), at: position)
        }
        let base = writer.count
        writer.append(description.box.bytes)
        writer.u32(UInt32(truncatingIfNeeded: payloadByteCount + 8))
        writer.utf8("mdat")
        var runs: [Run] = []
        for (index, start) in zip(filled, runStarts) {
            runs.append(Run(track: index, samples: pending[index].samples, offset: base + start))
            for sample in pending[index].samples { writer.append(sample.data) }
            pending[index].samples = []
        }
        start = nil
        payloadByteCount = 0
        offset += UInt64(writer.count)
        return Fragment(bytes: writer.bytes, runs: runs)
    }

    /// Returns the `moof`, and the offset of each track's data offset field in it.
    private func describe(_ filled: [Int], before next: (track: Int, decodeTime: Int64)?) -> (
        box: ByteWriter, offsetPositions: [Int]
    ) {
        var writer = ByteWriter(capacity: Self.filePageByteCount)
        var positions: [Int] = []
        writer.box("moof") { box in
            box.fullBox("mfhd") { $0.u32(sequenceNumber) }
            for index in filled {
                let track = tracks[index]
                let lastDuration =
                    next?.track == index
                    ? (next?.decodeTime ?? 0) - (pending[index].lastDecodeTime ?? 0) : track.nominalSampleDuration
                let fragment = MP4TrackFragment(
                    track: track, samples: pending[index].samples, lastDuration: lastDuration,
                    shift: pending[index].shift)
                positions.append(fragment.write(to: &box).dataOffset)
            }
        }
        return (writer, positions)
    }

    /// Fills the page with a `free` box if the next `byteCount` bytes would cross its end.
    private func writePadding(before byteCount: Int, to writer: inout ByteWriter) {
        guard let pageByteCount else { return }
        let position = Int((offset + UInt64(writer.count)) % UInt64(pageByteCount))
        guard position > 0, position + byteCount > pageByteCount else { return }
        let gap = pageByteCount - position
        // The minimum size of a box is 8 bytes.
        let padding = gap < 8 ? gap + pageByteCount : gap
        writer.box("free") { $0.zeros(padding - 8) }
    }
}
