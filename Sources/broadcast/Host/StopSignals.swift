import Session
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Musl
#endif

/// SIGINT, SIGTERM and SIGHUP end a broadcast cleanly; a second one of them ends the process at once.
///
/// The signals are blocked in every thread and taken by one that waits for them, so that no handler interrupts anything.
final class StopSignals: Sendable {
    private let isOver = Atomic(false)

    /// Must be made before other threads are, which inherit the mask. `onStop` is called on a thread of its own.
    init(onStop: @escaping @Sendable () -> Void) {
        let set = Self.blocked
        var mask = set
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        _ = NamedThread(name: "signals") { [self] in
            var count = 0
            while true {
                var waited = set
                var number: Int32 = 0
                guard sigwait(&waited, &number) == 0 else { continue }
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

    /// SIGHUP only where it is not ignored: under nohup it stays so.
    private static var blocked: sigset_t {
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
