import CX11
import Media

/// The whole X screen as a source of pictures: only what changed is grabbed, with the mouse pointer drawn over it.
package final class X11ScreenSource: ScreenSource {
    /// A grab of everything this often, against drawing that the server's damage does not tell of.
    private static let refreshInterval = MediaTime(milliseconds: 5000)
    /// More refused grabs in a row than this are no passing matter.
    private static let patience = 60
    /// More rectangles than this are grabbed as the one that surrounds them: each grab is an exchange with the server.
    private static let maximumGrabs = 8

    package let description: SourceDescription
    package private(set) var size: PixelSize
    package var usesSharedMemory: Bool { grabber.usesSharedMemory }

    private let connection: X11Connection
    private let cursor: CursorOverlay?
    private let damage: DamageTracker
    private let focus: FocusWatcher
    private var grabber: ImageGrabber
    private var lastRefresh: MediaTime?
    /// Grabs in a row that the server refused.
    private var refusedGrabs = 0

    /// Connects to the display and starts to watch its screen.
    package init(_ request: ScreenRequest) throws(CaptureError) {
        connection = try X11Connection(name: request.display)
        try connection.requireBGRA()
        description = SourceDescription(kind: .screen, display: connection.name)
        XSelectInput(connection.display, connection.root, StructureNotifyMask | PropertyChangeMask)
        XRRSelectInput(connection.display, connection.root, Int32(RRScreenChangeNotifyMask))
        size = try connection.rootSize()
        damage = DamageTracker(connection: connection, drawable: connection.root)
        focus = FocusWatcher(connection: connection)
        cursor = request.showsCursor ? CursorOverlay(connection: connection) : nil
        grabber = ImageGrabber(connection: connection, size: size)
        try connection.check()
    }

    package func nextSample(at now: MediaTime) throws(CaptureError) -> SampleBuffer? {
        let news = handleEvents()
        try connection.check()
        if news.resized { try resize() }
        var changed = DamageRegion(size: size)
        if lastRefresh == nil { changed = .whole(size) }
        if news.damaged { changed.formUnion(damage.take(size: size)) }
        if let cursor {
            let before = cursor.rectangle
            if news.cursorChanged { cursor.fetchImage() }
            if cursor.updatePosition() || news.cursorChanged {
                changed.add(before)
                changed.add(cursor.rectangle)
            }
        }
        let isRefreshDue = lastRefresh.map { now - $0 >= Self.refreshInterval } ?? false
        guard !changed.isEmpty || isRefreshDue else {
            try connection.check()
            return nil
        }
        return try grab(changed, refreshing: isRefreshDue, at: now)
    }

    package func requestWholePicture() {
        lastRefresh = nil
    }

    package func takeApplicationChange() -> ApplicationInformation? {
        focus.takeChange()
    }

    /// Grabs `changed`, or everything where it is time to look whether the damage missed something.
    private func grab(_ changed: DamageRegion, refreshing: Bool, at now: MediaTime) throws(CaptureError) -> SampleBuffer? {
        let wanted = refreshing ? [PixelRect(size)] : Self.grabRectangles(for: changed)
        grabber.reset()
        var patches: [Media.Picture.Patch] = []
        do {
            for rectangle in wanted {
                let pixels = try grabber.grab(rectangle, of: connection.root)
                cursor?.draw(over: pixels, x: rectangle.x, y: rectangle.y)
                patches.append(Media.Picture.Patch(x: rectangle.x, y: rectangle.y, pixels: pixels))
            }
        } catch {
            // A screen that changes its size is out of step with what is asked for: the next tick takes it at its new size.
            guard case .grabRefused = error, refusedGrabs < Self.patience else { throw error }
            refusedGrabs += 1
            lastRefresh = nil
            try resize()
            return nil
        }
        refusedGrabs = 0
        if refreshing || changed.isWhole { lastRefresh = now }
        return SampleBuffer(
            track: .screen, presentationTime: now,
            payload: .picture(Media.Picture(size: size, patches: patches, damage: refreshing ? .whole(size) : changed)))
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

    private func resize() throws(CaptureError) {
        let newSize = try connection.rootSize()
        guard newSize != size else { return }
        size = newSize
        grabber = ImageGrabber(connection: connection, size: newSize)
        lastRefresh = nil
        _ = damage.take(size: newSize)
    }

    private struct News {
        var damaged = false
        var cursorChanged = false
        var resized = false
    }

    /// Empties the event queue without waiting.
    private func handleEvents() -> News {
        var news = News()
        while XPending(connection.display) > 0 {
            var event = XEvent()
            XNextEvent(connection.display, &event)
            if X11Faults.isBroken(connection.display) { break }
            switch event.type {
            case connection.damageEventBase + Int32(XDamageNotify): news.damaged = true
            case connection.fixesEventBase + Int32(XFixesCursorNotify): news.cursorChanged = true
            case connection.randrEventBase + Int32(RRScreenChangeNotify):
                XRRUpdateConfiguration(&event)
                news.resized = true
            case PropertyNotify: focus.note(event.xproperty)
            case ConfigureNotify:
                if event.xconfigure.window == connection.root { news.resized = true }
            default: break
            }
        }
        return news
    }
}
