import Foundation

/// A JSON value.
indirect enum JSONValue: Decodable, Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    init(parsing text: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text))
    }

    subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }
}

/// A validator for the keywords of JSON Schema (draft 2020-12) that docs/control.schema.json uses.
struct JSONSchema {
    /// The schema uses a keyword or a value that this validator does not know.
    struct Unsupported: Error {
        let keyword: String
    }

    /// What a schema says about one value.
    private struct Verdict {
        var problems: [String] = []
        /// The members of an object that the schema names; nil if it says nothing about members.
        var named: Set<String>?
    }

    let root: JSONValue

    /// docs/control.schema.json
    static func control() throws -> JSONSchema {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return JSONSchema(
            root: try JSONValue(parsing: Data(contentsOf: folder.appendingPathComponent("docs/control.schema.json"))))
    }

    /// Returns what is wrong with `value`; empty if it is valid.
    ///
    /// - Parameters:
    ///   - definition: the name of the definition that the value must have; nil for the whole schema.
    ///   - isComplete: true if a member that the schema does not name is a problem.
    func problems(of value: JSONValue, as definition: String? = nil, isComplete: Bool = false) throws -> [String] {
        let schema = try definition.map { try self.definition($0) } ?? root
        return try check(value, schema, at: "", isComplete).problems
    }

    /// Checks a value against the schema of its place, as opposed to one of several that apply together.
    private func check(_ value: JSONValue, _ schema: JSONValue, at path: String, _ isComplete: Bool) throws -> Verdict {
        var verdict = try apply(schema, to: value, at: path, isComplete)
        if isComplete, case .object(let members) = value, let named = verdict.named {
            for name in members.keys.sorted() where !named.contains(name) {
                verdict.problems.append("\(path)/\(name) is not in the schema")
            }
        }
        return verdict
    }

    private func apply(_ schema: JSONValue, to value: JSONValue, at path: String, _ isComplete: Bool) throws -> Verdict
    {
        guard case .object(let keywords) = schema else { throw Unsupported(keyword: "\(schema)") }
        var verdict = Verdict()
        func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
            if !condition { verdict.problems.append("\(path.isEmpty ? "/" : path) \(problem())") }
        }
        func add(_ other: Verdict) {
            verdict.problems += other.problems
            if let named = other.named { verdict.named = (verdict.named ?? []).union(named) }
        }
        func name(_ members: some Sequence<String>) { verdict.named = (verdict.named ?? []).union(members) }
        for (keyword, argument) in keywords.sorted(by: { $0.key < $1.key }) {
            switch (keyword, argument) {
            case ("$schema", _), ("$defs", _), ("title", _), ("description", _): break
            case ("$ref", .string(let reference)):
                guard reference.hasPrefix("#/$defs/") else { throw Unsupported(keyword: reference) }
                add(
                    try apply(
                        definition(String(reference.dropFirst("#/$defs/".count))), to: value, at: path, isComplete))
            case ("type", .string(let name)): expect(try Self.isType(name, value), "is not \(name)")
            case ("const", let constant): expect(value == constant, "is not \(constant)")
            case ("enum", .array(let values)): expect(values.contains(value), "is none of \(values)")
            case ("minimum", .number(let least)):
                if case .number(let number) = value { expect(number >= least, "is less than \(least)") }
            case ("minLength", .number(let least)):
                if case .string(let text) = value { expect(Double(text.unicodeScalars.count) >= least, "is too short") }
            case ("pattern", .string(let pattern)):
                if case .string(let text) = value {
                    expect(text.contains(try Regex(pattern)), "does not match \(pattern)")
                }
            case ("items", let items):
                guard case .array(let values) = value else { break }
                for (index, one) in values.enumerated() {
                    verdict.problems += try check(one, items, at: "\(path)/\(index)", isComplete).problems
                }
            case ("minProperties", .number(let least)):
                if case .object(let members) = value { expect(Double(members.count) >= least, "has too few members") }
            case ("required", .array(let names)):
                guard case .object(let members) = value else { break }
                for case .string(let name) in names { expect(members[name] != nil, "has no \(name)") }
            case ("properties", .object(let properties)):
                guard case .object(let members) = value else { break }
                name(properties.keys)
                for (name, property) in properties.sorted(by: { $0.key < $1.key }) {
                    if let member = members[name] {
                        verdict.problems += try check(member, property, at: "\(path)/\(name)", isComplete).problems
                    }
                }
            case ("additionalProperties", let others):
                guard case .object(let members) = value else { break }
                name(members.keys)
                for (name, member) in members.sorted(by: { $0.key < $1.key }) where keywords["properties"]?[name] == nil
                {
                    verdict.problems += try check(member, others, at: "\(path)/\(name)", isComplete).problems
                }
            case ("oneOf", .array(let schemas)):
                let verdicts = try schemas.map { try apply($0, to: value, at: path, isComplete) }
                let valid = verdicts.filter { $0.problems.isEmpty }
                expect(
                    valid.count == 1, "matches \(valid.count) of \(schemas.count) schemas: \(verdicts.map(\.problems))")
                if valid.count == 1 { add(valid[0]) }
            case ("anyOf", .array(let schemas)):
                let verdicts = try schemas.map { try apply($0, to: value, at: path, isComplete) }
                expect(
                    verdicts.contains { $0.problems.isEmpty },
                    "matches none of \(schemas.count) schemas: \(verdicts.map(\.problems))")
                for verdict in verdicts where verdict.problems.isEmpty { add(verdict) }
            default: throw Unsupported(keyword: keyword)
            }
        }
        return verdict
    }

    private func definition(_ name: String) throws -> JSONValue {
        guard let schema = root["$defs"]?[name] else { throw Unsupported(keyword: "#/$defs/\(name)") }
        return schema
    }

    private static func isType(_ name: String, _ value: JSONValue) throws -> Bool {
        switch (name, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("boolean", .boolean), ("number", .number):
            true
        case ("integer", .number(let number)): number == number.rounded()
        case ("object", _), ("array", _), ("string", _), ("boolean", _), ("number", _), ("integer", _): false
        default: throw Unsupported(keyword: name)
        }
    }
}
