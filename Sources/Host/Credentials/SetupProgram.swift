import FoundationEssentials
import Glibc
import Processes

/// An extension's program for signing in (`setup-exec` in its manifest). It runs on the terminal instead of the
/// questions, may open a browser, and prints one JSON object, `SetupAnswer`.
package struct SetupProgram {
    /// The content of `BROADCAST_SETUP`, as JSON: the known answers that are not secret.
    private struct Known: Encodable {
        var name: String
        var setup: [String: String]

        /// The extension defines the keys of `setup`, so they are not converted.
        var json: String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // The values are strings only, so encoding cannot fail.
            return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        }
    }

    /// The absolute path of the program.
    package let path: String
    /// The extension's folder, which is the working folder.
    package let folder: String
    /// The environment of the program.
    package let environment: [String: String]

    package init(path: String, folder: String, environment: [String: String]) {
        self.path = path
        self.folder = folder
        self.environment = environment
    }

    /// Runs the program until it exits or the user presses Ctrl-C, and returns its answer.
    ///
    /// - Parameters:
    ///   - name: the name of the destination.
    ///   - known: the answers that are stored already.
    package func run(name: String, known: [String: String]) throws(SetupProblem) -> SetupAnswer {
        var environment = environment
        environment["BROADCAST_SETUP"] = Known(name: name, setup: known).json
        let result = try runOnTerminal(environment)
        // The program's own error message has priority over its exit status.
        let answer = SetupAnswer(result.output)
        if let failure = answer?.error { throw .refused(name: name, message: failure.message) }
        switch result.end {
        case .exited(0): break
        case .killed(signal: SIGINT), .killed(signal: SIGTERM), .killed(signal: SIGHUP), .exited(130), .timedOut,
            .interrupted:
            throw .cancelled
        case .exited(let status): throw .programEnded(name: name, .exited(status))
        case .killed(let signal): throw .programEnded(name: name, .killed(signal: signal))
        }
        guard let answer else { throw .notAnAnswer(path: path) }
        return answer
    }

    /// Restores the terminal afterwards, whatever the program changed. Ctrl-C ends the program and not this process.
    private func runOnTerminal(_ environment: [String: String]) throws(SetupProblem) -> Command.Result {
        var terminal = termios()
        let hasTerminal = tcgetattr(STDIN_FILENO, &terminal) == 0
        let older = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer {
            for (number, handler) in older { signal(number, handler) }
            if hasTerminal { tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal) }
        }
        do throws(SystemError) {
            return try Command.run(
                Program(path, arguments: [path], environment: environment, folder: folder), .terminal,
                deadline: .init(.seconds(86_400)))
        } catch {
            throw .programNotStarted(path: path, code: error.code)
        }
    }
}
