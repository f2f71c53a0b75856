import Glibc
import Presentation
import Processes

/// Where text goes: answers and media to standard output, everything else to standard error.
enum Output {
    /// An answer that the user asked for. Throws if it cannot be written.
    static func answer(_ text: String, newline: Bool = true) throws(CommandError) {
        try answer(bytes: Array((newline ? text + "\n" : text).utf8))
    }

    static func answer(_ json: [UInt8]) throws(CommandError) {
        try answer(bytes: json + [0x0a])
    }

    /// Bytes as they are.
    static func answer(bytes: some Collection<UInt8>) throws(CommandError) {
        do throws(SystemError) {
            try FileDescriptor.writeAll(Array(bytes), to: STDOUT_FILENO)
        } catch {
            // A reader that closes the pipe has what it wanted.
            guard error.code != EPIPE else { throw .quiet }
            throw CommandError(.ioError, "Cannot write to standard output: \(error.reason). Choose another place for it.")
        }
    }

    /// Everything that goes to standard error. A terminal that takes nothing holds up nobody for longer than `patience`.
    static let errors = BackgroundWriter(descriptor: STDERR_FILENO, name: "stderr")

    /// How long a terminal may take for what is written to it.
    private static let patience = Duration.milliseconds(500)

    /// A line on standard error.
    static func note(_ text: String) {
        raw(text + "\n")
    }

    static func raw(_ text: String) {
        raw(Array(text.utf8))
    }

    /// Bytes as they are. Pictures get more time.
    static func raw(_ bytes: [UInt8]) {
        errors.write(bytes)
        errors.flush(within: bytes.count > 65_536 ? .seconds(10) : patience)
    }

    /// A byte that the user typed.
    static func echo(_ byte: UInt8) {
        raw([byte])
    }

    /// Columns of the terminal; 80 if there is none.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return 80 }
        return Int(size.ws_col)
    }

    static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }
}
