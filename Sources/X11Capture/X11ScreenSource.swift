import CX11
import Capture
import Media

/// A screen source for an X display. It grabs only the areas that changed, and draws the mouse pointer over them.
///
/// The captured source can move, change its size and disappear. `place` determines its position before each grab, and
/// only `grab` reads pixels.
package final class X11ScreenSource: ScreenSource {
    /// The time between grabs of the whole picture, which show drawing that the server did not report as damage.
    private static let refreshInterval = MediaTime(milliseconds: 5000)
    /// The maximum number of refused grabs in a row. With more, the error is permanent.
    private static let patience = 60
    /// The maximum number of rectangles that are grabbed separately. Each grab is a round trip, so more rectangles are
    /// grabbed as their bounding box.
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
    /// The position of the last sample, or nil if no picture was shown.
    private var area: CapturedArea?
    private var isDamaged = false
    /// The areas that were drawn since the previous tick, in pixels of the root window.
    private var drawn: [PixelRect] = []
    private var isCursorNew = false
    /// The areas that were covered in the last sample, in pixels of the root window.
    private var covered: [PixelRect] = []
    /// True if the captured window is hidden by a rule and the user was warned.
    private var isWithheldAsHidden = false
    /// The time of the last grab of the whole picture, or nil if the next grab must be of the whole picture.
    private var lastRefresh: MediaTime?
    /// The number of refused grabs in a row.
    private var refusedGrabs = 0
    private var notices: [SourceNotice] = []
    private var lastTick = MediaTime.zero

    /// Connects to the display and starts to monitor the selected source.
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
        // A window that was destroyed since the last call causes errors. Ignore them.
        try connection.checkConnection()
        if isLocked {
            condition = .withheld
            lastRefresh = nil
            return nil
        }
        // Clear the flag before the requests of this tick, because another change can be reported during them.
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

    package func rest(at now: MediaTime) throws(CaptureError) {
        handleEvents()
        try connection.checkConnection()
    }

    /// Returns true if viewers may know the title of the window: only if they can see the window. All events about
    /// changes before the requests have been processed. If one of them can concern a hidden window, the title is not
    /// revealed now.
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

    /// Determines the position of the picture. Returns nil if no picture may be shown.
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

    /// Processes all pending events without waiting.
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

    // MARK: Hidden windows

    /// Grabs `changed`, and the areas that were covered or uncovered since the last sample. `area` is the position of
    /// the picture.
    private func grabCovered(_ changed: DamageRegion, of area: CapturedArea, at now: MediaTime) throws(CaptureError) -> SampleBuffer? {
        if !cover.mustLook(at: now) && !cover.isLookDue(at: now) {
            let sample = try grab(changed, of: area, at: now)
            handleEvents()
            // Events about windows that appeared or moved before the grab have arrived by now. The picture can show
            // content that must be hidden.
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

    /// Discards a picture that does not match its position. The next tick grabs the whole picture.
    private func discard() -> SampleBuffer? {
        lastRefresh = nil
        return nil
    }

    /// Throws if the selected window is also hidden by a rule.
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

    /// Returns false if the captured window is hidden. Updates the hidden windows first.
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

    /// Returns the visible part of the damage, without rectangles that a cover contains completely.
    private func visible(_ damage: DamageRegion, in area: CapturedArea) -> DamageRegion {
        guard !covered.isEmpty, !area.isOfWindow else { return damage }
        var result = DamageRegion(size: damage.size)
        for rectangle in damage.rectangles {
            let place = rectangle.offsetBy(x: area.place.x, y: area.place.y)
            if !covered.contains(where: { $0.contains(place) }) { result.add(rectangle) }
        }
        return result
    }

    /// Returns a black picture, for the time until it is known which areas may be shown.
    private func blackSample(at now: MediaTime) -> SampleBuffer {
        let pixels = PixelBuffer(format: .bgra, size: size)
        pixels.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0) }
        lastRefresh = nil
        return SampleBuffer(
            track: .screen, presentationTime: now,
            payload: .picture(
                Media.Picture(size: size, patches: [Media.Picture.Patch(x: 0, y: 0, pixels: pixels)], damage: .whole(size))))
    }

    /// Grabs `changed`. `area` is the position of the picture. Returns nil if the server refused the grab.
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
            // After a size change, a grab with the old size can be refused. The next tick uses the new size.
            guard case .grabRefused = error, refusedGrabs < Self.patience else { throw error }
            refusedGrabs += 1
            lastRefresh = nil
            target.invalidate()
            return nil
        }
        refusedGrabs = 0
        // A withheld source remains withheld until a picture of it exists.
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

    /// Returns the bounding box if it wastes little, so that the grab shows one moment. Otherwise returns the separate
    /// rectangles.
    static func grabRectangles(for region: DamageRegion) -> [PixelRect] {
        let box = region.boundingBox.alignedToChroma.intersection(PixelRect(region.size))
        let area = region.rectangles.reduce(0) { $0 + $1.area }
        if region.rectangles.count > maximumGrabs || box.area <= area * 2 || box.area * 16 <= region.size.area { return [box] }
        let aligned = region.rectangles.map { $0.alignedToChroma.intersection(PixelRect(region.size)) }
        // Overlapping rectangles must still fit into the grabber's memory.
        return aligned.reduce(0, { $0 + $1.area }) <= region.size.area ? aligned : [box]
    }
}

extension Media.Picture.Patch {
    /// Makes `part` of the picture black within this patch.
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
