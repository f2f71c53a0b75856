import Glibc
import Presentation

/// Asks a question on the terminal. Ctrl-C and Ctrl-D are answers too: they cancel.
enum TerminalPrompt {
    /// What is asked of standard input, on standard error; nil where it was cancelled.
    ///
    /// Keys come one by one and Ctrl-C as one of them, so that the terminal is put right whatever is pressed; a signal from elsewhere
    /// puts it right as well.
    static func ask(_ prompt: String, isSecret: Bool) -> String? {
        var raw = termios()
        guard tcgetattr(STDIN_FILENO, &raw) == 0 else { return nil }
        saved.initialize(to: raw)
        let older = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { ($0, signal($0, restoreAndExit)) }
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        defer {
            tcsetattr(STDIN_FILENO, TCSADRAIN, saved)
            for (number, handler) in older { signal(number, handler) }
        }
        Output.raw(prompt + ": ")
        let line = readLine(echoes: !isSecret)
        Output.raw("\n")
        return line
    }

    /// The terminal as it was. A place of its own, for a signal handler can't wait for one to be made.
    nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)

    /// Only what signal-safety(7) allows.
    private static let restoreAndExit: @convention(c) (Int32) -> Void = { _ in
        tcsetattr(STDIN_FILENO, TCSANOW, saved)
        _exit(ExitStatus.nothing.rawValue)
    }

    private static func readLine(echoes: Bool) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            switch byte {
            case 0x0a, 0x0d: return String(decoding: line, as: UTF8.self)
            case 0x03, 0x1c: return nil
            case 0x04 where line.isEmpty: return nil
            case 0x08, 0x7f:
                guard !line.isEmpty else { continue }
                // A character may be several bytes: those that go on begin with the bits 10.
                while let last = line.popLast(), last & 0xc0 == 0x80 {}
                if echoes { Output.raw("\u{8} \u{8}") }
            case 0x15:
                let characters = String(decoding: line, as: UTF8.self).count
                if echoes { Output.raw(String(repeating: "\u{8} \u{8}", count: characters)) }
                line = []
            case 0x20...0x7e, 0x80...0xff:
                guard line.count < 4000 else { continue }
                line.append(byte)
                if echoes { Output.echo(byte) }
            default: continue
            }
        }
    }
}
