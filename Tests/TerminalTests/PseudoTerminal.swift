import Concurrency
import Glibc

/// A terminal on standard input and standard error, for a test in a process of its own: what a person types, and what
/// the program shows.
final class PseudoTerminal: Sendable {
    private let master: Int32
    private let slave: Int32
    private let shown = Monitor<[UInt8]>([])

    /// Opens it in place of standard input and standard error.
    init(columns: UInt16 = 80, rows: UInt16 = 24) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        var ends: (master: Int32, slave: Int32) = (-1, -1)
        guard openpty(&ends.master, &ends.slave, nil, nil, &size) == 0 else { exit(90) }
        (master, slave) = ends
        dup2(slave, STDIN_FILENO)
        dup2(slave, STDERR_FILENO)
        _ = NamedThread.detach(name: "screen") { [master, shown] in
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(master, &bytes, bytes.count)
                guard count > 0 else { return }
                shown.update { $0 += bytes[..<count] }
            }
        }
    }

    /// What was shown up to now, with the line ends of the program.
    var text: String { shown.withLock { Self.text($0) } }

    /// Waits until that is shown. Returns false if it is not shown in time.
    func wait(for text: String) -> Bool {
        shown.wait(until: SessionClock.deadline(after: .seconds(60))) { Self.text($0).contains(text) ? true : nil }
            ?? false
    }

    /// Types this text.
    func type(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 else { exit(92) }
            rest = rest.dropFirst(count)
        }
    }

    /// Types `answer` when `prompt` is shown.
    func answer(_ prompt: String, with answer: String) {
        whenShown(prompt) { [self] in type(answer) }
    }

    /// Runs `body` on a thread of its own when `text` is shown.
    func whenShown(_ text: String, _ body: @escaping @Sendable () -> Void) {
        _ = NamedThread.detach(name: "typist") { [self] in
            guard wait(for: text) else { exit(93) }
            body()
        }
    }

    /// Makes it the terminal of this process, which is in its foreground then.
    func takeControl() {
        guard setsid() >= 0, ioctl(slave, UInt(TIOCSCTTY), 0) == 0 else { exit(95) }
    }

    /// Puts a process group into the foreground.
    func setForeground(_ group: pid_t) {
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        guard tcsetpgrp(slave, group) == 0 else { exit(96) }
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    }

    /// Waits until the mode of the terminal is ordinary, or not. Returns false if that does not happen in time.
    func wait(forOrdinary isOrdinary: Bool) -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while self.isOrdinary != isOrdinary {
            guard ContinuousClock.now < end else { return false }
            usleep(5000)
        }
        return true
    }

    /// Types text that is already there when the program begins to read keys.
    func typeBefore(_ text: String) {
        var attributes = termios()
        tcgetattr(slave, &attributes)
        attributes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(slave, TCSANOW, &attributes)
        type(text)
        var request = pollfd(fd: slave, events: Int16(POLLIN), revents: 0)
        poll(&request, 1, -1)
    }

    /// True if the terminal handles lines, echoes what is typed, and turns Ctrl-C into a signal, as a shell expects it.
    var isOrdinary: Bool {
        var attributes = termios()
        tcgetattr(slave, &attributes)
        let flags = tcflag_t(ICANON | ECHO | ISIG)
        return attributes.c_lflag & flags == flags
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    }
}

/// The standard descriptors of a test in a process of its own.
enum StandardStreams {
    /// Makes these bytes the standard input, which ends after them.
    static func feed(_ bytes: [UInt8]) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { exit(94) }
        let writing = ends[1]
        _ = NamedThread.detach(name: "feed") {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            close(writing)
        }
        dup2(ends[0], STDIN_FILENO)
        close(ends[0])
    }

    static func feed(_ text: String) { feed(Array(text.utf8)) }
}
