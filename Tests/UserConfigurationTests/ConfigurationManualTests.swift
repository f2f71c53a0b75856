import Foundation
import Media
import Testing
import UserConfiguration

/// `broadcast.toml(5)` describes the keys that the parser reads.
struct ConfigurationManualTests {
    /// A key as the page describes it.
    private struct Entry {
        var section: String
        var key: String
        var type: String
        var text: String
        /// The line of the example, as in the file.
        var example: String
    }

    @Test(arguments: try sections()) func `The page has each key of the parser, and no other`(section: String) throws {
        let described = try Self.entries().filter { $0.section == section }.map(\.key)
        #expect(Set(described).count == described.count)
        let table = section.isEmpty ? "" : "[\(section)]\n"
        let fault = expectFault { () throws(ConfigurationError) in
            try ConfigurationFile.parse(table + "no-such-key = 1\n", path: "/test/config.toml")
        }
        guard case .unknownKey(let known)? = fault?.problem else {
            Issue.record("no fault about an unknown key: \(String(describing: fault))")
            return
        }
        // At the top, the tables are keys too. A profile has the same ones.
        let tables =
            try section.isEmpty
            ? Self.sections().compactMap { $0.split(separator: ".").first.map(String.init) } + ["profile"] : []
        #expect(Set(described + tables) == Set(known), "man/broadcast.toml.5 must describe each key of [\(section)]")
    }

    @Test func `Each example is accepted, and a value of another type is not`() throws {
        let entries = try Self.entries()
        #expect(entries.count > 30)
        for entry in entries {
            #expect(Self.isAccepted(entry.example, in: entry), "\(entry.section): \(entry.example)")
            let wrong = ["string", "array of strings", "table of strings"].contains(entry.type) ? "7" : "\"seven\""
            #expect(
                !Self.isAccepted("\(entry.key) = \(wrong)", in: entry),
                "\(entry.section).\(entry.key) is not a \(entry.type)")
            if entry.type.hasPrefix("integer") {
                #expect(!Self.isAccepted("\(entry.key) = 7.5", in: entry), "\(entry.section).\(entry.key)")
            }
        }
    }

    @Test func `Each entry names a default, or says when the key is required`() throws {
        for entry in try Self.entries() {
            #expect(entry.text.contains("Default:") || entry.text.contains("Required"), "\(entry.section).\(entry.key)")
        }
    }

    @Test func `The type, the range, the choices and the default of each entry are those of the setting`() throws {
        let tables: [(String, [any DeclaredSetting])] = [
            (SettingCatalog.Video.name, SettingCatalog.Video.all),
            (SettingCatalog.Audio.name, SettingCatalog.Audio.all),
            (SettingCatalog.Privacy.name, SettingCatalog.Privacy.all),
            (SettingCatalog.Network.name, SettingCatalog.Network.all),
        ]
        let entries = try Self.entries()
        for (name, settings) in tables {
            for setting in settings {
                let entry = try #require(
                    entries.first { $0.section == name && $0.key == setting.key }, "[\(name)] \(setting.key)")
                let facts = Self.facts(of: setting)
                #expect(entry.type == facts.type, "[\(name)] \(setting.key)")
                if setting.key == SettingCatalog.video.size.key {
                    #expect(entry.text.contains("from \(PixelSize.smallest) to \(PixelSize.largest)"))
                }
                let text = Self.withoutMarkup(entry.text)
                for word in facts.words + ["Default: \(setting.standardText)."] {
                    #expect(text.contains(Self.withoutMarkup(word)), "[\(name)] \(setting.key): \(word)")
                }
            }
        }
    }

    /// The name of the type, and words that the entry contains.
    private static func facts(of setting: any DeclaredSetting) -> (type: String, words: [String]) {
        func plain(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }
        switch setting.expected {
        case .integer(let range):
            return ("integer", [setting.key == "ip-version" ? "4 or 6:" : "\(range.lowerBound) to \(range.upperBound)"])
        case .bitrate(let range): return ("integer or string", ["\(range.lowerBound) to \(range.upperBound)"])
        case .number(let range): return ("number", ["\(plain(range.lowerBound)) to \(plain(range.upperBound))"])
        case .boolean: return ("boolean", [])
        case .texts: return ("array of strings", [])
        // The first and the last of many.
        case .oneOf(let choices):
            return ("string", choices.count > 4 ? [choices.first, choices.last].compactMap { $0 } : choices)
        default: return ("string", [])
        }
    }

    /// The text without macros, spaces and escapes.
    private static func withoutMarkup(_ text: String) -> String {
        text.split(separator: "\n").map { line in
            line.firstMatch(of: /^\.(?:BR|BI|IR|B|I)[ ]/).map { line[$0.range.upperBound...] } ?? line
        }.joined().filter { !" \\".contains($0) }
    }

    /// True if a file with this line in the entry's section has no fault. A key of a destination belongs to one kind of
    /// destination.
    private static func isAccepted(_ line: String, in entry: Entry) -> Bool {
        let kinds = [
            "", "extension = \"rtmp\"\n", "extension = \"rtmp\"\nurl = \"rtmps://127.0.0.1/live\"\n",
            "extension = \"file\"\n",
            "extension = \"hls\"\n", "service = \"twitch\"\n",
        ]
        let rests = entry.section.hasPrefix("destinations") ? kinds.filter { !$0.contains(entry.key + " =") } : [""]
        let table = entry.section.isEmpty ? "" : "[\(entry.section)]\n"
        return rests.contains { rest in
            (try? ConfigurationFile.parse(table + line + "\n" + rest, path: "/test/config.toml")) != nil
        }
    }

    /// The tables of the page; the top level is an empty string.
    private static func sections() throws -> [String] {
        [""] + (try page().matches(of: /\n\.SS \[(.+)\]\n/).map { String($0.1) })
    }

    private static func page() throws -> String {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../man/broadcast.toml.5")
        return try String(contentsOf: path, encoding: .utf8)
    }

    /// The entries of the page: `.TP`, `.BR key " = \fItype\fR"`, the description, `.br`, and the example in bold.
    private static func entries() throws -> [Entry] {
        var entries: [Entry] = []
        for section in try page().components(separatedBy: "\n.SS ").dropFirst() {
            let title = section.prefix { $0 != "\n" }
            let name = title.hasPrefix("[") ? String(title.dropFirst().dropLast()) : ""
            for part in section.components(separatedBy: "\n.TP\n").dropFirst() {
                guard let head = part.firstMatch(of: /^\.BR (\S+) " = \\fI([a-z ]+)\\fR"\n/),
                    let example = part.firstMatch(of: /\n\.br\n\.B (.+)/)
                else { continue }
                entries.append(
                    Entry(
                        section: name, key: plain(head.1), type: String(head.2),
                        text: String(part[..<example.range.lowerBound]),
                        example: plain(example.1)))
            }
        }
        return entries
    }

    private static func plain(_ text: Substring) -> String {
        String(text).replacing(#"\-"#, with: "-").replacing(#"\(dq"#, with: "\"").replacing(#"\(ti"#, with: "~")
    }
}
