import Capture
import Media
import RTMP
import Session
import Synchronization
import Upload

/// Runs a broadcast inside a program of one's own: ReplayKit's `RPBroadcastController`, for Linux.
///
/// The program shows the screen, or hands over pictures and sound that it makes itself; everything behind is what the `broadcast`
/// command uses.
///
///     let pictures = PictureChannel(width: 1280, height: 720)
///     let controller = BroadcastController(content: .pictures(pictures), sound: .none, destinations: [.file("game.mp4")])
///     try await controller.start()
///     ...
///     let results = await controller.stop()
///
/// A controller runs one broadcast; make another one for the next.
public final class BroadcastController: Sendable {
    /// Where the picture comes from.
    public enum Content: Sendable {
        /// An X display; nil for the one that `DISPLAY` names.
        case screen(display: String? = nil)
        /// What the program hands over.
        case pictures(PictureChannel)
    }

    /// Where the sound comes from.
    public enum Sound: Sendable {
        case none
        /// What the applications of the desktop play, and the microphone where it is wanted.
        case system(microphone: Bool = false)
        /// What the program hands over.
        case channel(SoundChannel)
    }

    /// How it is encoded.
    public struct Settings: Sendable {
        /// Frames a second.
        public var frameRate = 30
        /// kbit/s; nil for what suits the size where anything is live, and for constant quality in files.
        public var bitrate: Int?
        public var title: String?

        public init() {}
    }

    /// What happens, in order. The last one is `stopped` or `failed`.
    public enum Event: Sendable, Equatable {
        /// Every destination is live.
        case started
        case paused
        case resumed
        /// Something that the user should know and that ends nothing, in a sentence.
        case warning(String)
        /// It ended as asked; a destination may have failed for itself.
        case stopped([DestinationResult])
        case failed(BroadcastFailure)
    }

    /// All events from now on. One reader at a time.
    public let events: AsyncStream<Event>

    private let session: BroadcastSession
    private let continuation: AsyncStream<Event>.Continuation
    private let state: Mutex<State>

    private struct State {
        var isStarted = false
        var isLive = false
        var starting: [CheckedContinuation<BroadcastFailure?, Never>] = []
        var stopping: [CheckedContinuation<[DestinationResult], Never>] = []
        var end: Event?
    }

    public init(content: Content, sound: Sound = .system(), destinations: [BroadcastDestination], settings: Settings = Settings()) {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
        var configuration = SessionConfiguration()
        configuration.frameRate = settings.frameRate
        configuration.title = settings.title
        if let bitrate = settings.bitrate { configuration.rateControl = .bitrate(bitrate) }
        switch content {
        case .screen(let display): configuration.picture = .screen(ScreenRequest(display: display))
        case .pictures(let channel): configuration.picture = .feed(channel.feed)
        }
        switch sound {
        case .none: configuration.audio.app = nil
        case .system(let microphone): configuration.audio.mic = microphone ? .init() : nil
        case .channel(let channel): configuration.audio.content = .feed(channel.feed)
        }
        state = Mutex(State())
        let observer = Observer()
        session = BroadcastSession(configuration: configuration, destinations: destinations.map(\.plan)) { observer.tell($0) }
        observer.follow { [weak self] in self?.note($0) }
    }

    /// Starts it, and returns once every destination is live.
    ///
    /// Throws where that cannot be; nothing goes on then.
    public func start() async throws(BroadcastFailure) {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { throw BroadcastFailure(code: 409, message: "This controller has run its broadcast. Make another one.") }
        Task { await run() }
        let failure = await withCheckedContinuation { continuation in
            let isDecided = state.withLock { state -> Bool in
                if !state.isLive && state.end == nil { state.starting.append(continuation) }
                return state.isLive || state.end != nil
            }
            if isDecided { continuation.resume(returning: startFailure) }
        }
        if let failure { throw failure }
    }

    /// Viewers see a slate and hear silence; files leave the stretch out. False where it is not live.
    @discardableResult public func pause() -> Bool { session.pause() }

    /// Goes on after a pause. False where it is not paused.
    @discardableResult public func resume() -> Bool { session.resume() }

    /// Gives every destination metadata: what is on screen, a scene, a score.
    public func annotate(_ information: [String: String]) { session.annotate(information) }

    /// Ends it, and returns once everything is written and closed.
    @discardableResult public func stop() async -> [DestinationResult] {
        session.stop()
        return await withCheckedContinuation { continuation in
            let results = state.withLock { state -> [DestinationResult]? in
                if !state.isStarted { return [] }
                guard let end = state.end else {
                    state.stopping.append(continuation)
                    return nil
                }
                return end.results
            }
            if let results { continuation.resume(returning: results) }
        }
    }

    private func run() async {
        let end: Event
        do throws(SessionError) {
            end = .stopped(try await session.run().map(DestinationResult.init))
        } catch {
            end = .failed(BroadcastFailure(code: 500, message: error.description))
        }
        let (starting, stopping) = state.withLock { state in
            state.end = end
            defer {
                state.starting = []
                state.stopping = []
            }
            return (state.starting, state.stopping)
        }
        for waiter in starting { waiter.resume(returning: startFailure) }
        for waiter in stopping { waiter.resume(returning: end.results) }
        continuation.yield(end)
        continuation.finish()
    }

    /// Why the start came to nothing; nil where it did not.
    private var startFailure: BroadcastFailure? {
        state.withLock { state in
            if state.isLive { return nil }
            switch state.end {
            case .failed(let failure): return failure
            case .stopped(let results): return results.lazy.compactMap(\.failure).first
            default: return nil
            }
        }
    }

    private func note(_ event: SessionEvent) {
        switch event {
        case .state(.paused): continuation.yield(.paused)
        case .state(.live): if state.withLock({ $0.isLive }) { continuation.yield(.resumed) }
        case .warning(let text): continuation.yield(.warning(text))
        default: break
        }
        noteLive()
    }

    private func noteLive() {
        let destinations = session.snapshot().destinations
        guard session.state == .live, destinations.allSatisfy({ $0.state == .live }) else { return }
        let starting = state.withLock { state -> [CheckedContinuation<BroadcastFailure?, Never>]? in
            guard !state.isLive else { return nil }
            state.isLive = true
            defer { state.starting = [] }
            return state.starting
        }
        guard let starting else { return }
        continuation.yield(.started)
        for waiter in starting { waiter.resume(returning: nil) }
    }
}

/// Passes a session's events on to the controller, which is there only once the session is.
private final class Observer: Sendable {
    private let follower = Mutex<(@Sendable (SessionEvent) -> Void)?>(nil)

    func follow(_ body: @escaping @Sendable (SessionEvent) -> Void) {
        follower.withLock { $0 = body }
    }

    func tell(_ event: SessionEvent) {
        follower.withLock { $0 }?(event)
    }
}
