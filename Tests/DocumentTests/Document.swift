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
        let guides = try FileManager.default.contentsOfDirectory(atPath: root.path + "/docs").filter {
            $0.hasSuffix(".md")
        }.sorted()
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
            let words = match.1.lowercased().filter {
                $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_"
            }
            let anchor = words.replacingOccurrences(of: " ", with: "-")
            var number = 0
            while !anchors.insert(number == 0 ? anchor : "\(anchor)-\(number)").inserted { number += 1 }
        }
        return anchors
    }

    /// The files and folders of the repository that the text names, also inside code blocks. A path that begins with
    /// the name of a module is one in its layer of `Sources/`. Placeholders in capitals (`NAME`), patterns and files
    /// outside the repository are left out.
    var fileNames: [String] {
        let layers = SourceTree.layers
        let others: Set = [
            "Sources", "Tests", "docs", "Examples", "Extensions", "Benchmarks", "Fuzz", "man", "completions", ".ci",
        ]
        return text.matches(of: /[A-Za-z.][A-Za-z0-9_.+-]*(?:\/[A-Za-z0-9_.+-]+)*\/?/).compactMap { match -> String? in
            let name = String(match.0).replacing(/[.]+$/, with: "")
            let parts = name.split(separator: "/")
            guard let first = parts.first.map(String.init), name.contains("/"),
                !parts.contains(where: { $0.contains("NAME") })
            else { return nil }
            // Not a part of a longer path (`~/.config/broadcast/x`, `$HOME/x`, `../x`).
            if match.range.lowerBound > text.startIndex {
                let before = text[text.index(before: match.range.lowerBound)]
                guard !"/~$:@%".contains(before) else { return nil }
            }
            if others.contains(first) { return name }
            guard let layer = layers[first], name.hasSuffix(".swift") || name.hasSuffix("/") else { return nil }
            return "Sources/\(layer)/\(name)"
        }
    }

    /// The lines of the picture of the architecture: a layer, or spaces, and a module with its description.
    private var picture: [Substring] {
        guard let start = text.range(of: "```text\nPrograms ") else { return [] }
        return text[start.lowerBound...].split(separator: "\n").dropFirst().prefix { !$0.hasPrefix("```") }
    }

    /// The layers in the picture of the architecture, from the highest to the lowest.
    var layers: [String] {
        picture.compactMap { $0.firstMatch(of: /^[A-Z][a-z]+/).map { String($0.0) } }
    }

    /// The modules in the picture of the architecture, by layer. The libraries of the system have no lines of their
    /// own.
    var modules: [String: Set<String>] {
        var modules: [String: Set<String>] = [:]
        var layer = ""
        for line in picture {
            if let name = line.firstMatch(of: /^[A-Z][a-z]+/) { layer = String(name.0) }
            guard layer != "System", let row = line.firstMatch(of: /^(?:[A-Z][a-z]+)? +([A-Za-z0-9-]+) +/) else {
                continue
            }
            modules[layer, default: []].insert(String(row.1))
        }
        return modules
    }
}

/// The folders in `Sources/`.
enum SourceTree {
    /// The layer of each module.
    static let layers: [String: String] = {
        var layers: [String: String] = [:]
        for layer in names(in: "Sources") {
            for module in names(in: "Sources/" + layer) { layers[module] = layer }
        }
        return layers
    }()

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: Document.root.appendingPathComponent(folder).path)) ?? []
    }

    /// What the Swift files of a module import.
    static func imports(of module: String) throws -> Set<String> {
        let parent = layers[module].map { "Sources/" + $0 } ?? "Tests"
        let folder = Document.root.appendingPathComponent("\(parent)/\(module)")
        let files =
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        var imports: Set<String> = []
        for file in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(
                of: /(?m)^(?:(?:@testable|package|public) )?import (?:(?:struct|class|enum|func|protocol) )?(\w+)/)
            {
                imports.insert(String(match.1))
            }
        }
        return imports
    }
}

/// What Package.swift says.
enum PackageDescription {
    private static let text = try? String(
        contentsOf: Document.root.appendingPathComponent("Package.swift"), encoding: .utf8)

    /// The modules that are written in Swift, and what each may import: modules of this package and products of others.
    static var modules: [String: Set<String>] {
        uses(in: text?.components(separatedBy: "// MARK: Examples").first ?? "", /\.(?:swift|program)\(\s*"([^"]+)"/)
    }

    /// The suites of tests and what they share, and what each may import. Programs that they only run are left out.
    static var testModules: [String: Set<String>] {
        let text = text ?? ""
        let programs = Set(
            text.matches(of: /\.(?:program\(|executableTarget\(\s*name:)\s*"([^"]+)"/).map { String($0.1) })
        return uses(in: text, /\.(?:test|support)\(\s*"([^"]+)"/).mapValues { $0.subtracting(programs) }
    }

    /// What each declaration in `text` has in its list `uses`.
    ///
    /// - Parameter declaration: its beginning, with the name of the module.
    private static func uses(in text: String, _ declaration: Regex<(Substring, Substring)>) -> [String: Set<String>] {
        var modules: [String: Set<String>] = [:]
        for match in text.matches(of: declaration) {
            let list = text[match.range.upperBound...].prefixMatch(of: /(?s),\s*uses: \[(.*?)\]/)?.1 ?? ""
            modules[String(match.1)] = Set(list.matches(of: /"([^"]+)"/).map { String($0.1) })
        }
        return modules
    }

    /// The names of the layers, from the lowest to the highest.
    static var layers: [String] { text?.matches(of: /Layer\(\s*"([A-Za-z]+)"/).map { String($0.1) } ?? [] }
}
