/// `traf`: the samples of one track in a movie fragment, as one run (ISO/IEC 14496-12, 8.8.6 to 8.8.12).
struct MP4TrackFragment: Sendable {
    let track: MP4Track
    /// Never empty. In video, only the first sample can be a sync sample.
    let samples: [MP4Sample]
    /// Ticks.
    let lastDuration: Int64
    /// The offset in ticks from the session's timeline to that of the fragments. The edit list subtracts it.
    let shift: Int64

    /// Writes the box. Returns the position of the run's data offset field, whose value is not known yet.
    func write(to writer: inout ByteWriter) -> Int {
        var position = 0
        writer.box("traf") { box in
            // Offsets are relative to the start of the `moof`.
            box.fullBox("tfhd", flags: 0x02_0000) { $0.u32(track.id) }
            box.fullBox("tfdt", version: 1) { $0.u64(UInt64(max(0, (samples.first?.decodeTime ?? 0) + shift))) }
            position = writeRun(to: &box)
        }
        return position
    }

    private func writeRun(to writer: inout ByteWriter) -> Int {
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
        var position = 0
        writer.fullBox("trun", version: 1, flags: flags) { box in
            box.u32(UInt32(samples.count))
            position = box.count
            box.u32(0)
            if hasFirstFlags { box.u32(MP4Track.syncSampleFlags) }
            for (sample, duration) in zip(samples, durations) {
                if hasDurations { box.u32(UInt32(clamping: duration)) }
                box.u32(UInt32(truncatingIfNeeded: sample.data.count))
                if hasOffsets { box.i32(sample.compositionOffset) }
            }
        }
        return position
    }
}
