import Glibc
import Synchronization

/// The signals that a full-screen program must hear of, as bytes in a pipe that poll(2) can wait for.
///
/// The handler only writes to the pipe, which signal-safety(7) allows. There is one at a time.
final class TerminalSignals: Sendable {
    /// The pipe's end to poll.
    let descriptor: Int32
    private let writing: Int32
    /// What was done about each signal before.
    private let before: [(number: Int32, action: Action)]

    // @unchecked: only handed back to sigaction(2).
    private struct Action: @unchecked Sendable {
        var value: sigaction
    }

    private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]
    private static let pipe = Atomic<Int32>(-1)

    /// Begins to listen; nil where no pipe can be had.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        descriptor = ends[0]
        writing = ends[1]
        Self.pipe.store(ends[1], ordering: .relaxed)
        before = Self.numbers.map { ($0, Self.listen($0)) }
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    /// The number that came next; nil while there is none.
    func take() -> Int32? {
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1 ? Int32(byte) : nil
    }

    /// As if that signal had come.
    func post(_ number: Int32) {
        Self.post(number, to: writing)
    }

    /// Does what the system would do about the signal: stops the process until it goes on, or ends it.
    func raiseDefault(_ number: Int32) {
        var standard = sigaction()
        standard.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(number, &standard, nil)
        // Threads that Dispatch has made, and theirs, block signals: it would stay pending.
        var mask = sigset_t()
        var before = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, number)
        pthread_sigmask(SIG_UNBLOCK, &mask, &before)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        _ = Self.listen(number)
    }

    /// Stops listening: signals do again what they did before.
    func restore() {
        for (number, action) in before {
            var value = action.value
            sigaction(number, &value, nil)
        }
        Self.pipe.store(-1, ordering: .relaxed)
    }

    /// Gives what was done before. A signal that was ignored, as under nohup(1), stays so.
    private static func listen(_ number: Int32) -> Action {
        var action = sigaction()
        var old = sigaction()
        action.__sigaction_handler.sa_handler = { TerminalSignals.post($0, to: TerminalSignals.pipe.load(ordering: .relaxed)) }
        action.sa_flags = Int32(SA_RESTART)
        sigaction(number, &action, &old)
        if unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { sigaction(number, &old, nil) }
        return Action(value: old)
    }

    private static func post(_ number: Int32, to descriptor: Int32) {
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(descriptor, &byte, 1)
        errno = error
    }
}
