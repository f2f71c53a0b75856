import TOMLKit

/// One table of the config file, with typed access to its values and errors that say where they stand.
struct ConfigurationSection {
    let table: TOMLTable
    let path: String
    let text: String
    /// The table's name, from the outermost part on; empty for the file itself.
    let name: [String]

    /// The table's keys in order.
    var keys: [String] { table.keys.sorted() }

    /// An error about `key`, with the line on which it stands.
    func error(_ key: String, _ problem: String) -> CommandError {
        let fullName = (name + [key]).joined(separator: ".")
        return CommandError(.config, "\(path):\(lineNumber(of: key)): \(fullName): \(problem).")
    }

    /// Throws for a key that nobody reads: it is a slip of the pen.
    func allow(_ known: [String]) throws(CommandError) {
        for key in keys where !known.contains(key) {
            let hint = NearestName.of(key, among: known).map { " Did you mean \($0)?" } ?? " Known are \(known.joined(separator: ", "))"
            throw error(key, "there is no such key." + (hint.hasSuffix("?") ? hint.dropLast() + "?" : hint))
        }
    }

    func section(_ key: String) throws(CommandError) -> ConfigurationSection? {
        guard let value = table[key] else { return nil }
        guard let inner = value.table else { throw error(key, "this must be a table") }
        return ConfigurationSection(table: inner, path: path, text: text, name: name + [key])
    }

    func string(_ key: String, oneOf choices: [String]? = nil) throws(CommandError) -> String? {
        guard let value = table[key] else { return nil }
        guard let string = value.string else { throw error(key, "this must be a text in quotes") }
        if let choices, !choices.contains(string) { throw error(key, "\"\(string)\" is none of \(choices.joined(separator: ", "))") }
        return string
    }

    func boolean(_ key: String) throws(CommandError) -> Bool? {
        guard let value = table[key] else { return nil }
        guard let boolean = value.bool else { throw error(key, "this must be true or false") }
        return boolean
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(CommandError) -> Int? {
        guard let value = table[key] else { return nil }
        guard let integer = value.int, range.contains(integer) else {
            throw error(key, "this must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws(CommandError) -> Double? {
        guard let value = table[key] else { return nil }
        guard let number = value.double ?? value.int.map(Double.init), range.contains(number) else {
            throw error(key, "this must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func isNonEmptyArray(_ key: String) -> Bool {
        table[key]?.array?.isEmpty == false
    }

    /// The line of the table's header.
    var line: Int { lineNumber(of: nil) }

    /// TOMLKit does not keep positions of values: the line is looked up in the text. 1 where it is not found.
    private func lineNumber(of key: String?) -> Int {
        var current: [String] = []
        var header = 1
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.drop { $0 == " " || $0 == "\t" }
            if content.first == "[" {
                current = content.dropFirst().prefix { $0 != "]" }.split(separator: ".").map { $0.filter { !"\"' ".contains($0) } }
                if current == name { header = index + 1 }
                if let key, current == name + [key] { return index + 1 }
            } else if let key, let equals = content.firstIndex(of: "=") {
                let parts = content[..<equals].split(separator: ".").map { $0.filter { !"\"' \t".contains($0) } }
                if current + parts == name + [key] { return index + 1 }
            }
        }
        return header
    }
}
