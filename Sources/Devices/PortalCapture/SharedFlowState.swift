import Capture
import Media

/// The state of what a Wayland desktop shares, from the user's choice to the end, and every decision about it.
///
/// It is a value without clocks and without I/O. `PortalScreenSource` reports each event with its time, and carries out
/// the action that the event returns.
package struct SharedFlowState: Equatable, Sendable {
    /// What the sharing does now.
    package enum Phase: Equatable, Sendable {
        /// The desktop shares, and pictures arrive, or should arrive.
        case shared(Flow)
        /// The sharing ended at this time. Whether the desktop was locked is not known yet.
        case ended(since: MediaTime, PortalProblem)
        /// The screen is locked. Afterwards the same monitor is shared again.
        case locked
        /// The portal is asked for the same monitor again.
        case reopening(try: Int)
        /// The portal is asked again at this time.
        case waiting(until: MediaTime, try: Int)
        /// The monitor of this name is switched off or unplugged, since this time. When it returns, it is shared again.
        case monitorGone(String, since: MediaTime)
        /// No more pictures follow.
        case over
    }

    /// The pictures of a stream that the desktop shares.
    package struct Flow: Equatable, Sendable {
        /// True if the newest picture is shown. Otherwise viewers get the slate.
        package var isShown: Bool
        /// Since when the stream pauses although it should flow; nil if it flows.
        package var pausedSince: MediaTime?

        package init(isShown: Bool = false, pausedSince: MediaTime? = nil) {
            self.isShown = isShown
            self.pausedSince = pausedSince
        }
    }

    /// Whether there is a picture, and what was reported if there is none. It stays when a stream is replaced, so that
    /// nothing is reported twice.
    package enum Absence: Equatable, Sendable {
        case none
        /// No picture since this time; nil if the wait for a picture has not begun.
        case missing(since: MediaTime?, Report)

        package enum Report: Equatable, Sendable {
            case nothing
            /// `SourceNotice.noPictureYet`
            case noPictureYet
            /// `SourceNotice.sharingInterrupted`. PipeWire does not answer, or the stream paused by itself.
            case interrupted(isSilent: Bool)
        }
    }

    /// The one consequence of an event.
    package enum Action: Equatable, Sendable {
        case none
        /// Return what changed in the picture, as a sample.
        case show
        /// Return the whole picture as a sample.
        case showWhole
        /// Report a notice.
        case report(SourceNotice)
        /// Forget the picture, and report a notice if there is one. The flow goes on.
        case forgetPicture(reporting: SourceNotice?)
        /// Stop the flow, forget the picture, and report a notice if there is one.
        case withhold(reporting: SourceNotice?)
        /// Stop the flow. The next tick continues it, and a desktop then sends the whole picture again.
        case restartFlow
        /// End the stream and the portal's session, and ask the portal for the same monitor, without a dialog.
        case shareAgain
        /// Stop the flow, forget the picture, end the portal's session and the stream, and report notices.
        case stopSharing(reporting: [SourceNotice])
        /// Stop the flow, forget the picture, and throw the problem.
        case fail(PortalProblem)
    }

    /// What is known at a tick.
    package struct Facts: Equatable, Sendable {
        /// Why the stream is over; nil if it is not, or there is none.
        package var problem: PortalProblem?
        /// True if the desktop reported that it ended the portal's session.
        package var isClosed = false
        /// Nil if nothing is known about monitors, or a window is shared.
        package var outputs: KnownOutputs?

        package init(problem: PortalProblem? = nil, isClosed: Bool = false, outputs: KnownOutputs? = nil) {
            self.problem = problem
            self.isClosed = isClosed
            self.outputs = outputs
        }
    }

    /// What the portal granted last.
    package struct Grant: Equatable, Sendable {
        /// True if the same can be shared again without a dialog.
        package var isRestorable: Bool
        /// What the desktop calls the shared monitor, or a text that is no monitor's name.
        package var mapping: String?

        package init(isRestorable: Bool, mapping: String?) {
            self.isRestorable = isRestorable
            self.mapping = mapping
        }
    }

    package private(set) var phase = Phase.shared(Flow())
    package private(set) var grant: Grant
    package private(set) var absence = Absence.none
    /// True while the desktop reports that the screen is locked.
    package private(set) var isDesktopLocked = false
    /// True while a rule hides windows, which a monitor would show.
    package private(set) var isWithheldByRules = false
    /// True if the region was outside of the last picture, which was reported.
    package private(set) var isOutside = false

    private let limits: PortalScreenSource.Limits
    private let monitorTimeout: MediaTime
    private var reshapedFlow = ReshapedFlow()
    /// How often the monitor was shared again because its first picture was lost.
    private var recoveries = 0

    /// The state of a stream that the portal has just granted.
    ///
    /// - Parameter monitorTimeout: how long a monitor that is switched off is waited for; zero to end at once.
    package init(_ grant: Grant, limits: PortalScreenSource.Limits, monitorTimeout: MediaTime) {
        self.grant = grant
        self.limits = limits
        self.monitorTimeout = monitorTimeout
    }

    /// Whether there is a picture to show.
    package var condition: SourceCondition {
        switch phase {
        case .shared(let flow): flow.isShown ? .shown : .withheld
        case .ended, .locked, .reopening, .waiting, .monitorGone: .withheld
        case .over: .ended
        }
    }

    /// True if there is a stream to take pictures from.
    package var isShared: Bool { if case .shared = phase { true } else { false } }

    /// True if the flow of the stream should run, apart from pauses of the session.
    package var mayFlow: Bool { isShared && !isWithheldByRules }

    /// True if a monitor that went away is shared again when it is back.
    private var canReturn: Bool { grant.isRestorable && monitorTimeout > .zero }

    // MARK: Events of the session

    /// The rules for hidden windows were read.
    ///
    /// - Parameter hidesMonitor: true if a monitor is shared, and there is a rule. Its windows cannot be told apart.
    package mutating func rulesRead(hidesMonitor: Bool) -> Action {
        let isNew = !isWithheldByRules
        isWithheldByRules = hidesMonitor
        guard hidesMonitor else { return .none }
        stopShowing()
        return .withhold(reporting: isNew ? .cannotHideWindows : nil)
    }

    /// The desktop reports that the screen is locked. The next tick decides with it.
    package mutating func desktopLocked() {
        isDesktopLocked = true
    }

    /// The desktop reports that the screen is not locked. The next tick decides with it.
    package mutating func desktopUnlocked() {
        isDesktopLocked = false
    }

    /// Nothing may be shown at this tick. What arrives is discarded, so that nothing from before a pause is shown after
    /// it.
    package mutating func rested() -> Action {
        if case .shared = phase { phase = .shared(Flow()) }
        if case .missing(_, let report) = absence { absence = .missing(since: nil, report) }
        return .withhold(reporting: nil)
    }

    // MARK: Events of the desktop

    /// A tick of the session, with what is known about the stream, the portal's session and the monitors.
    package mutating func ticked(_ facts: Facts, at now: MediaTime) -> Action {
        switch phase {
        case .shared: return followStream(facts, at: now)
        case .ended(let since, let problem): return explainEnd(of: problem, since: since, facts, at: now)
        case .locked: return isDesktopLocked ? .none : shareAgain(try: 1)
        case .reopening, .over: return .none
        case .waiting(let time, let number):
            if isDesktopLocked {
                phase = .locked
                return .none
            }
            return now >= time ? shareAgain(try: number) : .none
        case .monitorGone(let name, let since):
            if facts.outputs?.has(name) ?? false {
                phase = .waiting(until: now + limits.outputReturn, try: 1)
                return .none
            }
            return now - since > monitorTimeout ? end(reporting: [.sharedMonitorMissing(name)]) : .none
        }
    }

    /// The portal shares the same monitor again, and its stream is connected.
    package mutating func sharedAgain(_ grant: Grant) -> Action {
        guard case .reopening = phase else { return .none }
        self.grant = grant
        phase = .shared(Flow())
        return .none
    }

    /// The portal does not share the same monitor again.
    package mutating func shareFailed(_ problem: PortalProblem, at now: MediaTime) -> Action {
        guard case .reopening(let number) = phase else { return .none }
        // GNOME refuses until it is really unlocked.
        guard case .refused = problem, number < limits.tries else { return end(reporting: []) }
        phase = .waiting(until: now + limits.retry, try: number + 1)
        return .none
    }

    // MARK: Events of the stream, which count while it may flow

    /// The flow was looked at. The picture of a stream that stopped by itself is withheld.
    ///
    /// - Parameters:
    ///   - silence: for how long PipeWire has not answered.
    ///   - isStreaming: false if the stream pauses.
    package mutating func flowMeasured(silence: MediaTime, isStreaming: Bool, hasPicture: Bool, at now: MediaTime)
        -> Action
    {
        guard mayFlow, case .shared(var flow) = phase else { return .none }
        if silence > limits.answer { return interrupt(isSilent: true) }
        if case .missing(let since, .interrupted(isSilent: true)) = absence {
            absence = .missing(since: since, .interrupted(isSilent: false))
            // The desktop sends no new picture of a still screen, so restart the flow.
            return .restartFlow
        }
        let since = isStreaming ? nil : flow.pausedSince ?? now
        flow.pausedSince = since
        phase = .shared(flow)
        guard let since, now - since > limits.interruption, flow.isShown || hasPicture else { return .none }
        return interrupt(isSilent: false)
    }

    /// The monitors were looked at. A flow that stopped at a change of the monitor's size is restarted.
    ///
    /// - Parameters:
    ///   - descriptions: how often the shared monitor was described; 0 if nothing is known.
    ///   - pictures: how many pictures have arrived.
    package mutating func monitorDescribed(_ descriptions: UInt32, pictures: Int, at now: MediaTime) -> Action {
        guard mayFlow else { return .none }
        let isSilent = reshapedFlow.isSilent(
            changes: descriptions, pictures: pictures, at: now, limit: limits.reshaping)
        return isSilent ? .restartFlow : .none
    }

    /// There is no picture.
    ///
    /// - Parameter keepsFlow: true if the flow of this sender cannot be restarted. If it lost its only picture of a
    ///   still screen, the monitor is shared again.
    package mutating func pictureMissing(keepsFlow: Bool, at now: MediaTime) -> Action {
        guard mayFlow else { return .none }
        stopShowing()
        let (start, report) = missing
        let since = start ?? now
        absence = .missing(since: since, report)
        if keepsFlow, now - since > limits.lostPicture {
            absence = .missing(since: nil, report)
            guard grant.isRestorable, recoveries < limits.tries else { return .none }
            recoveries += 1
            return shareAgain(try: 1)
        }
        guard now - since > limits.noPicture, report == .nothing else { return .none }
        absence = .missing(since: since, .noPictureYet)
        return .report(.noPictureYet)
    }

    /// There is a picture.
    ///
    /// - Parameter isOutside: true if the wanted region is outside of it.
    package mutating func picturePresent(isOutside: Bool) -> Action {
        guard mayFlow, case .shared(var flow) = phase else { return .none }
        let wasOutside = self.isOutside
        absence = .none
        self.isOutside = isOutside
        flow.isShown = !isOutside
        phase = .shared(flow)
        guard isOutside else { return wasOutside ? .showWhole : .show }
        return wasOutside ? .none : .report(.outsideScreen)
    }

    // MARK: Transitions

    /// A stream that should deliver.
    private mutating func followStream(_ facts: Facts, at now: MediaTime) -> Action {
        // Hyprland leaves the last picture of a monitor that is switched off.
        if let name = grant.mapping, facts.outputs?.isGone(name) ?? false { return leaveMonitor(name, at: now) }
        guard let problem = facts.problem ?? (facts.isClosed ? .lost : nil) else { return .none }
        stopShowing()
        // PipeWire does not end with a lock.
        guard problem == .lost else { return .fail(problem) }
        phase = .ended(since: now, problem)
        return .withhold(reporting: nil)
    }

    /// A sharing that ended: because of a lock, of a monitor that went away, of the user, or of the compositor.
    private mutating func explainEnd(
        of problem: PortalProblem, since: MediaTime, _ facts: Facts, at now: MediaTime
    ) -> Action {
        // The desktop ends the session when PipeWire ends, too, and that can be known first.
        if facts.problem == .pipeWireGone { return .fail(.pipeWireGone) }
        if isDesktopLocked && grant.isRestorable {
            phase = .locked
            return .none
        }
        if canReturn, let name = facts.outputs?.loss(of: grant.mapping, since: since - limits.outputLoss) {
            return leaveMonitor(name, at: now)
        }
        if facts.isClosed { return now - since > limits.lockReport ? end(reporting: []) : .none }
        return now - since > limits.endReport ? .fail(problem) : .none
    }

    /// Shows nothing while the shared monitor is switched off or unplugged.
    private mutating func leaveMonitor(_ name: String, at now: MediaTime) -> Action {
        guard canReturn else { return end(reporting: []) }
        phase = .monitorGone(name, since: now)
        return .stopSharing(reporting: [.sharedMonitorGone(name, timeout: monitorTimeout)])
    }

    private mutating func shareAgain(try number: Int) -> Action {
        phase = .reopening(try: number)
        return .shareAgain
    }

    /// A clean end that the desktop caused.
    private mutating func end(reporting reasons: [SourceNotice]) -> Action {
        phase = .over
        return .stopSharing(reporting: reasons + [.endedByDesktop])
    }

    private mutating func interrupt(isSilent: Bool) -> Action {
        stopShowing()
        let (since, report) = missing
        absence = .missing(since: since, .interrupted(isSilent: isSilent))
        if case .interrupted = report { return .forgetPicture(reporting: nil) }
        return .forgetPicture(reporting: .sharingInterrupted)
    }

    private mutating func stopShowing() {
        guard case .shared(var flow) = phase else { return }
        flow.isShown = false
        phase = .shared(flow)
    }

    private var missing: (since: MediaTime?, report: Absence.Report) {
        switch absence {
        case .none: (nil, .nothing)
        case .missing(let since, let report): (since, report)
        }
    }
}

/// Tells a flow that stopped at a change of the monitor's size from a still screen.
///
/// Hyprland's portal (1.4) asks for no further picture if the size changes while it waits for one, and reports nothing.
/// A still screen sends one picture in the new size. One pause of the flow brings the next picture in both cases.
package struct ReshapedFlow: Equatable, Sendable {
    private var changes: UInt32 = 0
    /// When the last change was noted; nil if it is settled.
    private var changed: MediaTime?
    private var pictures = 0
    private var lastPicture = MediaTime.zero

    package init() {}

    /// Returns true, once for each change, if no picture has arrived for half of `limit`. It looks from `limit` to
    /// three times that time after the change.
    ///
    /// - Parameters:
    ///   - changes: how often the monitor was described, the first time included; 0 if nothing is known yet.
    ///   - pictures: how many pictures have arrived.
    package mutating func isSilent(changes: UInt32, pictures: Int, at now: MediaTime, limit: MediaTime) -> Bool {
        if pictures != self.pictures { lastPicture = now }
        self.pictures = pictures
        if changes != self.changes, self.changes != 0 { changed = now }
        self.changes = changes
        guard let time = changed, now - time > limit else { return false }
        let isSilent = now - lastPicture > MediaTime(nanoseconds: limit.nanoseconds / 2)
        if isSilent || now - time > limit + limit + limit { changed = nil }
        return isSilent
    }
}
