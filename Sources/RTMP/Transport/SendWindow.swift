import Synchronization

/// Lets a task pass packets to the event loop without waiting for it, as long as the channel is writable. Thread-safe.
///
/// A task that waits for the event loop after each packet wakes up once more for each.
final class SendWindow: Sendable {
    /// The number of packets that may be on their way to the channel.
    private static let capacity = 8

    private let isOpen = Atomic(false)
    private let onTheWay = Atomic(0)

    /// Sets whether the channel accepts packets. Call it on the event loop.
    func set(isOpen: Bool) {
        self.isOpen.store(isOpen, ordering: .relaxed)
    }

    /// Counts a packet as on its way. Returns false if the task must wait for the event loop instead. Call it from one task at a time.
    func enter() -> Bool {
        guard isOpen.load(ordering: .relaxed), onTheWay.load(ordering: .relaxed) < Self.capacity else { return false }
        onTheWay.add(1, ordering: .relaxed)
        return true
    }

    /// Counts a packet as passed to the channel, or as discarded. Call it on the event loop.
    func leave() {
        onTheWay.subtract(1, ordering: .relaxed)
    }
}
