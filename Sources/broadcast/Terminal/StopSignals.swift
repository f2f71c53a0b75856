import Concurrency
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP stop a broadcast cleanly; a second one ends the process immediately.
///
/// The handler only posts a semaphore; a thread that waits for it does the rest. sigwait(3) would require that every
/// thread blocks the signals, and the main thread exists before a broadcast starts.
final class StopSignals: Sendable {
    private let isOver = Atomic(false)
    private static let arrived = Arrival()

    /// Installs the handlers. Later threads inherit a mask that blocks the signals, so the handler does not interrupt
    /// them. `onStop` is called on a separate thread.
    init(onStop: @escaping @Sendable () -> Void) {
        let set = Self.caught
        var mask = set
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        let arrived = Self.arrived
        for number in [SIGINT, SIGTERM, SIGHUP] where sigismember(&mask, number) == 1 { Self.handle(number) }
        _ = NamedThread(name: "signals") { [self] in
            var mask = set
            pthread_sigmask(SIG_UNBLOCK, &mask, nil)
            var count = 0
            while true {
                let number = arrived.wait()
                count += 1
                if count > 1 || isOver.load(ordering: .relaxed) { _exit(128 + number) }
                onStop()
            }
        }
    }

    /// The broadcast is over: the next signal ends the process immediately.
    func ignore() {
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
        if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) { sigaddset(&set, SIGHUP) }
        return set
    }
}

/// Passes a signal from the handler to the thread, with only an atomic store and sem_post(3), as signal-safety(7)
/// allows.
// @unchecked: the semaphore exists as long as the process, and any thread may call its functions.
private final class Arrival: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    private let last = Atomic<Int32>(0)

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    func post(_ number: Int32) {
        last.store(number, ordering: .relaxed)
        sem_post(semaphore)
    }

    /// Waits for a signal and returns the number of the latest one.
    func wait() -> Int32 {
        while sem_wait(semaphore) != 0 {}
        return last.load(ordering: .relaxed)
    }
}
