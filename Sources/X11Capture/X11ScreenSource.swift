import CX11
import Capture
import Media

/// An X display as a source of pictures: only what changed is grabbed, with the mouse pointer drawn over it.
///
/// What is captured may move, change its size and vanish; `place` asks for it before each grab, and `grab` is the only place where
/// pixels are read.
package final class X11ScreenSource: ScreenSource {
    /// A grab of everything this often, against drawing that the server's damage does not tell of.
    private static let refreshInterval = MediaTime(milliseconds: 5000)
    /// More refused grabs in a row than this are no passing matter.
    private static let patience = 60
    /// More rectangles than this are grabbed as the one that surrounds them: each grab is an exchange with the server.
    private static let maximumGrabs = 8

    package private(set) var size: PixelSize
    package private(set) var condition = SourceCondition.shown
    package var description: SourceDescription { target.description }
    package var usesSharedMemory: Bool { grabber.usesSharedMemory }

    private let connection: X11Connection
    private let target: any CaptureTarget
    private let cursor: CursorOverlay?
    private let damage: DamageTracker
    private let focus: FocusWatcher
    private let cover: HiddenWindowCover
    private var announcement: CaptureSelection?
    private let screenSaver: ScreenSaverWatch?
    private var grabber: ImageGrabber
    /// Where the last sample came from; nil where there was nothing to show.
    private var area: CapturedArea?
    private var isDamaged = false
    /// What was drawn since the tick before, in pixels of the root window.
    private var drawn: [PixelRect] = []
    private var isCursorNew = false
    /// What was painted over in the last sample, in pixels of the root window.
    private var covered: [PixelRect] = []
    /// What is captured is a window that is hidden, and the user was told.
    private var isWithheldAsHidden = false
    /// When everything was grabbed last; nil where it has to be now.
    private var lastRefresh: MediaTime?
    /// Grabs in a row that the server refused.
    private var refusedGrabs = 0
    private var notices: [SourceNotice] = []
    private var lastTick = MediaTime.zero

    /// Connects to the display and starts to watch what is selected there.
    package init(_ request: ScreenRequest) throws(CaptureError) {
        connection = try X11Connection(name: request.display)
        connection.select(StructureNotifyMask | PropertyChangeMask, of: connection.root, for: .screen)
        target = try request.selection.target(on: connection)
        if let notice = target.notice { notices.append(notice) }
        cover = HiddenWindowCover(connection: connection, rules: request.hiddenWindows)
        screenSaver = ScreenSaverWatch(connection: connection, suspends: request.keepsAwake)
        switch try target.locate() {
        case .shown(let area): size = area.size
        case .withheld(let size, let reason):
            self.size = size
            condition = .withheld
            notices.append(reason)
        case .ended:
            size = PixelSize(width: 0, height: 0)
            condition = .ended
        }
        damage = DamageTracker(connection: connection, drawable: target.damagedDrawable)
        focus = FocusWatcher(connection: connection)
        cursor = request.showsCursor ? CursorOverlay(connection: connection) : nil
        grabber = ImageGrabber(connection: connection, size: size)
        if !grabber.usesSharedMemory {
            notices.append(.noSharedMemory)
        }
        try connection.check()
        try refuseHiddenWindow()
        if request.isAnnounced { announcement = CaptureSelection(connection: connection) }
    }

    package func nextSample(at now: MediaTime) throws(CaptureError) -> SampleBuffer? {
        lastTick = now
        handleEvents()
        // A window that went since the last call leaves errors that mean nothing.
        try connection.checkConnection()
        if isLocked {
            condition = .withheld
            lastRefresh = nil
            return nil
        }
        // Another one may be told of while this tick still asks the server.
        let hasNewCursor = isCursorNew
        isCursorNew = false
        if hasNewCursor { cursor?.fetchImage() }
        guard let area = try place(), try isVisible(area, at: now) else { return nil }
        var changed = lastRefresh == nil ? .whole(size) : DamageRegion(size: size)
        drawn = []
        if isDamaged {
            let damaged = damage.take(in: area)
            if !area.isOfWindow {
                drawn = damage.lastTaken
                cover.noteDrawing(drawn, at: now)
            }
            changed.formUnion(visible(damaged, in: area))
            isDamaged = false
        }
        if let cursor {
            let before = cursor.rectangle
            if cursor.updatePosition(over: area) || hasNewCursor {
                changed.add(before)
                changed.add(cursor.rectangle)
            }
        }
        let isRefreshDue = lastRefresh.map { now - $0 >= Self.refreshInterval } ?? false
        guard !changed.isEmpty || isRefreshDue || cover.mustLook(at: now) else {
            try connection.checkConnection()
            return nil
        }
        return try grabCovered(isRefreshDue ? .whole(size) : changed, of: area, at: now)
    }

    package var isLocked: Bool { screenSaver?.isOn ?? false }

    package func requestWholePicture() {
        lastRefresh = nil
    }

    package func takeApplicationChange() -> ApplicationInformation? {
        focus.takeChange(at: lastTick) { mayBeTold($0) }
    }

    package func rest() throws(CaptureError) {
        handleEvents()
        try connection.checkConnection()
    }

    /// Viewers are told the title of a window that they may see, and of no other. What was asked has come after the events of what happened
    /// before it: where one of them may concern a hidden window, it is not told now.
    private func mayBeTold(_ window: Window) -> Bool {
        handleEvents()
        guard condition == .shown, !isLocked, let area, !target.isStale, !cover.mustLook(at: lastTick), !cover.hides(window) else { return false }
        switch area.pixels {
        case .window(_, _, let topLevel): return cover.topLevel(of: window) == topLevel
        case .root: return connection.place(of: window)?.intersects(area.place) ?? false
        }
    }

    package func takeNotice() -> SourceNotice? {
        notices.isEmpty ? nil : notices.removeFirst()
    }

    /// Where the picture is now; nil where there is none that may be shown.
    private func place() throws(CaptureError) -> CapturedArea? {
        switch try target.locate() {
        case .shown(let now):
            if area.map({ now.isAnotherPicture(than: $0) }) ?? true { lastRefresh = nil }
            if now.size != size { grabber = ImageGrabber(connection: connection, size: now.size) }
            size = now.size
            area = now
        case .withheld(_, let reason):
            if condition != .withheld { notices.append(reason) }
            condition = .withheld
            area = nil
        case .ended:
            condition = .ended
            area = nil
        }
        return area
    }

    /// Empties the event queue without waiting.
    private func handleEvents() {
        while XPending(connection.display) > 0 {
            var event = XEvent()
            XNextEvent(connection.display, &event)
            if X11Faults.isBroken(connection.display) { break }
            switch event.type {
            case connection.damageEventBase + Int32(XDamageNotify): isDamaged = true
            case connection.fixesEventBase + Int32(XFixesCursorNotify): isCursorNew = true
            case connection.randrEventBase + Int32(RRScreenChangeNotify): XRRUpdateConfiguration(&event)
            case PropertyNotify: focus.note(event.xproperty)
            default: break
            }
            target.note(event)
            cover.note(event)
            announcement?.note(event)
            screenSaver?.note(event)
        }
    }

    // MARK: What viewers must not see

    /// Grabs `changed` of the picture that is at `area`, and what is hidden, or hidden no more, since the last sample.
    private func grabCovered(_ changed: DamageRegion, of area: CapturedArea, at now: MediaTime) throws(CaptureError) -> SampleBuffer? {
        if !cover.mustLook(at: now) && !cover.isLookDue(at: now) {
            let sample = try grab(changed, of: area, at: now)
            handleEvents()
            // Windows that came or moved before the grab have told so by now, and this picture may show what it must not.
            if target.isStale { return discard() }
            if !cover.mustLook(at: now) { return sample }
        }
        cover.prepare()
        return try connection.withServerGrabbed { () throws(CaptureError) -> SampleBuffer? in
            guard try look(at: now) else { return blackSample(at: now) }
            if target.isStale { return discard() }
            if area.isOfWindow { return try isHidden(area) ? nil : grab(changed, of: area, at: now) }
            var changed = changed
            for rectangle in cover.rectangles where !covered.contains(rectangle) {
                changed.add(rectangle.offsetBy(x: -area.place.x, y: -area.place.y))
            }
            for rectangle in covered where !cover.rectangles.contains(rectangle) {
                changed.add(rectangle.offsetBy(x: -area.place.x, y: -area.place.y))
            }
            return changed.isEmpty ? nil : try grab(changed, of: area, at: now)
        }
    }

    /// A picture of another moment than its place is none: the next tick takes it anew, and whole.
    private func discard() -> SampleBuffer? {
        lastRefresh = nil
        return nil
    }

    /// Who asks for a window and hides it at once is told so, and gets no picture.
    private func refuseHiddenWindow() throws(CaptureError) {
        guard case .shown(let area) = try target.locate(), area.isOfWindow else { return }
        cover.prepare()
        _ = try connection.withServerGrabbed { () throws(CaptureError) in try look(at: .zero) }
        if isHidden(area) { throw .windowIsHidden(target.description.name ?? "") }
    }

    private func look(at now: MediaTime) throws(CaptureError) -> Bool {
        let isKnown = cover.look(at: now, drawn: drawn) { handleEvents() }
        try connection.checkConnection()
        return isKnown
    }

    /// A window that is captured and hidden at once is not shown, and what it is now is asked first.
    private func isVisible(_ area: CapturedArea, at now: MediaTime) throws(CaptureError) -> Bool {
        guard area.isOfWindow else { return true }
        if cover.mustLook(at: now) {
            cover.prepare()
            let isKnown = try connection.withServerGrabbed { () throws(CaptureError) in try look(at: now) }
            guard isKnown else { return false }
        }
        guard isHidden(area) else {
            isWithheldAsHidden = false
            return true
        }
        if !isWithheldAsHidden { notices.append(.windowHidden) }
        isWithheldAsHidden = true
        condition = .withheld
        lastRefresh = nil
        return false
    }

    private func isHidden(_ area: CapturedArea) -> Bool {
        if case .window(_, _, let topLevel) = area.pixels { cover.hides(topLevel: topLevel) } else { false }
    }

    /// What of the damage can be seen: nothing that lies under a cover whole.
    private func visible(_ damage: DamageRegion, in area: CapturedArea) -> DamageRegion {
        guard !covered.isEmpty, !area.isOfWindow else { return damage }
        var result = DamageRegion(size: damage.size)
        for rectangle in damage.rectangles {
            let place = rectangle.offsetBy(x: area.place.x, y: area.place.y)
            if !covered.contains(where: { $0.contains(place) }) { result.add(rectangle) }
        }
        return result
    }

    /// Nothing at all, until it is known again what may be shown.
    private func blackSample(at now: MediaTime) -> SampleBuffer {
        let pixels = PixelBuffer(format: .bgra, size: size)
        pixels.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
        lastRefresh = nil
        return SampleBuffer(
            track: .screen, presentationTime: now,
            payload: .picture(
                Media.Picture(size: size, patches: [Media.Picture.Patch(x: 0, y: 0, pixels: pixels)], damage: .whole(size))))
    }

    /// Grabs `changed` of the picture that is at `area`.
    private func grab(_ changed: DamageRegion, of area: CapturedArea, at now: MediaTime) throws(CaptureError) -> SampleBuffer? {
        grabber.reset()
        let patches: [Media.Picture.Patch]
        do {
            patches = try area.withDrawable(of: connection) { drawable, x, y throws(CaptureError) in
                var patches: [Media.Picture.Patch] = []
                for rectangle in Self.grabRectangles(for: changed) {
                    let pixels = try grabber.grab(rectangle.offsetBy(x: x, y: y), of: drawable)
                    target.pixelLayout.convertToBGRA(pixels)
                    patches.append(Media.Picture.Patch(x: rectangle.x, y: rectangle.y, pixels: pixels))
                }
                return patches
            }
        } catch {
            // What changes its size is out of step with what is asked for: the next tick takes it at its new size.
            guard case .grabRefused = error, refusedGrabs < Self.patience else { throw error }
            refusedGrabs += 1
            lastRefresh = nil
            target.invalidate()
            return nil
        }
        refusedGrabs = 0
        // What was withheld is so until there is a picture of it.
        condition = .shown
        for patch in patches {
            for part in area.deadParts { patch.blacken(part) }
            if !area.isOfWindow { cover.paint(over: patch.pixels, x: patch.x + area.place.x, y: patch.y + area.place.y) }
            cursor?.draw(over: patch.pixels, x: patch.x, y: patch.y)
        }
        covered = cover.rectangles
        if changed.isWhole { lastRefresh = now }
        return SampleBuffer(
            track: .screen, presentationTime: now, payload: .picture(Media.Picture(size: size, patches: patches, damage: changed)))
    }

    /// One rectangle where that wastes little, so that the grab shows one moment; else each for itself.
    static func grabRectangles(for region: DamageRegion) -> [PixelRect] {
        let box = region.boundingBox.alignedToChroma.intersection(PixelRect(region.size))
        let area = region.rectangles.reduce(0) { $0 + $1.area }
        if region.rectangles.count > maximumGrabs || box.area <= area * 2 || box.area * 16 <= region.size.area { return [box] }
        let aligned = region.rectangles.map { $0.alignedToChroma.intersection(PixelRect(region.size)) }
        // Overlapping pieces must still fit into memory of the picture's size.
        return aligned.reduce(0, { $0 + $1.area }) <= region.size.area ? aligned : [box]
    }
}

extension Media.Picture.Patch {
    /// Makes `part` of the picture black, as far as this patch has it.
    fileprivate func blacken(_ part: PixelRect) {
        let covered = part.intersection(rectangle)
        guard !covered.isEmpty else { return }
        pixels.withUnsafeMutableBytes { bytes in
            for row in (covered.y - y)..<(covered.maxY - y) {
                let start = row * pixels.stride + (covered.x - x) * 4
                UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + covered.width * 4)]).initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
    }
}
