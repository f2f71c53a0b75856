import CX11

/// Follows which application's window is in front, as the window manager tells it (EWMH 1.5, `_NET_ACTIVE_WINDOW`,
/// `_NET_WM_NAME`; ICCCM, 4.1.2.5, `WM_CLASS`).
final class FocusWatcher {
    private let connection: X11Connection
    private let activeWindow: Atom
    private let windowName: Atom
    private let utf8: Atom
    private var window = Window()
    private var last: ApplicationInformation?
    private var isStale = true

    init(connection: X11Connection) {
        self.connection = connection
        let display = connection.display
        activeWindow = XInternAtom(display, "_NET_ACTIVE_WINDOW", 0)
        windowName = XInternAtom(display, "_NET_WM_NAME", 0)
        utf8 = XInternAtom(display, "UTF8_STRING", 0)
    }

    /// Takes note of a PropertyNotify of the root window or of the window in front.
    func note(_ event: XPropertyEvent) {
        if event.atom == activeWindow && event.window == connection.root { isStale = true }
        if event.window == window && (event.atom == windowName || event.atom == XA_WM_NAME) { isStale = true }
    }

    /// The application in front where it is another one than before, or has another title. A window that has gone since is no error.
    func takeChange() -> ApplicationInformation? {
        guard isStale else { return nil }
        isStale = false
        let front = activeWindowNow()
        if front != window {
            if window != 0 { XSelectInput(connection.display, window, 0) }
            window = front
            if window != 0 { XSelectInput(connection.display, window, PropertyChangeMask) }
        }
        let information = window == 0 ? nil : describe(window)
        // Requests to a window that has gone are answered with an error that means nothing here.
        XSync(connection.display, 0)
        _ = X11Faults.takeProtocolError(of: connection.display)
        guard let information, information != last else { return nil }
        last = information
        return information
    }

    private func activeWindowNow() -> Window {
        property(activeWindow, of: connection.root, type: XA_WINDOW) { bytes, count in
            count > 0 ? bytes.withMemoryRebound(to: Window.self, capacity: 1) { $0.pointee } : 0
        } ?? 0
    }

    private func describe(_ window: Window) -> ApplicationInformation? {
        var hint = XClassHint()
        guard XGetClassHint(connection.display, window, &hint) != 0 else { return nil }
        defer {
            XFree(hint.res_name)
            XFree(hint.res_class)
        }
        let id = hint.res_class.map { String(cString: $0) } ?? hint.res_name.map { String(cString: $0) } ?? ""
        return ApplicationInformation(id: id, title: title(of: window))
    }

    private func title(of window: Window) -> String {
        for (name, type) in [(windowName, utf8), (XA_WM_NAME, Atom(AnyPropertyType))] {
            let title = property(name, of: window, type: type) { bytes, count in
                String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
            }
            if let title, !title.isEmpty { return title }
        }
        return ""
    }

    /// Hands the value of a property to `body`, with the number of its items; nil where there is none.
    private func property<Value>(_ name: Atom, of window: Window, type: Atom, _ body: (UnsafeMutablePointer<UInt8>, Int) -> Value) -> Value? {
        var actualType = Atom()
        var format: Int32 = 0
        var count: UInt = 0
        var rest: UInt = 0
        var data: UnsafeMutablePointer<UInt8>?
        // 1024 units of 32 bits: titles beyond 4 KB are cut.
        let status = XGetWindowProperty(connection.display, window, name, 0, 1024, 0, type, &actualType, &format, &count, &rest, &data)
        guard status == Success, let data else { return nil }
        defer { XFree(data) }
        return actualType == 0 ? nil : body(data, Int(count))
    }
}
