import Capture
import Concurrency
import Glibc
import Media
import Processes
import WindowPrivacy

/// A screen source for Wayland desktops: the stream that the user chooses in the desktop's screen cast portal.
///
/// The compositor decides when it sends a picture, and its thread must not wait, so a tick shows the newest one
/// (`CPipeWire`). A still screen sends nothing. Nothing is known about windows, so a monitor is not shown while there
/// are rules that hide windows.
package final class PortalScreenSource: ScreenSource {
    package private(set) var size: PixelSize
    package internal(set) var condition = SourceCondition.withheld
    package let description: SourceDescription

    private let request: PortalRequest
    private let opening: SourceOpening
    let limits: Limits
    private var share: PortalShare
    /// Nil while nothing is shared.
    var stream: PipeWireStream?
    /// Nil if nothing is known about monitors, or a window is shared.
    let outputs: OutputWatch?
    /// Restores the choice after a lock; nil if that is not possible.
    private var token: String?
    /// What the desktop calls the shared monitor, or a text that is no monitor's name.
    private(set) var mapping: String?
    var picture: SharedPicture
    var phase = Phase.running
    private var isDesktopLocked = false
    var isWithheldByRules = false
    var isInterrupted = false
    var isFrozen = false
    var isOutside = false
    /// Since when the stream pauses although it should flow, and since when a picture is missing; nil if neither.
    var pausedSince: MediaTime?
    var missingSince: MediaTime?
    var isMissingReported = false
    var reshapedFlow = ReshapedFlow()
    /// How often the monitor was shared again because its first picture was lost.
    private var recoveries = 0
    var notices: [SourceNotice] = []

    /// Asks the portal and connects to the stream. This takes until the user has chosen.
    package init(_ request: PortalRequest, opening: SourceOpening, limits: Limits = Limits()) throws(CaptureError) {
        self.request = request
        self.opening = opening
        self.limits = limits
        picture = SharedPicture(region: request.region)
        outputs = request.choice == .monitor ? request.waylandSocket.flatMap(OutputWatch.init) : nil
        do throws(PortalProblem) {
            if request.choice == .monitor && !request.hiddenWindows.rules.isEmpty { throw .cannotHide }
            guard PipeWireStream.isAvailable else { throw .noPipeWire }
            if let socket = request.pipeWireSocket, !Self.isPipeWireThere(socket) { throw .noPipeWireServer }
            let remembered =
                request.choice == .monitor && !request.asks ? request.choices?.choice(for: request.display) : nil
            share = PortalShare(request, token: remembered?.token, opening: opening)
            let grant: PortalGrant
            do throws(PortalProblem) {
                grant = try share.wait(opening)
            } catch {
                share.end()
                throw error
            }
            token = grant.remembered?.token
            mapping = grant.stream.mapping
            do throws(PortalProblem) {
                let stream = try PipeWireStream(grant, maximumRate: Self.maximumRate(request))
                self.stream = stream
                size = try Self.frameSize(of: stream, opening, limits)
            } catch {
                // The desktop must not go on to share. An object that is not complete has no deinit.
                share.end()
                throw error
            }
        } catch {
            throw .portal(error)
        }
        description = Self.description(of: request)
        try awaitFirstPicture()
        applyRules()
    }

    deinit {
        stream = nil
        share.end()
        if case .reopening(let next, _) = phase { next.end() }
    }

    package func noteDesktopLock(_ isLocked: Bool) {
        isDesktopLocked = isLocked
    }

    package func requestWholePicture() {
        picture.requestWhole()
    }

    package func takeNotice() -> SourceNotice? {
        notices.isEmpty ? nil : notices.removeFirst()
    }

    package func withNextSample<Result>(at now: MediaTime, _ body: (CapturedSample?) -> Result) throws(CaptureError)
        -> Result
    {
        guard let change = try nextChange(at: now), let shadow = picture.shadow else { return body(nil) }
        return shadow.withBytes { body(.lent(change, $0)) }
    }

    /// Returns the changes since the last call. Their pixels are in the memory of `picture.shadow`.
    private func nextChange(at now: MediaTime) throws(CaptureError) -> CapturedChange? {
        applyRules()
        try follow(at: now)
        guard case .running = phase, let stream, !isWithheldByRules else { return nil }
        stream.setActive(true)
        picture.take(from: stream)
        watchFlow(of: stream, at: now)
        guard condition != .ended, picture.hasPicture, let visible = picture.visible else { return nil }
        noteOutside(visible.isEmpty)
        guard !visible.isEmpty else { return nil }
        size = visible.size
        condition = .shown
        return picture.nextChange(at: now)
    }

    package func rest(at now: MediaTime) throws(CaptureError) {
        applyRules()
        // Discard waiting pictures, so that nothing from before the pause is shown after it. `follow` can open another
        // stream.
        defer { withhold() }
        pausedSince = nil
        missingSince = nil
        try follow(at: now)
    }

    // MARK: Opening

    /// Waits for the first picture, which can be smaller than the frames, and checks the region.
    private func awaitFirstPicture() throws(CaptureError) {
        let end = ContinuousClock.now + limits.firstPicture
        while let stream, !picture.hasPicture, .now < end, !opening.isCancelled(), stream.state.problem == nil {
            picture.take(from: stream)
            if !picture.hasPicture { usleep(2000) }
        }
        if case .failed(let text)? = stream?.state { throw .portal(.pipeWireFailed(text)) }
        let shared = picture.sharedSize ?? size
        size = shared
        guard let region = request.region else { return }
        let visible = region.intersection(PixelRect(shared))
        guard !visible.isEmpty else { throw .regionOutside(region, screen: shared) }
        if visible != region { notices.append(.regionCut(region, to: visible, screen: shared)) }
        size = visible.size
    }

    // MARK: While it runs

    /// Withholds a monitor while there are rules, because its windows cannot be told apart.
    func applyRules() {
        let rules = request.hiddenWindows
        let (current, revision) = rules.current
        let mustWithhold = request.choice == .monitor && !current.isEmpty
        if mustWithhold {
            withhold()
            if !isWithheldByRules { notices.append(.cannotHideWindows) }
        }
        isWithheldByRules = mustWithhold
        if !rules.isApplied { rules.apply(revision: revision, processes: nil, matches: [:]) }
    }

    /// Stops the flow and forgets the picture.
    private func withhold() {
        stream?.setActive(false)
        picture.clear()
        if condition == .shown { condition = .withheld }
    }

    /// Follows the session of the portal.
    func follow(at now: MediaTime) throws(CaptureError) {
        outputs?.update(at: now)
        switch phase {
        case .running:
            // Hyprland leaves the last picture of a monitor that is switched off.
            if let mapping, let outputs, outputs.isGone(mapping) { return leaveMonitor(mapping, at: now) }
            guard let problem = stream?.state.problem ?? (share.isClosed ? .lost : nil) else { return }
            withhold()
            // PipeWire does not end with a lock.
            if problem != .lost { throw .portal(problem) }
            phase = .ended(since: now, problem)
        case .ended(let since, let problem):
            // The desktop ends the session when PipeWire ends, too, and that can be known first.
            if stream?.state == .lost { throw .portal(.pipeWireGone) }
            if isDesktopLocked && token != nil {
                phase = .locked
            } else if canReturn, let name = outputs?.loss(of: mapping, since: since - limits.outputLoss) {
                leaveMonitor(name, at: now)
            } else if share.isClosed {
                if now - since > limits.lockReport { end() }
            } else if now - since > limits.endReport {
                throw .portal(problem)
            }
        case .locked:
            if !isDesktopLocked { reopen(try: 1) }
        case .reopening(let next, let number): try note(next.current, of: next, try: number, at: now)
        case .waiting(let time, let number):
            if isDesktopLocked {
                phase = .locked
            } else if now >= time {
                reopen(try: number)
            }
        case .monitorGone(let name, let since):
            if outputs?.has(name) ?? false {
                phase = .waiting(until: now + limits.outputReturn, try: 1)
            } else if now - since > request.monitorTimeout {
                notices.append(.sharedMonitorMissing(name))
                end()
            }
        case .over: break
        }
    }

    /// True if a monitor that went away is shared again when it is back.
    private var canReturn: Bool { token != nil && request.monitorTimeout > .zero }

    /// Shows nothing while the shared monitor is switched off or unplugged.
    private func leaveMonitor(_ name: String, at now: MediaTime) {
        withhold()
        share.end()
        guard canReturn else { return end() }
        stream = nil
        phase = .monitorGone(name, since: now)
        notices.append(.sharedMonitorGone(name, timeout: request.monitorTimeout))
    }

    /// Shares the same monitor again if a sender lost its only picture of a still screen, and its flow cannot be
    /// restarted.
    func recoverLostPicture() {
        guard token != nil, recoveries < limits.tries else { return }
        recoveries += 1
        reopen(try: 1)
    }

    private func reopen(try number: Int) {
        stream = nil
        share.end()
        var request = request
        // The user has not asked for a dialog.
        request.isAttended = false
        phase = .reopening(PortalShare(request, token: token, opening: opening), try: number)
    }

    private func note(_ state: PortalShare.State, of next: PortalShare, try number: Int, at now: MediaTime)
        throws(CaptureError)
    {
        switch state {
        case .opening: return
        case .open(let grant):
            share = next
            token = grant.remembered?.token
            mapping = grant.stream.mapping
            do throws(PortalProblem) {
                stream = try PipeWireStream(grant, maximumRate: Self.maximumRate(request))
            } catch {
                throw .portal(error)
            }
            phase = .running
            pausedSince = nil
        case .failed(let problem):
            next.end()
            // GNOME refuses until it is really unlocked.
            guard case .refused = problem, number < limits.tries else { return end() }
            phase = .waiting(until: now + limits.retry, try: number + 1)
        }
    }

    /// A clean end that the desktop caused.
    private func end() {
        stream = nil
        phase = .over
        condition = .ended
        notices.append(.endedByDesktop)
    }
}
