import Concurrency
import Control
import Glibc
import Processes
import Synchronization

/// The child's end of the connection to the parent of a background session.
///
/// Until the session is live, the parent shows the reports. If the parent ends before that, the user no longer wants
/// the session.
package final class LaunchedSession: Sendable {
    package let request: LaunchRequest

    private let descriptor: Int32
    private let writer: BackgroundWriter
    private let isReported = Atomic(false)
    private let parentGone = Mutex<(isGone: Bool, body: (@Sendable () -> Void)?)>((false, nil))

    /// Reads the request. Returns nil if the parent is gone, or if the descriptor is not a connection to a parent.
    package init?(descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var line: [UInt8] = []
        let socket = FileDescriptor(borrowing: descriptor)
        while line.last != 0x0a {
            guard let chunk = try? socket.read(upTo: 65536), !chunk.isEmpty else { return nil }
            line += chunk
        }
        guard let request = ControlJSON.decodeAsIs(LaunchRequest.self, from: line.dropLast()) else { return nil }
        self.request = request
        self.descriptor = descriptor
        writer = BackgroundWriter(descriptor: descriptor, name: "launch")
        _ = NamedThread.detach(name: "parent") { [weak self] in
            var poller = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&poller, 1, -1) < 0 && errno == EINTR {}
            self?.noteParentGone()
        }
    }

    /// Calls `body` once if the parent ends before the session is live or over.
    package func whenParentIsGone(_ body: @escaping @Sendable () -> Void) {
        let isGone = parentGone.withLock { state in
            state.body = body
            return state.isGone
        }
        if isGone && !isOver { body() }
    }

    /// True after the last report. The parent receives nothing more.
    package var isOver: Bool { isReported.load(ordering: .sequentiallyConsistent) }

    /// Sends a line for the user.
    package func say(_ line: String) {
        guard !isOver else { return }
        writer.write(Self.text(LaunchReport(line: line)))
    }

    /// Sends the status line for the user's terminal. A newer one replaces it.
    package func show(progress: String) {
        guard !isOver else { return }
        writer.setStatus(Self.text(LaunchReport(progress: progress)))
    }

    /// Reports that every destination is live.
    package func reportLive() {
        finish(LaunchReport(status: 0))
    }

    /// Reports that the session, or one of its destinations, failed. Returns false if the parent has its last report.
    ///
    /// - Parameters:
    ///   - status: the exit status of the parent.
    ///   - message: the sentence for the user.
    @discardableResult package func reportFailure(status: Int32, message: String) -> Bool {
        finish(LaunchReport(status: status, message: message))
    }

    /// Sends the last report. Does nothing if one was sent already.
    @discardableResult private func finish(_ report: LaunchReport) -> Bool {
        guard !isReported.exchange(true, ordering: .sequentiallyConsistent) else { return false }
        writer.setStatus(nil)
        writer.write(Self.text(report))
        return true
    }

    /// Waits until the parent has received everything, for at most one second. Call it before the process ends.
    package func flush() {
        writer.flush(within: .seconds(1))
    }

    private func noteParentGone() {
        let body = parentGone.withLock { state in
            state.isGone = true
            return state.body
        }
        if !isOver { body?() }
    }

    private static func text(_ report: LaunchReport) -> String {
        String(decoding: ControlJSON.encodeAsIs(report) + [0x0a], as: UTF8.self)
    }
}
