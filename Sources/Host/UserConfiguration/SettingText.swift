import Media

/// Parsers for values on the command line and in files. Each initializer returns nil for invalid text.

extension PixelSize {
    /// `1280x720`, from `smallest` to `largest`; odd sizes are rounded down to even ones. Also `720p`, the number of
    /// lines of a 16:9 picture, and `4k`.
    package init?(text: String) {
        if let size = Self.named(text.lowercased()) {
            self = size
            return
        }
        guard let written = Self.written(text) else { return nil }
        self = written.roundedDownToEven
    }

    /// `1280x720` before odd numbers are rounded; nil for other text, also for a name such as `720p`.
    package static func written(_ text: String) -> PixelSize? {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]) else { return nil }
        let size = PixelSize(width: width, height: height)
        return size.isEncodable ? size : nil
    }

    private static func named(_ name: String) -> PixelSize? {
        if name == "4k" { return PixelSize(width: 3840, height: 2160) }
        guard name.hasSuffix("p"), let height = Int(name.dropLast()), (16...8640).contains(height) else { return nil }
        // Half of the width is rounded to the nearest, as in 854x480.
        return PixelSize(width: (height * 16 + 9) / 18 * 2, height: height).roundedDownToEven
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
        guard numbers.count == 2, let width = Int(parts[0]), let height = Int(parts[1][..<end]),
            (2...65535).contains(width),
            (2...65535).contains(height)
        else { return nil }
        self.init(x: numbers[0], y: numbers[1], width: width, height: height)
    }
}

extension MediaTime {
    /// `90s`, `5m`, `1h`, `1h30m`, `MM:SS`, `HH:MM:SS`, or plain seconds; more than zero, at most 1,000,000 s.
    package init?(text: String) {
        guard let seconds = text.contains(":") ? Self.clock(text) : Self.units(text) ?? Self.number(text[...]),
            seconds > 0, seconds <= 1_000_000
        else { return nil }
        self.init(seconds: seconds)
    }

    /// `01:30` or `1:00:00`, with minutes and seconds below 60.
    private static func clock(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3, parts.dropLast().allSatisfy({ $0.allSatisfy(\.isNumber) }) else { return nil }
        var seconds = 0.0
        for (index, part) in parts.enumerated() {
            guard let number = number(part), index == 0 || number < 60 else { return nil }
            seconds = seconds * 60 + number
        }
        return seconds
    }

    /// `1h30m10s`: numbers with units, the larger unit first.
    private static func units(_ text: String) -> Double? {
        var rest = text[...]
        var seconds = 0.0
        for (unit, length) in [("h", 3600.0), ("m", 60), ("s", 1)] {
            guard let end = rest.firstIndex(of: Character(unit)) else { continue }
            guard let number = number(rest[..<end]) else { return nil }
            seconds += number * length
            rest = rest[rest.index(after: end)...]
        }
        return rest.isEmpty && !text.isEmpty ? seconds : nil
    }

    /// A decimal number without a sign.
    private static func number(_ text: Substring) -> Double? {
        guard text.first?.isNumber == true || text.first == ".",
            text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
        else { return nil }
        return Double(text)
    }
}

/// A bitrate in kbit/s.
package enum Bitrate {
    /// `4500`, `4500k` or `6M`, also with `bit/s`, `bit` or `bps`. Returns nil for other text; the caller checks the
    /// range.
    package static func parse(_ text: String) -> Int? {
        var rest = text.lowercased()[...]
        var hasUnit = false
        for suffix in ["bit/s", "bits/s", "bps", "b/s", "bits", "bit"] where rest.hasSuffix(suffix) {
            rest = rest.dropLast(suffix.count)
            hasUnit = true
            break
        }
        let factor: Double? =
            switch rest.last {
            case "k": 1
            case "m": 1000
            default: nil
            }
        if factor != nil { rest = rest.dropLast() }
        // Plain bits per second would be a thousand times less than the number says elsewhere.
        guard !hasUnit || factor != nil, rest.allSatisfy({ $0.isASCII && ($0.isNumber || ".-".contains($0)) }),
            let number = Double(rest)
        else {
            return nil
        }
        let value = number * (factor ?? 1)
        return value.isFinite && abs(value) <= 1e12 ? Int(value.rounded()) : nil
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
    /// The name of a session that is started without one.
    package static let standard = "default"

    /// Up to 64 letters, digits, `-` and `_`.
    package static func isValid(_ name: String) -> Bool {
        let isGood = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d
                || $0 == 0x5f
        }
        return isGood && (1...64).contains(name.utf8.count)
    }
}
