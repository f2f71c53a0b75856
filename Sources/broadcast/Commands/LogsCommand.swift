import ArgumentParser
import Control
import Glibc

/// `broadcast logs`
struct LogsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "logs", abstract: "Show what a session said, also after it has ended.")

    @Flag(name: .shortAndLong, help: "Go on showing it until the session ends.")
    var follow = false

    @OptionGroup var name: SessionName

    func run() async throws {
        let paths = try CommandContext().paths
        let session = try OptionValue.session(name.session)
        let file = open(paths.log(session: session), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw CommandError(.nothing, "There is no log of a session \"\(session)\".") }
        defer { close(file) }
        while true {
            // Asked before reading: what was said until the end is shown.
            let isRunning = follow ? await ControlClient.ask(ControlRequest(command: "status"), at: paths.socket(session: session)) != nil : false
            copy(file)
            guard isRunning else { return }
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    private func copy(_ file: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { return }
            Output.answer(String(decoding: buffer[..<count], as: UTF8.self), newline: false)
        }
    }
}
