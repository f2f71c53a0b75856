/// Percent-encoded text (RFC 3986, 2.1).
package enum PercentEncoding {
    /// Returns the bytes that `text` encodes. A percent sign without two hexadecimal digits after it is taken
    /// literally.
    package static func decode(_ text: some StringProtocol) -> [UInt8] {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }

    /// Returns the text that `text` encodes, or nil if the decoded bytes are not UTF-8.
    package static func decodedText(_ text: some StringProtocol) -> String? {
        String(validating: decode(text), as: UTF8.self)
    }

    /// Returns `text` with each byte of its UTF-8 encoded, except for the ASCII characters for which `isLiteral`
    /// returns true.
    ///
    /// A percent sign is always encoded, so that `decodedText` returns `text` again. The digits are upper case (2.1).
    package static func encode(_ text: some StringProtocol, except isLiteral: (UInt8) -> Bool = isUnreserved) -> String
    {
        var output: [UInt8] = []
        for byte in text.utf8 {
            if byte < 0x80, byte != UInt8(ascii: "%"), isLiteral(byte) {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns true for an ASCII letter, a digit, `-`, `.`, `_` and `~` (2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Returns the value of a hexadecimal digit, or nil for another character.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
