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

    /// The program at the start of the command if it does not exist. Nil if it exists, or if the command is not a
    /// program with arguments. Runs sh(1).
    package var missingProgram: String? {
        let word = command.prefix { !$0.isWhitespace }
        // Letters that sh reads as they are.
        guard !word.isEmpty, word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "_./+-~".contains($0)) })
        else { return nil }
        let program = Program("/bin/sh", arguments: ["sh", "-c", "command -v \(word) >&2"])
        let result = try? Command.run(program, deadline: .init(.seconds(5)))
        return result?.end == .exited(0) || result?.end == .timedOut ? nil : String(word)
    }

    /// Runs the command and returns the first line of its output. Blocks the thread.
    ///
    /// - Parameter isInterrupted: polled; if it returns true, the command is ended.
    package func key(isInterrupted: () -> Bool) throws(CredentialProblem) -> String {
        // The shell would say it on the terminal, in its words.
        if let program = missingProgram { throw .keyCommand(destination: destination, .missing(program: program)) }
        let result: Command.Result
        do throws(SystemError) {
            result = try Command.run(
                Program("/bin/sh", arguments: ["sh", "-c", command]), .terminal, deadline: .init(Self.deadline),
                isInterrupted: isInterrupted)
        } catch {
            throw .keyCommand(destination: destination, .notRun)
        }
        switch result.end {
        case .timedOut: throw .keyCommand(destination: destination, .timedOut(after: Self.deadline))
        case .interrupted: throw .keyCommand(destination: destination, .interrupted(signal: nil))
        case .killed(signal: SIGINT): throw .keyCommand(destination: destination, .interrupted(signal: SIGINT))
        case .killed(let signal): throw .keyCommand(destination: destination, .killed(signal: signal))
        case .exited(0): break
        case .exited(let status): throw .keyCommand(destination: destination, .failed(status: status))
        }
        let line = result.output.prefix { $0 != 0x0a && $0 != 0x0d }
        guard (1...CredentialStore.maximumSecret).contains(line.count),
            let key = String(validating: line, as: UTF8.self)
        else {
            throw .keyCommand(destination: destination, .withoutKey)
        }
        return key
    }
}

extension Configuration {
    /// The program of the first key command of each destination that is not installed, by destination.
    package var missingKeyPrograms: [String: String] {
        var programs: [String: String] = [:]
        for destination in destinations {
            programs[destination.name] =
                destination.allKeyCommands.lazy.compactMap {
                    KeyCommand(command: $0, destination: destination.name).missingProgram
                }.first
        }
        return programs
    }
}
