import Control
import Glibc

/// An extension's own way to sign in (`setup-exec` in its manifest): a program that runs on the terminal instead of the questions, may open
/// a browser, and prints one JSON object, `SetupAnswer`.
struct SetupProgram {
    /// What it finds in `BROADCAST_SETUP`, as JSON: what is known already and no secret.
    private struct Known: Encodable {
        var name: String
        var setup: [String: String]
    }

    /// An absolute path.
    let path: String
    /// The extension's folder, where it runs.
    let folder: String
    /// What it gets of this process's environment.
    let environment: [String: String]

    /// Runs it to its end, which Ctrl-C may be, and gives what it prints.
    ///
    /// - Parameters:
    ///   - name: of the destination.
    ///   - known: the answers that were given before.
    func run(name: String, known: [String: String]) throws(CommandError) -> SetupAnswer {
        var environment = environment
        environment["BROADCAST_SETUP"] = String(decoding: ControlJSON.encodeAsIs(Known(name: name, setup: known)), as: UTF8.self)
        guard let result = runOnTerminal(environment) else {
            throw CommandError(.config, "The setup program \(path) cannot be started. Check that it is executable, and its first line.")
        }
        // What it says itself goes before how it ended.
        let answer = SetupAnswer(result.output)
        if let failure = answer?.error {
            throw CommandError(.notPermitted, "Not signed in to \(name): \(failure.sentence) Nothing was changed.")
        }
        switch result.end {
        case .exited(0): break
        case .killed(signal: SIGINT), .killed(signal: SIGTERM), .killed(signal: SIGHUP), .exited(130), .tooLate, .interrupted:
            throw CommandError(.nothing, "Nothing was changed.")
        case .exited(let status): throw failure(name, "exit status \(status)")
        case .killed(let signal): throw failure(name, "signal \(signal)")
        }
        guard let answer else {
            throw CommandError(
                .protocolError,
                "The setup program \(path) did not print one JSON object of texts; see man 7 broadcast-extension. Nothing was changed.")
        }
        return answer
    }

    private func failure(_ name: String, _ end: String) -> CommandError {
        CommandError(.notPermitted, "Not signed in to \(name): its setup program ended with \(end). Nothing was changed.")
    }

    /// The terminal is as before, whatever the program has done to it. Ctrl-C is for the program: this process outlives it.
    private func runOnTerminal(_ environment: [String: String]) -> ChildProcess.Result? {
        var terminal = termios()
        let hasTerminal = tcgetattr(STDIN_FILENO, &terminal) == 0
        let older = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
        defer {
            for (number, handler) in older { signal(number, handler) }
            if hasTerminal { tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal) }
        }
        let day = 86_400.0
        return ChildProcess.run(path, [path], .shared, environment: environment, folder: folder, deadline: (day, day))
    }
}
