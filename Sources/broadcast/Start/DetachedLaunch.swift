import Control
import Credentials
import Glibc
import Presentation
import Processes
import Synchronization
import Terminal
import UserConfiguration

/// What the parent of a detached session hands over, as one line of JSON.
///
/// Nothing of it is in the arguments of the child, which all users of the machine can read.
struct LaunchRequest: Codable {
    /// The arguments of the command, without the program's name.
    var arguments: [String]
    /// The window that the user picked.
    var window: UInt?
    var secrets: HandedSecrets
}

/// What the child reports, each as one line of JSON, until it is live or over.
struct LaunchReport: Codable {
    /// A line for the user.
    var line: String?
    /// The status line for a terminal.
    var progress: String?
    /// 0 if every destination is live, else the exit status. It is in the last report.
    var status: Int32?
    /// The error's sentence.
    var message: String?
}

/// Starts this program again in the background, hands it the request, and waits until it is live.
///
/// It starts a new process instead of a fork, because threads do not survive a fork. If the user cancels the start, or
/// this process ends in any other way, the child ends too.
struct DetachedLaunch {
    let context: CommandContext
    let session: String
    let request: LaunchRequest

    /// The child's descriptor of the connection.
    static let childDescriptor: Int32 = 3

    /// The time that a cancelled child has to end: more than the slowest destination may take (docs/architecture.md, "Stop").
    private static let cancelTime = Duration.seconds(15)

    /// The child, and whether the start was cancelled.
    private final class Child: Sendable {
        private struct State {
            var pid: pid_t?
            var signal: Int32?
        }
        private let state = Mutex(State())

        /// The signal that cancelled the start.
        var signal: Int32? { state.withLock { $0.signal } }

        func started(_ pid: pid_t) {
            let isCancelled = state.withLock { state in
                state.pid = pid
                return state.signal != nil
            }
            if isCancelled { kill(pid, SIGTERM) }
        }

        func cancel(_ signal: Int32) {
            let pid = state.withLock { state in
                state.signal = signal
                return state.pid
            }
            if let pid { kill(pid, SIGTERM) }
        }
    }

    /// Returns once the session is live; throws its error otherwise.
    func run() throws(CommandError) {
        try presenting { () throws(ConfigurationError) in try context.paths.prepareStateFolder() }
        let log = context.paths.log(session: session)
        let child = Child()
        let signals = StopSignals { child.cancel($0) }
        defer { signals.ignore() }
        let pid: pid_t
        let last: LaunchReport?
        do throws(SystemError) {
            var connection = try SocketPair()
            let errors = try FileDescriptor(path: log, flags: O_WRONLY | O_CREAT | O_APPEND)
            // The process list shows the session's name, and nothing else of the command line.
            var program = Program(
                "/proc/self/exe",
                arguments: ["broadcast", "start", "--session", session, "--launch-descriptor", "\(Self.childDescriptor)"])
            program.group = .session
            pid = try program.start(.init(errors: errors.raw, fourth: connection.theirs))
            connection.closeTheirs()
            child.started(pid)
            let socket = FileDescriptor(borrowing: connection.ours)
            // A child that has ended already reports nothing, which is handled below.
            try? socket.writeAll(ControlJSON.encodeAsIs(request) + [0x0a])
            last = try follow(socket, child, pid)
        } catch {
            throw CommandError(.software, "The background process cannot start: \(error.reason). Try without --detach.")
        }
        if let signal = child.signal {
            // The connection is at its end, so this does not take long.
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
            throw CommandError(.ended(by: signal), "The start was cancelled, so nothing is live.")
        }
        guard let last, let status = last.status else {
            throw CommandError(.software, "The broadcast ended before it was live. Read its log: \(log)")
        }
        guard status == 0 else { throw CommandError(ExitStatus(rawValue: status) ?? .software, last.message ?? "") }
        Output.note(
            "Session \"\(session)\" is live (process \(pid)). Stop it with: broadcast stop" + (session == "default" ? "" : " --session \(session)"))
    }

    /// Shows the reports of the child, and returns the last one; nil if the child ended without it. If the start is
    /// cancelled, it returns once the child has ended.
    private func follow(_ socket: borrowing FileDescriptor, _ child: Child, _ pid: pid_t) throws(SystemError) -> LaunchReport? {
        var bytes: [UInt8] = []
        var deadline: ContinuousClock.Instant?
        while true {
            if child.signal != nil {
                let end = deadline ?? .now + Self.cancelTime
                deadline = end
                // A child that is stopped or blocked does not end by itself.
                if .now > end { kill(pid, SIGKILL) }
            }
            guard socket.waitUntilReadable(milliseconds: 100) else { continue }
            let chunk = try socket.read(upTo: 65536)
            guard !chunk.isEmpty else { return nil }
            bytes += chunk
            while let newline = bytes.firstIndex(of: 0x0a) {
                let report = ControlJSON.decodeAsIs(LaunchReport.self, from: bytes[..<newline])
                bytes.removeFirst(newline + 1)
                guard let report else { continue }
                show(report)
                if report.status != nil && child.signal == nil { return report }
            }
        }
    }

    private func show(_ report: LaunchReport) {
        if Output.isTerminal { Output.raw("\r\u{1b}[K") }
        if let line = report.line { Output.note(line) }
        if let progress = report.progress, Output.isTerminal { Output.raw(String(progress.prefix(Output.width - 1))) }
    }
}
