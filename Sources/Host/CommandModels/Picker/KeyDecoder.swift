/// Decodes the bytes that a terminal sends into keys (ECMA-48 control sequences, with xterm's key numbers; UTF-8 text).
/// It does no I/O.
///
/// A single escape character is either the Esc key or the start of a sequence. Call `flush` if no byte follows within a
/// short time.
package struct KeyDecoder {
    private var pending: [UInt8] = []

    package init() {}

    /// True if a partial sequence waits for its rest.
    package var isPending: Bool { !pending.isEmpty }

    /// Returns the keys that are complete with these bytes. Keys that the picker does not use are ignored.
    package mutating func decode(_ bytes: some Sequence<UInt8>) -> [PickerKey] {
        pending.append(contentsOf: bytes)
        var keys: [PickerKey] = []
        while let (key, length) = next() {
            pending.removeFirst(length)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// Returns the meaning of the pending bytes if no more bytes follow.
    package mutating func flush() -> [PickerKey] {
        defer { pending = [] }
        return pending == [0x1b] ? [.escape] : []
    }

    /// Returns the first key and its length in bytes; nil if it is not complete.
    private func next() -> (PickerKey?, Int)? {
        guard let first = pending.first else { return nil }
        switch first {
        case 0x1b: return sequence()
        case 0x0a, 0x0d: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x08, 0x7f: return (.backspace, 1)
        case 0x0e: return (.down, 1)  // Ctrl-N and Ctrl-P, as in shells.
        case 0x10: return (.up, 1)
        case 0..<0x20: return (nil, 1)
        default: return text(first)
        }
    }

    /// `ESC [ parameters final` or `ESC O final`.
    private func sequence() -> (PickerKey?, Int)? {
        guard pending.count > 1 else { return nil }
        guard pending[1] == 0x5b || pending[1] == 0x4f else { return (.escape, 1) }
        guard let end = pending.indices.dropFirst(2).first(where: { !(0x20...0x3f).contains(pending[$0]) }) else {
            // No key sequence is that long: ignore it.
            return pending.count > 32 ? (nil, pending.count) : nil
        }
        // If another sequence starts before this one ends, drop this one.
        guard (0x40...0x7e).contains(pending[end]) else { return (nil, end) }
        return (Self.key(final: pending[end], parameters: pending[2..<end]), end + 1)
    }

    private static func key(final: UInt8, parameters: ArraySlice<UInt8>) -> PickerKey? {
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "M"): return parameters.isEmpty ? .enter : nil
        case UInt8(ascii: "~"):
            switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
            case "1", "7": return .home
            case "4", "8": return .end
            case "5": return .pageUp
            case "6": return .pageDown
            default: return nil
            }
        default: return nil
        }
    }

    private func text(_ first: UInt8) -> (PickerKey?, Int)? {
        let length =
            switch first {
            case 0..<0x80: 1
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 0
            }
        guard length > 0 else { return (nil, 1) }
        for index in 1..<max(1, length) {
            guard index < pending.count else { return nil }
            guard pending[index] & 0xc0 == 0x80 else { return (nil, index) }
        }
        guard let text = String(validating: pending.prefix(length), as: UTF8.self), let character = text.first else {
            return (nil, length)
        }
        return (.character(character), length)
    }
}
