import Foundation

/// Threads for calls that block (`poll`, `recv`), so that no test blocks a thread of Swift's pool.
enum BlockingQueue {
    private static let queue = DispatchQueue(label: "blocking calls of tests", attributes: .concurrent)

    /// Runs the function on a thread of its own.
    static func run(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
    }

    /// Suspends until the descriptor is ready for `events` (`POLLIN`, `POLLOUT`) or has an error, or the deadline
    /// passes. Gives false in the last case. The descriptor must stay open until it returns.
    static func wait(for events: Int32, on descriptor: Int32, until end: ContinuousClock.Instant) async -> Bool {
        await withCheckedContinuation { continuation in
            run {
                while true {
                    let rest = ContinuousClock.now.duration(to: end)
                    guard rest > .zero else { return continuation.resume(returning: false) }
                    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
                    let milliseconds = Int32(
                        clamping: rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000
                            + 1)
                    let count = poll(&entry, 1, milliseconds)
                    if count > 0 { return continuation.resume(returning: true) }
                    if count < 0, errno != EINTR { return continuation.resume(returning: true) }
                }
            }
        }
    }
}
