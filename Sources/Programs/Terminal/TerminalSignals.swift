import Glibc
import Processes
import Synchronization

/// The signals that a program must handle while it changes the mode of the terminal, as bytes in a pipe for poll(2).
///
/// The handler only writes to the pipe, which signal-safety(7) allows. At most one instance may exist.
package final class TerminalSignals: Sendable {
    private let reading: FileDescriptor
    private let writing: FileDescriptor
    /// The previous action of each signal.
    private let before: [(number: Int32, action: Action)]

    // @unchecked: the value is only passed back to sigaction(2).
    private struct Action: @unchecked Sendable {
        var value: sigaction
    }

    /// The signals that a full-screen program must handle.
    package static let fullScreen = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]
    private static let pipe = Atomic<Int32>(-1)

    /// Installs the handlers. Returns nil if no pipe can be created.
    package init?(_ numbers: [Int32] = TerminalSignals.fullScreen) {
        guard var pipe = try? Pipe(), let reading = pipe.takeReading(), let writing = pipe.takeWriting() else {
            return nil
        }
        reading.setNonBlocking()
        writing.setNonBlocking()
        Self.pipe.store(writing.raw, ordering: .relaxed)
        self.reading = reading
        self.writing = writing
        before = numbers.map { ($0, Self.listen($0)) }
    }

    /// The read end of the pipe, for poll(2).
    package var descriptor: Int32 { reading.raw }

    /// Returns the next signal number; nil if no signal is pending.
    package func take() -> Int32? {
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1 ? Int32(byte) : nil
    }

    /// Adds a signal to the pipe, as if it had been delivered.
    package func post(_ number: Int32) {
        Self.post(number, to: writing.raw)
    }

    /// Performs the default action of the signal: stops the process until it is continued, or ends it.
    package func raiseDefault(_ number: Int32) {
        var standard = sigaction()
        standard.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(number, &standard, nil)
        Self.raise(number)
        _ = Self.listen(number)
    }

    /// Sends a signal to this thread. Dispatch's threads, and threads that they create, block signals, so the signal
    /// would stay pending.
    static func raise(_ number: Int32) {
        var mask = sigset_t()
        var before = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, number)
        pthread_sigmask(SIG_UNBLOCK, &mask, &before)
        Glibc.raise(number)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Restores the previous actions of the signals.
    package func restore() {
        for (number, action) in before {
            var value = action.value
            sigaction(number, &value, nil)
        }
        Self.pipe.store(-1, ordering: .relaxed)
    }

    /// Installs a handler and returns the previous action. A signal that was ignored, as under nohup(1), stays ignored.
    private static func listen(_ number: Int32) -> Action {
        var action = sigaction()
        var old = sigaction()
        action.__sigaction_handler.sa_handler = {
            TerminalSignals.post($0, to: TerminalSignals.pipe.load(ordering: .relaxed))
        }
        action.sa_flags = Int32(SA_RESTART)
        sigaction(number, &action, &old)
        if unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            sigaction(number, &old, nil)
        }
        return Action(value: old)
    }

    private static func post(_ number: Int32, to descriptor: Int32) {
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(descriptor, &byte, 1)
        errno = error
    }
}
