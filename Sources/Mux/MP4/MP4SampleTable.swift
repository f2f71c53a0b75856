/// The sample table of a track in the finished file, collected while fragments are written.
///
/// It stores runs: a sample needs 4 bytes for its size, and 8 more if its duration differs from the previous one.
struct MP4SampleTable: Sendable {
    struct TimeRun: Sendable {
        var count: UInt32
        /// Ticks of the track's timescale.
        var value: Int32
    }

    struct Chunk: Sendable {
        /// The offset from the start of the file in bytes.
        var offset: UInt64
        var sampleCount: UInt32
    }

    /// The size of each sample in bytes.
    private(set) var sizes: [UInt32] = []
    private(set) var durations: [TimeRun] = []
    private(set) var compositionOffsets: [TimeRun] = []
    /// The numbers of the sync samples, starting at 1.
    private(set) var syncSamples: [UInt32] = []
    private(set) var chunks: [Chunk] = []
    /// The first sample's decode and presentation time on the session's timeline, in ticks.
    private(set) var firstDecodeTime: Int64 = 0
    private(set) var firstPresentationTime: Int64 = 0
    private var lastDecodeTime: Int64 = 0
    private var lastPresentationTime: Int64 = 0
    /// The duration of the last sample: that of the one before it, unless `closing(lastDuration:)` sets it.
    private var lastDuration: Int64 = 0

    var isEmpty: Bool { sizes.isEmpty }

    /// The ticks from the first sample's decode time to the end of the last sample.
    var mediaDuration: Int64 { isEmpty ? 0 : lastDecodeTime - firstDecodeTime + lastDuration }

    /// The end of the sample that is shown last, on the session's timeline, in ticks.
    var presentationEnd: Int64 { lastPresentationTime + lastDuration }

    /// Adds a run of adjacent samples that starts at `offset`, with increasing decode times.
    mutating func appendChunk(_ samples: [MP4Sample], offset: UInt64) {
        guard !samples.isEmpty else { return }
        chunks.append(Chunk(offset: offset, sampleCount: UInt32(samples.count)))
        for sample in samples { append(sample) }
    }

    private mutating func append(_ sample: MP4Sample) {
        if isEmpty {
            firstDecodeTime = sample.decodeTime
            firstPresentationTime = sample.presentationTime
            lastPresentationTime = sample.presentationTime
        } else {
            lastDuration = sample.decodeTime - lastDecodeTime
            Self.add(Int32(clamping: lastDuration), to: &durations)
        }
        lastDecodeTime = sample.decodeTime
        lastPresentationTime = max(lastPresentationTime, sample.presentationTime)
        sizes.append(UInt32(truncatingIfNeeded: sample.data.count))
        Self.add(sample.compositionOffset, to: &compositionOffsets)
        if sample.isSync { syncSamples.append(UInt32(sizes.count)) }
    }

    /// Returns the table with the last sample's duration in ticks.
    func closing(lastDuration: Int64) -> MP4SampleTable {
        guard !isEmpty else { return self }
        var table = self
        table.lastDuration = lastDuration
        Self.add(Int32(clamping: lastDuration), to: &table.durations)
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
        let byteCount = sizes.reduce(0) { $0 + UInt64($1) }
        let average = Double(byteCount) * 8 * Double(timescale) / Double(mediaDuration)
        var oldest = durations.lazy.flatMap { repeatElement(Int64($0.value), count: Int($0.count)) }.makeIterator()
        var (first, byteSum, duration, maximum) = (0, UInt64(0), Int64(0), UInt64(0))
        var index = 0
        for run in durations {
            for _ in 0..<run.count {
                byteSum += UInt64(sizes[index])
                duration += Int64(run.value)
                index += 1
                while duration > Int64(timescale), let removed = oldest.next() {
                    byteSum -= UInt64(sizes[first])
                    duration -= removed
                    first += 1
                }
                maximum = max(maximum, byteSum)
            }
        }
        return Bitrates(average: UInt32(clamping: Int64(average)), maximum: UInt32(clamping: max(maximum * 8, UInt64(average))))
    }

    private static func add(_ value: Int32, to runs: inout [TimeRun]) {
        if let last = runs.indices.last, runs[last].value == value {
            runs[last].count += 1
        } else {
            runs.append(TimeRun(count: 1, value: value))
        }
    }
}
