import Control
import Glibc
import Presentation
import Synchronization

/// The pipe through which a detached session reports to its parent, with one line of JSON, whether it is live.
final class ReadinessPipe: Sendable {
    /// The content of the line.
    struct Message: Codable {
        /// 0, or the exit status.
        var status: Int32
        /// The error's sentence.
        var message: String
    }

    private let descriptor: Mutex<Int32?>

    init(descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    func reportLive() {
        send(Message(status: 0, message: ""))
    }

    func report(_ error: CommandError) {
        send(Message(status: error.status.rawValue, message: error.message))
    }

    /// Only the first report is sent.
    private func send(_ message: Message) {
        let taken = descriptor.withLock { descriptor -> Int32? in
            defer { descriptor = nil }
            return descriptor
        }
        guard let taken else { return }
        let line = ControlJSON.encode(message) + [0x0a]
        _ = line.withUnsafeBytes { write(taken, $0.baseAddress, $0.count) }
        close(taken)
    }
}
