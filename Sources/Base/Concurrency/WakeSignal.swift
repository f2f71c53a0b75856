import CLinux
import Glibc

/// Wakes a thread that waits for descriptors in poll(2). Thread-safe.
///
/// It stays signalled until `clear`, so a signal before the wait ends the wait at once. The waiting thread calls
/// `clear` before it reads the state that the signal is about.
package final class WakeSignal: Sendable {
    /// An eventfd(2) that is readable while signalled. It is -1, which poll(2) ignores, if the process has too many
    /// descriptors: then waits end at their deadlines only.
    package let descriptor: Int32

    package init() {
        descriptor = clinux_event_descriptor()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends the current wait, or the next one if no thread waits.
    package func signal() {
        var count: UInt64 = 1
        if descriptor >= 0 { _ = write(descriptor, &count, 8) }
    }

    /// Ends the state that `signal` began.
    package func clear() {
        var count: UInt64 = 0
        if descriptor >= 0 { _ = read(descriptor, &count, 8) }
    }

    /// Blocks until a signal, or until `deadline`, which is `CLOCK_MONOTONIC` in nanoseconds.
    package func wait(until deadline: Int64) {
        while case let rest = deadline - SessionClock.monotonic(), rest > 0,
            clinux_poll_input(descriptor, -1, rest) == 0
        {}
    }

    /// True from `signal` to `clear`.
    package var isSignalled: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
