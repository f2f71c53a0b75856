import Synchronization

/// The writability of the channel, for the task that sends. Thread-safe.
///
/// A task that waits for the event loop after each packet wakes up once more for each. With this it passes packets on
/// while the channel is writable, and waits otherwise. The channel knows nothing of the packets that are on their way
/// to the event loop, so this counts them.
package final class SendWindow: Sendable {
    /// The bytes that may be on their way to the channel, which is not writable above half of that. A single packet may
    /// be larger.
    private static let capacity = 64 << 10

    private let isOpen = Atomic(false)
    /// True from the end of the stream on. Only the event loop uses it.
    private let isOver = Atomic(false)
    /// Bytes.
    private let onTheWay = Atomic(0)

    package init() {}

    /// Sets whether the channel accepts packets. After `end`, it accepts none. Call it on the event loop.
    package func set(isOpen: Bool) {
        self.isOpen.store(isOpen && !isOver.load(ordering: .relaxed), ordering: .relaxed)
    }

    /// Notes that the stream ends, so that no packet enters any more, also if the channel becomes writable again. Call
    /// it on the event loop.
    package func end() {
        isOver.store(true, ordering: .relaxed)
        isOpen.store(false, ordering: .relaxed)
    }

    /// Counts a packet as on its way. Returns false if the task must wait for the event loop instead. Call it from one
    /// task at a time.
    package func enter(byteCount: Int) -> Bool {
        let before = onTheWay.load(ordering: .relaxed)
        guard isOpen.load(ordering: .relaxed), before == 0 || before + byteCount <= Self.capacity else { return false }
        onTheWay.add(byteCount, ordering: .relaxed)
        return true
    }

    /// Counts a packet as passed to the channel. Call it on the event loop.
    package func leave(byteCount: Int) {
        onTheWay.subtract(byteCount, ordering: .relaxed)
    }
}
