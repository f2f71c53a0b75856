import Glibc

/// CLOCK_MONOTONIC, the clock that is painted and that the beeps follow.
enum MonotonicClock {
    /// Nanoseconds since the machine started.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
