import Media

/// The bytes that the bitrate allows at a moment: a bucket of one second, or less if no frame may be that large, which
/// fills with time and loses every byte that is sent.
struct BitBudget {
    /// How full the buffer of a receiver is when it starts to play, as x264 assumes.
    static let initialShare = 0.9
    /// A bitrate that falls below this share of what it was is that of a line that is full already. What was saved then
    /// waits there: of the new bucket, no more than `shareAfterFall` is left.
    private static let largeFall = 0.9
    private static let shareAfterFall = 0.3
    /// Bytes a second.
    private(set) var rate: Double
    /// The most that it contains, in bytes.
    private(set) var capacity: Double
    /// The bytes in the bucket. Repeat pictures alone can make it negative.
    private(set) var level: Double
    /// The size in bytes that no frame may exceed; nil if only the bitrate limits it.
    private let maximumFrameSize: Int?
    private var time: MediaTime?

    /// - Parameter kilobits: the bitrate in kbit/s.
    init(kilobits: Int, maximumFrameSize: Int? = nil) {
        self.maximumFrameSize = maximumFrameSize
        rate = Double(kilobits) * 125
        capacity = min(rate, maximumFrameSize.map(Double.init) ?? rate)
        level = Self.initialShare * capacity
    }

    mutating func setBitrate(_ kilobits: Int) {
        let hasFallen = Double(kilobits) * 125 < rate * Self.largeFall
        rate = Double(kilobits) * 125
        capacity = min(rate, maximumFrameSize.map(Double.init) ?? rate)
        level = min(level, hasFallen ? Self.shareAfterFall * capacity : capacity)
    }

    /// Fills the bucket up to `time`.
    mutating func advance(to time: MediaTime) {
        if let last = self.time, time > last { level = min(capacity, level + rate * (time - last).seconds) }
        self.time = max(time, self.time ?? time)
    }

    mutating func spend(_ bytes: Int) {
        level -= Double(bytes)
    }
}
