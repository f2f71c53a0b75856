import Foundation

/// CLOCK_MONOTONIC, the clock that `TestScreen clock` paints.
package enum MonotonicTime {
    /// Nanoseconds since the machine started.
    package static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
