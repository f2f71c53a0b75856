import CX11
import Capture
import Concurrency
import Media
import WindowPrivacy

/// A screen source for an X display. It grabs only the areas that changed, and draws the mouse pointer over them.
///
/// The captured source can move, change its size and disappear. `place` determines its position before each grab, and
/// only `PictureReader` reads pixels.
package final class X11ScreenSource: ScreenSource {
    /// How often a picture is taken in one tick if it is not certain that no hidden window is in it.
    private static let attempts = 3

    package private(set) var size: PixelSize
    package private(set) var condition = SourceCondition.shown
    package var description: SourceDescription { target.description }
    package var usesSharedMemory: Bool { reader.usesSharedMemory }
    /// The number of requests to the server so far, which is what a look costs.
    package var requestCount: UInt { XNextRequest(connection.display) - 1 }

    private let connection: X11Connection
    private var target: any CaptureTarget
    private let reader: PictureReader
    private let changes: ChangeTracker
    private let focus: FocusWatcher
    private let cover: HiddenWindowCover
    private let events: EventDispatcher
    private let waiter: ChangeWaiter
    private let screenSaver: ScreenSaverWatch?
    /// The position of the last sample, or nil if no picture was shown.
    private var area: CapturedArea?
    private var covers = ShownCovers()
    /// The wait for another window after the captured one was closed; nil if the source ends with it.
    private var windowReturn: WindowReturn?
    /// True if the captured window is hidden by a rule and the user was warned.
    private var isWithheldAsHidden = false
    /// Which parts of the picture are grabbed without damage, or that the next grab must be of the whole picture.
    private var refresh = RefreshSchedule()
    private var notices: [SourceNotice] = []
    private var lastTick = MediaTime.zero

    /// Connects to the display and starts to monitor the selected source.
    ///
    /// - Parameter rules: the rules for windows that viewers must not see. They can change while the source runs.
    package init(_ request: ScreenRequest, hiding rules: HiddenWindowRules = HiddenWindowRules()) throws(CaptureError) {
        connection = try X11Connection(name: request.display)
        connection.select(StructureNotifyMask | PropertyChangeMask, of: connection.root, for: .screen)
        target = try request.selection.target(on: connection)
        if let notice = target.notice { notices.append(notice) }
        cover = HiddenWindowCover(connection: connection, rules: rules)
        screenSaver = ScreenSaverWatch(connection: connection, suspends: request.keepsAwake)
        windowReturn = WindowReturn(request)
        switch try target.locate() {
        case .shown(let area): size = area.size
        case .withheld(let size, let reason):
            self.size = size
            condition = .withheld
            notices.append(reason)
        case .ended(let reason):
            size = PixelSize(width: 0, height: 0)
            condition = .ended
            notices.append(reason)
        }
        changes = ChangeTracker(
            connection: connection, drawable: target.damagedDrawable, showsCursor: request.showsCursor)
        focus = FocusWatcher(connection: connection)
        events = EventDispatcher(
            connection: connection, target: target, changes: changes, focus: focus, cover: cover,
            screenSaver: screenSaver)
        waiter = ChangeWaiter(connection: connection, events: events, cursor: changes.cursor)
        reader = PictureReader(connection: connection, target: target, size: size)
        if !reader.usesSharedMemory { notices.append(.noSharedMemory) }
        // The server may refuse optional requests: a pointer without an image, a window that was just destroyed.
        try connection.checkConnection()
        try refuseHiddenWindow()
        if request.isAnnounced { events.announcement = CaptureSelection(connection: connection) }
    }

    package func withNextSample<Result>(at now: MediaTime, _ body: (CapturedSample?) -> Result) throws(CaptureError)
        -> Result
    {
        guard let change = try nextChange(at: now) else { return body(nil) }
        return reader.withBytes { body(.lent(change, $0)) }
    }

    /// Returns the changes since the last call. Their pixels are in the memory of `reader`.
    private func nextChange(at now: MediaTime) throws(CaptureError) -> CapturedChange? {
        lastTick = now
        events.dispatchPending()
        // A window that was destroyed since the last call causes errors. Ignore them.
        try connection.checkConnection()
        if isLocked {
            condition = .withheld
            refresh.requestWhole()
            return nil
        }
        guard let area = try place(), try isVisible(area, at: now) else { return nil }
        var changed = takeChanges(in: area, at: now)
        let isUnreported = changed.isEmpty
        if let part = refresh.takePart(of: size, at: now) { changed.add(part) }
        let hasNewCovers = !area.isOfWindow && !covers.changes(to: cover.rectangles, in: area).isEmpty
        guard !changed.isEmpty || hasNewCovers || cover.mustLook(at: now) else {
            try connection.checkConnection()
            return nil
        }
        return try coveredSample(changed, of: area, at: now).map { isUnreported && !hasNewCovers ? $0.asRefresh : $0 }
    }

    package var canWaitForChange: Bool { true }

    package func waitForChange(until deadline: Int64, or wake: WakeSignal) -> Bool {
        waiter.wait(until: deadline, or: wake)
    }

    package var isLocked: Bool { screenSaver?.isOn ?? false }

    package func requestWholePicture() {
        refresh.requestWhole()
    }

    package func takeApplicationChange() -> ApplicationInformation? {
        focus.takeChange(at: lastTick) { mayBeTold($0) }
    }

    package func rest(at now: MediaTime) throws(CaptureError) {
        events.dispatchPending()
        try connection.checkConnection()
    }

    package func takeNotice() -> SourceNotice? {
        notices.isEmpty ? cover.takeNotice() : notices.removeFirst()
    }

    /// Returns true if viewers may know the title of the window: only if they can see it. All events about changes
    /// before the requests have been processed. If one of them can concern a hidden window, the title is not revealed
    /// now.
    private func mayBeTold(_ window: Window) -> Bool {
        events.dispatchPending()
        guard condition == .shown, !isLocked, let area, !target.isStale, !cover.mustLook(at: lastTick),
            !cover.hides(window)
        else { return false }
        guard let topLevel = cover.topLevel(of: window) else { return false }
        switch area.pixels {
        case .window(_, _, let captured): return captured == topLevel
        case .root:
            guard let content = connection.place(of: window), let frame = connection.place(of: topLevel),
                let screen = try? connection.rootSize()
            else { return false }
            return TitleBar(content: content, frame: frame, screen: screen).isInside(area.place)
        }
    }

    /// Determines the position of the picture. Returns nil if no picture may be shown.
    private func place() throws(CaptureError) -> CapturedArea? {
        switch try target.locate() {
        case .shown(let now):
            if area.map({ now.isAnotherPicture(than: $0) }) ?? true { refresh.requestWhole() }
            if now.size != size { reader.resize(to: now.size) }
            size = now.size
            area = now
        case .withheld(_, let reason):
            if condition != .withheld { notices.append(reason) }
            condition = .withheld
            area = nil
        case .ended(let reason):
            area = nil
            if condition != .ended { try lookForReturn(after: reason) }
        }
        return area
    }

    /// Continues with another window if the request waits for one. Otherwise, and if none returns in time, the source
    /// ends.
    private func lookForReturn(after reason: SourceNotice) throws(CaptureError) {
        switch try windowReturn?.look(on: connection, at: lastTick) {
        case .found(let window):
            condition = .withheld
            follow(window)
        case .waits(let isFirst):
            condition = .withheld
            guard isFirst, let windowReturn else { break }
            notices.append(
                .windowGone(target.description.name ?? "", rule: "\(windowReturn.rule)", timeout: windowReturn.timeout))
        case .timedOut:
            condition = .ended
            notices.append(.windowMissing(rule: windowReturn.map { "\($0.rule)" } ?? ""))
        case nil:
            condition = .ended
            notices.append(reason)
        }
    }

    /// Captures another window from the next tick on.
    private func follow(_ window: WindowTarget) {
        target = window
        events.target = window
        reader.follow(window)
        changes.follow(window.damagedDrawable)
        isWithheldAsHidden = false
        refresh.requestWhole()
    }

    /// Returns what changed in the picture since the last tick, without changes below a cover.
    private func takeChanges(in area: CapturedArea, at now: MediaTime) -> DamageRegion {
        let (drawing, pointer) = changes.take(in: area, at: now)
        if !area.isOfWindow { cover.noteTick(drawn: changes.drawn ?? [], at: now) }
        var changed = refresh.needsWhole ? .whole(size) : covers.visible(drawing, in: area)
        changed.formUnion(pointer)
        return changed
    }

    // MARK: Pictures and hidden windows

    /// Returns a picture of `reported`, and of the areas that were covered or uncovered since the last sample. `area`
    /// is the position of the picture.
    ///
    /// The events that arrived with the pixels decide whether the picture can be used: as it is; with the areas covered
    /// that hidden windows passed; or not at all, and another one is taken.
    private func coveredSample(_ reported: DamageRegion, of area: CapturedArea, at now: MediaTime) throws(CaptureError)
        -> CapturedChange?
    {
        if cover.mustLook(at: now) || cover.isLookDue(at: now) {
            guard try look(at: now) else { return discard(showing: .black(size, at: now)) }
        }
        var changed = reported
        for attempt in 1...Self.attempts {
            guard !target.isStale, !cover.hides(area) else { return discard() }
            let known = area.isOfWindow ? [] : cover.rectangles
            changed.formUnion(covers.changes(to: known, in: area))
            if changed.isEmpty { return nil }
            guard let patches = try reader.read(changed, of: area) else { return discard() }
            events.dispatchPending()
            if target.isStale { return discard() }
            if attempt < Self.attempts, let moved = changes.takePointerMove(in: area, at: now) {
                changed.formUnion(moved)
                continue
            }
            guard cover.mustLook(at: now) else { return show(patches, changed, covering: known, known: known, at: now) }
            let isAmbiguous = cover.isAmbiguous
            guard try look(at: now) else { return discard(showing: .black(size, at: now)) }
            if area.isOfWindow {
                if isAmbiguous || cover.hides(area) { continue }
                return show(patches, changed, covering: [], known: [], at: now)
            }
            guard !isAmbiguous || attempt == Self.attempts else { continue }
            // A window that may have been hidden when the picture was taken is covered in this picture.
            return show(
                patches, changed, covering: cover.rectangles + (isAmbiguous ? cover.suspects : []), known: known,
                at: now)
        }
        return discard()
    }

    /// Paints the covers and the pointer, and returns the picture.
    ///
    /// - Parameters:
    ///   - rectangles: the areas to cover, in pixels of the root window.
    ///   - known: those of them that were known when `region` was determined.
    private func show(
        _ patches: [CapturedPatch], _ region: DamageRegion, covering rectangles: [PixelRect], known: [PixelRect],
        at now: MediaTime
    ) -> CapturedChange {
        // A withheld source remains withheld until a picture of it exists.
        condition = .shown
        reader.withMutableBytes { bytes in
            for patch in patches {
                if let place = area?.place {
                    cover.paint(rectangles, over: &bytes, patch.offsetBy(x: place.x, y: place.y))
                }
                changes.cursor?.draw(over: &bytes, patch)
            }
        }
        covers.show(rectangles, known: known)
        if region.isWhole { refresh.noteWhole(at: now) }
        return CapturedChange(size: size, at: now, patches: patches, damage: region)
    }

    /// Discards a picture that does not match its position, and returns `change`. The next tick grabs the whole
    /// picture.
    private func discard(showing change: CapturedChange? = nil) -> CapturedChange? {
        refresh.requestWhole()
        return change
    }

    /// Throws if the selected window is also hidden by a rule.
    private func refuseHiddenWindow() throws(CaptureError) {
        guard case .shown(let area) = try target.locate(), area.isOfWindow else { return }
        _ = try look(at: .zero)
        if cover.hides(area) { throw .windowIsHidden(target.description.name ?? "") }
    }

    private func look(at now: MediaTime) throws(CaptureError) -> Bool {
        let isKnown = cover.look(at: now, drawn: area?.isOfWindow == false ? changes.drawn ?? [] : []) {
            events.dispatchPending()
        }
        try connection.checkConnection()
        return isKnown
    }

    /// Returns false if the captured window is hidden. Updates the hidden windows first.
    private func isVisible(_ area: CapturedArea, at now: MediaTime) throws(CaptureError) -> Bool {
        guard area.isOfWindow else { return true }
        if cover.mustLook(at: now), try !look(at: now) { return false }
        guard cover.hides(area) else {
            isWithheldAsHidden = false
            return true
        }
        if !isWithheldAsHidden { notices.append(.windowHidden) }
        isWithheldAsHidden = true
        condition = .withheld
        refresh.requestWhole()
        return false
    }
}
