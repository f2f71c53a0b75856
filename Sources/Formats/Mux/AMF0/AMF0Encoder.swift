/// Encodes AMF 0 values in sequence (Adobe, Action Message Format AMF 0, 2).
package struct AMF0Encoder: Sendable {
    private var writer = ByteWriter()

    package init() {}

    /// The encoded bytes.
    package var bytes: [UInt8] { writer.bytes }

    /// Returns the bytes of `values` in sequence.
    package static func encode(_ values: [AMF0Value]) -> [UInt8] {
        var encoder = AMF0Encoder()
        for value in values { encoder.append(value) }
        return encoder.bytes
    }

    package mutating func append(_ value: AMF0Value) {
        switch value {
        case .number(let number):
            mark(.number)
            writer.u64(number.bitPattern)
        case .boolean(let flag):
            mark(.boolean)
            writer.u8(flag ? 1 : 0)
        case .string(let text) where text.utf8.count <= Int(UInt16.max):
            mark(.string)
            short(text)
        case .string(let text), .longString(let text):
            mark(.longString)
            long(text)
        case .object(let properties):
            mark(.object)
            append(properties)
        case .null: mark(.null)
        case .undefined: mark(.undefined)
        case .ecmaArray(let properties):
            mark(.ecmaArray)
            writer.u32(UInt32(clamping: properties.count))
            append(properties)
        case .strictArray(let values):
            mark(.strictArray)
            writer.u32(UInt32(clamping: values.count))
            for value in values { append(value) }
        case .date(let milliseconds, let timeZone):
            mark(.date)
            writer.u64(milliseconds.bitPattern)
            writer.i16(timeZone)
        case .xmlDocument(let text):
            mark(.xmlDocument)
            long(text)
        case .typedObject(let className, let properties):
            mark(.typedObject)
            short(className)
            append(properties)
        }
    }

    private mutating func mark(_ marker: AMF0Marker) {
        writer.u8(marker.rawValue)
    }

    /// Writes the properties, then an empty name and the object end marker (2.5).
    private mutating func append(_ properties: [AMF0Property]) {
        for property in properties {
            short(property.name)
            append(property.value)
        }
        writer.u16(0)
        mark(.objectEnd)
    }

    /// Writes UTF-8 with a length of two bytes. Longer text is cut; this program uses only short names.
    private mutating func short(_ text: String) {
        let utf8 = Array(text.utf8.prefix(Int(UInt16.max)))
        writer.u16(UInt16(utf8.count))
        writer.append(utf8)
    }

    /// Writes UTF-8 with a length of four bytes.
    private mutating func long(_ text: String) {
        writer.u32(UInt32(clamping: text.utf8.count))
        writer.utf8(text)
    }
}
