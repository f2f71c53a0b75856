/// The sample table of a track in the finished file, collected while fragments are written.
///
/// A sample needs one to three bytes for its size, and some more if its duration differs from the previous one. With a
/// store, they leave the memory (`NumberLog`).
struct MP4SampleTable: Sendable {
    /// The size of each sample in bytes.
    private(set) var sizes: NumberLog
    /// In ticks of the track's timescale.
    private(set) var durations: RunLog
    private(set) var compositionOffsets: RunLog
    /// The numbers of the sync samples, starting at 1: each minus the one before it.
    private(set) var syncSamples: NumberLog
    /// The offset of each chunk from the start of the file, minus that of the chunk before it.
    private(set) var chunkDistances: NumberLog
    private(set) var chunkSampleCounts: NumberLog
    private(set) var lastChunkOffset: UInt64 = 0
    private var lastSyncSample = 0
    /// The first sample's decode and presentation time on the session's timeline, in ticks.
    private(set) var firstDecodeTime: Int64 = 0
    private(set) var firstPresentationTime: Int64 = 0
    private var lastDecodeTime: Int64 = 0
    private var lastPresentationTime: Int64 = 0
    /// The duration of the last sample: that of the one before it, unless `closing(lastDuration:)` sets it.
    private var lastDuration: Int64 = 0

    init(store: (any SpillStore)? = nil) {
        sizes = NumberLog(store: store)
        durations = RunLog(store: store)
        compositionOffsets = RunLog(store: store)
        syncSamples = NumberLog(store: store)
        chunkDistances = NumberLog(store: store)
        chunkSampleCounts = NumberLog(store: store)
    }

    /// Reads what left the memory back. Returns false if that is not possible.
    mutating func recall() -> Bool {
        [
            sizes.recall(), durations.recall(), compositionOffsets.recall(), syncSamples.recall(),
            chunkDistances.recall(),
            chunkSampleCounts.recall(),
        ].allSatisfy(\.self)
    }

    var isEmpty: Bool { sizes.count == 0 }

    /// The ticks from the first sample's decode time to the end of the last sample.
    var mediaDuration: Int64 { isEmpty ? 0 : lastDecodeTime - firstDecodeTime + lastDuration }

    /// The presentation time of the sample that is shown last, on the session's timeline, in ticks.
    var lastTime: Int64 { lastPresentationTime }

    /// The end of the sample that is shown last, on the session's timeline, in ticks.
    var presentationEnd: Int64 { lastPresentationTime + lastDuration }

    /// Adds a run of adjacent samples that starts at `offset`, with increasing decode times. The offsets increase too.
    mutating func appendChunk(_ samples: [MP4Sample], offset: UInt64) {
        guard !samples.isEmpty else { return }
        chunkDistances.append(offset - lastChunkOffset)
        chunkSampleCounts.append(UInt64(samples.count))
        lastChunkOffset = offset
        for sample in samples { append(sample) }
    }

    private mutating func append(_ sample: MP4Sample) {
        if isEmpty {
            firstDecodeTime = sample.decodeTime
            firstPresentationTime = sample.presentationTime
            lastPresentationTime = sample.presentationTime
        } else {
            lastDuration = sample.decodeTime - lastDecodeTime
            durations.append(Int32(clamping: lastDuration))
        }
        lastDecodeTime = sample.decodeTime
        lastPresentationTime = max(lastPresentationTime, sample.presentationTime)
        sizes.append(UInt64(sample.data.count))
        compositionOffsets.append(sample.compositionOffset)
        guard sample.isSync else { return }
        syncSamples.append(UInt64(sizes.count - lastSyncSample))
        lastSyncSample = sizes.count
    }

    /// Returns the table with the last sample's duration in ticks.
    func closing(lastDuration: Int64) -> MP4SampleTable {
        guard !isEmpty else { return self }
        var table = self
        table.lastDuration = lastDuration
        table.durations.append(Int32(clamping: lastDuration))
        return table
    }

    /// The bitrates of a track, in bit/s.
    struct Bitrates: Sendable, Equatable {
        var average: UInt32
        /// The maximum over any second (ISO/IEC 14496-1, 7.2.6.6.2).
        var maximum: UInt32
    }

    /// Returns the bitrates of the samples; nil without samples.
    ///
    /// - Parameter timescale: ticks per second.
    func bitrates(timescale: UInt32) -> Bitrates? {
        guard mediaDuration > 0 else { return nil }
        let byteCount = sizes.reduce(0, +)
        let average = Double(byteCount) * 8 * Double(timescale) / Double(mediaDuration)
        var (newSizes, oldSizes) = (sizes.makeIterator(), sizes.makeIterator())
        var oldDurations = durations.lazy.flatMap { repeatElement(Int64($0.value), count: Int($0.count)) }
            .makeIterator()
        var (byteSum, duration, maximum) = (UInt64(0), Int64(0), UInt64(0))
        for run in durations {
            for _ in 0..<run.count {
                byteSum += newSizes.next() ?? 0
                duration += Int64(run.value)
                while duration > Int64(timescale), let removed = oldDurations.next() {
                    byteSum -= oldSizes.next() ?? 0
                    duration -= removed
                }
                maximum = max(maximum, byteSum)
            }
        }
        return Bitrates(
            average: UInt32(clamping: Int64(average)), maximum: UInt32(clamping: max(maximum * 8, UInt64(average))))
    }
}
