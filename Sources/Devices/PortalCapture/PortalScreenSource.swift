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
    package internal(set) var size: PixelSize
    package var condition: SourceCondition { state.condition }
    package let description: SourceDescription

    private let request: PortalRequest
    private let opening: SourceOpening
    private let limits: Limits
    /// Decides what happens. This class carries it out.
    var state: SharedFlowState
    private var share: PortalShare
    /// The portal's next session, until the portal has answered; nil if it was not asked again.
    private var next: PortalShare?
    /// Nil while nothing is shared.
    private(set) var stream: PipeWireStream?
    /// Nil if nothing is known about monitors, or a window is shared.
    let outputs: OutputWatch?
    /// Restores the choice after a lock; nil if that is not possible.
    private var token: String?
    var picture: SharedPicture
    private var notices: [SourceNotice] = []

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
            state = SharedFlowState(Self.facts(of: grant), limits: limits, monitorTimeout: request.monitorTimeout)
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
        try applyRules()
    }

    deinit {
        stream = nil
        share.end()
        next?.end()
    }

    package func noteDesktopLock(_ isLocked: Bool) {
        if isLocked { state.desktopLocked() } else { state.desktopUnlocked() }
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
        try applyRules()
        try follow(at: now)
        guard state.mayFlow, let stream else { return nil }
        stream.setActive(true)
        picture.take(from: stream)
        return try watch(stream, at: now)
    }

    package func rest(at now: MediaTime) throws(CaptureError) {
        try applyRules()
        try follow(at: now)
        // `follow` can open another stream, which must not flow either.
        try carryOut(state.rested())
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
    func applyRules() throws(CaptureError) {
        let rules = request.hiddenWindows
        let (current, revision) = rules.current
        try carryOut(state.rulesRead(hidesMonitor: request.choice == .monitor && !current.isEmpty))
        if !rules.isApplied { rules.apply(revision: revision, processes: nil, matches: [:]) }
    }

    /// Follows the session of the portal.
    func follow(at now: MediaTime) throws(CaptureError) {
        outputs?.update(at: now)
        if let next {
            try noteAnswer(of: next, at: now)
        } else {
            let facts = SharedFlowState.Facts(
                problem: stream?.state.problem, isClosed: share.isClosed, outputs: outputs?.outputs)
            try carryOut(state.ticked(facts, at: now))
        }
    }

    /// Notes what the portal says when it is asked for the same monitor again.
    private func noteAnswer(of next: PortalShare, at now: MediaTime) throws(CaptureError) {
        switch next.current {
        case .opening: return
        case .open(let grant):
            token = grant.remembered?.token
            do throws(PortalProblem) {
                stream = try PipeWireStream(grant, maximumRate: Self.maximumRate(request))
            } catch {
                throw .portal(error)
            }
            picture.beginStream()
            share = next
            self.next = nil
            try carryOut(state.sharedAgain(Self.facts(of: grant)))
        case .failed(let problem):
            next.end()
            self.next = nil
            try carryOut(state.shareFailed(problem, at: now))
        }
    }

    private static func facts(of grant: PortalGrant) -> SharedFlowState.Grant {
        SharedFlowState.Grant(isRestorable: grant.remembered != nil, mapping: grant.stream.mapping)
    }

    // MARK: Actions

    func carryOut(_ action: SharedFlowState.Action) throws(CaptureError) {
        switch action {
        case .none, .show: break
        case .showWhole: picture.requestWhole()
        case .report(let notice): notices.append(notice)
        case .forgetPicture(let notice):
            picture.clear()
            if let notice { notices.append(notice) }
        case .withhold(let notice):
            withhold()
            if let notice { notices.append(notice) }
        case .restartFlow: stream?.setActive(false)
        case .shareAgain: shareAgain()
        case .stopSharing(let reasons):
            withhold()
            share.end()
            stream = nil
            notices += reasons
        case .fail(let problem):
            withhold()
            throw .portal(problem)
        }
    }

    /// Stops the flow and forgets the picture.
    private func withhold() {
        stream?.setActive(false)
        picture.clear()
    }

    /// Asks the portal for the same monitor again.
    private func shareAgain() {
        stream = nil
        share.end()
        var request = request
        // The user has not asked for a dialog.
        request.isAttended = false
        next = PortalShare(request, token: token, opening: opening)
    }
}
