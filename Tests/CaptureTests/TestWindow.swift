import CX11
import TestSupport

/// A window of its own client. It draws nothing itself and shows its background, which the server paints.
///
/// Xlib exits the process if this connection breaks, so release the object before the server is killed.
final class TestWindow {
    let window: UInt
    private let display: OpaquePointer

    /// Maps a window without a frame above the other windows.
    ///
    /// - Parameters:
    ///   - background: 0xRRGGBB. If nil, the server leaves the previous screen content in the window.
    ///   - depth: 32 for a window with alpha.
    init(display name: String, background: UInt?, x: Int32, y: Int32, width: UInt32, height: UInt32, depth: Int32 = 24)
        throws
    {
        guard let display = XOpenDisplay(name) else { throw PeerError.answer("no X server at \(name)") }
        self.display = display
        let root = XDefaultRootWindow(display)
        var information = XVisualInfo()
        guard XMatchVisualInfo(display, XDefaultScreen(display), depth, TrueColor, &information) != 0 else {
            throw PeerError.answer("no visual of depth \(depth)")
        }
        var attributes = XSetWindowAttributes()
        attributes.override_redirect = True
        attributes.border_pixel = 0
        attributes.background_pixel = background ?? 0
        attributes.colormap = XCreateColormap(display, root, information.visual, AllocNone)
        let mask = CWOverrideRedirect | CWBorderPixel | CWColormap | (background == nil ? 0 : CWBackPixel)
        window = XCreateWindow(
            display, root, x, y, width, height, 0, depth, UInt32(InputOutput), information.visual, UInt(mask),
            &attributes)
        XStoreName(display, window, "test window")
        show()
    }

    deinit {
        XCloseDisplay(display)
    }

    func rename(_ title: String) {
        XStoreName(display, window, title)
        XSync(display, 0)
    }

    func show() {
        XMapRaised(display, window)
        XSync(display, 0)
    }

    /// Maps the window directly below another one.
    func showBelow(_ other: TestWindow) {
        var changes = XWindowChanges()
        changes.sibling = other.window
        changes.stack_mode = Below
        XConfigureWindow(display, window, UInt32(CWSibling | CWStackMode), &changes)
        XMapWindow(display, window)
        XSync(display, 0)
    }

    func hide() {
        XUnmapWindow(display, window)
        XSync(display, 0)
    }

    /// Puts the window into another one, as a window manager puts it into a frame.
    func reparent(into frame: TestWindow, x: Int32, y: Int32) {
        XReparentWindow(display, window, frame.window, x, y)
        XSync(display, 0)
    }

    func close() {
        XDestroyWindow(display, window)
        XSync(display, 0)
    }

    func move(x: Int32, y: Int32) {
        XMoveWindow(display, window, x, y)
        XSync(display, 0)
    }

    func resize(width: UInt32, height: UInt32) {
        XResizeWindow(display, window, width, height)
        XSync(display, 0)
    }

    func takeFocus() {
        XSetInputFocus(display, window, Int32(RevertToNone), Time(CurrentTime))
        XSync(display, 0)
    }

    /// Fills a rectangle of the window with a pixel value.
    func fill(_ pixel: UInt, x: Int32, y: Int32, width: UInt32, height: UInt32) {
        let context = XCreateGC(display, window, 0, nil)
        XSetForeground(display, context, pixel)
        XFillRectangle(display, window, context, x, y, width, height)
        XFreeGC(display, context)
        XSync(display, 0)
    }
}
