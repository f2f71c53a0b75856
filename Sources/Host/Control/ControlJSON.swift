import FoundationEssentials

/// JSON for the socket and for scripts: snake case, with sorted keys, and without a character that a terminal obeys.
package enum ControlJSON {
    /// Returns a line without its newline.
    package static func encode(_ value: some Encodable, pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting =
            pretty ? [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        // These types contain only strings, numbers and booleans, so encoding cannot fail.
        return withoutControlCharacters((try? encoder.encode(value)).map { Array($0) } ?? [])
    }

    /// Encodes without key conversion. The keys of a dictionary come from outside, and a conversion to snake case and
    /// back could change them.
    package static func encodeAsIs(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return withoutControlCharacters((try? encoder.encode(value)).map { Array($0) } ?? [])
    }

    /// Escapes DEL and the C1 control characters (U+0080 to U+009F), which JSON allows in strings and terminals obey.
    /// The encoder has escaped the C0 ones.
    private static func withoutControlCharacters(_ json: [UInt8]) -> [UInt8] {
        func escape(_ code: UInt8) -> [UInt8] { Array("\\u00\(String(code, radix: 16))".utf8) }
        var result: [UInt8] = []
        var index = json.startIndex
        while index < json.endIndex {
            let byte = json[index]
            // In UTF-8 a C1 character is C2 and its code.
            if byte == 0xc2, index + 1 < json.endIndex, (0x80...0x9f).contains(json[index + 1]) {
                index += 1
                result += escape(json[index])
            } else if byte == 0x7f {
                result += escape(byte)
            } else {
                result.append(byte)
            }
            index += 1
        }
        return result
    }

    package static func decodeAsIs<Value: Decodable>(_ type: Value.Type, from bytes: some Sequence<UInt8>) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: some Sequence<UInt8>) -> Value? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try? decoder.decode(type, from: Data(bytes))
    }
}
