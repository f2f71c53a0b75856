import Glibc
import Synchronization

/// A file descriptor in a message. It is closed with the last reference, unless it was taken.
package final class BusDescriptor: Equatable, Sendable {
    private let raw: Mutex<Int32>

    /// - Parameter raw: the descriptor, which this object closes.
    package init(owning raw: Int32) {
        self.raw = Mutex(raw)
    }

    deinit {
        let raw = take()
        if raw >= 0 { close(raw) }
    }

    /// Returns the descriptor, which the caller closes from now on. Returns -1 if it was taken before.
    package func take() -> Int32 {
        raw.withLock { raw in
            defer { raw = -1 }
            return raw
        }
    }

    /// Calls `body` with the descriptor, which stays open.
    func withRaw(_ body: (Int32) -> Void) {
        raw.withLock { body($0) }
    }

    package static func == (one: BusDescriptor, other: BusDescriptor) -> Bool { one === other }
}
