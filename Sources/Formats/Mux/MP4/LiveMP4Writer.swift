import Media

/// Writes fragmented MP4 with one fragment for each packet, for players that append them to a buffer as they arrive
/// (ISO/IEC 14496-12, 8.8; Media Source Extensions, ISO BMFF Byte Stream Format).
///
/// `mvhd` has the duration 0 and there is no `mehd`, which tells players that the stream is live.
package struct LiveMP4Writer: Sendable {
    /// How long a picture claims to last. If the next picture comes later than twice this, a player drops everything up
    /// to the next keyframe (Media Source Extensions, Coded Frame Processing), and a picture that nothing follows is
    /// shown until then.
    private static let pictureSeconds: Int64 = 1

    /// The two boxes of one packet.
    package struct Fragment: Sendable {
        package var bytes: [UInt8]
        /// Where the four bytes of the sample's duration are, in ticks of its track; nil if it has the track's default.
        package var durationPosition: Int?
    }

    private let tracks: [MP4Track]
    private let information: MP4Information
    private var sequenceNumber: UInt32 = 0
    private var lastDecodeTimes: [Int64?]

    package init(_ stream: StreamDescription) {
        tracks = MP4Track.tracks(of: stream)
        information = MP4Information(stream)
        lastDecodeTimes = tracks.map { _ in nil }
    }

    /// `ftyp` and `moov`.
    ///
    /// - Parameter sources: the tracks in it; others of the stream are left out.
    package func initialization(of sources: [Track]) -> [UInt8] {
        let chosen = tracks.filter { sources.contains($0.source) }
        var writer = ByteWriter(capacity: 2048)
        MP4FileType.write(chosen, to: &writer)
        MP4Movie(fragmented: chosen.map { (track: $0, shift: 0) }, information: information).write(to: &writer)
        return writer.bytes
    }

    /// `moof` and `mdat` with this packet. Nil for a packet of an unknown track, and for sound before the time zero,
    /// which `tfdt` cannot express.
    package mutating func fragment(_ packet: EncodedPacket) -> Fragment? {
        guard let index = tracks.firstIndex(where: { $0.source == packet.track }) else { return nil }
        let track = tracks[index]
        let timescale = Int64(track.timescale)
        let presentationTime = packet.presentationTime.value(timescale: timescale)
        var decodeTime = packet.decodeTime.value(timescale: timescale)
        if let last = lastDecodeTimes[index] { decodeTime = max(decodeTime, last + 1) }
        guard decodeTime >= 0 else { return nil }
        lastDecodeTimes[index] = decodeTime
        sequenceNumber &+= 1
        let isPicture = packet.track == .screen
        let sample = MP4Sample(
            decodeTime: decodeTime, compositionOffset: isPicture ? Int32(clamping: presentationTime - decodeTime) : 0,
            isSync: packet.isKeyframe, data: packet.data)
        let fragment = MP4TrackFragment(
            track: track, samples: [sample],
            lastDuration: isPicture ? timescale * Self.pictureSeconds : track.nominalSampleDuration, shift: 0)
        var writer = ByteWriter(capacity: packet.data.count + 128)
        var positions = MP4TrackFragment.Positions()
        writer.box("moof") { box in
            box.fullBox("mfhd") { $0.u32(sequenceNumber) }
            positions = fragment.write(to: &box)
        }
        writer.overwriteU32(UInt32(writer.count + 8), at: positions.dataOffset)
        writer.u32(UInt32(truncatingIfNeeded: packet.data.count + 8))
        writer.utf8("mdat")
        writer.append(packet.data)
        return Fragment(bytes: writer.bytes, durationPosition: positions.firstDuration)
    }
}
