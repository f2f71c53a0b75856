import Glibc
import Processes
import UserConfiguration

/// The `key-command` of a destination: a command for sh(1) that prints the stream key.
///
/// It may ask for a passphrase on the terminal. Ctrl-C is sent to the command.
package struct KeyCommand {
    package let command: String
    /// The destination's name.
    package let destination: String

    package init(command: String, destination: String) {
        self.command = command
        self.destination = destination
    }

    /// The time limit of the command, which includes the time for typing.
    private static let deadline = Duration.seconds(30)
    /// The maximum length of a key in bytes.
    private static let maximumKey = 4096

    /// Runs the command and returns the first line of its output. Blocks the thread.
    ///
    /// - Parameter isInterrupted: polled; if it returns true, the command is ended.
    package func key(isInterrupted: () -> Bool) throws(CredentialProblem) -> String {
        let result: Command.Result
        do throws(SystemError) {
            result = try Command.run(
                Program("/bin/sh", arguments: ["sh", "-c", command]), .terminal, deadline: .init(Self.deadline), isInterrupted: isInterrupted)
        } catch {
            throw .keyCommandNotRun(destination: destination)
        }
        switch result.end {
        case .timedOut: throw .keyCommandTimedOut(destination: destination, after: Self.deadline)
        case .interrupted, .killed(signal: SIGINT): throw .keyCommandInterrupted(destination: destination)
        case .exited, .killed: break
        }
        let line = result.output.prefix { $0 != 0x0a && $0 != 0x0d }
        guard result.end == .exited(0), (1...Self.maximumKey).contains(line.count), let key = String(validating: line, as: UTF8.self) else {
            throw .keyCommandWithoutKey(destination: destination)
        }
        return key
    }
}
