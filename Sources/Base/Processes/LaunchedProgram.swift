import Concurrency
import Glibc

/// A program in a session of its own, with /dev/null as its streams, and the processes that it started in its process
/// group.
///
/// They continue when this object is released. Until then the program is not reaped, so the number of the group is not
/// used again.
package final class LaunchedProgram: Sendable {
    private let pid: pid_t
    private let isReleased = Monitor(false)
    /// How the program itself ended, once it has ended. Processes that it started, such as an image viewer, can
    /// continue.
    package let end = Once<TerminationStatus>()

    /// - Throws: if the program cannot be started, for example ENOENT.
    init(_ arguments: [String]) throws(SystemError) {
        var program = Program(arguments.first ?? "", arguments: arguments)
        program.group = .session
        pid = try program.start(.init())
        _ = NamedThread.detach(name: "reap") { [pid, end, isReleased] in
            end.set(Self.waitForEnd(of: pid))
            _ = isReleased.wait { $0 ? true : nil }
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        }
    }

    /// Waits until a child ends, and does not reap it.
    private static func waitForEnd(of pid: pid_t) -> TerminationStatus {
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        let status = information._sifields._sigchld.si_status
        return information.si_code == CLD_EXITED ? .exited(status) : .killed(signal: status)
    }

    deinit {
        isReleased.update { $0 = true }
    }

    /// True if the program or a process of its group runs.
    package var isRunning: Bool {
        Folder.entries("/proc").contains { name in pid_t(name).map { Self.isRunning($0, in: pid) } ?? false }
    }

    /// Whether the process belongs to `group` and has not ended (proc_pid_stat(5)).
    private static func isRunning(_ process: pid_t, in group: pid_t) -> Bool {
        guard let file = try? FileDescriptor(path: "/proc/\(process)/stat", flags: O_RDONLY),
            let bytes = try? file.read(upTo: 512)
        else {
            return false
        }
        // The name, in parentheses, can contain spaces. The state, the parent and the group follow it.
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 2 && !["Z", "X"].contains(fields[0]) && pid_t(fields[2]) == group
    }

    /// Ends the program and the processes of its group: with SIGTERM, and with SIGKILL those that run after `limit`.
    /// Returns once none of them runs, or after another second.
    package func endGroup(within limit: Duration) async {
        kill(-pid, SIGTERM)
        if await hasEnded(within: limit) { return }
        kill(-pid, SIGKILL)
        _ = await hasEnded(within: .seconds(1))
    }

    private func hasEnded(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while isRunning {
            guard .now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return true
    }
}
