import CX11
import TestPatterns

/// The X connection, a window (full-screen override-redirect or ordinary), and the pixmap in which pictures are painted
/// before they are shown. Presenting is one request, which the server executes atomically: no grab sees half of it.
final class Canvas {
    /// The width in pixels.
    private(set) var width: Int
    /// The height in pixels.
    private(set) var height: Int

    let display: OpaquePointer
    let window: Window
    let graphics: GC
    let visual: UnsafeMutablePointer<Visual>
    let depth: UInt32
    private(set) var pixmap: Pixmap
    private let font: UnsafeMutablePointer<XFontStruct>
    /// The window whose size the canvas follows: its own window or the root window.
    private let followed: Window

    /// - Parameter place: the position of an ordinary window; nil for the whole screen.
    init(in place: WindowPlace?) throws(TestScreenError) {
        guard let display = XOpenDisplay(nil) else { throw .display("no X server answers at DISPLAY") }
        let screen = XDefaultScreen(display)
        let root = XRootWindow(display, screen)
        guard let visual = XDefaultVisual(display, screen), visual.pointee.class == TrueColor else {
            throw .display("the screen is not TrueColor")
        }
        guard let font = XLoadQueryFont(display, "fixed") else { throw .display("the core font \"fixed\" is missing") }
        var attributes = XWindowAttributes()
        XGetWindowAttributes(display, root, &attributes)
        let width = place?.width ?? Int(attributes.width)
        let height = place?.height ?? Int(attributes.height)
        let depth = UInt32(XDefaultDepth(display, screen))

        XSelectInput(display, root, StructureNotifyMask)
        var window = XSetWindowAttributes()
        window.override_redirect = place == nil ? True : False
        window.event_mask = ExposureMask | StructureNotifyMask
        window.background_pixmap = Pixmap(None)
        self.window = XCreateWindow(
            display, root, Int32(place?.x ?? 0), Int32(place?.y ?? 0), UInt32(width), UInt32(height), 0, Int32(depth),
            UInt32(InputOutput), visual,
            UInt(CWOverrideRedirect | CWEventMask | CWBackPixmap), &window)
        pixmap = XCreatePixmap(display, root, UInt32(width), UInt32(height), depth)
        guard let graphics = XCreateGC(display, root, 0, nil) else { throw .display("no graphics context") }
        XSetGraphicsExposures(display, graphics, False)
        XSetFont(display, graphics, font.pointee.fid)
        XStoreName(display, self.window, place?.title ?? "broadcast test screen")
        if let place { Self.describe(self.window, display: display, place: place) }
        XMapRaised(display, self.window)
        followed = place == nil ? root : self.window
        self.display = display
        self.graphics = graphics
        self.visual = visual
        self.depth = depth
        self.font = font
        self.width = width
        self.height = height
    }

    deinit {
        XFreeFont(display, font)
        XCloseDisplay(display)
    }

    /// Fills a rectangle, in pixels.
    func fill(_ colour: PatternColour, x: Int, y: Int, width: Int, height: Int) {
        XSetForeground(display, graphics, pixel(colour))
        XFillRectangle(display, pixmap, graphics, Int32(x), Int32(y), UInt32(max(width, 0)), UInt32(max(height, 0)))
    }

    /// Fills rectangles, in fractions of the screen, with one colour and one request.
    func fill(_ colour: PatternColour, _ rectangles: [PatternRectangle]) {
        var list = rectangles.map { rectangle in
            let (columns, rows) = rectangle.pixels(width: width, height: height)
            return XRectangle(
                x: Int16(columns.lowerBound), y: Int16(rows.lowerBound), width: UInt16(columns.count),
                height: UInt16(rows.count))
        }
        XSetForeground(display, graphics, pixel(colour))
        XFillRectangles(display, pixmap, graphics, &list, Int32(list.count))
    }

    /// Fills a disc; the top left and the side of its square are in pixels.
    func fillDisc(_ colour: PatternColour, x: Int, y: Int, side: Int) {
        XSetForeground(display, graphics, pixel(colour))
        XFillArc(display, pixmap, graphics, Int32(x), Int32(y), UInt32(side), UInt32(side), 0, 360 * 64)
    }

    /// Draws ASCII text in the core font, with 6 by 13 pixels per character; `x` and `y` are its top left.
    func draw(_ text: String, _ colour: PatternColour, x: Int, y: Int) {
        XSetForeground(display, graphics, pixel(colour))
        XDrawString(display, pixmap, graphics, Int32(x), Int32(y) + font.pointee.ascent, text, Int32(text.utf8.count))
    }

    /// Shows a rectangle of the pixmap, in pixels.
    func present(x: Int, y: Int, width: Int, height: Int) {
        XCopyArea(
            display, pixmap, window, graphics, Int32(x), Int32(y), UInt32(max(width, 0)), UInt32(max(height, 0)),
            Int32(x), Int32(y))
    }

    /// Shows the whole pixmap.
    func presentAll() {
        present(x: 0, y: 0, width: width, height: height)
    }

    /// Waits until the server has processed all requests.
    func synchronise() {
        XSync(display, False)
    }

    /// Processes events: shows exposed areas again, and follows the size of the root window. Returns true if the scene
    /// must be repainted.
    func resizeIfNeeded() -> Bool {
        var resized = false
        while XPending(display) > 0 {
            var event = XEvent()
            XNextEvent(display, &event)
            if event.type == Expose {
                let area = event.xexpose
                present(x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height))
            } else if event.type == ConfigureNotify, event.xconfigure.window == followed {
                let size = (Int(event.xconfigure.width), Int(event.xconfigure.height))
                guard size != (width, height) else { continue }
                (width, height) = size
                resized = true
            }
        }
        if resized {
            if followed != window { XResizeWindow(display, window, UInt32(width), UInt32(height)) }
            XFreePixmap(display, pixmap)
            pixmap = XCreatePixmap(display, window, UInt32(width), UInt32(height), depth)
        }
        return resized
    }

    /// Sets the hints for the window manager: the window's position and the window that it belongs to (ICCCM, 4.1.2.3
    /// and 4.1.2.5).
    private static func describe(_ window: Window, display: OpaquePointer, place: WindowPlace) {
        var hints = XSizeHints()
        hints.flags = USPosition | USSize
        (hints.x, hints.y, hints.width, hints.height) = (
            Int32(place.x), Int32(place.y), Int32(place.width), Int32(place.height)
        )
        XSetWMNormalHints(display, window, &hints)
        if !place.isDecorated {
            // Only the field of decorations counts, and it is empty (Motif's MwmHints).
            let motif = XInternAtom(display, "_MOTIF_WM_HINTS", False)
            let fields: [Int] = [2, 0, 0, 0, 0]
            fields.withUnsafeBytes { bytes in
                _ = XChangeProperty(
                    display, window, motif, motif, 32, PropModeReplace, bytes.bindMemory(to: UInt8.self).baseAddress,
                    Int32(fields.count))
            }
        }
        "testscreen".withCString { name in
            "TestScreen".withCString { className in
                var hint = XClassHint(
                    res_name: UnsafeMutablePointer(mutating: name), res_class: UnsafeMutablePointer(mutating: className)
                )
                XSetClassHint(display, window, &hint)
            }
        }
    }

    /// The pixel value of a colour in the screen's visual, for any depth.
    func pixel(_ colour: PatternColour) -> UInt {
        Self.field(colour.red, visual.pointee.red_mask) | Self.field(colour.green, visual.pointee.green_mask)
            | Self.field(colour.blue, visual.pointee.blue_mask)
    }

    private static func field(_ component: UInt8, _ mask: UInt) -> UInt {
        let highest = mask >> UInt(mask.trailingZeroBitCount)
        return ((UInt(component) * highest + 127) / 255) << UInt(mask.trailingZeroBitCount)
    }
}
