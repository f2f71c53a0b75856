/// The boxes of the sample table (ISO/IEC 14496-12, 8.6 and 8.7). An empty table writes the empty boxes of a fragmented
/// file.
extension MP4SampleTable {
    /// Writes the boxes in `stbl` after `stsd`. `listsSyncSamples` is true for video; in a track without `stss`, every
    /// sample is a sync sample.
    func writeBoxes(to writer: inout ByteWriter, listsSyncSamples: Bool) {
        writeDurations(to: &writer)
        writeCompositionOffsets(to: &writer)
        if listsSyncSamples, !isEmpty { writeSyncSamples(to: &writer) }
        writeSampleToChunk(to: &writer)
        writeSizes(to: &writer)
        writeChunkOffsets(to: &writer)
    }

    private func writeDurations(to writer: inout ByteWriter) {
        writer.fullBox("stts") { box in
            box.u32(UInt32(durations.count))
            for run in durations {
                box.u32(run.count)
                box.u32(UInt32(clamping: run.value))
            }
        }
    }

    private func writeCompositionOffsets(to writer: inout ByteWriter) {
        guard compositionOffsets.hasOtherThanZero else { return }
        writer.fullBox("ctts", version: compositionOffsets.hasNegative ? 1 : 0) { box in
            box.u32(UInt32(compositionOffsets.count))
            for run in compositionOffsets {
                box.u32(run.count)
                box.i32(run.value)
            }
        }
    }

    private func writeSyncSamples(to writer: inout ByteWriter) {
        writer.fullBox("stss") { box in
            box.u32(UInt32(syncSamples.count))
            var number: UInt64 = 0
            for distance in syncSamples {
                number += distance
                box.u32(UInt32(truncatingIfNeeded: number))
            }
        }
    }

    private func writeSampleToChunk(to writer: inout ByteWriter) {
        writer.fullBox("stsc") { box in
            let countPosition = box.count
            box.u32(0)
            var runCount: UInt32 = 0
            var samplesPerChunk: UInt64 = 0
            for (index, count) in chunkSampleCounts.enumerated() where count != samplesPerChunk {
                samplesPerChunk = count
                runCount += 1
                box.u32(UInt32(index + 1))
                box.u32(UInt32(truncatingIfNeeded: count))
                box.u32(1)
            }
            box.overwriteU32(runCount, at: countPosition)
        }
    }

    private func writeSizes(to writer: inout ByteWriter) {
        writer.fullBox("stsz") { box in
            box.u32(0)
            box.u32(UInt32(sizes.count))
            for size in sizes { box.u32(UInt32(truncatingIfNeeded: size)) }
        }
    }

    private func writeChunkOffsets(to writer: inout ByteWriter) {
        let isWide = lastChunkOffset > UInt64(UInt32.max)
        writer.fullBox(isWide ? "co64" : "stco") { box in
            box.u32(UInt32(chunkDistances.count))
            var offset: UInt64 = 0
            for distance in chunkDistances {
                offset += distance
                if isWide { box.u64(offset) } else { box.u32(UInt32(truncatingIfNeeded: offset)) }
            }
        }
    }
}
