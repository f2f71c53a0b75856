import CX11

/// Properties of windows as they come, and what their numbers tell.
extension X11Connection {
    /// Hands the value of a property to `body`, with the number of its items and their size in bits; nil where there is none of that type.
    /// Values beyond 64 KB are cut.
    func property<Value>(
        _ name: Atom, of window: Window, type: Atom = Atom(AnyPropertyType), _ body: (UnsafeMutablePointer<UInt8>, Int, Int32) -> Value
    ) -> Value? {
        var actualType = Atom()
        var format: Int32 = 0
        var count: UInt = 0
        var rest: UInt = 0
        var data: UnsafeMutablePointer<UInt8>?
        // Units of 32 bits.
        let status = XGetWindowProperty(display, window, name, 0, 16384, 0, type, &actualType, &format, &count, &rest, &data)
        guard status == Success, let data else { return nil }
        defer { XFree(data) }
        return actualType == 0 ? nil : body(data, Int(count), format)
    }

    /// A property that is text; empty where there is none.
    func text(_ name: Atom, of window: Window) -> String {
        texts(name, of: window).first ?? ""
    }

    /// A property that is text, in each way in which it can be read, the likeliest first: what is called STRING should be Latin-1 (ICCCM,
    /// 2.7.1), and often is UTF-8; COMPOUND_TEXT has a coding of its own. None where there is none.
    func texts(_ name: Atom, of window: Window) -> [String] {
        let bytes = property(name, of: window) { bytes, count, format in
            format == 8 ? Array(UnsafeBufferPointer(start: bytes, count: count)) : []
        }
        guard let bytes, !bytes.isEmpty else { return [] }
        let latin = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        guard let unicode = String(validating: bytes, as: UTF8.self) else { return compoundTexts(name, of: window) + [latin] }
        return latin == unicode ? [unicode] : [unicode, latin]
    }

    /// What Xlib makes of it; none where it makes nothing (Xutf8TextPropertyToTextList(3)).
    private func compoundTexts(_ name: Atom, of window: Window) -> [String] {
        var property = XTextProperty()
        guard XGetTextProperty(display, window, &property, name) != 0 else { return [] }
        defer { XFree(property.value) }
        guard property.encoding == XInternAtom(display, "COMPOUND_TEXT", 0) else { return [] }
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        var count: Int32 = 0
        guard Xutf8TextPropertyToTextList(display, &property, &list, &count) >= 0, let list else { return [] }
        defer { XFreeStringList(list) }
        return (0..<Int(count)).compactMap { list[$0].map { String(cString: $0) } }
    }

    /// A property of 32-bit numbers; empty where there is none. Xlib gives each of them as a long (XGetWindowProperty(3)).
    func numbers(_ name: Atom, of window: Window) -> [UInt] {
        property(name, of: window) { bytes, count, format in
            guard format == 32 else { return [] }
            return bytes.withMemoryRebound(to: UInt.self, capacity: count) { list in (0..<count).map { list[$0] & 0xffff_ffff } }
        } ?? []
    }

    /// The bits of a resource's number that its client chooses; the others tell the client (X11, 8, connection setup).
    var resourceMask: UInt {
        let mask = cx11_resource_mask(display)
        // 18 bits are the least that a server may give.
        return mask == 0 ? 0x3ffff : mask
    }
}
