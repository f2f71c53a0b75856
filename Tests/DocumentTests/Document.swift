import Foundation
import Testing

/// A Markdown file of the repository.
struct Document: CustomTestStringConvertible, Sendable {
    /// From the repository's folder on.
    let path: String
    let text: String

    /// The repository's folder.
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    init(path: String) throws {
        self.path = path
        text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The documents that are checked.
    static func all() throws -> [Document] {
        let guides = try FileManager.default.contentsOfDirectory(atPath: root.path + "/docs").filter { $0.hasSuffix(".md") }.sorted()
        let others = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Tests/README.md", "Examples/README.md"]
        return try (others + guides.map { "docs/" + $0 }).map(Document.init)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    var testDescription: String { path }

    /// The path that a link of this document leads to, from the repository's folder on.
    func resolving(_ link: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }

    /// The text without its code blocks.
    private var prose: String {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            guard line.drop(while: { $0 == " " }).hasPrefix("```") else { return !isCode && !line.hasPrefix("    ") }
            isCode.toggle()
            return false
        }.joined(separator: "\n")
    }

    /// The content of the code blocks of a language.
    func blocks(of language: String) -> [String] {
        text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap { rest in
            rest.range(of: "\n```").map { rest[..<$0.lowerBound] + "\n" }
        }
    }

    /// The targets of links and pictures.
    var links: [String] {
        prose.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
    }

    /// The anchors of the headings, as GitHub makes them.
    var anchors: Set<String> {
        var anchors: Set<String> = []
        for match in prose.matches(of: /(?m)^#+ +(.+)$/) {
            let words = match.1.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            let anchor = words.replacingOccurrences(of: " ", with: "-")
            var number = 0
            while !anchors.insert(number == 0 ? anchor : "\(anchor)-\(number)").inserted { number += 1 }
        }
        return anchors
    }

    /// The files and folders of the repository that the text names, also inside code blocks. A path that begins with the name of a module is
    /// one in `Sources/`. Placeholders in capitals (`NAME`), patterns and files outside the repository are left out.
    var fileNames: [String] {
        let folders = Set((try? FileManager.default.contentsOfDirectory(atPath: Self.root.appendingPathComponent("Sources").path)) ?? [])
        let others: Set = ["Sources", "Tests", "docs", "Examples", "Extensions", "Benchmarks", "Fuzz", "man", "completions", ".ci"]
        return text.matches(of: /[A-Za-z.][A-Za-z0-9_.+-]*(?:\/[A-Za-z0-9_.+-]+)*\/?/).compactMap { match -> String? in
            let name = String(match.0).replacing(/[.]+$/, with: "")
            let parts = name.split(separator: "/")
            guard let first = parts.first.map(String.init), name.contains("/"), !parts.contains(where: { $0.contains("NAME") }) else { return nil }
            // Not a part of a longer path (`~/.config/broadcast/x`, `$HOME/x`, `../x`).
            if match.range.lowerBound > text.startIndex {
                let before = text[text.index(before: match.range.lowerBound)]
                guard !"/~$:@%".contains(before) else { return nil }
            }
            if others.contains(first) { return name }
            guard folders.contains(first), name.hasSuffix(".swift") || name.hasSuffix("/") else { return nil }
            return "Sources/" + name
        }
    }

    /// The table of modules: what each imports.
    var moduleTable: [String: Set<String>] {
        guard let start = text.range(of: "| module | contains | imports |") else { return [:] }
        var rows: [String: Set<String>] = [:]
        for line in text[start.upperBound...].split(separator: "\n").dropFirst() {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard line.hasPrefix("|"), cells.count == 5 else { break }
            let names = { (cell: Substring) in cell.matches(of: /`([A-Za-z0-9-]+)`/).map { String($0.1) } }
            guard let name = names(cells[1]).first else { continue }
            rows[name] = Set(names(cells[3]))
        }
        return rows
    }
}

/// What Package.swift says.
enum PackageDescription {
    /// Each module in `Sources/` that is written in Swift, and the modules of this package that it may import.
    static func modules() throws -> [String: Set<String>] {
        let text = try String(contentsOf: Document.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        var modules: [String: Set<String>] = [:]
        for declaration in text.components(separatedBy: "\n        .").dropFirst() {
            guard declaration.hasPrefix("target(") || declaration.hasPrefix("executableTarget("), !declaration.contains(/\bpath: "/),
                let name = declaration.firstMatch(of: /name: "([^"]+)"/).map({ String($0.1) }), !name.hasPrefix("C") || declaration.contains("strict")
            else { continue }
            let list = declaration.firstMatch(of: /(?s)dependencies: \[(.*?)\](?:,|\))/).map { String($0.1) } ?? ""
            let own = list.replacing(/\.product\([^)]*\)/, with: "")
            modules[name] = Set(own.matches(of: /"([^"]+)"/).map { String($0.1) })
        }
        return modules
    }
}
