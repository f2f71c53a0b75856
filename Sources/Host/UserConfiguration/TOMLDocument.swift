import CTOMLPlusPlus

/// A parsed TOML file: its values by path, each with its line.
package struct TOMLDocument {
    package enum Value: Equatable {
        case table
        case array
        case string(String)
        case integer(Int)
        case number(Double)
        case boolean(Bool)
        /// A date or a time.
        case other
    }

    package struct Node {
        package var value: Value
        /// Counted from 1.
        package var line: Int
    }

    /// Why a text is not TOML.
    package struct SyntaxError: Error {
        package var line: Int
        package var message: String
    }

    /// Parses the content of a file. TOML permits keys without a name; they are an error, because the program reads
    /// none.
    package init(_ text: String, path: String) throws(ConfigurationError) {
        do throws(SyntaxError) {
            try self.init(text)
        } catch {
            let message = error.message.split(whereSeparator: \.isNewline).first.map(String.init) ?? error.message
            throw .syntax(path: path, line: error.line, message: message)
        }
        let unnamed = nodes.filter { $0.key.last?.isEmpty == true }.min {
            ($0.value.line, $0.key.count) < ($1.value.line, $1.key.count)
        }
        if let unnamed {
            throw .fault(
                ConfigurationFault(
                    path: path, line: max(1, unnamed.value.line), key: ConfigurationFault.name(of: unnamed.key),
                    problem: .unnamedKey))
        }
    }

    /// The values by their keys from the root on. Array elements are numbered from 0.
    private var nodes: [[String]: Node] = [:]

    package init(_ text: String) throws(SyntaxError) {
        var text = text
        guard
            let document = text.withUTF8({ bytes in
                bytes.withMemoryRebound(to: CChar.self) { ctoml_parse($0.baseAddress, $0.count) }
            })
        else { throw SyntaxError(line: 1, message: "there is not enough memory to read it") }
        defer { ctoml_free(document) }
        if let message = ctoml_error(document) {
            throw SyntaxError(line: Int(ctoml_error_line(document)), message: String(cString: message))
        }
        for index in 0..<ctoml_count(document) {
            let entry = ctoml_entry_at(document, index)
            let path = String(cString: entry.path).split(separator: "\u{1f}", omittingEmptySubsequences: false).map(
                String.init)
            nodes[path] = Node(value: Self.value(of: entry), line: Int(entry.line))
        }
    }

    package subscript(path: [String]) -> Node? { nodes[path] }

    /// True if all values are the same, except those of `key` and the tables that contain it.
    func isEqual(to other: TOMLDocument, except key: [String]) -> Bool {
        func rest(_ document: TOMLDocument) -> [[String]: Value] {
            document.nodes.filter { !$0.key.starts(with: key) && !key.starts(with: $0.key) }.mapValues(\.value)
        }
        return rest(self) == rest(other)
    }

    /// The keys directly below `path`, in order.
    package func keys(below path: [String]) -> [String] {
        nodes.keys.filter { $0.count == path.count + 1 && Array($0.dropLast()) == path }.compactMap(\.last).sorted()
    }

    private static func value(of entry: ctoml_entry) -> Value {
        switch entry.kind {
        case CTOML_TABLE: .table
        case CTOML_ARRAY: .array
        case CTOML_STRING: .string(entry.string.map { String(cString: $0) } ?? "")
        case CTOML_INTEGER: .integer(Int(entry.integer))
        case CTOML_FLOAT: .number(entry.number)
        case CTOML_BOOLEAN: .boolean(entry.boolean)
        default: .other
        }
    }
}
