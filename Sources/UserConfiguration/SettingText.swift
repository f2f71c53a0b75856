import Media

/// Parsers for values on the command line and in files. Each initializer returns nil for invalid text.

extension PixelSize {
    /// `1280x720`, from 16x16 to 16384x16384; odd sizes are rounded down to even ones.
    package init?(text: String) {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), (16...16384).contains(width), (16...16384).contains(height)
        else { return nil }
        self = PixelSize(width: width, height: height).roundedDownToEven
    }
}

extension PixelRect {
    /// `1280x720+100+50`. A negative offset (`+-20`, `-20`) starts outside the screen.
    package init?(text: String) {
        let parts = text.lowercased().split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let end = parts[1].firstIndex(where: { $0 == "+" || $0 == "-" }) else { return nil }
        var numbers: [Int] = []
        var rest = parts[1][end...]
        while !rest.isEmpty {
            // A sign, perhaps a second one, then digits.
            if rest.hasPrefix("+") { rest = rest.dropFirst() }
            let digits = rest.dropFirst(rest.hasPrefix("-") ? 1 : 0).prefix { $0.isASCII && $0.isNumber }
            let number = rest[rest.startIndex..<digits.endIndex]
            guard !digits.isEmpty, let value = Int(number), abs(value) <= 65535 else { return nil }
            numbers.append(value)
            rest = rest[digits.endIndex...]
            guard rest.isEmpty || rest.hasPrefix("+") || rest.hasPrefix("-") else { return nil }
        }
        guard numbers.count == 2, let width = Int(parts[0]), let height = Int(parts[1][..<end]), (2...65535).contains(width),
            (2...65535).contains(height)
        else { return nil }
        self.init(x: numbers[0], y: numbers[1], width: width, height: height)
    }
}

extension MediaTime {
    /// `90s`, `5m`, `1h`, or plain seconds; more than zero, at most 1,000,000 s.
    package init?(text: String) {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
        let unit = text.last.flatMap { units[$0] }
        let number = Double(unit == nil ? text[...] : text.dropLast())
        guard let number, number.isFinite, number > 0, number * (unit ?? 1) <= 1_000_000 else { return nil }
        self.init(seconds: number * (unit ?? 1))
    }
}

/// The identifier of an X window.
package enum WindowNumber {
    /// `0x1a00007`, or the same in decimal digits.
    package static func parse(_ text: String) -> UInt? {
        let hexadecimal = text.lowercased().hasPrefix("0x") ? UInt(text.dropFirst(2), radix: 16) : nil
        guard let window = hexadecimal ?? UInt(text), (1...0xffff_ffff).contains(window) else { return nil }
        return window
    }
}

/// Checks the name of a session, which becomes a file name.
package enum SessionNaming {
    /// Up to 64 letters, digits, `-` and `_`.
    package static func isValid(_ name: String) -> Bool {
        let isGood = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d || $0 == 0x5f
        }
        return isGood && (1...64).contains(name.utf8.count)
    }
}
