import Glibc
import Media

/// Asks the terminal whether it supports sixel graphics, and for the maximum picture size.
package enum SixelTerminal {
    /// The time limit in milliseconds for the terminal's answer, long enough for a network connection.
    private static let answerMilliseconds: Int32 = 1000
    /// The picture size if the terminal does not report its size in pixels.
    private static let standardSize = PixelSize(width: 640, height: 400)
    /// The lines below the picture that stay free for text.
    private static let freeLines = 3

    /// Queries the terminal on standard input and error. Returns nil if it has no sixel graphics, or there is no
    /// terminal.
    ///
    /// It requests the picture size (xterm's XTSMGRAPHICS) and then the primary device attributes, which every terminal
    /// answers.
    package static func ask() -> PixelSize? {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var quiet = before
        // Ctrl-C is read as a byte here, so that the terminal is restored before it takes effect.
        quiet.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSANOW, &quiet) == 0 else { return nil }
        Output.raw("\u{1b}[?2;1;0S\u{1b}[c")
        let answer = read()
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
        if answer.contains(3) { TerminalSignals.raise(SIGINT) }
        return limit(of: answer, in: window)
    }

    /// Parses an answer, for a window of this size in lines and pixels. Returns nil if sixels are not supported.
    package static func limit(of answer: [UInt8], in window: winsize) -> PixelSize? {
        let sequences = String(decoding: answer, as: UTF8.self).split(separator: "\u{1b}")
        func numbers(_ prefix: String, _ end: Character) -> [Int]? {
            sequences.first { $0.hasPrefix(prefix) && $0.last == end }.map { sequence in
                sequence.dropFirst(prefix.count).dropLast().split(separator: ";").compactMap { Int($0) }
            }
        }
        // 4 among the attributes: sixel graphics (xterm's ctlseqs, "Send Device Attributes").
        guard numbers("[?", "c")?.dropFirst().contains(4) == true else { return nil }
        var size = standardSize
        if let told = numbers("[?2;0;", "S"), told.count == 2, told.allSatisfy({ (16...16384).contains($0) }) {
            size = PixelSize(width: told[0], height: told[1])
        } else if window.ws_xpixel >= 16 && window.ws_ypixel >= 16 {
            size = PixelSize(width: Int(window.ws_xpixel), height: Int(window.ws_ypixel))
        }
        let lines = max(Int(window.ws_row), freeLines + 1)
        return PixelSize(width: size.width, height: max(16, size.height * (lines - freeLines) / lines))
    }

    private static var window: winsize {
        var size = winsize()
        _ = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
        return size
    }

    /// Reads up to the end of the device attributes, or until the time limit.
    private static func read() -> [UInt8] {
        var answer: [UInt8] = []
        while answer.count < 1024 {
            var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, answerMilliseconds) > 0 else { break }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { break }
            answer += bytes[..<count]
            if answer.contains(3) || answer.last == UInt8(ascii: "c") { break }
        }
        return answer
    }
}
