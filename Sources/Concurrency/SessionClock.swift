import Glibc
import Media

/// The session's clock: `CLOCK_MONOTONIC`, counted from the session's start.
///
/// It is read where data is taken, and by the threads that wait; nothing further down the pipeline asks for the time.
package struct SessionClock: Sendable {
    /// `CLOCK_MONOTONIC` nanoseconds at the session's start.
    package let origin: Int64

    /// A clock that starts now.
    package init() {
        origin = Self.monotonic()
    }

    /// The time since the session's start.
    package var now: MediaTime { MediaTime(nanoseconds: Self.monotonic() - origin) }

    /// Sleeps until `time`, or returns at once where it has passed.
    package func sleep(until time: MediaTime) {
        let absolute = origin + time.nanoseconds
        var deadline = timespec(tv_sec: Int(absolute / 1_000_000_000), tv_nsec: Int(absolute % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
    }

    /// `CLOCK_MONOTONIC` in nanoseconds.
    package static func monotonic() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
