import Pipeline
import Session

/// The declaration of a setting: a key of the configuration, and the option of `broadcast start` that overrides it.
///
/// The parser of the configuration, the options and their help, the checks, the sentences about them and the completion
/// are derived from it. Tests compare `broadcast.toml(5)`, `broadcast-start(1)` and `docs/usage.md` with it.
package struct Setting<Value: Sendable>: DeclaredSetting {
    /// The value without a choice.
    package enum Standard: Sendable {
        case value(Value)
        /// It depends on something: the text after "Default:".
        case words(String)
    }

    package let key: String
    package let option: SettingOption?
    package let since: String
    package let liveCommand: String?
    package let suggestions: [SettingSuggestion]
    package let need: SettingNeed?
    let type: SettingType<Value>
    private let standard: Standard
    private let store: (@Sendable (Value, inout MediaConfiguration) -> Void)?

    /// - Parameters:
    ///   - option: nil for a key without an option.
    ///   - suggestions: the values for the completion of the option; nil for the choices of the type.
    ///   - need: what at least one destination must take, else the option is rejected.
    ///   - liveCommand: the command that changes the setting while the broadcast runs; nil if that is not possible.
    ///   - since: the first version of the program with this setting.
    ///   - store: puts the value into the configuration of the pipeline; nil if `MediaConfiguration.init` does that.
    init(
        _ key: String, _ type: SettingType<Value>, standard: Standard, option: SettingOption? = nil,
        suggestions: [SettingSuggestion]? = nil,
        needs need: SettingNeed? = nil, liveCommand: String? = nil, since: String = "0.1.0",
        store: (@Sendable (Value, inout MediaConfiguration) -> Void)? = nil
    ) {
        self.key = key
        self.type = type
        self.standard = standard
        self.option = option
        self.suggestions = suggestions ?? type.choices.map { SettingSuggestion($0) }
        self.need = need
        self.liveCommand = liveCommand
        self.since = since
        self.store = store
    }

    package var expected: ConfigurationFault.Expected { type.expected }

    package var standardText: String {
        switch standard {
        case .value(let value): type.text(value)
        case .words(let words): words
        }
    }

    package var hasStandardValue: Bool { usual != nil }

    /// The value without a choice; nil if it depends on something.
    package var usual: Value? {
        guard case .value(let value) = standard else { return nil }
        return value
    }

    package var help: String {
        guard let option else { return "" }
        let help = option.help + (option.form.map { " " + $0 } ?? "")
        switch option.standard {
        case .ofSetting: return "\(help) Default: \(usual.map(type.word) ?? standardText)."
        case .sentence(let sentence): return "\(help) \(sentence)"
        case .none: return help
        }
    }

    package var valueName: String? {
        option?.valueName ?? (type.choices.isEmpty ? nil : type.choices.joined(separator: "|"))
    }

    package var name: SettingProblem.Setting {
        guard let option else { return SettingProblem.Setting(option: key) }
        return SettingProblem.Setting(option: option.name + (option.unit.map { " (\($0))" } ?? ""))
    }

    /// The value in a table of the configuration; nil if the key is missing.
    func value(in section: ConfigurationSection) throws(ConfigurationFault) -> Value? {
        try type.read(section, key)
    }

    package func read(_ section: ConfigurationSection) throws(ConfigurationFault) -> (any Sendable)? {
        guard let value = try value(in: section) else { return nil }
        return value
    }

    package func problem(with value: any Sendable) -> SettingProblem? {
        (value as? Value).flatMap { type.problem($0, name) }
    }

    package func store(_ value: any Sendable, into configuration: inout MediaConfiguration) {
        guard let store, let value = value as? Value else { return }
        store(value, &configuration)
    }
}

/// The declaration of a setting, for any type of its value.
package protocol DeclaredSetting: Sendable {
    /// The key in its table of the configuration.
    var key: String { get }
    /// Nil if the setting has no option.
    var option: SettingOption? { get }
    /// The type and the range of the value.
    var expected: ConfigurationFault.Expected { get }
    /// The default in the configuration: a value, or what it depends on.
    var standardText: String { get }
    /// True if the default is always the same value.
    var hasStandardValue: Bool { get }
    /// The first version of the program with this setting.
    var since: String { get }
    /// The command that changes the setting while the broadcast runs; nil if that is not possible.
    var liveCommand: String? { get }
    /// The values for the completion of the option; empty if the value is free.
    var suggestions: [SettingSuggestion] { get }
    /// What at least one destination must take, else the option is rejected; nil if it always has an effect.
    var need: SettingNeed? { get }
    /// The help of the option, with its default; empty without an option.
    var help: String { get }
    /// The placeholder of the option's value in the help; nil for a flag.
    var valueName: String? { get }
    /// The name in sentences about options.
    var name: SettingProblem.Setting { get }

    /// The value in a table of the configuration; nil if the key is missing.
    func read(_ section: ConfigurationSection) throws(ConfigurationFault) -> (any Sendable)?
    /// Returns why a value that did not come from the configuration is wrong; nil if it is valid.
    func problem(with value: any Sendable) -> SettingProblem?
    /// Puts the value into the configuration of a session.
    func store(_ value: any Sendable, into configuration: inout MediaConfiguration)
}

/// The option of a setting.
package struct SettingOption: Sendable {
    /// What the help says about the default.
    enum Standard: Sendable {
        /// The default of the setting.
        case ofSetting
        /// A sentence of its own.
        case sentence(String)
        case none
    }

    /// `--fps`
    package let name: String
    /// The placeholder of the value; nil for a flag, and for a setting with choices.
    let valueName: String?
    /// Without the default.
    let help: String
    /// What the option's value can look like. In the configuration, such a value is a text in quotes.
    let form: String?
    let standard: Standard
    /// The unit that sentences about the option contain.
    let unit: String?

    init(
        _ name: String, value: String? = nil, help: String, form: String? = nil, standard: Standard = .ofSetting,
        unit: String? = nil
    ) {
        self.name = name
        self.form = form
        valueName = value
        self.help = help
        self.standard = standard
        self.unit = unit
    }
}

/// A value that completion suggests for an option.
package struct SettingSuggestion: Sendable, Equatable, ExpressibleByStringLiteral {
    package let value: String
    /// May be empty.
    package let summary: String

    init(_ value: String, _ summary: String = "") {
        self.value = value
        self.summary = summary
    }

    package init(stringLiteral value: String) { self.init(value) }
}

/// What at least one destination must take so that a setting has an effect.
package enum SettingNeed: Sendable {
    case encodedPicture
    case sound
    case encodedSound
}

/// The declarations of a table of the configuration: each property is a setting.
package protocol SettingTable: Sendable {
    /// The name of the table in the file.
    static var name: String { get }
    static var declared: Self { get }
}

extension SettingTable {
    /// The settings of the table, in the order of their declarations.
    package static var all: [any DeclaredSetting] {
        Mirror(reflecting: declared).children.compactMap { $0.value as? any DeclaredSetting }
    }
}

/// Values of the settings of a table. A value that is nil was not chosen.
@dynamicMemberLookup
package struct SettingValues<Table: SettingTable>: Sendable {
    /// By key, each of the type that the setting has.
    private var values: [String: any Sendable] = [:]

    /// No setting has a value.
    package init() {}

    /// Reads the table of a configuration.
    init(_ section: ConfigurationSection) throws(ConfigurationFault) {
        try section.allow(Table.all.map(\.key))
        for setting in Table.all {
            if let value = try setting.read(section) { values[setting.key] = value }
        }
    }

    /// The value of a setting; nil if it was not chosen.
    package subscript<Value: Sendable>(dynamicMember setting: KeyPath<Table, Setting<Value>>) -> Value? {
        get { values[Table.declared[keyPath: setting].key] as? Value }
        set {
            let key = Table.declared[keyPath: setting].key
            if let newValue { values[key] = newValue } else { values[key] = nil }
        }
    }

    /// The value of a setting that is on or off, or its default.
    package func isOn(_ setting: KeyPath<Table, Setting<Bool>>) -> Bool {
        self[dynamicMember: setting] ?? Table.declared[keyPath: setting].usual ?? false
    }

    /// These values, and those of `others` for settings that have none here.
    func over(_ others: Self) -> Self {
        var merged = self
        merged.values.merge(others.values) { own, _ in own }
        return merged
    }

    /// Throws for the first value that is out of range.
    func check() throws(SettingProblem) {
        for setting in Table.all {
            if let problem = values[setting.key].flatMap({ setting.problem(with: $0) }) { throw problem }
        }
    }

    /// Puts the values into the configuration of a session.
    func store(into configuration: inout MediaConfiguration) {
        for setting in Table.all {
            if let value = values[setting.key] { setting.store(value, into: &configuration) }
        }
    }

    /// The first setting with a value that has an effect only if a destination takes one of `needs`. A setting that is
    /// turned off needs nothing.
    func first(needing needs: [SettingNeed]) -> SettingProblem.Setting? {
        Table.all.first { setting in
            guard let need = setting.need, needs.contains(need), let value = values[setting.key] else { return false }
            return value as? Bool != false
        }?.name
    }
}
