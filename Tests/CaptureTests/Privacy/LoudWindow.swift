import CX11
import TestSupport

/// A window in one bright colour, 0xFF00FF, of its own client. Each call returns after the server has processed it.
final class LoudWindow {
    let window: Window
    private let display: OpaquePointer

    /// - Parameter hasBackground: if false, the window shows the previous screen content until its client draws.
    init(
        display name: String, x: Int32, y: Int32, width: UInt32, height: UInt32, overridesRedirect: Bool = false,
        hasBackground: Bool = true
    ) throws {
        guard let display = XOpenDisplay(name) else { throw PeerError.answer("no X server at \(name)") }
        self.display = display
        var attributes = XSetWindowAttributes()
        attributes.background_pixel = 0xFF00FF
        attributes.override_redirect = overridesRedirect ? 1 : 0
        let mask = CWOverrideRedirect | (hasBackground ? CWBackPixel : 0)
        window = XCreateWindow(
            display, XDefaultRootWindow(display), x, y, width, height, 0, 0, UInt32(InputOutput), nil, UInt(mask),
            &attributes)
        XSync(display, 0)
    }

    deinit {
        XCloseDisplay(display)
    }

    /// Opens a menu of the same client in the same colour: a window without properties that no window manager manages.
    func openMenu(x: Int32, y: Int32, width: UInt32, height: UInt32) {
        var attributes = XSetWindowAttributes()
        attributes.background_pixel = 0xFF00FF
        attributes.override_redirect = 1
        let menu = XCreateWindow(
            display, XDefaultRootWindow(display), x, y, width, height, 0, 0, UInt32(InputOutput), nil,
            UInt(CWOverrideRedirect | CWBackPixel),
            &attributes)
        XMapRaised(display, menu)
        XSync(display, 0)
    }

    /// Puts this window into another one, as a window manager does with the windows of applications.
    func enter(_ frame: LoudWindow, x: Int32 = 0, y: Int32 = 0) {
        XReparentWindow(display, window, frame.window, x, y)
        XMapWindow(display, window)
        XSync(display, 0)
    }

    func destroy() {
        XDestroyWindow(display, window)
        XSync(display, 0)
    }

    func map() {
        XMapRaised(display, window)
        XSync(display, 0)
    }

    func unmap() {
        XUnmapWindow(display, window)
        XSync(display, 0)
    }

    func move(x: Int32, y: Int32) {
        XMoveWindow(display, window, x, y)
        XSync(display, 0)
    }

    /// Paints the whole window again.
    func paint() {
        XClearWindow(display, window)
        XSync(display, 0)
    }

    func setTitle(_ title: String) {
        XStoreName(display, window, title)
        XSync(display, 0)
    }

    /// Sets WM_NAME to a STRING of these bytes, which should be Latin-1 (ICCCM, 2.7.1).
    func setTitle(bytes: [UInt8]) {
        XChangeProperty(display, window, XA_WM_NAME, XA_STRING, 8, PropModeReplace, bytes, Int32(bytes.count))
        XSync(display, 0)
    }

    /// Declares this window as the active one, as a window manager does.
    func activate() {
        var value = window
        withUnsafeBytes(of: &value) { bytes in
            _ = XChangeProperty(
                display, XDefaultRootWindow(display), XInternAtom(display, "_NET_ACTIVE_WINDOW", 0), XA_WINDOW, 32,
                PropModeReplace,
                bytes.bindMemory(to: UInt8.self).baseAddress, 1)
        }
        XSync(display, 0)
    }

    func setClass(_ name: String) {
        let bytes = Array("\(name)\0\(name)\0".utf8)
        XChangeProperty(display, window, XA_WM_CLASS, XA_STRING, 8, PropModeReplace, bytes, Int32(bytes.count))
        XSync(display, 0)
    }

    func setNumber(_ value: UInt, of property: String) {
        var value = value
        withUnsafeBytes(of: &value) { bytes in
            _ = XChangeProperty(
                display, window, XInternAtom(display, property, 0), XA_CARDINAL, 32, PropModeReplace,
                bytes.bindMemory(to: UInt8.self).baseAddress, 1)
        }
        XSync(display, 0)
    }
}
