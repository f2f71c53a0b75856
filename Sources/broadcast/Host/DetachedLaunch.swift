import Control
import Glibc

/// Starts this program once more in the background, with the same arguments, and waits until it says that it is live.
///
/// A fresh process and no fork: threads do not survive a fork.
struct DetachedLaunch {
    let context: CommandContext
    let session: String

    /// The descriptor number that the child finds the pipe at.
    private static let readinessDescriptor: Int32 = 3

    /// Returns once the session is live; throws its error otherwise.
    func run() throws(CommandError) {
        try context.paths.prepareStateFolder()
        let log = context.paths.log(session: session)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let pid = try spawn(log: log, pipe: ends[1])
        close(ends[1])
        let line = readLine(ends[0])
        close(ends[0])
        guard let message = ControlJSON.decode(ReadinessPipe.Message.self, from: line) else {
            throw CommandError(.software, "The broadcast ended before it was live. Its log is \(log).")
        }
        guard message.status == 0 else {
            throw CommandError(ExitStatus(rawValue: message.status) ?? .software, message.message)
        }
        Output.note(
            "Session \"\(session)\" is live (process \(pid)). Stop it with: broadcast stop" + (session == "default" ? "" : " --session \(session)"))
    }

    private func spawn(log: String, pipe: Int32) throws(CommandError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, pipe, Self.readinessDescriptor)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A session of its own: it outlives the terminal. POSIX_SPAWN_SETSID is a GNU extension that Swift does not see.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | 0x80)
        // The threads here may block signals; the child is to start with none blocked.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        let own = CommandLine.arguments.dropFirst().filter { $0 != "--detach" }
        let arguments = ["broadcast"] + own + ["--readiness-descriptor", "\(Self.readinessDescriptor)"]
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, &pointers, environ)
        guard code == 0 else { throw failure(code) }
        return pid
    }

    /// Up to the newline or the pipe's end.
    private func readLine(_ descriptor: Int32) -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 65536 {
            let count = read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 || byte == 0x0a { break }
            line.append(byte)
        }
        return line
    }

    private func failure(_ code: Int32) -> CommandError {
        CommandError(.software, "The background process cannot be started: \(String(cString: strerror(code))). Try without --detach.")
    }
}
