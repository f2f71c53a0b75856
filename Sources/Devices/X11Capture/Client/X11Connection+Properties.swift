import CX11

/// Window properties as raw values, texts and numbers.
extension X11Connection {
    /// Calls `body` with the value of a property, the number of its items and their size in bits. Returns nil if there
    /// is no property of that type. Values longer than 64 KiB are truncated.
    package func property<Value>(
        _ name: Atom, of window: Window, type: Atom = Atom(AnyPropertyType),
        _ body: (UnsafeMutablePointer<UInt8>, Int, Int32) -> Value
    ) -> Value? {
        var actualType = Atom()
        var format: Int32 = 0
        var count: UInt = 0
        var rest: UInt = 0
        var data: UnsafeMutablePointer<UInt8>?
        // The length is in units of 32 bits.
        let status = XGetWindowProperty(
            display, window, name, 0, 16384, 0, type, &actualType, &format, &count, &rest, &data)
        guard status == Success, let data else { return nil }
        defer { XFree(data) }
        return actualType == 0 ? nil : body(data, Int(count), format)
    }

    /// Returns a text property, or an empty string.
    package func text(_ name: Atom, of window: Window) -> String {
        texts(name, of: window).first ?? ""
    }

    /// Returns all readings of a text property, the most likely first. STRING should be Latin-1 (ICCCM, 2.7.1) but is
    /// often UTF-8; COMPOUND_TEXT has its own encoding. Returns an empty array if there is no text.
    ///
    /// Some programs include the terminating null byte of a C string, and window managers show the text up to the first
    /// null byte. The text without the null bytes at its end is a reading too.
    package func texts(_ name: Atom, of window: Window) -> [String] {
        let bytes = bytes(name, of: window)
        let whole = bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)]
        guard !whole.isEmpty else { return [] }
        var result: [String] = []
        for text in [whole.prefix { $0 != 0 }, whole] where !text.isEmpty {
            let latin = String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) }))
            if let unicode = String(validating: text, as: UTF8.self) {
                result += [unicode]
            } else {
                result += compoundTexts(name, of: window)
            }
            result.append(latin)
        }
        var known = Set<String>()
        return result.filter { known.insert($0).inserted }
    }

    /// Returns the strings of a property that contains several, each terminated by a null byte.
    package func strings(_ name: Atom, of window: Window) -> [String] {
        bytes(name, of: window).split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Returns the value of a property of bytes, or an empty array.
    private func bytes(_ name: Atom, of window: Window) -> [UInt8] {
        property(name, of: window) { bytes, count, format in
            format == 8 ? Array(UnsafeBufferPointer(start: bytes, count: count)) : []
        } ?? []
    }

    /// Returns the texts that Xlib converts, or an empty array (Xutf8TextPropertyToTextList(3)).
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

    /// Returns a property of 32-bit numbers, or an empty array. Xlib returns each number as a long
    /// (XGetWindowProperty(3)).
    package func numbers(_ name: Atom, of window: Window) -> [UInt] {
        property(name, of: window) { bytes, count, format in
            guard format == 32 else { return [] }
            return bytes.withMemoryRebound(to: UInt.self, capacity: count) { list in
                (0..<count).map { list[$0] & 0xffff_ffff }
            }
        } ?? []
    }

    /// The bits of a resource identifier that its client chooses. The other bits identify the client (X11, 8,
    /// connection setup).
    package var resourceMask: UInt {
        let mask = cx11_resource_mask(display)
        // The protocol requires at least 18 bits.
        return mask == 0 ? 0x3ffff : mask
    }
}
