import Concurrency
import FoundationEssentials
import Host
import Media
import Synchronization
import Upload
import UserConfiguration
import WindowPrivacy

/// Runs a broadcast inside a program: ReplayKit's `RPBroadcastController`, for Linux. The `broadcast` command is built on it.
///
///     let controller = BroadcastController(destinations: [.destination(named: "mobcrush")])
///     try await controller.start()
///     ...
///     let results = await controller.stop()
///
/// A controller runs one broadcast; create another one for the next. All calls are thread-safe. It does not change its process: no signal handler, no
/// log level, and X errors of the program's own displays go to the program's handlers.
public final class BroadcastController: Sendable {
    /// Where the picture comes from.
    public enum Content: Sendable {
        /// An X display; nil for the one that `DISPLAY` names.
        case screen(display: String? = nil)
        /// One monitor of an X display, by its RandR name.
        case monitor(String, display: String? = nil)
        /// The content of one window, by its X identifier.
        case window(UInt, display: String? = nil)
        /// A rectangle of the screen, in pixels.
        case region(x: Int, y: Int, width: Int, height: Int, display: String? = nil)
        /// A YUV4MPEG2 file or pipe.
        case y4m(path: String)
        /// What the program hands over.
        case pictures(PictureChannel)
    }

    /// Where the sound comes from.
    public enum Sound: Sendable {
        /// Live destinations get silence, because some services reject a stream without sound; files get no sound track.
        case none
        /// What the applications of the desktop play, and the microphone if it is wanted.
        case system(microphone: Bool = false)
        /// A WAV file or pipe.
        case wav(path: String)
        /// What the program hands over.
        case channel(SoundChannel)
    }

    /// What happens, in order. The last one is `stopped` or `failed`.
    public enum Event: Sendable, Equatable {
        /// Every destination is live or has failed, and one is live.
        case started
        case paused
        case resumed
        /// A destination failed; the others go on.
        case destinationFailed(name: String, BroadcastError)
        /// A destination lost its connection and connects again.
        case reconnecting(name: String)
        /// It ended as asked; a destination may have failed.
        case stopped([DestinationResult])
        case failed(BroadcastError)
    }

    /// What happens from the start on. If the reader is slow the oldest events are dropped. One reader.
    public let events: AsyncStream<Event>

    let host: SessionHost
    private let continuation: AsyncStream<Event>.Continuation
    private let results = Once<Result<[DestinationResult], BroadcastError>>()
    private let isStarted = Mutex(false)

    /// - Parameters:
    ///   - destinations: they are looked up and opened by `start`.
    ///   - environment: of the process; it says where the user's configuration is.
    public convenience init(
        content: Content = .screen(), sound: Sound = .system(), destinations: [BroadcastDestination],
        settings: BroadcastSettings = BroadcastSettings(), environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        let context = KitContext(environment: environment)
        var options = HostOptions(name: settings.title ?? "broadcast", phrases: PlainPhrases())
        options.title = settings.title
        options.applicationNames = DesktopEntries(environment: environment)
        if settings.suppressesNotifications { options.desktop = context.desktopRequest }
        let sessionSettings = SessionSettings(content, sound, settings)
        self.init(options: options, context: context) { preparation throws(HostError) in
            try context.prepare(sessionSettings, destinations, usesConfiguration: settings.usesConfiguration, preparation)
        } resolve: { _, _, _ throws(HostError) in
            throw .request(.noDestinationNamed)
        }
    }

    init(
        options: HostOptions, context: KitContext, prepare: @escaping @Sendable (HostPreparation) throws(HostError) -> PreparedSession,
        resolve: @escaping @Sendable (String, String?, HostPreparation) throws(HostError) -> DestinationPlan
    ) {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
        host = SessionHost(options: options, prepare: prepare, resolve: resolve)
    }

    // MARK: Life

    /// Starts the broadcast, and returns once every destination is live or has failed.
    ///
    /// - Throws: if the broadcast could not begin, or no destination is live. Nothing goes on then.
    public func start() async throws(BroadcastError) {
        let isFirst = isStarted.withLock { started in
            defer { started = true }
            return !started
        }
        guard isFirst else { throw .alreadyStarted }
        Task { await follow() }
        do throws(HostError) {
            try await host.start()
        } catch {
            _ = await results.value
            throw BroadcastError(error)
        }
        let destinations = host.session?.snapshot().destinations ?? []
        if destinations.allSatisfy(\.state.isOver), let failed = destinations.first(where: { $0.error != nil }), let error = failed.error {
            _ = await results.value
            throw BroadcastError(error, destination: failed.name)
        }
        continuation.yield(.started)
    }

    /// Viewers see a slate and hear silence; files leave the stretch out. False if the broadcast is not live.
    @discardableResult public func pause() -> Bool { host.session?.pause() ?? false }

    /// Continues after a pause. False if the broadcast is not paused.
    @discardableResult public func resume() -> Bool { host.session?.resume() ?? false }

    /// Gives every destination metadata: what is on screen, a scene, a score.
    public func annotate(_ information: [String: String]) { host.session?.annotate(information) }

    /// Records the microphone, or no longer. False if the broadcast has no sound that it could be part of.
    @discardableResult public func setMicrophone(_ isOn: Bool) -> Bool {
        host.session?.setMicrophone { _ in isOn } == isOn
    }

    /// Hides windows from viewers, and returns once no picture shows them. False if the rule exists already, or no screen is broadcast.
    ///
    /// - Parameter rule: `class:NAME`, `title:*TEXT*`, `pid:NUMBER` or `id:0xNUMBER`.
    @discardableResult public func hide(_ rule: String) async throws(BroadcastError) -> Bool {
        let rule = try HiddenWindowRule(checking: rule)
        return await host.session?.changeHiddenWindows { $0.hide(rule) } ?? false
    }

    /// Removes a rule of `hide`. False if there is none.
    @discardableResult public func unhide(_ rule: String) async throws(BroadcastError) -> Bool {
        let rule = try HiddenWindowRule(checking: rule)
        return await host.session?.changeHiddenWindows { $0.unhide(rule) } ?? false
    }

    /// Saves the last seconds as a playable MP4 at `path`. `BroadcastSettings.clipBuffer` says how much is kept. False if nothing is kept yet.
    @discardableResult public func saveClip(seconds: Double, to path: String) async throws(BroadcastError) -> Bool {
        guard let session = host.session else { return false }
        do throws(UploadError) {
            return try await session.saveClip(last: MediaTime(seconds: seconds), to: path) != nil
        } catch {
            throw BroadcastError(error, destination: path)
        }
    }

    /// Ends the broadcast, and returns once everything is written and closed. Nothing is captured from the call on.
    @discardableResult public func stop() async -> [DestinationResult] {
        host.requestStop()
        guard isStarted.withLock({ $0 }) else { return [] }
        return (try? await results.value.get()) ?? []
    }

    /// Suspends until the broadcast has ended by itself or was stopped.
    public func ended() async throws(BroadcastError) -> [DestinationResult] {
        try await results.value.get()
    }

    private func follow() async {
        var wasPaused = false
        for await event in host.events {
            switch event {
            case .state(.paused):
                wasPaused = true
                continuation.yield(.paused)
            case .state(.live):
                if wasPaused { continuation.yield(.resumed) }
                wasPaused = false
            case .destination(let destination):
                if destination.state == .reconnecting { continuation.yield(.reconnecting(name: destination.name)) }
                guard destination.state == .failed, let error = destination.error else { continue }
                continuation.yield(.destinationFailed(name: destination.name, BroadcastError(error, destination: destination.name)))
            case .exposed, .started, .state, .notice, .annotation, .changed, .clip, .statistics: continue
            }
        }
        conclude(await outcome)
    }

    private var outcome: Result<HostOutcome, HostError> {
        get async {
            do throws(HostError) {
                return .success(try await host.ended())
            } catch {
                return .failure(error)
            }
        }
    }

    private func conclude(_ outcome: Result<HostOutcome, HostError>) {
        let result: Result<[DestinationResult], BroadcastError> =
            switch outcome {
            case .success(let outcome):
                if let failure = outcome.failure {
                    .failure(BroadcastError(.session(failure)))
                } else {
                    .success(outcome.snapshot.destinations.map(DestinationResult.init))
                }
            case .failure(let error): .failure(BroadcastError(error))
            }
        switch result {
        case .success(let results): continuation.yield(.stopped(results))
        case .failure(let error): continuation.yield(.failed(error))
        }
        continuation.finish()
        results.set(result)
    }
}
