import Capture
import Concurrency
import Media
import Synchronization

/// What the capture thread last reported about its source, and whether the thread still runs. Its calls return at once.
final class SourceMonitor: Sendable {
    /// A capture thread without a sign of life for this long hangs, most often in an X server that does not answer.
    private static let stallLimit = MediaTime(milliseconds: 1000)

    private struct State {
        /// What the source shows now, if that changed after its opening.
        var description: SourceDescription?
        var isLocked = false
        var hasBegun = false
        var isStalled = false
    }

    private let channel: EventChannel
    private let ending: Once<BroadcastSession.EndReason>
    private let setLocked: @Sendable (Bool) -> Void
    private let state = Mutex(State())

    init(channel: EventChannel, ending: Once<BroadcastSession.EndReason>, setLocked: @escaping @Sendable (Bool) -> Void) {
        self.channel = channel
        self.ending = ending
        self.setLocked = setLocked
    }

    /// The source is watched from now on.
    func begin() {
        state.withLock { $0.hasBegun = true }
    }

    /// Takes what the capture thread reports.
    func note(_ event: CaptureLoop.Event) {
        switch event {
        case .source(let description): state.withLock { $0.description = description }
        case .application(let information): channel.send(.application(information))
        case .locked(let isLocked):
            state.withLock { $0.isLocked = isLocked }
            setLocked(isLocked)
            if isLocked { channel.send(.screenLocked) }
        case .notice(let notice): channel.send(.source(notice))
        case .ended: ending.set(.over)
        case .failed(let error): ending.set(.failed(.capture(error)))
        }
    }

    /// Reports a capture thread that hangs, and one that runs again.
    func watch(heartbeat: MediaTime, now: MediaTime) {
        let notice = state.withLock { state -> SessionNotice? in
            guard state.hasBegun else { return nil }
            let isStalled = now - heartbeat > Self.stallLimit
            guard isStalled != state.isStalled else { return nil }
            state.isStalled = isStalled
            return isStalled ? .sourceStalled : .sourceAnswersAgain
        }
        if let notice { channel.send(notice) }
    }

    var description: SourceDescription? { state.withLock { $0.description } }
    var isLocked: Bool { state.withLock { $0.isLocked } }
}
