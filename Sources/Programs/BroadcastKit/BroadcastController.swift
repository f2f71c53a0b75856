import Concurrency
import FoundationEssentials
import Host
import Media
import Synchronization
import Upload
import UserConfiguration
import WindowPrivacy

/// Runs a broadcast inside a program, like ReplayKit's `RPBroadcastController`.
///
///     let controller = BroadcastController(destinations: [.destination(named: "mobcrush")])
///     try await controller.start()
///     ...
///     let results = await controller.stop()
///
/// A controller runs one broadcast. Create another controller for the next broadcast. All calls are thread-safe. The
/// controller installs no signal handlers, and errors of the program's own X displays go to the program's handlers.
public final class BroadcastController: Sendable {
    /// The source of the pictures.
    public enum Content: Sendable {
        /// An X display; nil for the display in `DISPLAY`. In a Wayland session, nil has the effect of `sharedMonitor`.
        case screen(display: String? = nil)
        /// The monitor that the user chooses in the desktop's dialog, through the screen cast portal. The choice is
        /// remembered, so later broadcasts share the same monitor without a dialog.
        case sharedMonitor
        /// The window that the user chooses in the desktop's dialog.
        case sharedWindow
        /// One monitor of an X display, by its RandR name.
        case monitor(String, display: String? = nil)
        /// The content of one window, by its X identifier.
        case window(UInt, display: String? = nil)
        /// A rectangle of the screen, in pixels. In a Wayland session and without `display`: of the monitor that the
        /// user chooses.
        case region(x: Int, y: Int, width: Int, height: Int, display: String? = nil)
        /// A YUV4MPEG2 file or pipe.
        case y4m(path: String)
        /// Pictures of the program itself.
        case pictures(PictureChannel)
    }

    /// The source of the sound.
    public enum Sound: Sendable {
        /// No sound. Live destinations get silence, because some services reject a stream without sound. Files get no
        /// sound track.
        case none
        /// The sound of the desktop's applications, and the microphone if it is on.
        case system(microphone: Bool = false)
        /// A WAV file or pipe.
        case wav(path: String)
        /// Sound of the program itself.
        case channel(SoundChannel)
    }

    /// An event of the broadcast. The last one is `stopped` or `failed`.
    public enum Event: Sendable, Equatable {
        /// Each destination is live or has failed, and at least one is live.
        case started
        case paused
        case resumed
        /// A destination failed. The others continue.
        case destinationFailed(name: String, BroadcastError)
        /// A destination lost its connection and tries to connect again.
        case reconnecting(name: String)
        /// What a viewer wrote to a destination, and the name that the viewer goes by. The text has no control
        /// characters.
        case comment(destination: String, from: String, text: String)
        /// The broadcast ended normally. A destination may have failed.
        case stopped([DestinationResult])
        case failed(BroadcastError)
    }

    /// The events from the start, for one reader. If the reader is slow, the oldest events are dropped.
    public let events: AsyncStream<Event>

    private let host: SessionHost
    private let continuation: AsyncStream<Event>.Continuation
    private let results = Once<Result<[DestinationResult], BroadcastError>>()
    private let isStarted = Mutex(false)

    /// - Parameters:
    ///   - destinations: `start` finds and opens them.
    ///   - environment: the environment of the process. It determines the path of the user's configuration.
    public init(
        content: Content = .screen(), sound: Sound = .system(), destinations: [BroadcastDestination],
        settings: BroadcastSettings = BroadcastSettings(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        let user = SessionEnvironment(ofProgram: environment)
        var options = HostOptions(name: settings.title ?? "broadcast", phrases: PlainPhrases())
        options.title = settings.title
        options.claimPath = { [paths = user.paths] in paths.addressClaim($0) }
        options.applicationNames = DesktopEntries(folders: user.paths.dataSearchPath.map { $0 + "/applications" })
        let sessionSettings = SessionSettings(content, sound, settings, user)
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
        host = SessionHost(options: options) { () throws(ConfigurationError) in
            try user.request(sessionSettings, destinations, settings)
        }
    }

    // MARK: Start and end

    /// Starts the broadcast. Returns when each destination is live or has failed.
    ///
    /// - Throws: an error if the broadcast cannot begin, or if no destination is live. The broadcast is over then.
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
        if destinations.allSatisfy(\.state.isOver), let failed = destinations.first(where: { $0.error != nil }),
            let error = failed.error
        {
            _ = await results.value
            throw BroadcastError(error, destination: failed.name)
        }
        continuation.yield(.started)
    }

    /// Pauses the broadcast: viewers get a slate and silence, and files omit the interval. Returns false if the
    /// broadcast is not live.
    @discardableResult public func pause() -> Bool { host.session?.pause() ?? false }

    /// Continues after a pause. Returns false if the broadcast is not paused.
    @discardableResult public func resume() -> Bool { host.session?.resume() ?? false }

    /// Sends metadata to every destination, for example the name of a scene or a score.
    public func annotate(_ information: [String: String]) { host.session?.annotate(information) }

    /// Turns the microphone on or off. Returns false if no destination takes sound.
    @discardableResult public func setMicrophone(_ isOn: Bool) -> Bool {
        host.session?.setMicrophone { _ in isOn } == isOn
    }

    /// Hides windows from viewers. Returns when viewers see nothing of them any more. Returns false if the rule already
    /// exists, or if the source is not a screen.
    ///
    /// Throws `notShown` if that takes more than a second, because the display or an encoder does not answer. The rule
    /// is in force then, and viewers see the slate where that is possible.
    ///
    /// - Parameter rule: `class:NAME`, `title:*TEXT*`, `pid:NUMBER` or `id:0xNUMBER`.
    @discardableResult public func hide(_ rule: String) async throws(BroadcastError) -> Bool {
        let rule = try HiddenWindowRule(checking: rule)
        guard let session = host.session, session.hide(rule) ?? false else { return false }
        guard await session.waitUntilHidden(isPause: false) == .done else { throw .notShown }
        return true
    }

    /// Removes a rule of `hide`. Returns false if the rule does not exist.
    @discardableResult public func unhide(_ rule: String) async throws(BroadcastError) -> Bool {
        let rule = try HiddenWindowRule(checking: rule)
        return host.session?.unhide(rule) ?? false
    }

    /// Saves the last seconds as an MP4 file at `path`. `BroadcastSettings.clipBuffer` limits the duration. Returns
    /// false if no picture is in the clip buffer.
    @discardableResult public func saveClip(seconds: Double, to path: String) async throws(BroadcastError) -> Bool {
        guard let session = host.session else { return false }
        do throws(UploadError) {
            return try await session.saveClip(last: MediaTime(seconds: seconds), to: path) != nil
        } catch {
            throw BroadcastError(error, destination: path)
        }
    }

    /// Ends the broadcast. Returns when everything is written and closed. Nothing is captured from this call on.
    @discardableResult public func stop() async -> [DestinationResult] {
        host.requestStop()
        guard isStarted.withLock({ $0 }) else { return [] }
        return (try? await results.value.get()) ?? []
    }

    /// Suspends until the broadcast has ended or was stopped.
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
                continuation.yield(
                    .destinationFailed(name: destination.name, BroadcastError(error, destination: destination.name)))
            case .comment(let comment, let name):
                continuation.yield(.comment(destination: name, from: comment.name, text: comment.text))
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
