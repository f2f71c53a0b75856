import Glibc
import Synchronization
import UserConfiguration

/// The three standard descriptors. The caller may have closed them (`broadcast start >&-`); a socket or file that then
/// gets the number of standard output would receive its data.
package enum StandardDescriptors {
    /// True if standard output was closed when the program started. It is /dev/null since then.
    package static var wasOutputClosed: Bool { closedOutput.load(ordering: .relaxed) }

    private static let closedOutput = Atomic(false)

    /// Opens /dev/null for each closed descriptor. Call it before anything else is opened.
    package static func open() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 && errno == EBADF {
            // open(2) returns the lowest free number, which is this one.
            _ = Glibc.open("/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY)
            if number == STDOUT_FILENO { closedOutput.store(true, ordering: .relaxed) }
        }
    }

    /// The state of standard output: usable, closed or a terminal.
    package static var outputState: DestinationResolver.StandardOutput {
        wasOutputClosed ? .closed : isatty(STDOUT_FILENO) != 0 ? .terminal : .usable
    }
}
