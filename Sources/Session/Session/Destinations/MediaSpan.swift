import Media

/// The duration of media over several connections, from the times of its packets.
struct MediaSpan {
    private var earlier = MediaTime.zero
    private var current: (start: MediaTime, end: MediaTime)?

    var total: MediaTime { earlier + (current.map { $0.end - $0.start } ?? .zero) }

    mutating func add(_ time: MediaTime) {
        current = (min(current?.start ?? time, time), max(current?.end ?? time, time))
    }

    mutating func endConnection() {
        earlier = total
        current = nil
    }
}
