import Credentials
import Glibc
import Presentation

/// Asks a question on the terminal. Ctrl-C and Ctrl-D cancel it.
package enum TerminalPrompt {
    /// What the user typed.
    package enum Answer {
        case line(String)
        case cancelled
        /// The line has more bytes than a secret may have.
        case tooLong
        /// More text followed the line of a secret at once: the user pasted several lines. They are discarded, so that
        /// the shell does not run them.
        case severalLines
    }

    /// Shows the prompt on standard error and reads the answer from standard input.
    ///
    /// It reads single keys, Ctrl-C among them, so that every key leaves the terminal restored. A signal from another
    /// process restores it too.
    package static func ask(_ prompt: String, isSecret: Bool) -> Answer {
        var raw = termios()
        guard tcgetattr(STDIN_FILENO, &raw) == 0 else { return .cancelled }
        saved.initialize(to: raw)
        let older = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { ($0, signal($0, restoreAndExit)) }
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        defer {
            tcsetattr(STDIN_FILENO, TCSADRAIN, saved)
            for (number, handler) in older { signal(number, handler) }
        }
        TypedAhead.discard()
        Output.raw(prompt + ": ")
        let answer = readLine(echoes: !isSecret)
        Output.raw("\n")
        switch answer {
        case .cancelled, .severalLines: return answer
        case .line, .tooLong:
            guard isSecret, hasMoreInput else { return answer }
            // The shell would run the other lines, and keep them in its history.
            tcflush(STDIN_FILENO, TCIFLUSH)
            if case .tooLong = answer { return answer }
            return .severalLines
        }
    }

    /// Asks a question that only `y` or `yes` affirms.
    package static func confirms(_ question: String) -> Bool {
        guard case .line(let answer) = ask(question, isSecret: false) else { return false }
        return ["y", "yes"].contains(answer.lowercased())
    }

    /// True if input is there within a time in which no person types. A pasted text arrives in parts.
    private static var hasMoreInput: Bool {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 50) > 0
    }

    /// The previous terminal settings. The memory is static, because a signal handler cannot allocate.
    nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)

    /// Restores the settings. Uses only functions that signal-safety(7) allows.
    private static let restoreAndExit: @convention(c) (Int32) -> Void = { _ in
        tcsetattr(STDIN_FILENO, TCSANOW, saved)
        _exit(ExitStatus.nothing.rawValue)
    }

    /// The position in what a key without a character sends, such as an arrow (ECMA-48, 5.4): ESC, `[` or `O`, and
    /// bytes up to a final one.
    private enum KeySequence {
        case none
        case begun
        case inside

        /// Returns true if `byte` is a part of such a sequence, and not of the answer.
        mutating func take(_ byte: UInt8) -> Bool {
            switch (self, byte) {
            case (.none, 0x1b), (.begun, 0x1b): self = .begun
            case (.begun, UInt8(ascii: "[")), (.begun, UInt8(ascii: "O")): self = .inside
            // The function keys of Linux's console send a second bracket.
            case (.inside, UInt8(ascii: "[")): break
            case (.inside, 0x1b): self = .begun
            case (.inside, 0x40...0x7e): self = .none
            case (.inside, 0x20...0x3f): break
            default:
                self = .none
                return false
            }
            return true
        }
    }

    private static func readLine(echoes: Bool) -> Answer {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        var sequence = KeySequence.none
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return .cancelled }
            if sequence.take(byte) { continue }
            switch byte {
            case 0x0a, 0x0d:
                return line.count > CredentialStore.maximumSecret
                    ? .tooLong : .line(String(decoding: line, as: UTF8.self))
            case 0x03, 0x1c: return .cancelled
            case 0x04 where line.isEmpty: return .cancelled
            case 0x08, 0x7f:
                guard !line.isEmpty else { continue }
                // A character may have several bytes; continuation bytes begin with the bits 10.
                while let last = line.popLast(), last & 0xc0 == 0x80 {}
                if echoes { Output.raw("\u{8} \u{8}") }
            case 0x15:
                let characters = String(decoding: line, as: UTF8.self).count
                if echoes { Output.raw(String(repeating: "\u{8} \u{8}", count: characters)) }
                line = []
            case 0x20...0x7e, 0x80...0xff:
                // One byte more than allowed is kept, so that the line counts as too long.
                guard line.count <= CredentialStore.maximumSecret else { continue }
                line.append(byte)
                if echoes { Output.echo(byte) }
            default: continue
            }
        }
    }
}
