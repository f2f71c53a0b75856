import ArgumentParser
import Control
import Credentials
import Host
import Presentation
import Terminal
import UserConfiguration

/// `broadcast sign-out`
struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Delete the secrets of a destination, and stop its broadcasts.")

    @Argument(help: ArgumentHelp("The destination or service.", valueName: "name"))
    var name: String

    @Flag(help: "Delete also the answers to its other questions.")
    var answers = false

    func run() async throws {
        let user = UserEnvironment()
        // Secrets can be deleted whatever the configuration says, so a fault of it is only reported.
        var configuration = Configuration(path: user.paths.configFile)
        var problem: CommandError?
        do throws(ConfigurationError) {
            configuration = try ConfigurationFile.load(user.paths.configFile)
        } catch {
            problem = CommandError(error)
        }
        // Delete the secrets first, so that no broadcast can start with them while the sessions end.
        let wasSignedIn = try presentingProblem { () throws(CredentialProblem) in
            let wasSignedIn = try user.credentials.forget(name)
            try SetupInformation(paths: user.paths).keep(watchURL: nil, of: name)
            return wasSignedIn
        }
        var ended = 0
        var silent: [CommandError] = []
        let sessions = RunningSession.all(user.paths)
        for (session, answer) in zip(sessions, await RunningSession.ask(.status, sessions)) {
            do throws(CommandError) {
                guard let report = try Self.reply(answer, session)?.session else { continue }
                let own = uses(report) { Self.isOwn($0, configuration, user, isKnown: problem == nil) }
                // Until it has begun, its destinations are not known.
                if report.state == "starting", report.destinations.isEmpty {
                    Output.note(
                        "Session \"\(session.name)\" is starting, and may go live with the key of \(name). "
                            + "To stop it, run: broadcast stop --session \(session.name)")
                }
                guard !own.isEmpty else { continue }
                try await end(own, of: report, in: session)
                ended += 1
            } catch {
                silent.append(error)
            }
        }
        for error in silent { Output.note("broadcast: " + error.message + " It may be live with the key of \(name).") }
        let hadAnswers = try answers && forgetAnswers(user)
        let hadUser = try mayHaveUser(configuration, user, isKnown: problem == nil) && forgetUser(user)
        if configuration.destination(named: name)?.keyCommand != nil {
            throw CommandError(
                .nothing,
                "The key-command in \(user.paths.configFile) provides the key of \(name). Remove it there.")
        }
        guard wasSignedIn || hadUser || hadAnswers || ended > 0 else {
            if let problem { throw problem }
            _ = try setupTarget(name, configuration, user)
            throw CommandError(.nothing, "Not signed in to \(name), so there is nothing to forget.")
        }
        if let problem { Output.note("Warning: \(problem.message) A key-command in it can still provide a key.") }
        Output.note("Signed out of \(name).\(hadAnswers ? " Its answers are deleted." : "")")
        if !SetupInformation(paths: user.paths).knownAnswers(of: name).isEmpty {
            Output.note(SetupSentences.answersStay(name))
        }
    }

    /// True if the destination can be an RTMP server, whose user name belongs to the password.
    ///
    /// - Parameter isKnown: false if the configuration could not be read.
    private func mayHaveUser(_ configuration: Configuration, _ user: UserEnvironment, isKnown: Bool) -> Bool {
        if let destination = configuration.destination(named: name) { return destination.kind == .rtmp }
        return KnownService.named(name)?.kind == .rtmp || !isKnown && !user.catalog.names.contains(name)
    }

    /// Deletes the answers that are not secret. Returns true if there were any.
    private func forgetAnswers(_ user: UserEnvironment) throws(CommandError) -> Bool {
        try presentingProblem { () throws(CredentialProblem) in
            let information = SetupInformation(paths: user.paths)
            guard try !information.answers(of: name).isEmpty else { return false }
            try information.keep([:], of: name)
            return true
        }
    }

    /// Deletes the user name. Returns true if there was one.
    private func forgetUser(_ user: UserEnvironment) throws(CommandError) -> Bool {
        try presentingProblem { () throws(CredentialProblem) in
            try SetupInformation(paths: user.paths).forget("user", of: name)
        }
    }

    /// Removes the destinations from a session, or stops the session if it has no others.
    private func end(_ own: [String], of report: SessionReport, in session: RunningSession) async throws(CommandError) {
        let others = report.destinations.filter { !Self.isOver($0) && !own.contains($0.name) }
        guard !others.isEmpty else {
            _ = try await Self.ask(session, .stop)
            return Output.note("Session \"\(session.name)\" has ended.")
        }
        var refusal: CommandError?
        for name in own {
            // An unknown destination is not an error: it or the whole session ended meanwhile.
            guard let error = try await Self.ask(session, .removeDestination(name, folder: nil))?.error,
                error.code != 404
            else { continue }
            guard error.code == ErrorReport.onlyDestination else {
                refusal =
                    refusal
                    ?? CommandError(.unavailable, "Session \"\(session.name)\" does not end \(name): \(error.message)")
                continue
            }
            // The other destinations ended meanwhile. A session cannot remove its last destination, so stop the
            // session.
            _ = try await Self.ask(session, .stop)
            return Output.note("Session \"\(session.name)\" has ended.")
        }
        if let refusal { throw refusal }
        let rest = others.map(\.name).joined(separator: ", ")
        Output.note("\(own.joined(separator: ", ")) has ended; session \"\(session.name)\" continues to \(rest).")
    }

    private static func ask(_ session: RunningSession, _ request: ControlRequest) async throws(CommandError)
        -> ControlReply?
    {
        do throws(ControlClient.Failure) {
            return try await session.ask(request)
        } catch {
            throw CommandError(error, session: session.name)
        }
    }

    private static func reply(_ answer: Result<ControlReply?, ControlClient.Failure>, _ session: RunningSession)
        throws(CommandError) -> ControlReply?
    {
        do throws(ControlClient.Failure) {
            return try answer.get()
        } catch {
            throw CommandError(error, session: session.name)
        }
    }

    /// The names of the destination in a session, which may contain it more than once (`name-2`).
    ///
    /// - Parameter isOwn: returns true if a separate destination has this name.
    private func uses(_ session: SessionReport, isOwn: (String) -> Bool) -> [String] {
        session.destinations.filter { destination in
            guard !Self.isOver(destination), destination.name != name else { return !Self.isOver(destination) }
            let suffix = destination.name.hasPrefix(name + "-") ? destination.name.dropFirst(name.count + 1) : ""
            return !suffix.isEmpty && suffix.allSatisfy(\.isNumber) && !isOwn(destination.name)
        }.map(\.name)
    }

    /// True if a separate destination has this name, and so its own secrets.
    ///
    /// - Parameter isKnown: false if the configuration could not be read. Stored secrets then tell which destinations
    ///   there are.
    private static func isOwn(_ name: String, _ configuration: Configuration, _ user: UserEnvironment, isKnown: Bool)
        -> Bool
    {
        configuration.destination(named: name) != nil || KnownService.named(name) != nil
            || user.catalog.names.contains(name)
            || !isKnown && user.credentials.destinations(among: [name]).contains(name)
    }

    private static func isOver(_ destination: DestinationReport) -> Bool {
        ["finished", "failed"].contains(destination.state)
    }
}
