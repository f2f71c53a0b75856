import Control
import Glibc
import Presentation
import Processes
import UserConfiguration

/// Starts this program again in the background with the same arguments, and waits until it reports that it is live.
///
/// It starts a new process instead of a fork, because threads do not survive a fork.
struct DetachedLaunch {
    let context: CommandContext
    let session: String

    /// The descriptor of the pipe in the child process.
    private static let readinessDescriptor: Int32 = 3

    /// Returns once the session is live; throws its error otherwise.
    func run() throws(CommandError) {
        try presenting { () throws(ConfigurationError) in try context.paths.prepareStateFolder() }
        let log = context.paths.log(session: session)
        let pid: pid_t
        let line: [UInt8]
        do throws(SystemError) {
            var pipe = try Pipe()
            let errors = try FileDescriptor(path: log, flags: O_WRONLY | O_CREAT | O_APPEND)
            let own = CommandLine.arguments.dropFirst().filter { $0 != "--detach" }
            var program = Program(
                "/proc/self/exe", arguments: ["broadcast"] + own + ["--readiness-descriptor", "\(Self.readinessDescriptor)"])
            program.group = .session
            pid = try program.start(.init(errors: errors.raw, fourth: pipe.writing))
            pipe.closeWriting()
            line = try Self.readLine(pipe.reading)
        } catch {
            throw CommandError(.software, "The background process cannot start: \(error.reason). Try without --detach.")
        }
        guard let message = ControlJSON.decode(ReadinessPipe.Message.self, from: line) else {
            throw CommandError(.software, "The broadcast ended before it was live. Read its log: \(log)")
        }
        guard message.status == 0 else { throw CommandError(ExitStatus(rawValue: message.status) ?? .software, message.message) }
        Output.note(
            "Session \"\(session)\" is live (process \(pid)). Stop it with: broadcast stop" + (session == "default" ? "" : " --session \(session)"))
    }

    /// Reads up to a newline or the end of the pipe.
    private static func readLine(_ descriptor: Int32) throws(SystemError) -> [UInt8] {
        let pipe = FileDescriptor(borrowing: descriptor)
        var line: [UInt8] = []
        while line.count < 65_536 {
            guard let byte = try pipe.read(upTo: 1).first, byte != 0x0a else { break }
            line.append(byte)
        }
        return line
    }
}
