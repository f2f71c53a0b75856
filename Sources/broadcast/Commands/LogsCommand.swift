import ArgumentParser
import Glibc
import Host
import Presentation

/// `broadcast logs`
struct LogsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Show the log of a session, also after it has ended.")

    @Flag(name: .shortAndLong, help: "Continue to print the log until the session ends.")
    var follow = false

    @OptionGroup var name: SessionName

    func run() async throws {
        let paths = CommandContext.paths
        let session = try OptionValue.session(name.session)
        let file = open(paths.log(session: session), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw CommandError(.nothing, "There is no log of a session \"\(session)\". See broadcast status.")
        }
        defer { close(file) }
        while true {
            // Query the state before reading, so that the last lines of the session are read too.
            let running = RunningSession(name: session, paths)
            let answer = follow ? await RunningSession.ask("status", [running]).first : nil
            try copy(file)
            switch answer {
            case .success(.some)?: break
            case .failure(let error)?: throw CommandError(error, session: session)
            case .success(nil)?, nil: return
            }
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    /// Reads bytes and not text: a read may end in the middle of a character.
    private func copy(_ file: Int32) throws(CommandError) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { return }
            try Output.answer(bytes: buffer[..<count])
        }
    }
}
