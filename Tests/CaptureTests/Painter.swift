import CX11
import TestSupport

/// An X client that draws on the root window and moves the pointer.
///
/// Xlib exits the process if this connection breaks, so release the object before the server is killed.
final class Painter {
    private let display: OpaquePointer
    private let root: Window
    private let window: Window
    private let context: GC?

    /// - Parameter isCompositor: draws above all windows, on what the compositor draws on.
    init(display name: String, isCompositor: Bool = false) throws {
        guard let display = XOpenDisplay(name) else { throw PeerError.answer("no X server at \(name)") }
        self.display = display
        root = XDefaultRootWindow(display)
        window = isCompositor ? XCompositeGetOverlayWindow(display, root) : root
        context = XCreateGC(display, window, 0, nil)
    }

    deinit {
        XFreeGC(display, context)
        XCloseDisplay(display)
    }

    /// Says that this client is the compositor (EWMH 1.5, 7.1). It draws nothing.
    func claimComposition() {
        let selection = XInternAtom(display, "_NET_WM_CM_S\(XDefaultScreen(display))", 0)
        XSetSelectionOwner(
            display, selection, XCreateSimpleWindow(display, root, 0, 0, 1, 1, 0, 0, 0), Time(CurrentTime))
        XSync(display, 0)
    }

    /// Fills a rectangle with a colour, 0xRRGGBB. Returns after the server has drawn it.
    func fill(_ colour: UInt, x: Int32, y: Int32, width: UInt32, height: UInt32) {
        XSetForeground(display, context, colour)
        XFillRectangle(display, window, context, x, y, width, height)
        XSync(display, 0)
    }

    /// Sets the active window, as a window manager does (EWMH 1.5, _NET_ACTIVE_WINDOW). The window does not have to
    /// exist.
    func setActiveWindow(_ window: UInt) {
        var number = window
        withUnsafeBytes(of: &number) { bytes in
            _ = XChangeProperty(
                display, root, XInternAtom(display, "_NET_ACTIVE_WINDOW", 0), XA_WINDOW, 32, PropModeReplace,
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), 1)
        }
        XSync(display, 0)
    }

    /// Moves the pointer to a pixel of the screen.
    func movePointer(x: Int32, y: Int32) {
        XWarpPointer(display, Window(None), root, 0, 0, 0, 0, x, y)
        XSync(display, 0)
    }

    /// Sets the pointer's shape to one of the cursor font: 68 is the arrow, 34 the crosshair.
    func setPointerShape(_ shape: UInt32) {
        let cursor = XCreateFontCursor(display, shape)
        XDefineCursor(display, root, cursor)
        XFreeCursor(display, cursor)
        XSync(display, 0)
    }
}
