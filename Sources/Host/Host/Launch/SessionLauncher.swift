import Control
import Glibc
import Processes
import Synchronization

/// Starts a session in a background process, sends it the request, and waits until the session is live.
///
/// It starts a new process instead of a fork, because threads do not survive a fork. If the user cancels the start, or
/// this process ends in any other way, the child ends too.
package final class SessionLauncher: Sendable {
    /// The child's descriptor of the connection.
    package static let childDescriptor: Int32 = 3

    /// The time that a cancelled child has to end: more than the slowest destination may take
    /// (`ShutdownTimetable`).
    private static let cancelTime = Duration.seconds(15)

    private struct State {
        /// Nil until the child has started.
        var pid: pid_t?
        /// The signal that cancelled the start.
        var signal: Int32?
    }

    private let program: Program
    private let log: String?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - program: the program of the child. It receives the request on `childDescriptor`.
    ///   - log: the file for the child's standard error; nil to discard it.
    package init(program: Program, log: String?) {
        self.program = program
        self.log = log
    }

    /// Cancels the start: `run` throws once the child has ended. Does nothing after `run` has returned. Thread-safe.
    package func cancel(_ signal: Int32) {
        let pid = state.withLock { state in
            state.signal = signal
            return state.pid
        }
        if let pid { kill(pid, SIGTERM) }
    }

    /// Returns the child's process identifier when the session is live. Blocks until then.
    ///
    /// - Parameter show: receives each report of the child.
    package func run(_ request: LaunchRequest, show: (LaunchReport) -> Void) throws(LaunchFailure) -> pid_t {
        let pid: pid_t
        let last: LaunchReport?
        do throws(SystemError) {
            var connection = try SocketPair()
            let errors = try FileDescriptor(path: log ?? "/dev/null", flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
            pid = try program.start(.init(errors: errors.raw, fourth: connection.theirs))
            connection.closeTheirs()
            noteStart(of: pid)
            let socket = FileDescriptor(borrowing: connection.ours)
            // If the child has ended already, it reports nothing, which is handled below.
            try? socket.writeAll(ControlJSON.encodeAsIs(request) + [0x0a])
            last = try follow(socket, pid, show)
        } catch {
            throw .cannotStart(code: error.code)
        }
        // From now on, the session belongs to the user, or its number to another process: no signal is sent to it.
        let signal = state.withLock { state in
            state.pid = nil
            return state.signal
        }
        if let signal {
            // The child has closed the connection, so this does not take long.
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
            throw .cancelled(signal: signal)
        }
        guard let last, let status = last.status else { throw .ended }
        guard status == 0 else { throw .reported(status: status, message: last.message ?? "") }
        return pid
    }

    private var signal: Int32? { state.withLock { $0.signal } }

    private func noteStart(of pid: pid_t) {
        let isCancelled = state.withLock { state in
            state.pid = pid
            return state.signal != nil
        }
        if isCancelled { kill(pid, SIGTERM) }
    }

    /// Reads what the child sent. Returns no bytes if the child has closed the connection.
    private func read(_ socket: borrowing FileDescriptor) throws(SystemError) -> [UInt8] {
        do throws(SystemError) {
            return try socket.read(upTo: 65536)
        } catch {
            // A child that ends before it reads the request resets the connection (unix(7)).
            guard error.code == ECONNRESET else { throw error }
            return []
        }
    }

    /// Shows the reports of the child. Returns the last one, or nil if the child ended without it. If the start is
    /// cancelled, returns once the child has ended.
    private func follow(
        _ socket: borrowing FileDescriptor, _ pid: pid_t, _ show: (LaunchReport) -> Void
    ) throws(SystemError) -> LaunchReport? {
        var bytes: [UInt8] = []
        var deadline: ContinuousClock.Instant?
        while true {
            if signal != nil {
                let end = deadline ?? .now + Self.cancelTime
                deadline = end
                // A child that is stopped or blocked does not end by itself.
                if .now > end { kill(pid, SIGKILL) }
            }
            guard socket.waitUntilReadable(milliseconds: 100) else { continue }
            let chunk = try read(socket)
            guard !chunk.isEmpty else { return nil }
            bytes += chunk
            while let newline = bytes.firstIndex(of: 0x0a) {
                let report = ControlJSON.decodeAsIs(LaunchReport.self, from: bytes[..<newline])
                bytes.removeFirst(newline + 1)
                guard let report else { continue }
                show(report)
                if report.status != nil && signal == nil { return report }
            }
        }
    }
}
