/// One table of the config file, with typed access to its values and errors that say where they stand.
struct ConfigurationSection {
    let document: TOMLDocument
    let path: String
    /// The table's name, from the outermost part on; empty for the file itself.
    let name: [String]

    /// The table's keys in order.
    var keys: [String] { document.keys(below: name) }

    /// Where the table stands.
    var line: Int { document[name]?.line ?? 1 }

    /// Where `key` stands; the table, where it is missing.
    func line(of key: String) -> Int { document[name + [key]]?.line ?? line }

    /// An error about `key`, with the line on which it stands; that of the table where it is missing.
    func error(_ key: String, _ problem: String) -> CommandError {
        let fullName = (name + [key]).joined(separator: ".")
        return CommandError(.config, "\(path):\(line(of: key)): \(fullName): \(problem)" + (problem.hasSuffix("?") ? "" : "."))
    }

    /// Throws for a key that nobody reads: it is a slip of the pen.
    func allow(_ known: [String]) throws(CommandError) {
        if let error = faults(allowing: known).first { throw error }
    }

    /// An error for each key that nobody reads.
    func faults(allowing known: [String]) -> [CommandError] {
        keys.filter { !known.contains($0) }.map { key in
            let hint = NearestName.of(key, among: known).map { "did you mean \($0)?" } ?? "known are \(known.joined(separator: ", "))"
            return error(key, "there is no such key; \(hint)")
        }
    }

    func section(_ key: String) throws(CommandError) -> ConfigurationSection? {
        guard let node = document[name + [key]] else { return nil }
        guard node.value == .table else { throw error(key, "this must be a table") }
        return ConfigurationSection(document: document, path: path, name: name + [key])
    }

    func string(_ key: String, oneOf choices: [String]? = nil) throws(CommandError) -> String? {
        guard let node = document[name + [key]] else { return nil }
        guard case .string(let string) = node.value else { throw error(key, "this must be a text in quotes") }
        if let choices, !choices.contains(string) { throw error(key, "\"\(string)\" is none of \(choices.joined(separator: ", "))") }
        return string
    }

    func boolean(_ key: String) throws(CommandError) -> Bool? {
        guard let node = document[name + [key]] else { return nil }
        guard case .boolean(let boolean) = node.value else { throw error(key, "this must be true or false") }
        return boolean
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(CommandError) -> Int? {
        guard let node = document[name + [key]] else { return nil }
        guard case .integer(let integer) = node.value, range.contains(integer) else {
            throw error(key, "this must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws(CommandError) -> Double? {
        guard let node = document[name + [key]] else { return nil }
        let number: Double? =
            switch node.value {
            case .number(let number): number
            case .integer(let integer): Double(integer)
            default: nil
            }
        guard let number, range.contains(number) else { throw error(key, "this must be a number from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// A list of texts; nil where it is missing.
    func strings(_ key: String, oneOf choices: [String]? = nil) throws(CommandError) -> [String]? {
        guard let node = document[name + [key]] else { return nil }
        guard node.value == .array else { throw error(key, "this must be a list of texts") }
        var strings: [String] = []
        while let element = document[name + [key, "\(strings.count)"]] {
            guard case .string(let string) = element.value, choices?.contains(string) ?? true else {
                throw error(key, "this must be a list of \(choices?.joined(separator: ", ") ?? "texts")")
            }
            strings.append(string)
        }
        return strings
    }

    /// The tables of a list, `[[key]]`; none where it is missing.
    func sections(_ key: String) throws(CommandError) -> [ConfigurationSection] {
        guard let node = document[name + [key]] else { return [] }
        guard node.value == .array else { throw error(key, "this must be a list of tables, [[\(key)]]") }
        var sections: [ConfigurationSection] = []
        while let element = document[name + [key, "\(sections.count)"]] {
            guard element.value == .table else { throw error(key, "this must be a list of tables, [[\(key)]]") }
            sections.append(ConfigurationSection(document: document, path: path, name: name + [key, "\(sections.count)"]))
        }
        return sections
    }
}
