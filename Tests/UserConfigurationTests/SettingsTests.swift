import Foundation
import Testing
import UserConfiguration

/// The declarations of settings agree with each other, and the documents with them.
struct SettingsTests {
    private static let tables: [(name: String, settings: [any DeclaredSetting])] = [
        (SettingCatalog.Video.name, SettingCatalog.Video.all), (SettingCatalog.Audio.name, SettingCatalog.Audio.all),
        (SettingCatalog.Privacy.name, SettingCatalog.Privacy.all),
        (SettingCatalog.Network.name, SettingCatalog.Network.all),
    ]

    @Test func `Each key is declared once in its table, and each option once`() {
        for (name, settings) in Self.tables {
            #expect(Set(settings.map(\.key)).count == settings.count, "[\(name)]")
        }
        let options = SettingCatalog.all.compactMap(\.option?.name)
        #expect(Set(options).count == options.count)
        #expect(SettingCatalog.all.count == Self.tables.map(\.settings.count).reduce(0, +) && options.count > 15)
    }

    @Test func `A default is a valid value`() throws {
        var checked = 0
        for (name, settings) in Self.tables {
            for setting in settings where setting.hasStandardValue {
                let value =
                    if case .oneOf = setting.expected { "\"\(setting.standardText)\"" } else { setting.standardText }
                #expect(throws: Never.self, "\(name).\(setting.key)") {
                    try ConfigurationFile.parse("[\(name)]\n\(setting.key) = \(value)\n", path: "/c.toml")
                }
                checked += 1
            }
        }
        #expect(checked > 10)
    }

    @Test func `Completion suggests each choice, and nothing else where choices exist`() {
        for setting in SettingCatalog.all {
            guard case .oneOf(let choices) = setting.expected, setting.option != nil else { continue }
            #expect(setting.suggestions.map(\.value) == choices, "\(setting.key)")
        }
        #expect(SettingCatalog.video.preset.suggestions.first == "ultrafast")
    }

    @Test func `The manual of start has each option with its value and its help`() throws {
        let entries = try Self.optionEntries()
        for setting in SettingCatalog.all {
            guard let option = setting.option else { continue }
            let isFlag = setting.expected == .boolean
            let head = option.name + (isFlag ? "" : " " + (setting.valueName ?? ""))
            #expect(entries[head] == setting.help, "man/broadcast-start.1: \(head)")
        }
    }

    @Test func `The usage guide has each option and key, with its range and default`() throws {
        let guide = try Self.text("docs/usage.md")
        let rows = guide.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        for (name, settings) in Self.tables {
            for setting in settings {
                let keyRow = rows.first { $0.hasPrefix("| `[\(name)]`") && $0.contains("`\(setting.key)`") }
                #expect(keyRow != nil, "docs/usage.md, Configuration: [\(name)] \(setting.key)")
                let row = keyRow ?? ""
                if let range = Self.range(of: setting) {
                    let isShared = row.components(separatedBy: "`").count > 7
                    #expect(
                        row.contains(isShared ? "`\(setting.key)` \(range)" : range),
                        "docs/usage.md, Configuration: \(setting.key) \(range)")
                }
                guard let option = setting.option else {
                    if setting.hasStandardValue {
                        #expect(Self.lastCell(row) == setting.standardText, "docs/usage.md: \(setting.key)")
                    }
                    continue
                }
                let names = [option.name, "--no-" + option.name.dropFirst(2)]
                #expect(
                    names.contains { guide.contains("`\($0)`") || guide.contains("`\($0) ") },
                    "docs/usage.md: \(option.name)")
                let optionRow = rows.first { $0.hasPrefix("| `\(option.name) ") || $0.hasPrefix("| `\(option.name)`") }
                if setting.hasStandardValue, let optionRow {
                    #expect(
                        setting.help.hasSuffix(" Default: \(Self.lastCell(optionRow))."),
                        "docs/usage.md: \(option.name)")
                }
            }
        }
    }

    @Test func `A setting that can change while the broadcast runs has a command for that`() throws {
        let live = SettingCatalog.all.compactMap(\.liveCommand)
        #expect(live == ["mic", "hide"])
        let rows = try Self.text("docs/usage.md").split(separator: "\n").filter { $0.hasPrefix("| `broadcast ") }
        for command in live {
            #expect(
                rows.contains { $0.hasPrefix("| `broadcast \(command) ") }, "docs/usage.md, While it runs: \(command)")
            #expect(try Self.text("man/broadcast-\(command).1").contains(".TH"))
        }
    }

    @Test func `No setting is newer than the program`() throws {
        let version = try #require(try Self.text("man/broadcast.toml.5").firstMatch(of: /"broadcast (\d+\.\d+\.\d+)"/))
            .1
        for setting in SettingCatalog.all {
            #expect(setting.since.compare(String(version), options: .numeric) != .orderedDescending, "\(setting.key)")
        }
    }

    /// `1 to 240`, with the minus sign of a document; nil if the values have no range.
    private static func range(of setting: any DeclaredSetting) -> String? {
        let text: String
        switch setting.expected {
        case .integer(let range):
            text = setting.key == "ip-version" ? "is 4 or 6" : "\(range.lowerBound) to \(range.upperBound)"
        case .number(let range): text = "\(plain(range.lowerBound)) to \(plain(range.upperBound))"
        default: return nil
        }
        return text.replacing("-", with: "−")
    }

    private static func plain(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }

    private static func lastCell(_ row: String) -> String {
        (row.components(separatedBy: " | ").last ?? "").replacing(" |", with: "").replacing("`", with: "")
    }

    /// The text of each option in the manual of `broadcast start`, by the option and its value.
    private static func optionEntries() throws -> [String: String] {
        var entries: [String: String] = [:]
        for part in try text("man/broadcast-start.1").components(separatedBy: "\n.TP\n").dropFirst() {
            var lines = part.split(separator: "\n").prefix { !$0.hasPrefix(".S") }.map(String.init)
            for escape in [#"\fB"#, #"\fI"#, #"\fR"#, #"\&"#] { lines = lines.map { $0.replacing(escape, with: "") } }
            lines = lines.map { $0.replacing(#"\-"#, with: "-") }
            entries[lines.first ?? ""] = lines.dropFirst().joined(separator: " ")
        }
        return entries
    }

    private static func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}
