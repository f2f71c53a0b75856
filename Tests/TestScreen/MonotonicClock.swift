import Glibc

/// CLOCK_MONOTONIC, the clock of the painted time and of the beeps.
enum MonotonicClock {
    /// Nanoseconds since the start of the machine.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
