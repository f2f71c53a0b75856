import Capture
import Concurrency
import Media
import Synchronization

/// The last reports of the capture thread about its source, and whether the thread still runs. Thread-safe. No call waits.
final class SourceMonitor: Sendable {
    /// If the capture thread starts and ends no tick for this time, it hangs, usually in an X server that does not answer.
    private static let stallLimit = MediaTime(milliseconds: 1000)

    private struct State {
        /// The description of the source if it changed after the opening, otherwise nil.
        var description: SourceDescription?
        var isLocked = false
        var hasBegun = false
        var isStalled = false
    }

    private let channel: EventChannel
    private let ending: Once<EndReason>
    private let setLocked: @Sendable (Bool) -> Void
    private let state = Mutex(State())

    init(channel: EventChannel, ending: Once<EndReason>, setLocked: @escaping @Sendable (Bool) -> Void) {
        self.channel = channel
        self.ending = ending
        self.setLocked = setLocked
    }

    /// Starts the watch.
    func begin() {
        state.withLock { $0.hasBegun = true }
    }

    /// Processes a report of the capture thread.
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
    ///
    /// - Parameters:
    ///   - heartbeat: the session's time at which the thread last started or ended a tick.
    ///   - now: the session's time.
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

    /// The description of the source if it changed after the opening, otherwise nil.
    var description: SourceDescription? { state.withLock { $0.description } }
    /// True while viewers get the slate because the screen is locked.
    var isLocked: Bool { state.withLock { $0.isLocked } }
}
