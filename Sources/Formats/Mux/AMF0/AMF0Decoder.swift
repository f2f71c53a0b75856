/// Decodes AMF 0 values from untrusted input (Adobe, Action Message Format AMF 0, 2).
///
/// Time and memory are proportional to the number of bytes in the input, not to the counts and lengths that it claims.
package struct AMF0Decoder: Sendable {
    /// The maximum nesting depth of objects and arrays.
    package static let maximumDepth = 16
    /// The maximum number of values in the input, including those in objects and arrays.
    package static let maximumValueCount = 4096

    private let bytes: [UInt8]
    private var position = 0
    private var valueCount = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Decodes all values of `bytes`.
    package static func decode(_ bytes: [UInt8]) throws(AMF0Error) -> [AMF0Value] {
        var decoder = AMF0Decoder(bytes)
        var values: [AMF0Value] = []
        while let value = try decoder.next() { values.append(value) }
        return values
    }

    /// Returns the next value, or nil at the end of the input. Do not use the decoder after an error.
    package mutating func next() throws(AMF0Error) -> AMF0Value? {
        guard position < bytes.count else { return nil }
        do throws(AMF0Error) {
            return try value(depth: 0)
        } catch {
            position = bytes.count
            throw error
        }
    }

    private mutating func value(depth: Int) throws(AMF0Error) -> AMF0Value {
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        valueCount += 1
        guard valueCount <= Self.maximumValueCount else { throw .tooManyValues }
        let byte = try u8()
        guard let marker = AMF0Marker(rawValue: byte) else { throw .unknownMarker(byte) }
        switch marker {
        case .number: return .number(try double())
        case .boolean: return .boolean(try u8() != 0)
        case .string: return .string(try text(length: Int(try integer(bytes: 2))))
        case .object: return .object(try properties(depth: depth))
        case .null: return .null
        case .undefined, .unsupported: return .undefined
        case .ecmaArray:
            // The count is only a hint, and live streams often contain 0. The end marker is decisive.
            _ = try integer(bytes: 4)
            return .ecmaArray(try properties(depth: depth))
        case .objectEnd: throw .unknownMarker(byte)
        case .strictArray: return .strictArray(try elements(count: try integer(bytes: 4), depth: depth))
        case .date: return .date(milliseconds: try double(), timeZone: Int16(truncatingIfNeeded: try integer(bytes: 2)))
        case .longString: return .longString(try text(length: Int(try integer(bytes: 4))))
        case .xmlDocument: return .xmlDocument(try text(length: Int(try integer(bytes: 4))))
        case .typedObject:
            let className = try text(length: Int(try integer(bytes: 2)))
            return .typedObject(className: className, properties: try properties(depth: depth))
        }
    }

    /// Reads names and values up to the empty name with the object end marker.
    private mutating func properties(depth: Int) throws(AMF0Error) -> [AMF0Property] {
        var properties: [AMF0Property] = []
        while true {
            let length = Int(try integer(bytes: 2))
            if length == 0, position < bytes.count, bytes[position] == AMF0Marker.objectEnd.rawValue {
                position += 1
                return properties
            }
            let name = try text(length: length)
            properties.append(AMF0Property(name, try value(depth: depth + 1)))
        }
    }

    private mutating func elements(count: UInt64, depth: Int) throws(AMF0Error) -> [AMF0Value] {
        // Each value has at least one byte, so reject a count that exceeds the rest of the input.
        guard count <= UInt64(bytes.count - position) else { throw .truncated }
        var values: [AMF0Value] = []
        for _ in 0..<count { values.append(try value(depth: depth + 1)) }
        return values
    }

    private mutating func u8() throws(AMF0Error) -> UInt8 {
        guard position < bytes.count else { throw .truncated }
        position += 1
        return bytes[position - 1]
    }

    /// Reads a big-endian integer of at most eight bytes.
    private mutating func integer(bytes count: Int) throws(AMF0Error) -> UInt64 {
        guard count <= bytes.count - position else { throw .truncated }
        position += count
        return bytes[position - count..<position].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func double() throws(AMF0Error) -> Double {
        Double(bitPattern: try integer(bytes: 8))
    }

    /// Reads UTF-8. Invalid bytes become U+FFFD.
    private mutating func text(length: Int) throws(AMF0Error) -> String {
        guard length <= bytes.count - position else { throw .truncated }
        position += length
        return String(decoding: bytes[position - length..<position], as: UTF8.self)
    }
}
