import Media
import Presentation
import UserConfiguration
import WindowPrivacy

/// Parsers of option values. They throw a usage error that names the option and shows an example.
enum OptionValue {
    /// `1280x720`.
    static func size(_ text: String) throws(CommandError) -> PixelSize {
        guard let size = PixelSize(text: text) else {
            throw CommandError(
                .usage,
                "Invalid --size \(text): use WIDTHxHEIGHT from \(PixelSize.smallest) to \(PixelSize.largest), as in 1280x720, or 720p."
            )
        }
        return size
    }

    /// What viewers get for an odd size, or for an odd region in its own size; nil for even ones.
    static func roundingNote(size: String?, region: String?) -> String? {
        if let size { return PixelSize.written(size).flatMap { SizeSentences.rounded("--size \(size)", $0) } }
        return region.flatMap { text in
            PixelRect(text: text).flatMap { SizeSentences.rounded("--region \(text)", $0.size) }
        }
    }

    /// `1280x720+100+50`.
    static func region(_ text: String) throws(CommandError) -> PixelRect {
        guard let region = PixelRect(text: text) else {
            let hint =
                text == "pick"
                ? " To draw one with the mouse, install slop and give --region \"$(slop -f %wx%h+%x+%y)\"."
                : ""
            throw CommandError(
                .usage, "Invalid --region \(text): use WIDTHxHEIGHT+X+Y, as in 1280x720+100+50.\(hint)")
        }
        return region
    }

    /// `0x1a00007`, or the same in decimal digits.
    static func window(_ text: String) throws(CommandError) -> UInt {
        guard let window = WindowNumber.parse(text) else {
            throw CommandError(
                .usage,
                "Invalid --window \(text): use a number from broadcast list-sources, class:NAME, title:*TEXT*, active or pick, for example 'title:*\(text)*'."
            )
        }
        return window
    }

    /// `class:NAME`, `title:*TEXT*`, `pid:NUMBER` or `id:NUMBER`.
    static func windowRule(_ text: String) throws(CommandError) -> HiddenWindowRule {
        do throws(HiddenWindowRule.ParseError) {
            return try HiddenWindowRule(text)
        } catch {
            throw CommandError(.usage, "--window \(error.sentence)")
        }
    }

    /// `90s`, `5m`, `1h30m`, `MM:SS`, or plain seconds.
    ///
    /// - Parameter name: the option's name, for the error.
    static func duration(_ text: String, name: String) throws(CommandError) -> MediaTime {
        guard let time = MediaTime(text: text) else {
            throw CommandError(.usage, "Invalid \(name) \(text): use a time like 90s, 5m, 1h30m or 01:30.")
        }
        return time
    }

    /// The same as `duration`, or `0`.
    static func timeout(_ text: String, name: String) throws(CommandError) -> MediaTime {
        ["0", "0s"].contains(text) ? .zero : try duration(text, name: name)
    }

    /// `4500` kbit/s, or `6M`; nil if the option was not given.
    static func bitrate(_ text: String?, of setting: Setting<Int>) throws(CommandError) -> Int? {
        guard let text else { return nil }
        guard let bitrate = Bitrate.parse(text) else {
            throw CommandError(
                .usage, "Invalid \(setting.option?.name ?? setting.key) \(text): use kbit/s, as in 4500, or 6M.")
        }
        return bitrate
    }

    /// One of the choices of a setting; nil if the option was not given.
    static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ text: String?, of setting: Setting<Value>
    ) throws(CommandError) -> Value? {
        try choice(text, name: setting.option?.name ?? setting.key)
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable>(_ text: String?, name: String)
        throws(CommandError) -> Value?
    {
        guard let text else { return nil }
        guard let value = Value(rawValue: text) else {
            throw CommandError(
                .usage,
                "Invalid \(name) \(text): use one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return value
    }

    /// The name of a session.
    ///
    /// - Parameter option: the option's or the variable's name, for the error.
    static func session(_ name: String, of option: String) throws(CommandError) -> String {
        guard SessionNaming.isValid(name) else {
            throw CommandError(.usage, "Invalid \(option) \(name): use up to 64 letters, digits, - and _.")
        }
        return name
    }
}
