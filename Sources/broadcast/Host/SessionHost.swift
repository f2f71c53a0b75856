import Control
import FoundationEssentials
import Session
import Synchronization

/// Runs a session in this process: takes its name, answers its control socket, heeds signals, and shows what it does.
final class SessionHost: Sendable {
    private let name: String
    private let title: String?
    private let paths: Paths
    private let showsNotice: Bool
    private let status = StatusLine(isTerminal: Output.isTerminal)
    private let readiness: ReadinessPipe?
    private let started = Date()
    private let state = Mutex(State())

    private struct State {
        var session: BroadcastSession?
        var isStopWanted = false
        var final: SessionReport?
        var waiters: [CheckedContinuation<SessionReport, Never>] = []
    }

    /// - Parameter readiness: where a parent waits to hear that the session is live.
    init(name: String, title: String?, context: CommandContext, readiness: ReadinessPipe?) {
        self.name = name
        self.title = title
        paths = context.paths
        showsNotice = context.configuration.privacy.notice ?? true
        self.readiness = readiness
    }

    /// Runs from start to end. Throws the first failure, once everything is written and closed.
    ///
    /// - Parameter destinations: makes the destinations, once the session's name is taken; its argument tells the user something.
    func run(
        _ configuration: SessionConfiguration, destinations: (@escaping @Sendable (String) -> Void) throws(CommandError) -> [DestinationPlan]
    ) async throws(CommandError) {
        let signals = StopSignals { [self] in stop() }
        defer { signals.ignore() }
        try paths.prepareRuntimeFolder()
        let server = try await listen()
        do throws(CommandError) {
            try await run(configuration, plans: destinations { [status] in status.say($0) })
        } catch {
            await server.shutDown()
            throw error
        }
        await server.shutDown()
    }

    private func run(_ configuration: SessionConfiguration, plans: [DestinationPlan]) async throws(CommandError) {
        if showsNotice { status.say("Everything on your screen, including notifications, will be visible.") }
        let session = BroadcastSession(configuration: configuration, destinations: plans) { [self] in observe($0) }
        let isStopWanted = state.withLock { state in
            state.session = session
            return state.isStopWanted
        }
        if isStopWanted { session.stop() }
        var failure: CommandError?
        do throws(SessionError) {
            _ = try await session.run()
        } catch {
            failure = CommandError(error)
        }
        let snapshot = session.snapshot()
        sayResults(snapshot)
        finish(with: SessionReport(snapshot, name: name, started: started, title: title))
        if let failure = failure ?? snapshot.destinations.lazy.compactMap({ destination in destination.error.map { CommandError($0) } }).first {
            throw failure
        }
    }

    // MARK: What is asked of it

    private func listen() async throws(CommandError) -> ControlServer {
        let path = paths.socket(session: name)
        do throws(ControlServer.Failure) {
            return try await ControlServer.listen(at: path) { [self] in await answer($0) }
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
        switch request.command {
        case "status":
            guard let session = state.withLock({ $0.session }) else {
                return ControlReply(error: ErrorReport(code: 409, message: "The session is only just starting."))
            }
            return ControlReply(session: SessionReport(session.snapshot(), name: name, started: started, title: title))
        case "stop":
            stop()
            return ControlReply(session: await final())
        default:
            return ControlReply(error: ErrorReport(code: 404, message: "There is no command \"\(request.command)\"."))
        }
    }

    private func stop() {
        let session = state.withLock { state in
            state.isStopWanted = true
            return state.session
        }
        session?.stop()
    }

    /// Waits until the session has ended.
    private func final() async -> SessionReport {
        await withCheckedContinuation { continuation in
            let report = state.withLock { state -> SessionReport? in
                if state.final == nil { state.waiters.append(continuation) }
                return state.final
            }
            if let report { continuation.resume(returning: report) }
        }
    }

    private func finish(with report: SessionReport) {
        let waiters = state.withLock { state in
            state.final = report
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: report) }
    }

    // MARK: What the user sees

    private func observe(_ event: SessionEvent) {
        switch event {
        case .state(let state):
            if state == .live { readiness?.reportLive() }
            if !Output.isTerminal { status.say("session \(name): \(state.rawValue)") }
        case .destination(let destination): say(destination)
        case .warning(let text): status.say("Warning: " + text)
        case .statistics: break
        }
        guard let session = state.withLock({ $0.session }) else { return }
        let snapshot = session.snapshot()
        if !snapshot.state.isOver { status.update(snapshot) }
    }

    private func say(_ destination: SessionSnapshot.Destination) {
        switch destination.state {
        case .live: status.say("\(destination.name): live" + ((destination.url ?? destination.path).map { " (\($0))" } ?? ""))
        case .failed:
            status.say("\(destination.name): failed. \(destination.error?.description ?? "")")
            // Whoever waits for every destination to be live waits in vain; the others go on.
            if let error = destination.error { readiness?.report(CommandError(error)) }
        default: break
        }
    }

    private func sayResults(_ snapshot: SessionSnapshot) {
        status.clear()
        for destination in snapshot.destinations where destination.state == .finished {
            let place = destination.path ?? destination.url ?? destination.name
            let dropped = destination.dropped > 0 ? ", \(destination.dropped) frames dropped" : ""
            status.say("\(place): \(StatusLine.clock(snapshot.elapsed)), \(StatusLine.size(destination.byteCount))\(dropped)")
        }
    }
}
