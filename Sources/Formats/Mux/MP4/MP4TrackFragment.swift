/// `traf`: the samples of one track in a movie fragment, as one run (ISO/IEC 14496-12, 8.8.6 to 8.8.12).
struct MP4TrackFragment: Sendable {
    let track: MP4Track
    /// Never empty. In video, only the first sample can be a sync sample.
    let samples: [MP4Sample]
    /// Ticks.
    let lastDuration: Int64
    /// The offset in ticks from the session's timeline to that of the fragments. The edit list subtracts it.
    let shift: Int64

    /// Where fields of the run are in the writer.
    struct Positions: Sendable {
        /// The data offset, whose value is not known yet.
        var dataOffset = 0
        /// The duration of the first sample; nil if it has no field of its own.
        var firstDuration: Int?
    }

    /// Writes the box.
    func write(to writer: inout ByteWriter) -> Positions {
        var positions = Positions()
        writer.box("traf") { box in
            // Offsets are relative to the start of the `moof`.
            box.fullBox("tfhd", flags: 0x02_0000) { $0.u32(track.id) }
            box.fullBox("tfdt", version: 1) { $0.u64(UInt64(max(0, (samples.first?.decodeTime ?? 0) + shift))) }
            positions = writeRun(to: &box)
        }
        return positions
    }

    private func writeRun(to writer: inout ByteWriter) -> Positions {
        let isSyncFirst = samples.first?.isSync ?? false
        let hasFirstFlags = isSyncFirst && track.defaultSampleFlags != MP4Track.syncSampleFlags
        let hasOffsets = samples.contains { $0.compositionOffset != 0 }
        let durations = samples.indices.map { index in
            index + 1 < samples.count ? samples[index + 1].decodeTime - samples[index].decodeTime : lastDuration
        }
        let hasDurations = durations.contains { $0 != track.nominalSampleDuration }
        var flags: UInt32 = 0x1 | 0x200
        if hasFirstFlags { flags |= 0x4 }
        if hasDurations { flags |= 0x100 }
        if hasOffsets { flags |= 0x800 }
        var positions = Positions()
        writer.fullBox("trun", version: 1, flags: flags) { box in
            box.u32(UInt32(samples.count))
            positions.dataOffset = box.count
            box.u32(0)
            if hasFirstFlags { box.u32(MP4Track.syncSampleFlags) }
            if hasDurations { positions.firstDuration = box.count }
            for (sample, duration) in zip(samples, durations) {
                if hasDurations { box.u32(UInt32(clamping: duration)) }
                box.u32(UInt32(truncatingIfNeeded: sample.data.count))
                if hasOffsets { box.i32(sample.compositionOffset) }
            }
        }
        return positions
    }
}
