import Concurrency
import Glibc
import Synchronization

/// The keys of a session that shows its status on a terminal.
package enum SessionKey: UInt8, Sendable {
    case pause = 0x70  // p
    case microphone = 0x6d  // m
    case clip = 0x63  // c
    case stop = 0x71  // q
}

/// Reads single keys from the terminal of a session, while the process is in the terminal's foreground.
///
/// Ctrl-C and Ctrl-Z remain signals. In the background the terminal belongs to another program: then nothing is read from
/// it, and its mode stays as it is.
package final class SessionKeys: Sendable {
    private let signals: TerminalSignals
    private let thread: NamedThread

    /// How soon keys are read again after a shell has put the process into the foreground without a signal.
    private static let foregroundCheck: Int32 = 1000

    /// Reads keys on a separate thread until `close`. What was typed before is discarded. Returns nil if standard input is
    /// not the terminal of this process.
    ///
    /// - Parameter onKey: called on that thread.
    package init?(onKey: @escaping @Sendable (SessionKey) -> Void) {
        guard isatty(STDIN_FILENO) != 0, tcgetpgrp(STDIN_FILENO) >= 0,
            let signals = TerminalSignals([SIGTSTP, SIGCONT])
        else { return nil }
        self.signals = signals
        thread = NamedThread(name: "keys") { Self.read(signals, onKey) }
    }

    /// True if the user looks at the status in the terminal on standard input. A program that reads standard output may
    /// read keys from the same terminal, a video player for example.
    package static var isPossible: Bool {
        isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && KeyMode.isForeground
    }

    /// Restores the terminal.
    package func close() async {
        signals.post(0)
        await thread.join()
        signals.restore()
    }

    private static func read(_ signals: TerminalSignals, _ onKey: (SessionKey) -> Void) {
        // A read just after the process has left the foreground fails, and does not stop the process.
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGTTIN)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        defer { KeyMode.leave() }
        var isOpen = true
        while true {
            let takesKeys = isOpen && KeyMode.enter()
            var descriptors = [
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: takesKeys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            ]
            poll(&descriptors, 2, takesKeys || !isOpen ? -1 : foregroundCheck)
            if descriptors[0].revents != 0, let number = signals.take() {
                if number == 0 { return }
                KeyMode.leave()
                // The process is stopped here until it is continued.
                if number == SIGTSTP { signals.raiseDefault(number) }
                continue
            }
            guard descriptors[1].revents != 0, KeyMode.isForeground else { continue }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            if count == 0 || count < 0 && errno != EINTR && errno != EAGAIN && KeyMode.isForeground { isOpen = false }
            if count > 1 {
                // A pasted text, or a key that has no meaning here.
                tcflush(STDIN_FILENO, TCIFLUSH)
            } else if count == 1, let key = SessionKey(rawValue: bytes[0]) {
                onKey(key)
            }
        }
    }
}

/// The mode of the terminal on standard input in which it passes each key on, and shows none.
enum KeyMode {
    /// What the shell expects; nil outside this mode.
    private static let before = Mutex<termios?>(nil)

    /// True if the process may read from the terminal and change it.
    static var isForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// Returns false in the background.
    static func enter() -> Bool {
        guard isForeground else { return false }
        before.withLock { before in
            var mode = termios()
            guard before == nil, tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
            before = mode
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            withUnsafeMutableBytes(of: &mode.c_cc) { characters in
                characters[Int(VMIN)] = 1
                characters[Int(VTIME)] = 0
            }
            // Discards what was typed before.
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
        }
        return true
    }

    /// Restores what was there before. In the background, the shell has done that.
    static func leave() {
        before.withLock { before in
            guard var mode = before else { return }
            if isForeground { tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) }
            before = nil
        }
    }
}
