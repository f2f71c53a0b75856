import CX11
import Media

/// Requests about windows that can be destroyed at any time. If the window does not exist, the result is nil and the
/// server's error is ignored.
extension X11Connection {
    /// Selects events of `window` for one user of the connection, in addition to the events of the others. 0 selects no
    /// events.
    package func select(_ mask: Int, of window: Window, for interest: EventInterest) {
        guard window != 0 else { return }
        XSelectInput(display, window, selection.set(mask, of: window, for: interest))
    }

    /// Forgets a window that no longer exists. The server can use its identifier for another window.
    package func forget(_ window: Window) {
        selection.forget(window)
    }

    package func atomName(_ atom: Atom) -> String? {
        guard let name = XGetAtomName(display, atom) else { return nil }
        defer { XFree(name) }
        return String(cString: name)
    }

    package func attributes(of window: Window) -> XWindowAttributes? {
        var attributes = XWindowAttributes()
        let isThere = XGetWindowAttributes(display, window, &attributes) != 0
        if !isThere { takeProtocolError() }
        return isThere ? attributes : nil
    }

    /// Returns the area of the content of `window` on the root window.
    package func place(of window: Window) -> PixelRect? {
        guard let attributes = attributes(of: window), let origin = origin(of: window) else { return nil }
        return PixelRect(x: origin.x, y: origin.y, width: Int(attributes.width), height: Int(attributes.height))
    }

    /// Returns the position of the content's top left corner on the root window.
    package func origin(of window: Window) -> (x: Int, y: Int)? {
        var x: Int32 = 0
        var y: Int32 = 0
        var child = Window()
        let first = XNextRequest(display)
        guard XTranslateCoordinates(display, window, root, 0, 0, &x, &y, &child) != 0 else {
            takeProtocolError()
            return nil
        }
        // For a destroyed window, the call can succeed and also report an error.
        return takeProtocolError(since: first) == nil ? (Int(x), Int(y)) : nil
    }

    /// Returns the parent of a window, and its children from bottom to top.
    package func family(of window: Window) -> (parent: Window, children: [Window])? {
        var root = Window()
        var parent = Window()
        var list: UnsafeMutablePointer<Window>?
        var count: UInt32 = 0
        guard XQueryTree(display, window, &root, &parent, &list, &count) != 0 else {
            takeProtocolError()
            return nil
        }
        defer { if let list { XFree(list) } }
        return (parent, list.map { Array(UnsafeBufferPointer(start: $0, count: Int(count))) } ?? [])
    }
}
