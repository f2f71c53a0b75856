import CX11
import Capture
import Glibc
import Media

/// The mouse pointer: its position, its image, and how to draw it over grabbed pixels.
///
/// The X server draws the pointer above all windows, so a grab does not contain it. XFixes provides its image as
/// premultiplied ARGB, one pixel in the low 32 bits of each unsigned long (XFixes protocol, version 2, 7). For an
/// animated pointer, XFixes reports each image.
final class CursorOverlay {
    /// How often the position is requested if no event says that it changed: programs can move the pointer, too.
    static let interval = MediaTime(milliseconds: 100)

    private let connection: X11Connection
    /// Nil if the server has no such events.
    private let watch: PointerWatch?
    /// The area and the time of the last request for the position.
    private var last: (area: CapturedArea, time: MediaTime)?
    /// A request for the position whose answer arrives before the pixels that are requested after it.
    private var check: xcb_query_pointer_cookie_t?
    private var image = PointerImage()
    /// The area of the pointer's image in the picture. Empty if the pointer is on another screen, over another window,
    /// or invisible.
    private(set) var rectangle = PixelRect(x: 0, y: 0, width: 0, height: 0)

    /// A position in the root window, and the child of the root window there.
    private struct Position {
        let x: Int
        let y: Int
        let child: Window
    }

    init(connection: X11Connection) {
        self.connection = connection
        watch = PointerWatch(connection: connection)
        XFixesSelectCursorInput(connection.display, connection.root, UInt(XFixesDisplayCursorNotifyMask))
        fetchImage()
    }

    deinit {
        discardCheck()
    }

    /// Processes an event of the connection. Ignores unrelated events.
    func note(_ event: XEvent) {
        watch?.note(event)
    }

    /// True if events report the pointer's moves.
    var isAnnounced: Bool { watch != nil }

    /// Returns true if the event is about a move of the pointer, and about nothing else.
    func isMove(_ event: XEvent) -> Bool { watch?.isMove(event) ?? false }

    /// True if `rectangle` may be wrong.
    private func mayHaveMoved(_ area: CapturedArea, at now: MediaTime) -> Bool {
        let hasMoved = watch?.takeMove() ?? true
        guard let last else { return true }
        return hasMoved || last.area != area || now < last.time || now - last.time >= Self.interval
    }

    /// Requests the pointer's image: once at the start, and after each XFixesCursorNotify. The server answers with an
    /// error as long as it shows no pointer.
    func fetchImage() {
        guard let cursor = XFixesGetCursorImage(connection.display) else { return }
        defer { XFree(cursor) }
        let size = PixelSize(width: Int(cursor.pointee.width), height: Int(cursor.pointee.height))
        image = PointerImage(
            size: size, hotSpot: (Int(cursor.pointee.xhot), Int(cursor.pointee.yhot)),
            pixels: (0..<size.area).map { UInt32(truncatingIfNeeded: cursor.pointee.pixels[$0]) })
        // Its area in the picture depends on the image.
        last = nil
    }

    /// Requests the pointer's position if it may have changed. Returns true if the area of its image in the picture
    /// changed.
    ///
    /// - Parameters:
    ///   - now: the session's time.
    ///   - hasOtherChange: true if something else changed, with which a program may have moved the pointer. `takeCheck`
    ///     then says whether it did, without a round trip of its own.
    func updatePosition(over area: CapturedArea, at now: MediaTime, hasOtherChange: Bool) -> Bool {
        // The answer to a request that no grab followed would be old.
        discardCheck()
        if mayHaveMoved(area, at: now) {
            last = (area, now)
            return move(to: currentPosition, over: area)
        }
        if hasOtherChange {
            check = xcb_query_pointer(XGetXCBConnection(connection.display), xcb_window_t(connection.root))
        }
        return false
    }

    /// Takes the answer that `updatePosition` requested. Call it after a grab, with which it has arrived. Returns true
    /// if the area of the pointer's image in the picture changed.
    func takeCheck(over area: CapturedArea, at now: MediaTime) -> Bool {
        guard let check else { return false }
        self.check = nil
        last = (area, now)
        guard let reply = xcb_query_pointer_reply(XGetXCBConnection(connection.display), check, nil) else {
            return false
        }
        defer { free(reply) }
        guard reply.pointee.same_screen != 0 else { return move(to: nil, over: area) }
        return move(
            to: Position(
                x: Int(reply.pointee.root_x), y: Int(reply.pointee.root_y), child: Window(reply.pointee.child)),
            over: area)
    }

    private func discardCheck() {
        guard let check else { return }
        xcb_discard_reply(XGetXCBConnection(connection.display), check.sequence)
        self.check = nil
    }

    private var currentPosition: Position? {
        var root = Window()
        var child = Window()
        var (rootX, rootY, windowX, windowY): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        var buttons: UInt32 = 0
        let isOnScreen = XQueryPointer(
            connection.display, connection.root, &root, &child, &rootX, &rootY, &windowX, &windowY, &buttons)
        return isOnScreen != 0 ? Position(x: Int(rootX), y: Int(rootY), child: child) : nil
    }

    /// Returns true if the area of the pointer's image in the picture changed.
    private func move(to position: Position?, over area: CapturedArea) -> Bool {
        let before = rectangle
        if let position, area.shows(x: position.x, y: position.y, inTopLevel: position.child) {
            rectangle = image.rectangle(atX: position.x - area.place.x, y: position.y - area.place.y)
        } else {
            rectangle = PixelRect(x: 0, y: 0, width: 0, height: 0)
        }
        return rectangle != before
    }

    /// Blends the pointer over the pixels of `patch`, which are in `memory`.
    func draw(over memory: inout MutableRawSpan, _ patch: CapturedPatch) {
        image.draw(at: rectangle, over: &memory, patch)
    }
}

extension CapturedArea {
    /// Returns true if the captured content is visible at a point of the root window. A window is not visible under
    /// another window.
    fileprivate func shows(x: Int, y: Int, inTopLevel top: Window) -> Bool {
        switch pixels {
        case .root: true
        case .window(_, _, let topLevel): topLevel == top && place.contains(PixelRect(x: x, y: y, width: 1, height: 1))
        }
    }
}
