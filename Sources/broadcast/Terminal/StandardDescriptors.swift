import Glibc
import Synchronization
import UserConfiguration

/// The first three descriptors, which others may have closed (`broadcast start >&-`): a socket or a file that got the number of standard
/// output would be written over with what is meant for it.
enum StandardDescriptors {
    /// Whether standard output was closed when the program began: it is /dev/null now.
    static var wasOutputClosed: Bool { closedOutput.load(ordering: .relaxed) }

    private static let closedOutput = Atomic(false)

    /// Opens /dev/null for each that is closed. To be called before anything else is opened.
    static func open() {
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 && errno == EBADF {
            // The lowest number that is free is this one.
            _ = Glibc.open("/dev/null", number == STDIN_FILENO ? O_RDONLY : O_WRONLY)
            if number == STDOUT_FILENO { closedOutput.store(true, ordering: .relaxed) }
        }
    }

    /// What standard output can be used for.
    static var outputState: DestinationResolver.StandardOutput {
        wasOutputClosed ? .closed : isatty(STDOUT_FILENO) != 0 ? .terminal : .usable
    }
}
