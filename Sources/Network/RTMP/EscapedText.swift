/// The ways in which servers and libraries escape characters in their messages.
enum EscapedText {
    /// Returns what an escape at the start of `text` can mean, with its length: bytes of UTF-8.
    ///
    /// A percent sign can be escaped itself (`%252F`).
    static func readings(of text: ArraySlice<UInt8>) -> [(bytes: [UInt8], count: Int)] {
        switch text.first {
        case UInt8(ascii: "%"): percent(text)
        case UInt8(ascii: "&"): reference(text)
        case UInt8(ascii: "\\"): escape(text)
        case UInt8(ascii: "+"): [([0x20], 1)]
        default: []
        }
    }

    /// `%2F`, `%252F` and so on (RFC 3986, 2.1).
    private static func percent(_ text: ArraySlice<UInt8>) -> [(bytes: [UInt8], count: Int)] {
        var rest = text.dropFirst()
        var result: [(bytes: [UInt8], count: Int)] = []
        while let value = number(rest.prefix(2), radix: 16, digits: 2...2) {
            result.append(([UInt8(value)], rest.startIndex - text.startIndex + 2))
            // It can also stand for the percent sign of another escape.
            guard value == 0x25 else { break }
            rest = rest.dropFirst(2)
        }
        return result
    }

    /// `&#47;`, `&#x2F;`, and the names that every HTML library writes.
    private static func reference(_ text: ArraySlice<UInt8>) -> [(bytes: [UInt8], count: Int)] {
        guard let semicolon = text.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return [] }
        let count = semicolon - text.startIndex + 1
        var name = text[text.index(after: text.startIndex)..<semicolon]
        let names = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "sol": "/", "equals": "=", "quest": "?",
            "nbsp": " ",
        ]
        if let character = names[String(decoding: name, as: UTF8.self).lowercased()] {
            return [(Array(character.utf8), count)]
        }
        guard name.first == UInt8(ascii: "#") else { return [] }
        name = name.dropFirst()
        let isHexadecimal = name.first == UInt8(ascii: "x") || name.first == UInt8(ascii: "X")
        let value =
            isHexadecimal ? number(name.dropFirst(), radix: 16, digits: 1...6) : number(name, radix: 10, digits: 1...7)
        return value.flatMap(scalar).map { [($0, count)] } ?? []
    }

    /// `\/`, `\x2F`, `\u002F`, and pairs of surrogates.
    private static func escape(_ text: ArraySlice<UInt8>) -> [(bytes: [UInt8], count: Int)] {
        let rest = text.dropFirst()
        guard let kind = rest.first else { return [] }
        let digits = rest.dropFirst()
        switch kind {
        case UInt8(ascii: "x"):
            return number(digits.prefix(2), radix: 16, digits: 2...2).map { [([UInt8($0)], 4)] } ?? []
        case UInt8(ascii: "u"):
            guard let high = number(digits.prefix(4), radix: 16, digits: 4...4) else { return [] }
            if let bytes = scalar(high) { return [(bytes, 6)] }
            let second = digits.dropFirst(4)
            guard (0xD800...0xDBFF).contains(high), second.starts(with: "\\u".utf8),
                let low = number(second.dropFirst(2).prefix(4), radix: 16, digits: 4...4),
                (0xDC00...0xDFFF).contains(low)
            else { return [] }
            return scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)).map { [($0, 12)] } ?? []
        default:
            // A letter would be a control character, which no secret has.
            let isSign =
                (0x21...0x2F).contains(kind) || (0x3A...0x40).contains(kind) || (0x5B...0x60).contains(kind)
                || (0x7B...0x7E).contains(kind)
            return isSign ? [([kind], 2)] : []
        }
    }

    private static func number(_ text: ArraySlice<UInt8>, radix: Int, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.count), text.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        return Int(String(decoding: text, as: UTF8.self), radix: radix)
    }

    private static func scalar(_ value: Int) -> [UInt8]? {
        UInt32(exactly: value).flatMap(Unicode.Scalar.init).map { Array(String(Character($0)).utf8) }
    }
}
