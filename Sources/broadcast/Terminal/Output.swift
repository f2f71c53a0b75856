import Glibc

/// Where text goes: answers and media to standard output, everything else to standard error.
enum Output {
    /// An answer that was asked for.
    static func answer(_ text: String, newline: Bool = true) {
        write(newline ? text + "\n" : text, to: STDOUT_FILENO)
    }

    static func answer(_ json: [UInt8]) {
        write(json + [0x0a], to: STDOUT_FILENO)
    }

    /// Anything that is said beside.
    static func note(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    static func raw(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// A byte that the user typed.
    static func echo(_ byte: UInt8) {
        write([byte], to: STDERR_FILENO)
    }

    /// Columns of the terminal; 80 where there is none.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
        return Int(size.ws_col)
    }

    static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }

    private static func write(_ text: String, to descriptor: Int32) {
        write(Array(text.utf8), to: descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}
