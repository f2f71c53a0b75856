import Glibc
import Media

/// The session's clock: `CLOCK_MONOTONIC` relative to the session's start.
///
/// The capture code reads it, and so do threads that wait. Later stages of the pipeline do not read a clock.
package struct SessionClock: Sendable {
    /// The value of `CLOCK_MONOTONIC` in nanoseconds at the session's start.
    package let origin: Int64

    /// Creates a clock that starts now.
    package init() {
        origin = Self.monotonic()
    }

    /// The time since the session's start.
    package var now: MediaTime { MediaTime(nanoseconds: Self.monotonic() - origin) }

    /// Blocks the thread until `time`. Returns immediately if that time has passed.
    package func sleep(until time: MediaTime) {
        let absolute = origin + time.nanoseconds
        var deadline = timespec(tv_sec: Int(absolute / 1_000_000_000), tv_nsec: Int(absolute % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
    }

    /// Returns the value of `CLOCK_MONOTONIC` in nanoseconds after `limit`, for `Monitor.wait(until:for:)`.
    package static func deadline(after limit: Duration) -> Int64 { monotonic() + MediaTime(limit).nanoseconds }

    /// Returns `CLOCK_MONOTONIC` in nanoseconds.
    package static func monotonic() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
