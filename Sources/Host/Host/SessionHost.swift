import Capture
import Concurrency
import Control
import Desktop
import FoundationEssentials
import Glibc
import Session
import Synchronization
import Upload
import UserConfiguration

/// Runs one session on a desktop: owns its name, answers its control socket, writes its log, and requests the desktop
/// to suppress notifications.
///
/// It reads the session's events itself, so a slow or blocked front end never delays the session.
package actor SessionHost {
    /// The maximum number of events that wait for the front end. The oldest are dropped.
    private static let eventLimit = 256

    /// The events up to the end of the session, for one reader.
    package nonisolated let events: AsyncStream<HostEvent>

    let options: HostOptions
    /// Makes a destination from its name. Relative paths start at the folder.
    let resolve: @Sendable (String, String?, HostPreparation) throws(HostError) -> DestinationPlan
    private let prepare: @Sendable (HostPreparation) throws(HostError) -> PreparedSession
    private let continuation: AsyncStream<HostEvent>.Continuation
    private let hub = EventHub()
    private let started = Date()
    private nonisolated let current = Mutex(Current())
    private var isStarted = false
    private var log = SessionLog(path: nil)
    /// The application in front; nil if it is hidden, or may be hidden.
    var application: ApplicationInformation?
    /// The title that the user gave last; nil if it is the one of the start.
    private var newTitle: String?
    private var watchURLs: [String: String] = [:]
    private var exposure: Exposure?
    let claims: AddressClaims
    private let outcome = Once<Result<HostOutcome, HostError>>()
    /// The last report; nil before the end, and if the session never began.
    private let finalReport = Once<SessionReport?>()

    /// The state that a stop needs on any thread, without waiting for the actor.
    private struct Current {
        var session: BroadcastSession?
        var isStopWanted = false
    }

    /// - Parameters:
    ///   - prepare: makes the session's configuration. It runs on a separate thread after the host owns the name, and
    ///     may query a keyring or the user.
    ///   - resolve: makes a destination that is added later. It runs on a separate thread.
    package init(
        options: HostOptions, prepare: @escaping @Sendable (HostPreparation) throws(HostError) -> PreparedSession,
        resolve: @escaping @Sendable (String, String?, HostPreparation) throws(HostError) -> DestinationPlan
    ) {
        self.options = options
        self.prepare = prepare
        self.resolve = resolve
        claims = AddressClaims(path: options.claimPath, session: options.socket.map { _ in options.name })
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventLimit))
    }

    // MARK: Start and end

    /// Takes the name, prepares and starts the session. Returns when each destination is live or over.
    ///
    /// - Throws: an error if the session cannot begin. Its name and its socket are free again then.
    package func start() async throws(HostError) {
        guard !isStarted else { throw .alreadyStarted }
        isStarted = true
        let server: ControlServer?
        do throws(HostError) {
            server = try await listen()
        } catch {
            await fail(error, nil)
            throw error
        }
        options.onNameTaken()
        let options = options
        log = await NamedThread.run(name: "log") {
            SessionLog(path: options.log, takesStandardError: options.logsStandardError)
        }
        let session: BroadcastSession
        let desktopRequest: DesktopLink.Request?
        do throws(HostError) {
            (session, desktopRequest) = try await makeSession()
        } catch {
            await fail(error, server)
            throw error
        }
        let desktop = await beginQuiet(session, desktopRequest)
        let consumer = Task { await consume(session) }
        let ending = Task { await conclude(session, desktop: desktop, server: server, consumer: consumer) }
        do throws(SessionError) {
            try await session.start()
        } catch {
            await ending.value
            throw .session(error)
        }
    }

    /// Requests the end of the session. Nothing of the desktop is captured from now on. Thread-safe. Returns at once.
    package nonisolated func requestStop() {
        let session = current.withLock { current in
            current.isStopWanted = true
            return current.session
        }
        session?.requestStop()
    }

    /// Suspends until everything is written and closed, and the session's name is free again.
    ///
    /// - Throws: the error of the start if it failed.
    package func ended() async throws(HostError) -> HostOutcome {
        try await outcome.value.get()
    }

    /// The session; nil before it is made.
    package nonisolated var session: BroadcastSession? { current.withLock { $0.session } }

    /// Returns the session, and the requests to the desktop while it shows a screen.
    private func makeSession() async throws(HostError) -> (BroadcastSession, DesktopLink.Request?) {
        let prepared = try await onThread { [prepare, claims] preparation throws(HostError) in
            var prepared = try prepare(preparation)
            for index in prepared.destinations.indices { try claims.claim(&prepared.destinations[index]) }
            return prepared
        }
        watchURLs = prepared.watchURLs
        exposure = Exposure(
            picture: prepared.configuration.media.picture, hiding: prepared.configuration.media.hiddenWindows.rules)
        let session = BroadcastSession(configuration: prepared.configuration, destinations: prepared.destinations)
        let isStopWanted = current.withLock { current in
            current.session = session
            return current.isStopWanted
        }
        if isStopWanted { session.requestStop() }
        return (session, prepared.desktop)
    }

    /// Runs `body` on a separate thread, where it may block. Its notices are reported in their order, all of them
    /// before this returns or throws.
    func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (HostPreparation) throws(HostError) -> Value
    ) async throws(HostError) -> Value {
        let (notices, given) = AsyncStream<ResolverNotice>.makeStream()
        let preparation = HostPreparation(
            notice: { given.yield($0) },
            isStopWanted: { [weak self] in self?.current.withLock { $0.isStopWanted } ?? true })
        let reporting = Task { for await notice in notices { report(.notice(.resolver(notice))) } }
        let result = await NamedThread.run(name: "prepare") { Result { () throws(HostError) in try body(preparation) } }
        given.finish()
        await reporting.value
        return try result.get()
    }

    private func beginQuiet(_ session: BroadcastSession, _ request: DesktopLink.Request?) async -> DesktopLink? {
        guard let request, session.showsScreen else { return nil }
        let desktop = DesktopLink(
            request, lockChanged: { session.setDesktopLocked($0) },
            warn: { [weak self] warning in Task { await self?.report(.notice(.desktop(warning))) } })
        let warning = await desktop.begin()
        exposure?.noteDesktop(holdsNotifications: request.holdsNotifications, warning)
        if let warning { report(.notice(.desktop(warning))) }
        return desktop
    }

    private func conclude(
        _ session: BroadcastSession, desktop: DesktopLink?, server: ControlServer?, consumer: Task<Void, Never>
    ) async {
        let ended = await session.ended()
        await consumer.value
        await desktop?.end()
        let snapshot = session.snapshot()
        let result = HostOutcome(
            failure: ended.failure, snapshot: snapshot, isAsked: current.withLock { $0.isStopWanted })
        for line in options.phrases.logLines(result) { log.write(line) }
        // The log is complete before the end is reported.
        log.flush()
        hub.finish()
        await NamedThread.run(name: "claims") { [claims] in claims.releaseAll() }
        finalReport.set(report(snapshot))
        await server?.shutDown()
        outcome.set(.success(result))
        continuation.finish()
    }

    private func fail(_ error: HostError, _ server: ControlServer?) async {
        // Only the owner of the name writes the log.
        log.write(options.phrases.report(error).message)
        log.flush()
        hub.finish()
        await NamedThread.run(name: "claims") { [claims] in claims.releaseAll() }
        finalReport.set(nil)
        await server?.shutDown()
        outcome.set(.failure(error))
        continuation.finish()
    }

    private func listen() async throws(HostError) -> ControlServer? {
        guard let path = options.socket else { return nil }
        do throws(ControlServer.Failure) {
            return try await ControlServer.listen(
                at: .init(path: path, otherwise: options.otherSockets, registration: options.registration),
                events: { [hub] in hub.subscribe() },
                refusal: { [phrases = options.phrases] in phrases.report(.request(.refused($0))) },
                answer: { [weak self] request in await self?.reply(to: request) ?? .retried([]) })
        } catch {
            switch error {
            case .inUse: throw .nameInUse(options.name)
            case .cannotBind(let code): throw .cannotListen(path: path, code: code)
            }
        }
    }

    // MARK: Events

    private func consume(_ session: BroadcastSession) async {
        for await event in session.events {
            switch event {
            case .opened(let source):
                exposure?.source = source
                if let exposure { report(.exposed(exposure)) }
            case .state(let state): report(.state(state))
            case .started: report(.started)
            case .destination(let destination): report(.destination(destination))
            case .notice(let notice): report(.notice(.session(notice)))
            case .annotation(let values): report(.annotation(values))
            case .clip(let clip): report(.clip(clip))
            case .comment(let comment, let name): report(.comment(comment, destination: name))
            case .statistics: report(.statistics(session.snapshot()))
            case .application(let information): await annotate(information, session)
            }
        }
    }

    /// Sends the active application to the destinations, with the name from its desktop entry.
    private func annotate(_ information: ApplicationInformation, _ session: BroadcastSession) async {
        var information = information
        information.name = await options.applicationNames?.name(of: information.id)
        if session.annotate(information) { application = information }
    }

    /// Sends what the user says about the broadcast to the destinations.
    func annotate(_ values: [String: String], _ session: BroadcastSession) {
        if let title = values["title"] { newTitle = title }
        session.annotate(values)
        report(.changed(.annotated(values)))
    }

    func report(_ event: HostEvent) {
        if let line = options.phrases.logLine(event, session: options.name) { log.write(line) }
        hub.publish(EventReport(event, session: options.name, phrases: options.phrases, report: report))
        continuation.yield(event)
    }

    // MARK: Reports

    /// Returns the report of the session for `status`.
    func report(_ snapshot: SessionSnapshot) -> SessionReport {
        var report = SessionReport(
            snapshot, name: options.name, started: started, title: newTitle ?? options.title, application: application,
            phrases: options.phrases)
        for index in report.destinations.indices where report.destinations[index].watchUrl == nil {
            report.destinations[index].watchUrl = watchURLs[report.destinations[index].name]
        }
        return report
    }

    /// Returns the report of a session in this state that has not begun. What it shows, and where, is not known.
    func report(of state: SessionState) -> SessionReport {
        SessionReport(
            session: options.name, pid: getpid(), state: state.rawValue, started: FileDate.iso8601(started), elapsed: 0,
            title: options.title,
            source: .init(kind: SourceDescription.Kind.screen.rawValue, display: "", width: nil, height: nil),
            video: nil,
            audio: .init(app: nil, mic: nil), destinations: [])
    }

    /// Suspends until the session has ended. Returns its last report; nil if it never began.
    func lastReport() async -> SessionReport? {
        await finalReport.value
    }
}
