import Glibc
import Media

/// Values as users write them.
enum OptionValue {
    /// `1280x720`.
    static func size(_ text: String) throws(CommandError) -> PixelSize {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), (16...16384).contains(width), (16...16384).contains(height)
        else { throw CommandError(.usage, "--size \(text) is no size from 16x16 to 16384x16384. Write it like 1280x720.") }
        return PixelSize(width: width, height: height).roundedDownToEven
    }

    /// `1280x720+100+50`. A negative offset (`+-20`, `-20`) begins beyond the edge.
    static func region(_ text: String) throws(CommandError) -> PixelRect {
        let wrong = CommandError(.usage, "--region \(text) is no part of a screen. Write it like 1280x720+100+50.")
        let parts = text.lowercased().split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let end = parts[1].firstIndex(where: { $0 == "+" || $0 == "-" }) else { throw wrong }
        var numbers: [Int] = []
        var rest = parts[1][end...]
        while !rest.isEmpty {
            // A sign, perhaps a second one, then digits.
            if rest.hasPrefix("+") { rest = rest.dropFirst() }
            let digits = rest.dropFirst(rest.hasPrefix("-") ? 1 : 0).prefix { $0.isASCII && $0.isNumber }
            let number = rest[rest.startIndex..<digits.endIndex]
            guard !digits.isEmpty, let value = Int(number), abs(value) <= 65535 else { throw wrong }
            numbers.append(value)
            rest = rest[digits.endIndex...]
            guard rest.isEmpty || rest.hasPrefix("+") || rest.hasPrefix("-") else { throw wrong }
        }
        guard numbers.count == 2, let width = Int(parts[0]), let height = Int(parts[1][..<end]), (2...65535).contains(width),
            (2...65535).contains(height)
        else { throw wrong }
        return PixelRect(x: numbers[0], y: numbers[1], width: width, height: height)
    }

    /// `0x1a00007`, or the same in decimal digits.
    static func window(_ text: String) throws(CommandError) -> UInt {
        let hexadecimal = text.lowercased().hasPrefix("0x") ? UInt(text.dropFirst(2), radix: 16) : nil
        guard let window = hexadecimal ?? UInt(text), (1...0xffff_ffff).contains(window) else {
            throw CommandError(.usage, "--window \(text) is no window. Give a number as list-sources shows it, active or pick.")
        }
        return window
    }

    /// `90s`, `5m`, `1h`, or plain seconds.
    ///
    /// - Parameter name: of the option, for the error.
    static func duration(_ text: String, name: String) throws(CommandError) -> MediaTime {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
        let unit = text.last.flatMap { units[$0] }
        let number = Double(unit == nil ? text[...] : text.dropLast())
        guard let number, number.isFinite, number > 0, number * (unit ?? 1) <= 1_000_000 else {
            throw CommandError(.usage, "\(name) \(text) is no time. Write it like 90s, 5m or 1h.")
        }
        return MediaTime(seconds: number * (unit ?? 1))
    }

    static func whole(_ value: Int, in range: ClosedRange<Int>, name: String) throws(CommandError) -> Int {
        guard range.contains(value) else {
            throw CommandError(.usage, "\(name) must be from \(range.lowerBound) to \(range.upperBound), not \(value).")
        }
        return value
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable>(_ text: String?, name: String) throws(CommandError) -> Value? {
        guard let text else { return nil }
        guard let value = Value(rawValue: text) else {
            throw CommandError(.usage, "\(name) \(text) is none of \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return value
    }

    /// The name of a session becomes a file's name.
    static func session(_ name: String) throws(CommandError) -> String {
        let isGood = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d || $0 == 0x5f
        }
        guard isGood, (1...64).contains(name.utf8.count) else {
            throw CommandError(.usage, "--session \(name) is no name for a session. Use up to 64 letters, digits, - and _.")
        }
        return name
    }

    static func amplitude(decibels: Double) -> Float {
        Float(pow(10, decibels / 20))
    }
}
