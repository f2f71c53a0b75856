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

/// Runs one session on a desktop: takes its name, answers its control socket, keeps its log, and asks the desktop for quiet.
///
/// It consumes the session's events, so a front end that is slow, stuck or gone never holds up the session.
package actor SessionHost {
    /// Events that may wait for the front end; the oldest are dropped.
    private static let eventLimit = 256

    /// What happens, until the session has ended. One reader.
    package nonisolated let events: AsyncStream<HostEvent>

    let options: HostOptions
    /// Makes a destination of its name, and of the folder that relative paths start from.
    let resolve: @Sendable (String, String?, HostPreparation) throws(HostError) -> DestinationPlan
    private let prepare: @Sendable (HostPreparation) throws(HostError) -> PreparedSession
    private let continuation: AsyncStream<HostEvent>.Continuation
    private let hub = EventHub()
    private let started = Date()
    private nonisolated let current = Mutex(Current())
    private var isStarted = false
    private var log = SessionLog(path: nil)
    private var application: ApplicationInformation?
    private var watchURLs: [String: String] = [:]
    private var exposure: Exposure?
    private let outcome = Once<Result<HostOutcome, HostError>>()
    /// The last report; nil if the session never began.
    private let finalReport = Once<SessionReport?>()

    /// What a stop needs at once, on any thread.
    private struct Current {
        var session: BroadcastSession?
        var isStopWanted = false
    }

    /// - Parameters:
    ///   - prepare: makes the session, once its name is taken. It runs on a thread of its own, and may ask a keyring or a person.
    ///   - resolve: makes a destination that is added later, on a thread of its own.
    package init(
        options: HostOptions, prepare: @escaping @Sendable (HostPreparation) throws(HostError) -> PreparedSession,
        resolve: @escaping @Sendable (String, String?, HostPreparation) throws(HostError) -> DestinationPlan
    ) {
        self.options = options
        self.prepare = prepare
        self.resolve = resolve
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.eventLimit))
    }

    // MARK: Life

    /// Takes the name, prepares and starts the session, and returns once every destination is live or over.
    ///
    /// - Throws: if the session could not begin. Nothing of it is left then.
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
        log = SessionLog(path: options.log, takesStandardError: options.logsStandardError)
        let session: BroadcastSession
        do throws(HostError) {
            session = try await makeSession()
        } catch {
            await fail(error, server)
            throw error
        }
        let desktop = await beginQuiet(session)
        let consumer = Task { await consume(session) }
        let ending = Task { await conclude(session, desktop: desktop, server: server, consumer: consumer) }
        do throws(SessionError) {
            try await session.start()
        } catch {
            await ending.value
            throw .session(error)
        }
    }

    /// Asks the session to end. Nothing of the desktop is captured from now on. Returns at once, on any thread.
    package nonisolated func requestStop() {
        let session = current.withLock { current in
            current.isStopWanted = true
            return current.session
        }
        session?.requestStop()
    }

    /// Suspends until everything is written and closed, and the session's name is free again.
    ///
    /// - Throws: the error with which the start failed.
    package func ended() async throws(HostError) -> HostOutcome {
        try await outcome.value.get()
    }

    /// The session; nil until it is made.
    package nonisolated var session: BroadcastSession? { current.withLock { $0.session } }

    private func makeSession() async throws(HostError) -> BroadcastSession {
        let prepared = try await onThread(prepare)
        watchURLs = prepared.watchURLs
        exposure = Exposure(picture: prepared.configuration.picture)
        let session = BroadcastSession(configuration: prepared.configuration, destinations: prepared.destinations)
        let isStopWanted = current.withLock { current in
            current.session = session
            return current.isStopWanted
        }
        if isStopWanted { session.requestStop() }
        return session
    }

    /// Runs `body` on a thread of its own, where it may block.
    func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (HostPreparation) throws(HostError) -> Value
    ) async throws(HostError) -> Value {
        let preparation = HostPreparation(
            notice: { [weak self] notice in Task { await self?.report(.notice(.resolver(notice))) } },
            isStopWanted: { [weak self] in self?.current.withLock { $0.isStopWanted } ?? true })
        let result = Once<Result<Value, HostError>>()
        _ = NamedThread(name: "prepare") {
            result.set(Result { () throws(HostError) in try body(preparation) })
        }
        return try await result.value.get()
    }

    private func beginQuiet(_ session: BroadcastSession) async -> DesktopLink? {
        guard let request = options.desktop, session.showsScreen else { return nil }
        let desktop = DesktopLink(
            request, lockChanged: { session.setDesktopLocked($0) },
            warn: { [weak self] warning in Task { await self?.report(.notice(.desktop(warning))) } })
        let warning = await desktop.begin()
        exposure?.noteDesktop(holdsNotifications: request.holdsNotifications, warning)
        if let warning { report(.notice(.desktop(warning))) }
        return desktop
    }

    private func conclude(_ session: BroadcastSession, desktop: DesktopLink?, server: ControlServer?, consumer: Task<Void, Never>) async {
        let ended = await session.ended()
        await consumer.value
        await desktop?.end()
        let snapshot = session.snapshot()
        let result = HostOutcome(failure: ended.failure, snapshot: snapshot, isAsked: current.withLock { $0.isStopWanted })
        for line in options.phrases.logLines(result) { log.write(line) }
        hub.finish()
        finalReport.set(report(snapshot))
        await server?.shutDown()
        log.flush()
        outcome.set(.success(result))
        continuation.finish()
    }

    private func fail(_ error: HostError, _ server: ControlServer?) async {
        // Only the owner of the name has a log.
        log.write(options.phrases.report(error).message)
        log.flush()
        hub.finish()
        finalReport.set(nil)
        await server?.shutDown()
        outcome.set(.failure(error))
        continuation.finish()
    }

    private func listen() async throws(HostError) -> ControlServer? {
        guard let path = options.socket else { return nil }
        do throws(ControlServer.Failure) {
            return try await ControlServer.listen(
                at: .init(path: path, otherwise: options.otherSockets, registration: options.registration), events: { [hub] in hub.subscribe() },
                answer: { [weak self] request in await self?.reply(to: request) ?? ControlReply(retried: []) })
        } catch {
            switch error {
            case .inUse: throw .nameInUse(options.name)
            case .cannotBind(let reason): throw .cannotListen(path: path, reason: reason)
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
            case .statistics: report(.statistics(session.snapshot()))
            case .application(let information): await annotate(information, session)
            }
        }
    }

    /// Gives destinations the application in front, with the name that its desktop entry has.
    private func annotate(_ information: ApplicationInformation, _ session: BroadcastSession) async {
        var information = information
        information.name = await options.applicationNames?.name(of: information.id)
        application = information
        session.annotate(information)
    }

    func report(_ event: HostEvent) {
        if let line = options.phrases.logLine(event, session: options.name) { log.write(line) }
        hub.publish(EventReport(event, session: options.name, phrases: options.phrases, report: report))
        continuation.yield(event)
    }

    // MARK: Reports

    /// The session as status shows it.
    func report(_ snapshot: SessionSnapshot) -> SessionReport {
        var report = SessionReport(
            snapshot, name: options.name, started: started, title: options.title, application: application, phrases: options.phrases)
        for index in report.destinations.indices where report.destinations[index].watchUrl == nil {
            report.destinations[index].watchUrl = watchURLs[report.destinations[index].name]
        }
        return report
    }

    /// Suspends until the session has ended, and returns its last report; nil if it never began.
    func lastReport() async -> SessionReport? {
        await finalReport.value
    }
}
