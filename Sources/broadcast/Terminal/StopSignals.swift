import Concurrency
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP end a broadcast cleanly; a second one of them ends the process at once.
///
/// The handler only posts a semaphore, and a thread that waits for it does the rest. Taking the signals with sigwait(3) instead would
/// need them blocked in every thread, and the main thread stood before any broadcast was asked for.
final class StopSignals: Sendable {
    private let isOver = Atomic(false)
    private static let arrived = Arrival()

    /// Threads that are made afterwards inherit a mask without the signals, so that the handler interrupts none of them.
    /// `onStop` is called on a thread of its own.
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

    /// The broadcast is over: the next signal ends the process.
    func ignore() {
        isOver.store(true, ordering: .relaxed)
    }

    private static func handle(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { StopSignals.arrived.post($0) }
        action.sa_flags = Int32(SA_RESTART)
        sigaction(number, &action, nil)
    }

    /// SIGHUP only where it is not ignored: under nohup it stays so.
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

/// How the handler tells the thread: nothing but an atomic store and sem_post(3), which signal-safety(7) allows.
// @unchecked: the semaphore lives as long as the process, and its calls may come from any thread.
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

    /// The number of the signal that came last, once one has come.
    func wait() -> Int32 {
        while sem_wait(semaphore) != 0 {}
        return last.load(ordering: .relaxed)
    }
}
