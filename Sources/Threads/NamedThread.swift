import CLinux
import Glibc
import Synchronization

/// A thread with a name of its own in `top -H` and in debuggers, for a source or an encoder that blocks.
package final class NamedThread: Sendable {
    private struct State {
        var isFinished = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Runs `body` on a new thread. The name is cut to the 15 bytes that Linux keeps.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Start(name: String(name.prefix(15))) { [self] in
            body()
            finish()
        }
        // Where no thread can be had the body runs here rather than never.
        if !Self.launch(start) { start.body() }
    }

    /// Runs `body` on a new thread that nobody joins; false where none can be had.
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

    /// Runs `body` on a new thread, and suspends until it has said how its opening went; it goes on after that.
    ///
    /// - Parameter body: calls its argument exactly once.
    package static func open<Value: Sendable, Failure: Error>(
        name: String, _ body: @escaping @Sendable (_ opened: (Result<Value, Failure>) -> Void) -> Void
    ) async throws(Failure) -> (NamedThread, Value) {
        let thread = Mutex<NamedThread?>(nil)
        let result = await withCheckedContinuation { continuation in
            let started = NamedThread(name: name) { body { continuation.resume(returning: $0) } }
            thread.withLock { $0 = started }
        }
        let started = thread.withLock { $0 } ?? NamedThread(name: name) {}
        return (started, try result.get())
    }

    /// Suspends until the body has returned.
    package func join() async {
        await withCheckedContinuation { continuation in
            let isFinished = state.withLock { state -> Bool in
                if !state.isFinished { state.waiters.append(continuation) }
                return state.isFinished
            }
            if isFinished { continuation.resume() }
        }
    }

    private func finish() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
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
