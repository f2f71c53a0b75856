import CX11

/// Reads window properties that clients and the window manager set (ICCCM, 4.1.2 and 4.1.3.1; EWMH 1.5).
package final class WindowProperties {
    /// The maximum number of characters of a title or class that is reported. A program can set a title of any length.
    private static let maximumLength = 256
    /// The maximum length in bytes, because a character can consist of any number of code points.
    private static let maximumSize = 1024

    private let connection: X11Connection
    package let activeWindowAtom: Atom
    package let nameAtom: Atom
    private let clientList: Atom
    private let state: Atom

    package init(connection: X11Connection) {
        self.connection = connection
        let display = connection.display
        activeWindowAtom = XInternAtom(display, "_NET_ACTIVE_WINDOW", 0)
        nameAtom = XInternAtom(display, "_NET_WM_NAME", 0)
        clientList = XInternAtom(display, "_NET_CLIENT_LIST", 0)
        state = XInternAtom(display, "WM_STATE", 0)
    }

    /// Returns the active window as reported by the window manager, or nil.
    package func activeWindow() -> Window? {
        windows(activeWindowAtom)?.first.flatMap { $0 == 0 ? nil : $0 }
    }

    /// Returns all managed windows, the oldest first, or nil if no window manager reports them.
    package func clients() -> [Window]? {
        windows(clientList)
    }

    /// Returns true if a window manager manages `window`: it is a client's window and not a frame.
    package func isManaged(_ window: Window) -> Bool {
        connection.property(state, of: window) { _, _, _ in true } ?? false
    }

    /// Returns the class of the window's application (WM_CLASS), or nil.
    package func className(of window: Window) -> String? {
        var hint = XClassHint()
        guard XGetClassHint(connection.display, window, &hint) != 0 else { return nil }
        defer {
            XFree(hint.res_name)
            XFree(hint.res_class)
        }
        return Self.shortened(
            hint.res_class.map { String(cString: $0) } ?? hint.res_name.map { String(cString: $0) } ?? "")
    }

    /// Returns the title, or an empty string.
    package func title(of window: Window) -> String {
        Self.shortened(
            [nameAtom, XA_WM_NAME].lazy.map { self.connection.text($0, of: window) }.first { !$0.isEmpty } ?? "")
    }

    private static func shortened(_ text: String) -> String {
        let prefix = text.prefix(maximumLength)
        guard prefix.utf8.count > maximumSize else { return String(prefix) }
        return String(String.UnicodeScalarView(prefix.unicodeScalars.prefix(maximumLength)))
    }

    /// Returns a name for messages: the title, the class, or the window's identifier.
    package func label(of window: Window) -> String {
        let title = title(of: window)
        return title.isEmpty ? className(of: window) ?? "0x" + String(window, radix: 16) : title
    }

    /// Returns true if `label` depends on the property.
    package func isPartOfLabel(_ property: Atom) -> Bool {
        property == nameAtom || property == XA_WM_NAME || property == XA_WM_CLASS
    }

    /// Returns an empty array if the property has an unexpected format.
    private func windows(_ property: Atom) -> [Window]? {
        connection.property(property, of: connection.root, type: XA_WINDOW) { bytes, count, format in
            guard format == 32 else { return [] }
            return bytes.withMemoryRebound(to: Window.self, capacity: count) {
                Array(UnsafeBufferPointer(start: $0, count: count))
            }
        }
    }
}
