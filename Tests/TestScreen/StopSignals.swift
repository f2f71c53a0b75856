import Glibc

/// SIGTERM, SIGINT and SIGHUP, waited for instead of handled: the wait is also the pause between two frames.
/// Make it before any thread is started, so that every thread has them blocked.
struct StopSignals {
    private var set = sigset_t()

    init() {
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits so many nanoseconds (not at all if negative). True as soon as one of the signals has come.
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
