import Glibc
import Presentation
import Processes
import Synchronization

/// Output of text: answers and media go to standard output, everything else to standard error.
package enum Output {
    /// The answers and notes since `record`.
    private static let record = Mutex<String?>(nil)
    /// A result can be long, and only its beginning is shown.
    private static let recordLimit = 4096

    /// Keeps the answers and notes from now on, for a notification.
    package static func startRecording() {
        record.withLock { $0 = "" }
    }

    package static var recorded: String { record.withLock { $0 ?? "" } }

    private static func remember(_ text: String) {
        record.withLock { if let count = $0?.utf8.count, count < recordLimit { $0? += text } }
    }

    /// Writes an answer to standard output. Throws if it cannot be written.
    package static func answer(_ text: String, newline: Bool = true) throws(CommandError) {
        remember(text + "\n")
        try answer(bytes: Array((newline ? text + "\n" : text).utf8))
    }

    package static func answer(_ json: [UInt8]) throws(CommandError) {
        try answer(bytes: json + [0x0a])
    }

    /// Bytes as they are.
    package static func answer(bytes: some Collection<UInt8>) throws(CommandError) {
        do throws(SystemError) {
            try FileDescriptor.writeAll(Array(bytes), to: STDOUT_FILENO)
        } catch {
            // A reader that closes the pipe needs no more output; this is not an error.
            guard error.code != EPIPE else { throw .quiet }
            throw CommandError(
                .ioError, "Cannot write to standard output: \(error.reason). Redirect it to another file.")
        }
    }

    /// The writer for standard error. A blocked terminal blocks a caller for at most `timeLimit`.
    package static let errors = BackgroundWriter(descriptor: STDERR_FILENO, name: "stderr")

    /// The time limit for a write to the terminal.
    private static let timeLimit = Duration.milliseconds(500)

    /// Waits until standard error has what was written, or until the time limit is over. Call it before the program
    /// ends.
    package static func flush() {
        errors.flush(within: timeLimit)
    }

    /// Writes a line to standard error.
    package static func note(_ text: String) {
        remember(text + "\n")
        raw(text + "\n")
    }

    package static func raw(_ text: String) {
        raw(Array(text.utf8))
    }

    /// Writes text without a newline to standard error. Pictures have a longer time limit.
    package static func raw(_ bytes: [UInt8]) {
        errors.write(bytes)
        errors.flush(within: bytes.count > 65_536 ? .seconds(10) : timeLimit)
    }

    /// Echoes one byte that the user typed.
    package static func echo(_ byte: UInt8) {
        raw([byte])
    }

    /// The columns of the terminal; 80 if there is no terminal.
    package static var width: Int { size.columns }

    /// The size of the terminal in characters; 80 by 24 if there is no terminal, or if it does not say.
    package static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1, size.ws_row > 1 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    package static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }
}
