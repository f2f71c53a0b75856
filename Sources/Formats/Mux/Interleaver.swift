/// Puts what belongs to several tracks into the order of time. An element waits for the other tracks, for 2 s at most.
struct Interleaver<Element: Sendable>: Sendable {
    /// The longest wait for a track, in milliseconds.
    private static var longestWait: Int64 { 2000 }

    /// The last time of each track, in milliseconds.
    private var last: [Int64]
    /// The elements that wait, in the order of time.
    private var waiting: [(time: Int64, element: Element)] = []

    init(trackCount: Int) {
        last = Array(repeating: .min / 2, count: trackCount)
    }

    /// Takes an element of a track. Returns those that no earlier one can follow any more.
    ///
    /// - Parameter time: in milliseconds. The times of one track must not decrease.
    mutating func add(_ element: Element, time: Int64, track: Int) -> [Element] {
        last[track] = max(last[track], time)
        waiting.insert((time, element), at: waiting.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0)
        let complete = max(last.min() ?? time, (last.max() ?? time) - Self.longestWait)
        let count = waiting.firstIndex { $0.time > complete } ?? waiting.count
        defer { waiting.removeFirst(count) }
        return waiting[..<count].map(\.element)
    }

    /// Returns what still waits.
    mutating func end() -> [Element] {
        defer { waiting = [] }
        return waiting.map(\.element)
    }
}
