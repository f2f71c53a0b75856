import CX11
import Media

/// Questions about windows that may be gone by the time they are asked: then the answer is nil, and the server's error is forgotten.
extension X11Connection {
    /// Hears of these events of `window`, besides what others want to hear of it; 0 for none.
    func select(_ mask: Int, of window: Window, for interest: EventSelection.Interest) {
        guard window != 0 else { return }
        XSelectInput(display, window, events.set(mask, of: window, for: interest))
    }

    func atomName(_ atom: Atom) -> String? {
        guard let name = XGetAtomName(display, atom) else { return nil }
        defer { XFree(name) }
        return String(cString: name)
    }

    func attributes(of window: Window) -> XWindowAttributes? {
        var attributes = XWindowAttributes()
        let isThere = XGetWindowAttributes(display, window, &attributes) != 0
        if !isThere { _ = X11Faults.takeProtocolError(of: display) }
        return isThere ? attributes : nil
    }

    /// Where the content of `window` is on the root window.
    func place(of window: Window) -> PixelRect? {
        guard let attributes = attributes(of: window), let origin = origin(of: window) else { return nil }
        return PixelRect(x: origin.x, y: origin.y, width: Int(attributes.width), height: Int(attributes.height))
    }

    /// Where the top left of its content is on the root window.
    func origin(of window: Window) -> (x: Int, y: Int)? {
        var x: Int32 = 0
        var y: Int32 = 0
        var child = Window()
        guard XTranslateCoordinates(display, window, root, 0, 0, &x, &y, &child) != 0 else {
            _ = X11Faults.takeProtocolError(of: display)
            return nil
        }
        // A window that has gone is an error and yet no 0.
        return X11Faults.takeProtocolError(of: display) == nil ? (Int(x), Int(y)) : nil
    }

    /// Its parent, and its children from the bottom up.
    func family(of window: Window) -> (parent: Window, children: [Window])? {
        var root = Window()
        var parent = Window()
        var list: UnsafeMutablePointer<Window>?
        var count: UInt32 = 0
        guard XQueryTree(display, window, &root, &parent, &list, &count) != 0 else {
            _ = X11Faults.takeProtocolError(of: display)
            return nil
        }
        defer { if let list { XFree(list) } }
        return (parent, list.map { Array(UnsafeBufferPointer(start: $0, count: Int(count))) } ?? [])
    }
}
