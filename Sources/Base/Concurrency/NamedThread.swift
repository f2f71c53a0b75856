import CLinux
import Glibc

/// A thread with a name for `top -H` and debuggers, for a device or an encoder that blocks. A write to a pipe or a
/// socket without a reader fails with EPIPE on it, and sends no SIGPIPE, whose default ends the process.
package final class NamedThread: Sendable {
    private let finished = Once<Void>()

    /// The number of attempts to create a thread, 10 ms apart. Another program can use up the limit for a short time.
    private static let attempts = 100

    /// Runs `body` on a new thread. The kernel keeps 15 bytes of the name.
    ///
    /// If the system cannot create a thread for one second, the process ends with a message: without the thread the
    /// session cannot continue, and the body would block the caller. The call blocks during that second. A recording is
    /// playable up to its last fragment.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Start(name: String(name.prefix(15))) { [finished] in
            body()
            finished.set(())
        }
        for _ in 0..<Self.attempts {
            if Self.launch(start) { return }
            usleep(10_000)
        }
        fatalError("The system has no thread left for \(name). Raise the limit of processes (ulimit -u) or of memory.")
    }

    /// Runs `body` on a new thread that cannot be joined. Returns false if the system cannot create a thread.
    package static func detach(name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        launch(Start(name: String(name.prefix(15)), body: body))
    }

    private static func launch(_ start: Start) -> Bool {
        var thread = pthread_t()
        let pointer = Unmanaged.passRetained(start).toOpaque()
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                let start = Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
                clinux_set_thread_name(start.name)
                NamedThread.blockBrokenPipe()
                start.body()
                return nil
            }, pointer)
        if code == 0 {
            pthread_detach(thread)
        } else {
            Unmanaged<Start>.fromOpaque(pointer).release()
        }
        return code == 0
    }

    /// Blocks SIGPIPE on the calling thread (pthread_sigmask(3)).
    private static func blockBrokenPipe() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Runs `body` on a new thread. Suspends until it reports the result of its opening; the body continues after that.
    ///
    /// - Parameter body: calls its argument exactly once.
    package static func open<Value: Sendable, Failure: Error>(
        name: String, _ body: @escaping @Sendable (_ opened: (Result<Value, Failure>) -> Void) -> Void
    ) async throws(Failure) -> (NamedThread, Value) {
        let opening = Once<Result<Value, Failure>>()
        let thread = NamedThread(name: name) { body { opening.set($0) } }
        return (thread, try await opening.value.get())
    }

    /// Runs `body` on a new thread, where it may block. Suspends until it has returned.
    package static func run<Value: Sendable>(name: String, _ body: @escaping @Sendable () -> Value) async -> Value {
        let result = Once<Value>()
        _ = NamedThread(name: name) { result.set(body()) }
        return await result.value
    }

    /// Suspends until the body has returned.
    package func join() async {
        await finished.value
    }

    /// Suspends until the body has returned, for at most `limit`. Returns false after that; the thread continues to
    /// run.
    package func join(within limit: Duration) async -> Bool {
        await finished.value(within: limit) != nil
    }

    private final class Start {
        let name: String
        let body: () -> Void

        init(name: String, body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
