import Glibc
import Processes

/// Programs for tests, and what the kernel knows about them.
enum Shell {
    /// `sh -c script`, with `arguments` as `$1`, `$2`, …
    static func program(_ script: String, _ arguments: String...) -> Program {
        Program("/bin/sh", arguments: ["sh", "-c", script, "sh"] + arguments)
    }

    /// What the program writes to its standard output, and how it ends.
    static func run(
        _ program: Program, input: Int32? = nil, fourth: Int32? = nil
    ) throws -> (process: pid_t, text: String, end: TerminationStatus) {
        var pipe = try Pipe()
        let process = try program.start(.init(input: input, output: pipe.writing, fourth: fourth))
        pipe.closeWriting()
        let text = try readAll(pipe.reading)
        return (process, text, reap(process))
    }

    /// Everything up to the end.
    static func readAll(_ descriptor: Int32) throws -> String {
        let end = FileDescriptor(borrowing: descriptor)
        var bytes: [UInt8] = []
        while end.waitUntilReadable(milliseconds: 30_000) {
            let more = try end.read(upTo: 65_536)
            if more.isEmpty { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for a child and gives how it ended.
    static func reap(_ process: pid_t) -> TerminationStatus {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return TerminationStatus(waitStatus: status)
    }

    /// False for a process that has ended, also if nobody has waited for it.
    static func isRunning(_ process: pid_t) -> Bool {
        guard let file = try? FileDescriptor(path: "/proc/\(process)/stat", flags: O_RDONLY),
            let bytes = try? file.read(upTo: 1000)
        else {
            return false
        }
        // The state follows the name, which is in parentheses.
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
        return fields?.first.map { $0 != "Z" && $0 != "X" } ?? false
    }

    /// Whether a child of this process has ended and nobody has waited for it.
    static var hasZombie: Bool {
        var information = siginfo_t()
        guard waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return false }
        return information.si_signo == SIGCHLD
    }

    static func isOpen(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_GETFD) >= 0
    }
}
