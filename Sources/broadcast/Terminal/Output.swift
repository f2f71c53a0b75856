import Glibc

/// Where text goes: answers and media to standard output, everything else to standard error.
enum Output {
    /// An answer that was asked for. Throws where nobody gets it.
    static func answer(_ text: String, newline: Bool = true) throws(CommandError) {
        try answer(bytes: Array((newline ? text + "\n" : text).utf8))
    }

    static func answer(_ json: [UInt8]) throws(CommandError) {
        try answer(bytes: json + [0x0a])
    }

    /// Bytes as they are.
    static func answer(bytes: some Collection<UInt8>) throws(CommandError) {
        let code = write(Array(bytes), to: STDOUT_FILENO)
        guard code != 0 else { return }
        // Whoever closes a pipe has what was wanted.
        guard code != EPIPE else { throw .quiet }
        throw CommandError(.ioError, "Cannot write to standard output: \(String(cString: strerror(code))). Choose another place for it.")
    }

    /// Anything that is said beside.
    static func note(_ text: String) {
        _ = write(text + "\n", to: STDERR_FILENO)
    }

    static func raw(_ text: String) {
        _ = write(text, to: STDERR_FILENO)
    }

    static func raw(_ bytes: [UInt8]) {
        _ = write(bytes, to: STDERR_FILENO)
    }

    /// A byte that the user typed.
    static func echo(_ byte: UInt8) {
        _ = write([byte], to: STDERR_FILENO)
    }

    /// Columns of the terminal; 80 where there is none.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
        return Int(size.ws_col)
    }

    static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }

    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        write(Array(text.utf8), to: descriptor)
    }

    /// 0, or errno.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return errno
            }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}
