import CX11
import TestPatterns

/// An application of its own on the X server, all of whose windows are of one loud colour: a main window, menus, tooltips and dialogues.
///
/// The server paints its windows (their background), so nothing depends on how fast this program draws.
final class SecretApplication {
    /// How its main window says that it must not be seen.
    enum Protection {
        /// Not at all: a rule has to name it.
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
        // Windows go with dialogues that belong to them; a late request to one of them is no reason to end.
        _ = XSetErrorHandler { _, _ in 0 }
        open()
    }

    deinit {
        XCloseDisplay(display)
    }

    /// Makes the main window anew; it is not mapped.
    func open() {
        if window != 0 { XDestroyWindow(display, window) }
        window = make(x: 80, y: 60, width: 200, height: 150, overridesRedirect: false)
        isMapped = false
        XStoreName(display, window, "TestScreen secret")
        // The instance and the class, each with its zero.
        setText("testscreen\0Secret\0", XA_WM_CLASS)
        if protection == .property {
            var one: UInt = 1
            withUnsafeBytes(of: &one) { bytes in
                _ = XChangeProperty(
                    display, window, XInternAtom(display, "_BROADCAST_CAPTURE_EXCLUDE", 0), XA_CARDINAL, 32, PropModeReplace,
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

    /// A menu: no window manager sees it, and it says nothing about itself.
    func openMenu(x: Int, y: Int, width: Int, height: Int) {
        let menu = make(x: x, y: y, width: width, height: height, overridesRedirect: true)
        XMapRaised(display, menu)
        popUps.append(menu)
    }

    /// A dialogue of the main window.
    func openDialogue(x: Int, y: Int, width: Int, height: Int) {
        let dialogue = make(x: x, y: y, width: width, height: height, overridesRedirect: false)
        XSetTransientForHint(display, dialogue, window)
        XMapWindow(display, dialogue)
        popUps.append(dialogue)
    }

    /// Closes the oldest menu or dialogue.
    func closePopUp() {
        if !popUps.isEmpty { XDestroyWindow(display, popUps.removeFirst()) }
    }

    /// So many menus and dialogues are open.
    var popUpCount: Int { popUps.count }

    /// Waits until the server has done everything so far.
    func synchronise() {
        XSync(display, True)
    }

    private func make(x: Int, y: Int, width: Int, height: Int, overridesRedirect: Bool) -> Window {
        var attributes = XSetWindowAttributes()
        attributes.background_pixel = pixel
        attributes.override_redirect = overridesRedirect ? True : False
        return XCreateWindow(
            display, root, Int32(x), Int32(y), UInt32(width), UInt32(height), 0, Int32(CopyFromParent), UInt32(CopyFromParent), nil,
            UInt(CWBackPixel | CWOverrideRedirect), &attributes)
    }

    private func setText(_ text: String, _ property: Atom) {
        let bytes = Array(text.utf8)
        XChangeProperty(display, window, property, XA_STRING, 8, PropModeReplace, bytes, Int32(bytes.count))
    }
}
