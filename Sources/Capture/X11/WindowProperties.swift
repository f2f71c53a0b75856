import CX11

/// What clients and the window manager say of windows in their properties (ICCCM, 4.1.2 and 4.1.3.1; EWMH 1.5).
final class WindowProperties {
    private let connection: X11Connection
    let activeWindowAtom: Atom
    let nameAtom: Atom
    private let clientList: Atom
    private let state: Atom
    private let utf8: Atom

    init(connection: X11Connection) {
        self.connection = connection
        let display = connection.display
        activeWindowAtom = XInternAtom(display, "_NET_ACTIVE_WINDOW", 0)
        nameAtom = XInternAtom(display, "_NET_WM_NAME", 0)
        clientList = XInternAtom(display, "_NET_CLIENT_LIST", 0)
        state = XInternAtom(display, "WM_STATE", 0)
        utf8 = XInternAtom(display, "UTF8_STRING", 0)
    }

    /// The window in front, as the window manager tells it.
    func activeWindow() -> Window? {
        windows(activeWindowAtom)?.first.flatMap { $0 == 0 ? nil : $0 }
    }

    /// All windows that the window manager manages, the oldest first; nil where there is none that tells.
    func clients() -> [Window]? {
        windows(clientList)
    }

    /// True where a window manager manages `window`: it is a client's, not a frame around one.
    func isManaged(_ window: Window) -> Bool {
        value(state, of: window, type: Atom(AnyPropertyType)) { _, _ in true } ?? false
    }

    /// The class of its application (WM_CLASS); nil where it has none.
    func className(of window: Window) -> String? {
        var hint = XClassHint()
        guard XGetClassHint(connection.display, window, &hint) != 0 else { return nil }
        defer {
            XFree(hint.res_name)
            XFree(hint.res_class)
        }
        return hint.res_class.map { String(cString: $0) } ?? hint.res_name.map { String(cString: $0) } ?? ""
    }

    /// Empty where it has none.
    func title(of window: Window) -> String {
        for (name, type) in [(nameAtom, utf8), (XA_WM_NAME, Atom(AnyPropertyType))] {
            let title = value(name, of: window, type: type) { bytes, count in
                String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
            }
            if let title, !title.isEmpty { return title }
        }
        return ""
    }

    /// What to call it in a sentence: its title, else its class, else its number.
    func label(of window: Window) -> String {
        let title = title(of: window)
        return title.isEmpty ? className(of: window) ?? "0x" + String(window, radix: 16) : title
    }

    private func windows(_ property: Atom) -> [Window]? {
        value(property, of: connection.root, type: XA_WINDOW) { bytes, count in
            bytes.withMemoryRebound(to: Window.self, capacity: count) { Array(UnsafeBufferPointer(start: $0, count: count)) }
        }
    }

    /// Hands the value of a property to `body`, with the number of its items; nil where there is none.
    private func value<Value>(_ name: Atom, of window: Window, type: Atom, _ body: (UnsafeMutablePointer<UInt8>, Int) -> Value) -> Value? {
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
