/// A table of a TOML file, with typed access to its values. Errors contain their position in the file.
package struct ConfigurationSection {
    package let document: TOMLDocument
    package let path: String
    /// The full name of the table; empty for the root table.
    package let name: [String]

    /// The table's keys in order.
    package var keys: [String] { document.keys(below: name) }

    /// The line of the table.
    package var line: Int { document[name]?.line ?? 1 }

    /// The line of `key`; the table's line if it is missing.
    package func line(of key: String) -> Int { document[name + [key]]?.line ?? line }

    /// Returns an error about `key`, with its line; the table's line if the key is missing.
    package func fault(_ key: String, _ problem: ConfigurationFault.Problem) -> ConfigurationFault {
        ConfigurationFault(
            path: path, line: line(of: key), key: (name + [key]).joined(separator: "."), problem: problem)
    }

    /// Throws for a key that the program does not read: it is probably a typing error.
    package func allow(_ known: [String]) throws(ConfigurationFault) {
        if let fault = faults(allowing: known).first { throw fault }
    }

    /// Returns an error for each key that the program does not read.
    package func faults(allowing known: [String]) -> [ConfigurationFault] {
        keys.filter { !known.contains($0) }.map { fault($0, .unknownKey(known: known)) }
    }

    package func section(_ key: String) throws(ConfigurationFault) -> ConfigurationSection? {
        guard let node = document[name + [key]] else { return nil }
        guard node.value == .table else { throw fault(key, .wrong(.table)) }
        return ConfigurationSection(document: document, path: path, name: name + [key])
    }

    package func string(_ key: String, oneOf choices: [String]? = nil) throws(ConfigurationFault) -> String? {
        guard let node = document[name + [key]] else { return nil }
        guard case .string(let string) = node.value else { throw fault(key, .wrong(.text)) }
        if let choices, !choices.contains(string) { throw fault(key, .notAChoice(string, choices: choices)) }
        return string
    }

    package func boolean(_ key: String) throws(ConfigurationFault) -> Bool? {
        guard let node = document[name + [key]] else { return nil }
        guard case .boolean(let boolean) = node.value else { throw fault(key, .wrong(.boolean)) }
        return boolean
    }

    package func integer(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationFault) -> Int? {
        guard let node = document[name + [key]] else { return nil }
        guard case .integer(let integer) = node.value, range.contains(integer) else {
            throw fault(key, .wrong(.integer(range)))
        }
        return integer
    }

    /// Returns a bitrate in kbit/s: a number, or a text with a unit, as in "6M".
    package func bitrate(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationFault) -> Int? {
        guard let node = document[name + [key]] else { return nil }
        let bitrate: Int? =
            switch node.value {
            case .integer(let integer): integer
            case .string(let text): Bitrate.parse(text)
            default: nil
            }
        guard let bitrate, range.contains(bitrate) else { throw fault(key, .wrong(.bitrate(range))) }
        return bitrate
    }

    package func number(_ key: String, in range: ClosedRange<Double>) throws(ConfigurationFault) -> Double? {
        guard let node = document[name + [key]] else { return nil }
        let number: Double? =
            switch node.value {
            case .number(let number): number
            case .integer(let integer): Double(integer)
            default: nil
            }
        guard let number, range.contains(number) else { throw fault(key, .wrong(.number(range))) }
        return number
    }

    /// Returns an array of strings; nil if the key is missing.
    package func strings(_ key: String, oneOf choices: [String]? = nil) throws(ConfigurationFault) -> [String]? {
        guard let node = document[name + [key]] else { return nil }
        guard node.value == .array else { throw fault(key, .wrong(.texts(choices: choices ?? []))) }
        var strings: [String] = []
        while let element = document[name + [key, "\(strings.count)"]] {
            guard case .string(let string) = element.value, choices?.contains(string) ?? true else {
                throw fault(key, .wrong(.texts(choices: choices ?? [])))
            }
            strings.append(string)
        }
        return strings
    }

    /// Returns the tables of an array, `[[key]]`; an empty array if the key is missing.
    package func sections(_ key: String) throws(ConfigurationFault) -> [ConfigurationSection] {
        guard let node = document[name + [key]] else { return [] }
        guard node.value == .array else { throw fault(key, .wrong(.tables)) }
        var sections: [ConfigurationSection] = []
        while let element = document[name + [key, "\(sections.count)"]] {
            guard element.value == .table else { throw fault(key, .wrong(.tables)) }
            sections.append(
                ConfigurationSection(document: document, path: path, name: name + [key, "\(sections.count)"]))
        }
        return sections
    }

    /// Returns one of the raw values of `Choice`; nil if the key is missing.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String) throws(ConfigurationFault)
        -> Choice?
    {
        try string(key, oneOf: Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
    }
}
