import Media

/// Gathers packets and gives back a movie fragment, `moof` and `mdat`, each time one is complete (ISO/IEC 14496-12, 8.8).
///
/// A fragment starts with a video keyframe and ends before the next; without video it lasts about 2 s. One that has
/// grown past 10 s or 8 MB is closed all the same, so that memory stays small. The payloads are copied once, into the fragment.
///
/// FFmpeg refuses a whole file that ends inside a `moof`, but not one that ends inside an `mdat` or a `free`. A killed process and a
/// full disk cut a file at a page, so a `moof` never lies across two: a `free` moves it to the next one where it would.
struct MP4FragmentWriter: Sendable {
    /// Where a track's samples lie in a fragment that was written.
    struct Run: Sendable {
        /// Index into `tracks`.
        let track: Int
        let samples: [MP4Sample]
        /// Bytes from the start of the fragment's bytes to the first sample.
        let offset: Int
    }

    /// A fragment that was closed: `moof` and `mdat`, the first one perhaps after the `moov`.
    struct Fragment: Sendable {
        let bytes: [UInt8]
        let runs: [Run]
    }

    private struct Pending: Sendable {
        var samples: [MP4Sample] = []
        /// The last sample's decode time in this or an earlier fragment, in ticks.
        var lastDecodeTime: Int64?
        /// The duration of the sample before the last, in ticks.
        var lastDuration: Int64?
        /// Ticks added to the session's timeline, so that no decode time is negative (`tfdt` has no sign). The edit list in
        /// `moov` takes them back; composition offsets below zero would need no edit, but FFmpeg plays such fragments late.
        var shift: Int64
    }

    private static let audioFragmentLength = MediaTime(milliseconds: 2000)
    private static let maximumLength = MediaTime(milliseconds: 10_000)
    private static let maximumByteCount = 8_000_000

    /// What files are cut at: a page.
    static let filePageByteCount = 4096

    /// Bytes of a page; nil where the fragments are no file that could be cut off.
    let pageByteCount: Int?
    let tracks: [MP4Track]
    let title: String?
    /// Bytes of the file so far: where the next fragment will stand.
    private(set) var offset: UInt64 = 0
    /// True once `moov` is written.
    private var hasMovie = false
    private var pending: [Pending]
    private var sequenceNumber: UInt32 = 0
    /// Decode time of the first packet in the fragment that is being gathered.
    private var start: MediaTime?
    private var payloadByteCount = 0

    init(tracks: [MP4Track], title: String?, pageByteCount: Int? = filePageByteCount) {
        self.pageByteCount = pageByteCount
        self.tracks = tracks
        self.title = title
        pending = tracks.map { Pending(shift: $0.priming) }
    }

    /// Writes the `moov` behind the file's first bytes, unless pictures may be reordered: then it stands at the start of the
    /// first fragment, when it is known how far before time zero decoding starts.
    mutating func writeMovieIfKnown(to writer: inout ByteWriter) {
        if !tracks.contains(where: \.mayReorder) { writeMovie(to: &writer) }
        offset = UInt64(writer.count)
    }

    /// Writes the `moov`, with the shifts that are known by now.
    mutating func writeMovie(to writer: inout ByteWriter) {
        MP4Movie(fragmented: zip(tracks, pending).map { (track: $0, shift: $1.shift) }, title: title).write(to: &writer)
        hasMovie = true
    }

    /// Takes a packet; gives back the fragment that it closed. A packet of a track that the file does not have is left out.
    mutating func append(_ packet: EncodedPacket) -> Fragment? {
        guard let index = tracks.firstIndex(where: { $0.source == packet.track }) else { return nil }
        let sample = sample(of: packet, track: index)
        let fragment = closesFragment(packet) ? close(before: (index, sample.decodeTime)) : nil
        if start == nil { start = packet.decodeTime }
        add(sample, track: index)
        return fragment
    }

    /// The fragment that is still open; nil where nothing is in it. `next` is the packet that comes after it, where one is known.
    mutating func flush(before next: EncodedPacket? = nil) -> Fragment? {
        guard let next, let index = tracks.firstIndex(where: { $0.source == next.track }) else { return close(before: nil) }
        return close(before: (index, sample(of: next, track: index).decodeTime))
    }

    private func closesFragment(_ packet: EncodedPacket) -> Bool {
        guard let start else { return false }
        let length = packet.decodeTime - start
        if length >= Self.maximumLength || payloadByteCount + packet.data.count > Self.maximumByteCount { return true }
        // Else the description would not fit in a page: at most 12 bytes a picture, 4 bytes a sound packet without a gap.
        let descriptionByteCount = tracks.indices.reduce(32) { sum, index in
            sum + 80 + pending[index].samples.count * (tracks[index].source == .screen ? 12 : 4)
        }
        if let pageByteCount, descriptionByteCount + 12 > pageByteCount { return true }
        let hasVideo = tracks.indices.contains { tracks[$0].source == .screen && !pending[$0].samples.isEmpty }
        if hasVideo { return packet.track == .screen && packet.isKeyframe }
        return length >= Self.audioFragmentLength
    }

    /// The packet in ticks. Decode times that do not rise are moved up by a tick: a sample can't last less.
    private func sample(of packet: EncodedPacket, track: Int) -> MP4Sample {
        let timescale = Int64(tracks[track].timescale)
        let presentationTime = packet.presentationTime.value(timescale: timescale)
        var decodeTime = packet.decodeTime.value(timescale: timescale)
        if let last = pending[track].lastDecodeTime { decodeTime = max(decodeTime, last + 1) }
        return MP4Sample(
            decodeTime: decodeTime,
            // Sound is not reordered: it is presented when it is decoded.
            compositionOffset: packet.track == .screen ? Int32(clamping: presentationTime - decodeTime) : 0,
            isSync: packet.isKeyframe, data: packet.data)
    }

    private mutating func add(_ sample: MP4Sample, track: Int) {
        if let last = pending[track].lastDecodeTime {
            pending[track].lastDuration = sample.decodeTime - last
        } else if !hasMovie {
            pending[track].shift = max(pending[track].shift, -sample.decodeTime)
        }
        pending[track].lastDecodeTime = sample.decodeTime
        pending[track].samples.append(sample)
        payloadByteCount += sample.data.count
    }

    /// Writes what was gathered. `next` is the sample that comes after it, where one is known: its track's last sample lasts until then.
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
        for (position, start) in zip(description.offsetPositions, runStarts) { description.box.overwriteU32(UInt32(start), at: position) }
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

    /// The `moof`, and where in it the data offsets stand, a track each.
    private func describe(_ filled: [Int], before next: (track: Int, decodeTime: Int64)?) -> (box: ByteWriter, offsetPositions: [Int]) {
        var writer = ByteWriter(capacity: Self.filePageByteCount)
        var positions: [Int] = []
        writer.box("moof") { box in
            box.fullBox("mfhd") { $0.u32(sequenceNumber) }
            for index in filled {
                let track = tracks[index]
                let lastDuration =
                    next?.track == index
                    ? (next?.decodeTime ?? 0) - (pending[index].lastDecodeTime ?? 0) : track.duration(after: pending[index].lastDuration)
                let fragment = MP4TrackFragment(
                    track: track, samples: pending[index].samples, lastDuration: lastDuration, shift: pending[index].shift)
                positions.append(fragment.write(to: &box))
            }
        }
        return (writer, positions)
    }

    /// Fills up the page with a `free` box where the next `byteCount` bytes would lie across its end.
    private func writePadding(before byteCount: Int, to writer: inout ByteWriter) {
        guard let pageByteCount else { return }
        let position = Int((offset + UInt64(writer.count)) % UInt64(pageByteCount))
        guard position > 0, position + byteCount > pageByteCount else { return }
        let gap = pageByteCount - position
        // The smallest box has 8 bytes.
        let padding = gap < 8 ? gap + pageByteCount : gap
        writer.box("free") { $0.zeros(padding - 8) }
    }
}
