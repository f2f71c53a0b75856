import CDBus

/// A value in a D-Bus message (D-Bus Specification, Type System).
///
/// A byte and a 16-bit number are not supported, because no used interface has one. The fields of a container are read
/// until the first value of an unsupported type.
package enum BusValue: Equatable, Sendable {
    /// `s`
    case string(String)
    /// `o`
    case objectPath(String)
    /// `b`
    case boolean(Bool)
    /// `i`
    case integer(Int32)
    /// `u`
    case unsigned(UInt32)
    /// `x`
    case integer64(Int64)
    /// `t`
    case unsigned64(UInt64)
    /// `d`
    case double(Double)
    /// `h`
    case descriptor(BusDescriptor)
    /// `v`
    indirect case variant(BusValue)
    /// `a{sv}`. The values are without their variants.
    case properties([String: BusValue])
    /// `as`
    case strings([String])
    /// Any other array, with the signature of its elements.
    case array(of: String, [BusValue])
    /// `(…)`
    case structure([BusValue])
    /// `{…}`, only as an element of an array.
    indirect case entry(key: BusValue, value: BusValue)

    /// The type code in signatures.
    private var signature: String {
        switch self {
        case .string: "s"
        case .objectPath: "o"
        case .boolean: "b"
        case .integer: "i"
        case .unsigned: "u"
        case .integer64: "x"
        case .unsigned64: "t"
        case .double: "d"
        case .descriptor: "h"
        case .variant: "v"
        case .properties: "a{sv}"
        case .strings: "as"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        }
    }

    /// The value without enclosing variants.
    package var content: BusValue { if case .variant(let value) = self { value.content } else { self } }
    package var boolean: Bool? { if case .boolean(let value) = content { value } else { nil } }
    /// The text of a string or an object path.
    package var string: String? {
        switch content {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }
    package var unsigned: UInt32? { if case .unsigned(let value) = content { value } else { nil } }
    package var unsigned64: UInt64? { if case .unsigned64(let value) = content { value } else { nil } }
    package var descriptor: BusDescriptor? { if case .descriptor(let value) = content { value } else { nil } }
    package var properties: [String: BusValue]? { if case .properties(let value) = content { value } else { nil } }
    /// The fields of a structure, or the elements of an array other than `as` and `a{sv}`.
    package var elements: [BusValue]? {
        switch content {
        case .array(_, let values), .structure(let values): values
        default: nil
        }
    }

    static func code(_ character: Character) -> Int32 { Int32(character.asciiValue ?? 0) }
}

// MARK: Writing

extension BusValue {
    /// Appends the value to a message that is built with `iterator`.
    func append(to iterator: inout DBusMessageIter) {
        switch self {
        case .string(let text): Self.append("s", text, to: &iterator)
        case .objectPath(let text): Self.append("o", text, to: &iterator)
        case .boolean(let value):
            var value: dbus_bool_t = value ? 1 : 0
            dbus_message_iter_append_basic(&iterator, Self.code("b"), &value)
        case .integer(var value): dbus_message_iter_append_basic(&iterator, Self.code("i"), &value)
        case .unsigned(var value): dbus_message_iter_append_basic(&iterator, Self.code("u"), &value)
        case .integer64(var value): dbus_message_iter_append_basic(&iterator, Self.code("x"), &value)
        case .unsigned64(var value): dbus_message_iter_append_basic(&iterator, Self.code("t"), &value)
        case .double(var value): dbus_message_iter_append_basic(&iterator, Self.code("d"), &value)
        case .descriptor(let descriptor):
            // libdbus sends a duplicate.
            descriptor.withRaw { raw in
                var raw = raw
                dbus_message_iter_append_basic(&iterator, Self.code("h"), &raw)
            }
        case .variant(let value):
            Self.append("v", value.signature, to: &iterator) { value.append(to: &$0) }
        case .properties(let properties):
            Self.append("a", "{sv}", to: &iterator) { array in
                for (key, value) in properties {
                    BusValue.entry(key: .string(key), value: .variant(value)).append(to: &array)
                }
            }
        case .strings(let strings):
            Self.append("a", "s", to: &iterator) { array in
                for text in strings { BusValue.string(text).append(to: &array) }
            }
        case .array(let element, let values):
            Self.append("a", element, to: &iterator) { array in for value in values { value.append(to: &array) } }
        case .structure(let fields):
            Self.append("r", nil, to: &iterator) { structure in for field in fields { field.append(to: &structure) } }
        case .entry(let key, let value):
            Self.append("e", nil, to: &iterator) { entry in
                key.append(to: &entry)
                value.append(to: &entry)
            }
        }
    }

    private static func append(_ type: Character, _ text: String, to iterator: inout DBusMessageIter) {
        text.withCString { pointer in
            var pointer: UnsafePointer<CChar>? = pointer
            dbus_message_iter_append_basic(&iterator, code(type), &pointer)
        }
    }

    private static func append(
        _ type: Character, _ signature: String?, to iterator: inout DBusMessageIter,
        _ body: (inout DBusMessageIter) -> Void
    ) {
        var inner = DBusMessageIter()
        dbus_message_iter_open_container(&iterator, code(type), signature, &inner)
        body(&inner)
        dbus_message_iter_close_container(&iterator, &inner)
    }
}
