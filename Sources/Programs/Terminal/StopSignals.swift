import Concurrency
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP stop a broadcast cleanly; a second SIGINT or SIGTERM ends the process immediately.
///
/// Signals within half a second are one: timeout(1) sends the same to the process and to its group.
///
/// SIGHUP never ends the process immediately: if a terminal is closed, its shell and the kernel both send one.
///
/// The handler only posts a semaphore; a thread that waits for it does the rest. sigwait(3) would require that every
/// thread blocks the signals, and the main thread exists before a broadcast starts.
package final class StopSignals: Sendable {
    private let isOver = Atomic(false)
    private static let arrived = Arrival()

    /// Installs the handlers. Later threads inherit a mask that blocks the signals, so the handler does not interrupt
    /// them. `onStop` is called once, on a separate thread, with the number of the first signal.
    package init(onStop: @escaping @Sendable (Int32) -> Void) {
        let set = Self.caught
        var mask = set
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        let arrived = Self.arrived
        for number in [SIGINT, SIGTERM, SIGHUP] where sigismember(&mask, number) == 1 { Self.handle(number) }
        _ = NamedThread(name: "signals") { [self] in
            var mask = set
            pthread_sigmask(SIG_UNBLOCK, &mask, nil)
            var isStopping = false
            while true {
                let signal = arrived.wait()
                if signal.isUrgent || (signal.requests > 0 && isOver.load(ordering: .relaxed)) {
                    KeyMode.leave()
                    _exit(128 + signal.number)
                }
                if !isStopping { onStop(signal.number) }
                isStopping = true
            }
        }
    }

    /// The broadcast is over: the next SIGINT or SIGTERM ends the process immediately.
    package func ignore() {
        isOver.store(true, ordering: .relaxed)
    }

    private static func handle(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { StopSignals.arrived.post($0) }
        action.sa_flags = Int32(SA_RESTART)
        sigaction(number, &action, nil)
    }

    /// The handled signals. SIGHUP is left out if it is ignored, as under nohup(1).
    private static var caught: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) {
            sigaddset(&set, SIGHUP)
        }
        return set
    }
}

/// Passes a signal from the handler to the thread, with only an atomic store and sem_post(3), as signal-safety(7)
/// allows.
// @unchecked: the semaphore exists as long as the process, and any thread may call its functions.
private final class Arrival: @unchecked Sendable {
    /// What has arrived up to now.
    struct Signals {
        /// The latest SIGINT or SIGTERM; SIGHUP if there was none.
        var number: Int32
        /// How many of them were SIGINT or SIGTERM, which a person or a program sends on purpose.
        var requests: Int
        var isUrgent: Bool { requests > 1 }
    }

    private let semaphore: UnsafeMutablePointer<sem_t>
    private let last = Atomic<Int32>(SIGHUP)
    private let requests = Atomic(0)
    /// CLOCK_MONOTONIC in nanoseconds of the first SIGINT or SIGTERM; 0 before it.
    private let first = Atomic<Int64>(0)
    private static let sameRequest: Int64 = 500_000_000

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    func post(_ number: Int32) {
        if number != SIGHUP {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            let now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
            let (isFirst, earlier) = first.compareExchange(expected: 0, desired: now, ordering: .relaxed)
            guard isFirst || now - earlier >= Self.sameRequest else { return }
            last.store(number, ordering: .relaxed)
            requests.add(1, ordering: .relaxed)
        }
        sem_post(semaphore)
    }

    /// Waits for a signal.
    func wait() -> Signals {
        while sem_wait(semaphore) != 0 {}
        return Signals(number: last.load(ordering: .relaxed), requests: requests.load(ordering: .relaxed))
    }
}
