import CLinux
import Capture
import Control
import Desktop
import FoundationEssentials
import Media
import Session
import Synchronization
import Threads
import Upload

/// Runs a session in this process: takes its name, answers its control socket, heeds signals, and shows what it does.
final class SessionHost: Sendable {
    private let name: String
    private let title: String?
    private let paths: Paths
    private let context: CommandContext
    private let status = StatusLine(isTerminal: Output.isTerminal)
    private let readiness: ReadinessPipe?
    private let started = Date()
    private let state = Mutex(State())
    private let events = EventHub()
    private let log: SessionLog
    /// Makes a destination of what a user calls it, and of the folder that relative paths start from.
    private let resolve: @Sendable (String, String?, Preparation) throws(CommandError) -> DestinationPlan

    private struct State {
        var session: BroadcastSession?
        var isStopWanted = false
        var final: SessionReport?
        var isOver = false
        var hasReleasedCode = false
        var waiters: [CheckedContinuation<SessionReport?, Never>] = []
        /// The destinations whose failure the user has read.
        var told: Set<String> = []
        /// Where destinations can be watched, by their names, as their setup has told.
        var watchURLs: [String: String] = [:]
    }

    /// What is at hand where the destinations are made.
    struct Preparation: Sendable {
        /// Tells the user something that is no error.
        let notice: @Sendable (String) -> Void
        /// True once the user wants no broadcast any more.
        let isStopWanted: @Sendable () -> Bool
    }

    /// - Parameter readiness: where a parent waits to hear that the session is live.
    init(
        name: String, title: String?, context: CommandContext, readiness: ReadinessPipe?,
        resolve: @escaping @Sendable (String, String?, Preparation) throws(CommandError) -> DestinationPlan
    ) {
        self.resolve = resolve
        self.name = name
        self.title = title
        paths = context.paths
        self.context = context
        self.readiness = readiness
        // A detached session's standard error is its log.
        log = SessionLog(path: readiness == nil ? context.paths.log(session: name) : nil)
    }

    /// Runs from start to end. Throws the first failure, once everything is written and closed.
    ///
    /// - Parameter destinations: makes the destinations, once the session's name is taken. It may ask a keyring or a person, and block.
    func run(
        _ configuration: SessionConfiguration, destinations: @escaping @Sendable (Preparation) throws(CommandError) -> [DestinationPlan]
    ) async throws(CommandError) {
        let signals = StopSignals { [self] in stop() }
        defer { signals.ignore() }
        try paths.prepareRuntimeFolder()
        let server = try await listen()
        log.begin()
        do throws(CommandError) {
            try await run(configuration, plans: prepare(destinations))
        } catch {
            // Whoever asked something meanwhile is told that nothing came of it.
            events.finish()
            finish(with: nil)
            await server.shutDown()
            throw error
        }
        await server.shutDown()
    }

    /// Makes the destinations on a thread of their own.
    private func prepare<Plans: Sendable>(
        _ destinations: @escaping @Sendable (Preparation) throws(CommandError) -> Plans
    ) async throws(CommandError) -> Plans {
        let preparation = Preparation(
            notice: { [self] in say($0) }, isStopWanted: { [self] in state.withLock { $0.isStopWanted } })
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Plans, CommandError>, Never>) in
            _ = NamedThread(name: "prepare") {
                continuation.resume(returning: Result { () throws(CommandError) in try destinations(preparation) })
            }
        }
        return try result.get()
    }

    private func run(_ configuration: SessionConfiguration, plans: [DestinationPlan]) async throws(CommandError) {
        if context.configuration.privacy.notice ?? true { status.say(configuration.picture.notice) }
        let information = SetupInformation(paths: paths)
        for plan in plans {
            let url = try information.watchURL(of: plan.name)
            state.withLock { $0.watchURLs[plan.name] = url }
        }
        let session = BroadcastSession(configuration: configuration, destinations: plans) { [self] in observe($0) }
        let isStopWanted = state.withLock { state in
            state.session = session
            return state.isStopWanted
        }
        if isStopWanted { session.stop() }
        let desktop = DesktopLink.Request(context, configuration).map { request in
            DesktopLink(request, lockChanged: { session.setDesktopLocked($0) }, warn: { [self] in say("Warning: " + $0) })
        }
        if let warning = await desktop?.begin() { say("Warning: " + warning) }
        var failure: CommandError?
        clinux_release_code()
        do throws(SessionError) {
            _ = try await session.run()
        } catch {
            failure = CommandError(error)
        }
        await desktop?.end()
        let snapshot = session.snapshot()
        sayResults(snapshot)
        failure = sayFailures(snapshot, after: failure)
        events.finish()
        finish(with: report(snapshot))
        if let failure { throw failure }
    }

    // MARK: What is asked of it

    private func listen() async throws(CommandError) -> ControlServer {
        let path = paths.socket(session: name)
        do throws(ControlServer.Failure) {
            return try await ControlServer.listen(at: path, events: { [events] in events.subscribe() }, answer: { [self] in await answer($0) })
        } catch {
            switch error {
            case .inUse:
                throw CommandError(
                    .cannotCreate, "A session named \"\(name)\" runs already. Stop it with broadcast stop, or start another one with --session NAME.")
            case .cannotBind(let reason):
                throw CommandError(.cannotCreate, "Cannot make the control socket \(path): \(reason). Check the folder, or set XDG_RUNTIME_DIR.")
            }
        }
    }

    private func answer(_ request: ControlRequest) async -> ControlReply {
        if request.command == "stop" {
            stop()
            guard let report = await final() else { return .refusal(409, "The session ended before it was live.") }
            return ControlReply(session: report)
        }
        guard let session = state.withLock({ $0.session }) else { return .refusal(409, "The session is only just starting. Try again.") }
        let requests = SessionRequests(session: session) { [self] in
            report(session)
        } makePlan: { [self, resolve] target, folder async throws(CommandError) in
            try await prepare { preparation throws(CommandError) in try resolve(target, folder, preparation) }
        }
        return await requests.answer(request)
    }

    private func report(_ session: BroadcastSession) -> SessionReport {
        report(session.snapshot())
    }

    private func report(_ snapshot: SessionSnapshot) -> SessionReport {
        var report = SessionReport(snapshot, name: name, started: started, title: title)
        let urls = state.withLock { $0.watchURLs }
        for index in report.destinations.indices where report.destinations[index].watchUrl == nil {
            report.destinations[index].watchUrl = urls[report.destinations[index].name]
        }
        return report
    }

    private func stop() {
        let session = state.withLock { state in
            state.isStopWanted = true
            return state.session
        }
        session?.stop()
    }

    /// Waits until the session has ended.
    private func final() async -> SessionReport? {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state -> Bool in
                if !state.isOver { state.waiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume(returning: state.withLock { $0.final }) }
        }
    }

    private func finish(with report: SessionReport?) {
        let waiters = state.withLock { state in
            state.final = state.final ?? report
            state.isOver = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: report) }
    }

    // MARK: What the user sees

    private func observe(_ event: SessionEvent) {
        switch event {
        case .state(let state):
            if Output.isTerminal { log.write("session \(name): \(state.rawValue)") } else { say("session \(name): \(state.rawValue)") }
        case .destination(let destination): tell(destination)
        case .warning(let text): say("Warning: " + text)
        case .clip(let clip): say("clip: \(clip.path)")
        case .annotation, .statistics: break
        }
        let session = state.withLock { $0.session }
        if case .state(.live) = event { releaseCode() }
        if let session, let readiness {
            let states = session.snapshot().destinations.map(\.state)
            if states.allSatisfy({ $0 == .live || $0 == .paused }), session.state == .live { readiness.reportLive() }
        }
        events.publish(EventReport(event, session: name, report: { session.map { self.report($0) } }))
        guard let snapshot = session?.snapshot(), !snapshot.state.isOver else { return }
        status.update(snapshot)
    }

    /// What only the start needed is not held through the broadcast. Going on after a pause is no start.
    private func releaseCode() {
        let isFirst = state.withLock { state -> Bool in
            defer { state.hasReleasedCode = true }
            return !state.hasReleasedCode
        }
        if isFirst { clinux_release_code() }
    }

    /// Shows a line that stays, and keeps it in the session's log.
    private func say(_ text: String) {
        status.say(text)
        log.write(text)
    }

    private func tell(_ destination: SessionSnapshot.Destination) {
        switch destination.state {
        case .reconnecting:
            let rest = destination.nextRetry.map { " Next try in \(Int($0.seconds.rounded(.up))) s; broadcast retry tries at once." } ?? ""
            say("\(destination.name): \(destination.error?.description ?? "The connection is lost.")\(rest)")
        case .live: say("\(destination.name): live" + ((destination.url ?? destination.path).map { " (\($0))" } ?? ""))
        case .failed:
            let destinations = state.withLock { $0.session }?.snapshot().destinations ?? []
            // Whoever has it taken away is told how it ended.
            guard destinations.contains(where: { $0.name == destination.name }) else { return say("\(destination.name): removed.") }
            // Where there are no others the session ends, and says why when its name is free again.
            let others = destinations.contains { !$0.state.isOver }
            guard others, let error = destination.error, state.withLock({ $0.told.insert(destination.name).inserted }) else { return }
            let failure = CommandError(error)
            say("\(destination.name): failed. \(failure.message)")
            // Whoever waits for every destination to be live waits in vain, though the others go on.
            readiness?.report(
                CommandError(failure.status, failure.message + " The session goes on with its other destinations; broadcast stop ends it."))
        default: break
        }
    }

    /// Says what the user has not read yet, and gives the failure that the command ends with: the session's own, else the first
    /// destination's. That one is left to the command to say.
    private func sayFailures(_ snapshot: SessionSnapshot, after failure: CommandError?) -> CommandError? {
        let told = state.withLock { $0.told }
        var last = failure
        for destination in snapshot.destinations {
            guard let error = destination.error.map({ CommandError($0) }) else { continue }
            let line = "\(destination.name): failed. \(error.message)"
            let isTold = told.contains(destination.name)
            if last != nil {
                if !isTold { say(line) }
                continue
            }
            // The log has it with the name. Where the session went on after it, it is the reason for the end's status, and said again.
            if !isTold { log.write(line) }
            last = error
        }
        return last
    }

    private func sayResults(_ snapshot: SessionSnapshot) {
        status.clear()
        for destination in snapshot.destinations where destination.state == .finished {
            let place = destination.path ?? destination.url ?? destination.name
            // A named pipe that nobody has read from.
            guard destination.path == nil || destination.byteCount > 0 else {
                say("\(place): nothing was written.")
                continue
            }
            let dropped = destination.dropped > 0 ? ", \(destination.dropped) frames dropped" : ""
            say("\(place): \(StatusLine.clock(snapshot.elapsed)), \(StatusLine.size(destination.byteCount))\(dropped)")
        }
    }
}
