import Capture
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

    private let report: @Sendable (PipelineEvent) -> Void
    private let onEnd: @Sendable (PipelineEnd) -> Void
    private let setLocked: @Sendable (Bool) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - report: called on the capture thread, and on that of `watch`. It must not block.
    ///   - onEnd: called on the capture thread when the source ends or fails. It must not block.
    init(
        report: @escaping @Sendable (PipelineEvent) -> Void, onEnd: @escaping @Sendable (PipelineEnd) -> Void,
        setLocked: @escaping @Sendable (Bool) -> Void
    ) {
        self.report = report
        self.onEnd = onEnd
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
        case .application(let information): report(.application(information))
        case .locked(let isLocked):
            state.withLock { $0.isLocked = isLocked }
            setLocked(isLocked)
            if isLocked { report(.notice(.screenLocked)) }
        case .withheld(let isWithheld): state.withLock { $0.isWithheld = isWithheld }
        case .notice(let notice):
            if notice.endsSource { state.withLock { $0.endReason = $0.endReason ?? notice } }
            report(.notice(.source(notice)))
        case .ended: onEnd(.sourceEnded(state.withLock { $0.endReason }))
        case .failed(let error): onEnd(.failed(.capture(error)))
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
            case .stalled: report(.notice(.sourceStalled(source)))
            case .answersAgain: report(.notice(.sourceAnswersAgain(source)))
            case .stopped(let time): report(.notice(.programStopped(time)))
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
