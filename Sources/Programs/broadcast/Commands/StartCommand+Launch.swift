import Glibc
import Host
import Presentation
import Processes
import Terminal
import UserConfiguration

/// `broadcast start --detach`: the parent of the background process.
extension StartCommand {
    /// Starts the session in the background. Returns once it is live; throws its error otherwise.
    func launch(_ session: String, _ request: LaunchRequest, _ context: CommandContext) throws(CommandError) {
        let log = try usableLog(context.paths.log(session: session), context)
        // The process list shows the session's name, and nothing else of the command line.
        var program = Program(
            "/proc/self/exe",
            arguments: [
                "broadcast", "start", "--session", session, "--launch-descriptor", "\(SessionLauncher.childDescriptor)",
            ])
        program.group = .session
        let launcher = SessionLauncher(program: program, log: log)
        let signals = StopSignals { launcher.cancel($0) }
        defer { signals.ignore() }
        do throws(LaunchFailure) {
            let process = try launcher.run(request, show: Self.show)
            guard !self.session.quiet else { return }
            let isNamed = session != SessionNaming.standard || CommandContext.sessionName != nil
            let option = isNamed ? " --session \(session)" : ""
            Output.note("Session \"\(session)\" is live (process \(process)). Stop it with: broadcast stop\(option)")
        } catch {
            throw CommandError(error, log: log)
        }
    }

    /// Returns `log` if it can be written; otherwise nil, with a note. A broadcast needs no log.
    private func usableLog(_ log: String, _ context: CommandContext) throws(CommandError) -> String? {
        do throws(ConfigurationError) {
            try context.paths.prepareStateFolder()
        } catch .folder(let path, .cannotCreate(let code)) {
            Output.note(LaunchSentences.withoutLog(path, code: code))
            return nil
        } catch {
            throw CommandError(error)
        }
        do throws(SystemError) {
            _ = try FileDescriptor(path: log, flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
            return log
        } catch {
            Output.note(LaunchSentences.withoutLog(log, code: error.code))
            return nil
        }
    }

    private static func show(_ report: LaunchReport) {
        if Output.isTerminal { Output.raw("\r\u{1b}[K") }
        if let line = report.line { Output.note(line) }
        if let progress = report.progress, Output.isTerminal { Output.raw(String(progress.prefix(Output.width - 1))) }
    }
}

extension LaunchedSession {
    /// Reports why the session, or one of its destinations, failed.
    func reportFailure(_ error: CommandError) {
        reportFailure(status: error.status.rawValue, message: error.message)
    }
}
