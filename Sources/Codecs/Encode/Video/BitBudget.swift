import Media

/// The bytes that the bitrate allows at a moment: a buffer of one second, which fills with time and loses every byte
/// that is sent.
struct BitBudget {
    /// Bytes a second, and the capacity in bytes.
    private(set) var rate: Double
    /// The bytes in the buffer. It is negative if more was sent than the bitrate allows.
    private(set) var level: Double
    private var time: MediaTime?

    /// - Parameter kilobits: the bitrate in kbit/s.
    init(kilobits: Int) {
        rate = Double(kilobits) * 125
        level = rate
    }

    mutating func setBitrate(_ kilobits: Int) {
        rate = Double(kilobits) * 125
        level = min(level, rate)
    }

    /// Fills the buffer up to `time`.
    mutating func advance(to time: MediaTime) {
        if let last = self.time, time > last { level = min(rate, level + rate * (time - last).seconds) }
        self.time = max(time, self.time ?? time)
    }

    /// True if the buffer is practically full.
    var isFull: Bool { share >= 0.95 }

    /// The part of the buffer that is filled.
    var share: Double { level / rate }

    mutating func spend(_ bytes: Int) {
        level -= Double(bytes)
    }
}
