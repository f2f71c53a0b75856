import Glibc
import Synchronization

/// The mode of the terminal on standard input in which it passes each key on, and shows none. However the process ends,
/// the terminal gets back the mode that the shell expects.
enum KeyMode {
    private static let isEntered = Mutex(false)

    /// True if the process may read from the terminal and change it.
    static var isForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// Discards what was typed before. Returns false in the background.
    static func enter() -> Bool {
        guard isForeground else { return false }
        isEntered.withLock { isEntered in
            var mode = termios()
            guard !isEntered, tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
            isEntered = true
            Crash.restoreAfter(mode)
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            withUnsafeMutableBytes(of: &mode.c_cc) { characters in
                characters[Int(VMIN)] = 1
                characters[Int(VTIME)] = 0
            }
            set(mode)
            tcflush(STDIN_FILENO, TCIFLUSH)
        }
        return true
    }

    /// Restores what was there before. In the background, the shell has done that.
    static func leave() {
        isEntered.withLock { isEntered in
            guard isEntered else { return }
            isEntered = false
            if isForeground { set(Crash.mode.pointee) }
            Crash.isArmed.store(false, ordering: .relaxed)
        }
    }

    /// Changes the mode at once. To wait for the output would be to wait for ever while Ctrl-S stops it.
    private static func set(_ mode: termios) {
        // The process may have left the foreground just now; that must not stop it.
        var mask = sigset_t()
        var before = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &mask, &before)
        var mode = mode
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// The end of the process by an error of its own. A signal handler may not allocate, so the memory is static.
    private enum Crash {
        /// What the shell expects.
        nonisolated(unsafe) static let mode = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        nonisolated(unsafe) private static let older = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        static let isArmed = Atomic(false)
        private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]
        private static let install: Void = {
            for number in signals {
                var action = sigaction()
                action.__sigaction_handler.sa_handler = restore
                sigaction(number, &action, older + Int(number))
            }
        }()

        /// Makes a crash restore `mode`.
        static func restoreAfter(_ mode: termios) {
            self.mode.initialize(to: mode)
            isArmed.store(true, ordering: .releasing)
            install
        }

        /// Uses only functions that signal-safety(7) allows. What handled the signal before handles it after this.
        private static let restore: @convention(c) (Int32) -> Void = { number in
            if isArmed.load(ordering: .acquiring) { tcsetattr(STDIN_FILENO, TCSANOW, mode) }
            sigaction(number, older + Int(number), nil)
            raise(number)
        }
    }
}
