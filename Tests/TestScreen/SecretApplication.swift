import CX11
import TestPatterns

/// A separate application on the X server whose windows all have one conspicuous colour: a main window, menus, tooltips
/// and dialogs.
///
/// The server paints its windows (their background), so the result does not depend on this program's speed.
final class SecretApplication {
    /// How the main window requests that it is hidden.
    enum Protection {
        /// It does not: a rule must select it.
        case none
        /// `_BROADCAST_CAPTURE_EXCLUDE`
        case property
    }

    /// The main window.
    private(set) var window: Window = 0
    private(set) var isMapped = false
    private let display: OpaquePointer
    private let root: Window
    private let pixel: UInt
    private let protection: Protection
    private var popUps: [Window] = []

    init(colour: UInt, protection: Protection) throws(TestScreenError) {
        guard let display = XOpenDisplay(nil) else { throw .display("no X server answers at DISPLAY") }
        self.display = display
        root = XDefaultRootWindow(display)
        pixel = colour
        self.protection = protection
        // A window is destroyed with its dialogs, so ignore the error of a late request to one of them.
        _ = XSetErrorHandler { _, _ in 0 }
        open()
    }

    deinit {
        XCloseDisplay(display)
    }

    /// Creates the main window again, unmapped.
    func open() {
        if window != 0 { XDestroyWindow(display, window) }
        window = make(x: 80, y: 60, width: 200, height: 150, overridesRedirect: false)
        isMapped = false
        XStoreName(display, window, "TestScreen secret")
        // The instance and the class, each with a terminating zero.
        setText("testscreen\0Secret\0", XA_WM_CLASS)
        if protection == .property {
            var one: UInt = 1
            withUnsafeBytes(of: &one) { bytes in
                _ = XChangeProperty(
                    display, window, XInternAtom(display, "_BROADCAST_CAPTURE_EXCLUDE", 0), XA_CARDINAL, 32,
                    PropModeReplace,
                    bytes.bindMemory(to: UInt8.self).baseAddress, 1)
            }
        }
    }

    func map() {
        XMapWindow(display, window)
        isMapped = true
    }

    func unmap() {
        XWithdrawWindow(display, window, XDefaultScreen(display))
        isMapped = false
    }

    func move(x: Int, y: Int) { XMoveWindow(display, window, Int32(x), Int32(y)) }

    func resize(width: Int, height: Int) { XResizeWindow(display, window, UInt32(width), UInt32(height)) }

    func raise() { XRaiseWindow(display, window) }

    func lower() { XLowerWindow(display, window) }

    /// A menu. No window manager manages it, and it has no properties.
    func openMenu(x: Int, y: Int, width: Int, height: Int) {
        let menu = make(x: x, y: y, width: width, height: height, overridesRedirect: true)
        XMapRaised(display, menu)
        popUps.append(menu)
    }

    /// A dialog of the main window.
    func openDialogue(x: Int, y: Int, width: Int, height: Int) {
        let dialogue = make(x: x, y: y, width: width, height: height, overridesRedirect: false)
        XSetTransientForHint(display, dialogue, window)
        XMapWindow(display, dialogue)
        popUps.append(dialogue)
    }

    /// Closes the oldest menu or dialog.
    func closePopUp() {
        if !popUps.isEmpty { XDestroyWindow(display, popUps.removeFirst()) }
    }

    /// The number of open menus and dialogs.
    var popUpCount: Int { popUps.count }

    /// Waits until the server has processed all requests.
    func synchronise() {
        XSync(display, True)
    }

    private func make(x: Int, y: Int, width: Int, height: Int, overridesRedirect: Bool) -> Window {
        var attributes = XSetWindowAttributes()
        attributes.background_pixel = pixel
        attributes.override_redirect = overridesRedirect ? True : False
        return XCreateWindow(
            display, root, Int32(x), Int32(y), UInt32(width), UInt32(height), 0, Int32(CopyFromParent),
            UInt32(CopyFromParent), nil,
            UInt(CWBackPixel | CWOverrideRedirect), &attributes)
    }

    private func setText(_ text: String, _ property: Atom) {
        let bytes = Array(text.utf8)
        XChangeProperty(display, window, property, XA_STRING, 8, PropModeReplace, bytes, Int32(bytes.count))
    }
}
