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
    func closing(lastDuration: (_ durationBefore: Int64?) -> Int64) -> MP4SampleTable {
        guard !isEmpty else { return self }
        var table = self
        table.lastDuration = lastDuration(sizes.count > 1 ? self.lastDuration : nil)
        Self.add(Int32(clamping: table.lastDuration), to: &table.durations)
        return table
    }

    private static func add(_ value: Int32, to runs: inout [TimeRun]) {
        if let last = runs.indices.last, runs[last].value == value {
            runs[last].count += 1
        } else {
            runs.append(TimeRun(count: 1, value: value))
        }
    }
}
