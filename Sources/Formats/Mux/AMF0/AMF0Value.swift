/// A value of Flash's Action Message Format 0, which RTMP commands and FLV script tags consist of (Adobe, Action
/// Message Format AMF 0, 2.1).
package enum AMF0Value: Equatable, Sendable {
    case number(Double)
    case boolean(Bool)
    /// UTF-8; one of more than 65,535 bytes is written as a long string.
    case string(String)
    /// Properties, in the order of the encoded bytes.
    case object([AMF0Property])
    case null
    case undefined
    /// An associative array: an object with a property count.
    case ecmaArray([AMF0Property])
    case strictArray([AMF0Value])
    /// Milliseconds since 1970-01-01 UTC, and a time zone in minutes that should be 0.
    case date(milliseconds: Double, timeZone: Int16)
    /// UTF-8 with a length of four bytes.
    case longString(String)
    case xmlDocument(String)
    case typedObject(className: String, properties: [AMF0Property])

    /// The text of a string or long string; nil for other values.
    package var stringValue: String? {
        switch self {
        case .string(let text), .longString(let text): text
        default: nil
        }
    }

    /// The value of a number; nil for other values.
    package var numberValue: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The properties of an object, typed object or ECMA array; nil for other values.
    package var properties: [AMF0Property]? {
        switch self {
        case .object(let properties), .ecmaArray(let properties), .typedObject(_, let properties): properties
        default: nil
        }
    }

    /// Returns the first property of that name; nil if this value has no such property.
    package subscript(name: String) -> AMF0Value? {
        properties?.first { $0.name == name }?.value
    }
}

/// A named value in an object or ECMA array.
package struct AMF0Property: Equatable, Sendable {
    package var name: String
    package var value: AMF0Value

    package init(_ name: String, _ value: AMF0Value) {
        self.name = name
        self.value = value
    }
}

/// The byte before each value (Adobe, Action Message Format AMF 0, 2.1).
enum AMF0Marker: UInt8 {
    case number = 0x00
    case boolean = 0x01
    case string = 0x02
    case object = 0x03
    case null = 0x05
    case undefined = 0x06
    case ecmaArray = 0x08
    case objectEnd = 0x09
    case strictArray = 0x0A
    case date = 0x0B
    case longString = 0x0C
    case unsupported = 0x0D
    case xmlDocument = 0x0F
    case typedObject = 0x10
}
