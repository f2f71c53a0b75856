import Glibc

/// Waits for SIGTERM, SIGINT and SIGHUP instead of handling them; the wait is also the pause between two frames. Create
/// it before any thread starts, so that every thread blocks the signals.
struct StopSignals {
    private var set = sigset_t()

    init() {
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits this many nanoseconds (not at all if negative). Returns true as soon as one of the signals arrives.
    func arrive(within nanoseconds: Int64) -> Bool {
        let deadline = MonotonicClock.now() + nanoseconds
        var set = set
        while true {
            let left = max(deadline - MonotonicClock.now(), 0)
            var timeout = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            if sigtimedwait(&set, nil, &timeout) > 0 { return true }
            if errno != EINTR { return false }
        }
    }
}
