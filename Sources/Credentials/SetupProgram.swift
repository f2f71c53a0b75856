import FoundationEssentials
import Glibc
import Processes

/// An extension's own way to sign in (`setup-exec` in its manifest): a program that runs on the terminal instead of the questions, may open
/// a browser, and prints one JSON object, `SetupAnswer`.
package struct SetupProgram {
    /// The content of `BROADCAST_SETUP`, as JSON: what is known already and not secret.
    private struct Known: Encodable {
        var name: String
        var setup: [String: String]

        /// The keys of `setup` are the extension's own, so they stay as they are.
        var json: String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // Strings only: encoding them cannot fail.
            return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        }
    }

    /// An absolute path.
    package let path: String
    /// The extension's folder, where it runs.
    package let folder: String
    /// What it gets of this process's environment.
    package let environment: [String: String]

    package init(path: String, folder: String, environment: [String: String]) {
        self.path = path
        self.folder = folder
        self.environment = environment
    }

    /// Runs it to its end, which Ctrl-C may be, and gives what it prints.
    ///
    /// - Parameters:
    ///   - name: of the destination.
    ///   - known: the answers that were given before.
    package func run(name: String, known: [String: String]) throws(SetupProblem) -> SetupAnswer {
        var environment = environment
        environment["BROADCAST_SETUP"] = Known(name: name, setup: known).json
        let result = try runOnTerminal(environment)
        // What it reports itself counts more than how it ended.
        let answer = SetupAnswer(result.output)
        if let failure = answer?.error { throw .refused(name: name, message: failure.message) }
        switch result.end {
        case .exited(0): break
        case .killed(signal: SIGINT), .killed(signal: SIGTERM), .killed(signal: SIGHUP), .exited(130), .timedOut, .interrupted: throw .cancelled
        case .exited(let status): throw .programEnded(name: name, .exited(status))
        case .killed(let signal): throw .programEnded(name: name, .killed(signal: signal))
        }
        guard let answer else { throw .notAnAnswer(path: path) }
        return answer
    }

    /// The terminal is as before afterwards, whatever the program did to it. Ctrl-C ends the program and not this process.
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
                Program(path, arguments: [path], environment: environment, folder: folder), .terminal, deadline: .init(.seconds(86_400)))
        } catch {
            throw .programNotStarted(path: path, code: error.code)
        }
    }
}
