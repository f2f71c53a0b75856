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
        guard compositionOffsets.contains(where: { $0.value != 0 }) else { return }
        let hasNegative = compositionOffsets.contains { $0.value < 0 }
        writer.fullBox("ctts", version: hasNegative ? 1 : 0) { box in
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
            for number in syncSamples { box.u32(number) }
        }
    }

    private func writeSampleToChunk(to writer: inout ByteWriter) {
        writer.fullBox("stsc") { box in
            let countPosition = box.count
            box.u32(0)
            var runCount: UInt32 = 0
            var samplesPerChunk: UInt32 = 0
            for (index, chunk) in chunks.enumerated() where chunk.sampleCount != samplesPerChunk {
                samplesPerChunk = chunk.sampleCount
                runCount += 1
                box.u32(UInt32(index + 1))
                box.u32(samplesPerChunk)
                box.u32(1)
            }
            box.overwriteU32(runCount, at: countPosition)
        }
    }

    private func writeSizes(to writer: inout ByteWriter) {
        writer.fullBox("stsz") { box in
            box.u32(0)
            box.u32(UInt32(sizes.count))
            for size in sizes { box.u32(size) }
        }
    }

    private func writeChunkOffsets(to writer: inout ByteWriter) {
        let isWide = chunks.contains { $0.offset > UInt64(UInt32.max) }
        writer.fullBox(isWide ? "co64" : "stco") { box in
            box.u32(UInt32(chunks.count))
            for chunk in chunks {
                if isWide { box.u64(chunk.offset) } else { box.u32(UInt32(truncatingIfNeeded: chunk.offset)) }
            }
        }
    }
}
