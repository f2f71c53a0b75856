import Media
import RTMP
import WindowPrivacy

/// How the values of a setting are read, checked and written.
package struct SettingType<Value: Sendable>: Sendable {
    let expected: ConfigurationFault.Expected
    /// The value of a key; nil if it is missing.
    let read: @Sendable (ConfigurationSection, String) throws(ConfigurationFault) -> Value?
    /// The value as in the configuration, without quotes.
    let text: @Sendable (Value) -> String
    /// The value in the help of an option.
    let word: @Sendable (Value) -> String
    /// Why a value that did not come from the configuration is wrong; nil if it is valid.
    let problem: @Sendable (Value, SettingProblem.Setting) -> SettingProblem?

    /// - Parameter word: nil if it is the same as `text`.
    init(
        _ expected: ConfigurationFault.Expected, text: @escaping @Sendable (Value) -> String,
        word: (@Sendable (Value) -> String)? = nil,
        problem: @escaping @Sendable (Value, SettingProblem.Setting) -> SettingProblem? = { _, _ in nil },
        read: @escaping @Sendable (ConfigurationSection, String) throws(ConfigurationFault) -> Value?
    ) {
        self.expected = expected
        self.read = read
        self.text = text
        self.word = word ?? text
        self.problem = problem
    }

    /// The values that a text can have; empty if it is free or no text.
    var choices: [String] {
        guard case .oneOf(let choices) = expected else { return [] }
        return choices
    }
}

extension SettingType<Bool> {
    static var boolean: Self {
        Self(.boolean, text: { "\($0)" }, word: { $0 ? "on" : "off" }) { section, key throws(ConfigurationFault) in
            try section.boolean(key)
        }
    }
}

extension SettingType<Int> {
    static func integer(in range: ClosedRange<Int>) -> Self {
        Self(
            .integer(range), text: { "\($0)" },
            problem: { value, setting in
                if range.contains(value) { return nil }
                return .outOfRange(setting, Double(range.lowerBound)...Double(range.upperBound), value: Double(value))
            },
            read: { section, key throws(ConfigurationFault) in try section.integer(key, in: range) })
    }

    /// kbit/s, also as a text with a unit.
    static func bitrate(in range: ClosedRange<Int>) -> Self {
        Self(
            .bitrate(range), text: { "\($0)" }, problem: integer(in: range).problem,
            read: { section, key throws(ConfigurationFault) in try section.bitrate(key, in: range) })
    }
}

extension SettingType<Double> {
    static func number(in range: ClosedRange<Double>) -> Self {
        Self(
            .number(range), text: { Int(exactly: $0).map { "\($0)" } ?? "\($0)" },
            problem: { value, setting in range.contains(value) ? nil : .outOfRange(setting, range, value: value) },
            read: { section, key throws(ConfigurationFault) in try section.number(key, in: range) })
    }
}

extension SettingType<String> {
    static var text: Self {
        Self(.text, text: { $0 }) { section, key throws(ConfigurationFault) in try section.string(key) }
    }

    /// The name of a preset.
    static func preset(of names: [String]) -> Self {
        Self(
            .oneOf(names), text: { $0 },
            problem: { value, _ in names.contains(value) ? nil : .unknownPreset(value, known: names) },
            read: { section, key throws(ConfigurationFault) in try section.string(key, oneOf: names) })
    }
}

extension SettingType where Value: RawRepresentable, Value: CaseIterable, Value.RawValue == String {
    /// One of the cases.
    static var choice: Self {
        Self(.oneOf(Value.allCases.map(\.rawValue)), text: \.rawValue) { section, key throws(ConfigurationFault) in
            try section.choice(key)
        }
    }
}

extension SettingType<PixelSize> {
    static var size: Self {
        Self(.text, text: { "\($0)" }) { section, key throws(ConfigurationFault) in
            guard let text = try section.string(key) else { return nil }
            guard let size = PixelSize(text: text) else { throw section.fault(key, .notASize(text)) }
            return size
        }
    }
}

extension SettingType<[HiddenWindowRule]> {
    static var rules: Self {
        Self(.texts(choices: []), text: { $0.map(\.description).joined(separator: ", ") }) {
            section, key throws(ConfigurationFault) in
            guard let texts = try section.strings(key) else { return nil }
            return try texts.map { text throws(ConfigurationFault) in
                do throws(HiddenWindowRule.ParseError) {
                    return try HiddenWindowRule(text)
                } catch {
                    throw section.fault(key, .notARule(text))
                }
            }
        }
    }
}

extension SettingType<ProxyAddress> {
    static var proxy: Self {
        Self(.text, text: { "\($0.proxy)" }) { section, key throws(ConfigurationFault) in
            guard let text = try section.string(key) else { return nil }
            do throws(ProxyAddress.Problem) {
                return try ProxyAddress(text)
            } catch {
                throw section.fault(key, error == .containsPassword ? .passwordInProxy : .notAProxy)
            }
        }
    }
}

extension SettingType<RTMPRoute.Source> {
    static var localAddress: Self {
        Self(.text, text: { "\($0)" }) { section, key throws(ConfigurationFault) in
            guard let text = try section.string(key) else { return nil }
            guard let source = RTMPRoute.Source(text) else { throw section.fault(key, .notASource(text)) }
            return source
        }
    }
}

extension SettingType<RTMPRoute.Version> {
    /// The number 4 or 6.
    static var ipVersion: Self {
        Self(.integer(4...6), text: \.rawValue) { section, key throws(ConfigurationFault) in
            guard let number = try section.integer(key, in: 4...6) else { return nil }
            guard let version = RTMPRoute.Version(rawValue: String(number)) else {
                throw section.fault(key, .wrong(.oneOf(["4", "6"])))
            }
            return version
        }
    }
}
