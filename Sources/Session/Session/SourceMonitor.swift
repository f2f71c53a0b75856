import Capture
import Concurrency
import Media
import Synchronization

/// The last reports of the capture thread about its source, and whether the thread still runs. Thread-safe. No call
/// waits.
final class SourceMonitor: Sendable {
    private struct State {
        /// The description of the source if it changed after the opening, otherwise nil.
        var description: SourceDescription?
        var isLocked = false
        var isWithheld = false
        var hasBegun = false
        var stall = StallWatch()
        /// Why the source ends. It is reported before the end.
        var endReason: SourceNotice?
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
        case .withheld(let isWithheld): state.withLock { $0.isWithheld = isWithheld }
        case .notice(let notice):
            if notice.endsSource { state.withLock { $0.endReason = $0.endReason ?? notice } }
            channel.send(.source(notice))
        case .ended: ending.set(.sourceEnded(state.withLock { $0.endReason }))
        case .failed(let error): ending.set(.failed(.capture(error)))
        }
    }

    /// Reports a capture thread that hangs, one that runs again, and a program that did not run. See `StallWatch.look`.
    ///
    /// - Parameter source: what the thread captures.
    func watch(_ source: SourceDescription, heartbeat: MediaTime, overslept: MediaTime, now: MediaTime) {
        let findings = state.withLock { state in
            state.hasBegun ? state.stall.look(heartbeat: heartbeat, overslept: overslept, now: now) : []
        }
        for finding in findings {
            switch finding {
            case .stalled: channel.send(.sourceStalled(source))
            case .answersAgain: channel.send(.sourceAnswersAgain(source))
            case .stopped(let time): channel.send(.programStopped(time))
            }
        }
    }

    /// The description of the source if it changed after the opening, otherwise nil.
    var description: SourceDescription? { state.withLock { $0.description } }
    /// True while viewers get the slate because the screen is locked.
    var isLocked: Bool { state.withLock { $0.isLocked } }
    /// True while viewers get the slate outside of a pause.
    var isWithheld: Bool { state.withLock { $0.isWithheld } }
}
