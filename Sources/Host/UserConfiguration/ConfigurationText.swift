import FoundationEssentials

/// The text of a configuration file, for changes of single keys that keep comments, order and everything else.
package struct ConfigurationText: Sendable {
    /// Why a key cannot be changed.
    package enum Problem: Error, Sendable, Equatable {
        /// The key is not `TABLE.KEY` or `preferred`.
        case notAKey(String)
        /// The key cannot be changed alone: its value is over several lines, or in an inline table.
        case notAlone
        /// The configuration would be invalid.
        case invalid(ConfigurationError)
    }

    package private(set) var text: String
    private let path: String

    /// - Parameter path: of the file, for errors.
    package init(_ text: String, path: String) {
        self.text = text
        self.path = path
    }

    /// The value of a key as it is written in the file, for `get`; nil if the file does not have it. Lists are in one
    /// line, with a space after each comma.
    ///
    /// - Parameter key: `video.fps`, `destinations.mine.url` or `preferred`.
    package func value(of key: String) throws(ConfigurationError) -> String? {
        let document = try TOMLDocument(text, path: path)
        let name = Self.parts(of: key)
        guard let node = document[name] else { return nil }
        guard node.value == .array else { return node.value.text }
        let indexes = document.keys(below: name).compactMap { Int($0) }.sorted()
        return indexes.compactMap { document[name + ["\($0)"]]?.value.text }.joined(separator: ", ")
    }

    /// Sets a key. Nothing changes if this throws.
    package mutating func set(_ key: String, to value: String) throws(Problem) { try set([(key, value)]) }

    /// Sets keys, of which only all together may make a valid configuration. A value is read as TOML (`30`, `true`,
    /// `["class:X"]`). If that fails or its key requires a text, it is taken as a text without quotes. Nothing changes
    /// if this throws.
    package mutating func set(_ values: [(key: String, value: String)]) throws(Problem) {
        let names = values.map { Self.parts(of: $0.key) }
        for (name, value) in zip(names, values) {
            guard !name.isEmpty, name.allSatisfy({ !$0.isEmpty }), name.count < 5 else { throw .notAKey(value.key) }
        }
        var texts: Set<Int> = []
        // The fault of what the user meant: of the value as it is, unless that is no TOML at all.
        var failure: Problem?
        while true {
            var changed = self
            var culprit: Int?
            do throws(Problem) {
                for (index, name) in names.enumerated() {
                    culprit = index
                    try changed.write(
                        texts.contains(index) ? Self.quoted(values[index].value) : values[index].value, to: name)
                }
                culprit = nil
                try check(changed)
                self = changed
                return
            } catch {
                if case .invalid(.fault(let fault)) = error {
                    culprit = culprit ?? values.firstIndex { $0.key == fault.key }
                }
                if case .invalid(.syntax)? = failure { failure = error } else { failure = failure ?? error }
            }
            guard let culprit, texts.insert(culprit).inserted else { throw failure ?? .notAlone }
        }
    }

    /// Throws if the changed text is no valid configuration.
    private func check(_ changed: ConfigurationText) throws(Problem) {
        do throws(ConfigurationError) {
            _ = try ConfigurationFile.parse(changed.text, path: path)
        } catch let changedError {
            // If the file has a fault too, its own line counts.
            do throws(ConfigurationError) {
                _ = try ConfigurationFile.parse(text, path: path)
            } catch {
                throw .invalid(error)
            }
            throw .invalid(changedError)
        }
    }

    // MARK: Lines

    /// Writes a literal. Throws if it is no TOML, or if anything but this key differs then.
    private mutating func write(_ literal: String, to name: [String]) throws(Problem) {
        var changed = self
        try changed.insert(literal, at: name)
        let isSafe: Bool
        do throws(ConfigurationError) {
            let before = try TOMLDocument(text, path: path)
            isSafe = try TOMLDocument(changed.text, path: path).isEqual(to: before, except: name)
        } catch {
            throw .invalid(error)
        }
        guard isSafe else { throw .notAlone }
        self = changed
    }

    private mutating func insert(_ literal: String, at name: [String]) throws(Problem) {
        // Swift takes the two bytes as one character.
        let lineEnd: Character = text.contains("\r\n") ? "\r\n" : "\n"
        guard lineEnd == "\n" || !text.contains(where: { $0 == "\n" }) else { throw .notAlone }
        var lines = text.split(separator: lineEnd, omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        let document: TOMLDocument
        do throws(ConfigurationError) {
            document = try TOMLDocument(text, path: path)
        } catch {
            throw .invalid(error)
        }
        let table = Array(name.dropLast())
        let key = Self.written(name[name.count - 1])
        if let node = document[name] {
            guard lines.indices.contains(node.line - 1),
                let changed = Self.replacing(lines[node.line - 1], key: name[name.count - 1], with: literal)
            else { throw .notAlone }
            lines[node.line - 1] = changed
        } else if table.isEmpty {
            // Keys of the root stand before the first table.
            let end = lines.firstIndex { Self.isHeader($0) } ?? lines.count
            lines.insert("\(key) = \(literal)", at: Self.afterText(lines, before: end))
        } else if let header = lines.firstIndex(where: { Self.header($0) == table }) {
            let end = lines[(header + 1)...].firstIndex { Self.isHeader($0) } ?? lines.count
            lines.insert("\(key) = \(literal)", at: Self.afterText(lines, before: end))
        } else {
            // The table exists in another form, as an inline table or by keys with dots.
            guard document[table] == nil else { throw .notAlone }
            if !lines.isEmpty { lines.append("") }
            lines += ["[\(table.map(Self.written).joined(separator: "."))]", "\(key) = \(literal)"]
        }
        text = lines.joined(separator: String(lineEnd)) + String(lineEnd)
    }

    /// The place after the last line before `end` that is neither empty nor a comment at the margin, which belongs to
    /// what follows.
    private static func afterText(_ lines: [String], before end: Int) -> Int {
        let last = lines[..<end].lastIndex { !$0.allSatisfy(\.isWhitespace) && !$0.hasPrefix("#") }
        return last.map { $0 + 1 } ?? 0
    }

    /// The line with another value and its comment; nil if the value is not all in it.
    private static func replacing(_ line: String, key: String, with literal: String) -> String? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        let written = line[..<equals].filter { !" \t\"'".contains($0) }
        guard written == key else { return nil }
        let rest = line[line.index(after: equals)...]
        guard let end = endOfValue(rest) else { return nil }
        return line[...equals] + " " + literal + rest[end...]
    }

    /// The end of the value that `text` begins with, before the spaces of a comment; nil if it continues in the next
    /// line.
    private static func endOfValue(_ text: Substring) -> Substring.Index? {
        var quote: Character?
        var depth = 0
        var isEscaped = false
        var end = text.startIndex
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\", open == "\"" {
                    isEscaped = true
                } else if character == open {
                    quote = nil
                }
            } else if character == "#" {
                break
            } else if character == "\"" || character == "'" {
                quote = character
            } else if "[{".contains(character) {
                depth += 1
            } else if "]}".contains(character) {
                depth -= 1
            }
            if !character.isWhitespace { end = text.index(after: index) }
        }
        return quote == nil && depth == 0 && !text[..<end].contains("\"\"\"") ? end : nil
    }

    private static func isHeader(_ line: String) -> Bool { header(line) != nil }

    /// The name of the table that a line begins; nil for another line.
    private static func header(_ line: String) -> [String]? {
        let line = line.drop { $0.isWhitespace }
        guard line.first == "[", let end = line.firstIndex(of: "]") else { return nil }
        let rest = line[line.index(after: end)...].drop { $0 == "]" || $0.isWhitespace }
        guard rest.isEmpty || rest.first == "#" else { return nil }
        return parts(of: line[..<end].filter { !"[ \t\"'".contains($0) })
    }

    private static func parts(of key: String) -> [String] {
        key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// A key as TOML writes it.
    private static func written(_ key: String) -> String {
        let isBare = key.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: "_")
        }
        return isBare ? key : quoted(key)
    }

    /// A basic string of TOML.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

extension TOMLDocument.Value {
    /// The value without quotes; nil for a table or a list.
    fileprivate var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .table, .array, .other: nil
        }
    }
}
