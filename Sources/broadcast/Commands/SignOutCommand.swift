import ArgumentParser
import Control

/// `broadcast sign-out`
struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Forget a destination's secrets, and end a live session that uses them.")

    @Argument(help: ArgumentHelp("The destination or service.", valueName: "name"))
    var name: String

    func run() async throws {
        let context = try CommandContext()
        // Forgotten first: nothing can start with them again while the sessions end.
        let wasSignedIn = try context.credentials.forget(name)
        try SetupInformation(paths: context.paths).keep(watchURL: nil, of: name)
        var ended = 0
        var silent: [CommandError] = []
        let sessions = RunningSession.all(context.paths)
        for (session, answer) in zip(sessions, await RunningSession.ask("status", sessions)) {
            do throws(CommandError) {
                guard let report = try answer.get()?.session, uses(report) else { continue }
                _ = try await session.ask("stop")
                Output.note("Session \"\(session.name)\" has ended.")
                ended += 1
            } catch {
                silent.append(error)
            }
        }
        for error in silent { Output.note("broadcast: " + error.message + " It may be live with the key of \(name).") }
        if context.configuration.destination(named: name)?.keyCommand != nil {
            throw CommandError(.nothing, "The key of \(name) comes from the key-command in \(context.paths.configFile). Remove it there.")
        }
        guard wasSignedIn || ended > 0 else {
            _ = try SetupTarget(name, context: context)
            throw CommandError(.nothing, "Not signed in to \(name), so there is nothing to forget.")
        }
        Output.note("Signed out of \(name).")
    }

    /// Whether a session serves the destination, perhaps more than once (`name-2`).
    private func uses(_ session: SessionReport) -> Bool {
        session.destinations.contains { destination in
            let isOver = ["finished", "failed"].contains(destination.state)
            let suffix = destination.name.hasPrefix(name + "-") ? destination.name.dropFirst(name.count + 1) : ""
            return !isOver && (destination.name == name || !suffix.isEmpty && suffix.allSatisfy(\.isNumber))
        }
    }
}
