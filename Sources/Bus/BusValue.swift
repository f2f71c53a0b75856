import CDBus
import Glibc
import Synchronization

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

    private static func code(_ character: Character) -> Int32 { Int32(character.asciiValue ?? 0) }
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
                for (key, value) in properties { BusValue.entry(key: .string(key), value: .variant(value)).append(to: &array) }
            }
        case .strings(let strings):
            Self.append("a", "s", to: &iterator) { array in for text in strings { BusValue.string(text).append(to: &array) } }
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
        _ type: Character, _ signature: String?, to iterator: inout DBusMessageIter, _ body: (inout DBusMessageIter) -> Void
    ) {
        var inner = DBusMessageIter()
        dbus_message_iter_open_container(&iterator, code(type), signature, &inner)
        body(&inner)
        dbus_message_iter_close_container(&iterator, &inner)
    }
}

// MARK: Reading

extension BusValue {
    /// Reads the value at `iterator`. Returns nil at the end, and if the type is not supported.
    init?(at iterator: inout DBusMessageIter) {
        switch dbus_message_iter_get_arg_type(&iterator) {
        case Self.code("s"): self = .string(Self.text(at: &iterator))
        case Self.code("o"): self = .objectPath(Self.text(at: &iterator))
        case Self.code("b"): self = .boolean(Self.basic(at: &iterator, dbus_bool_t(0)) != 0)
        case Self.code("i"): self = .integer(Self.basic(at: &iterator, 0))
        case Self.code("u"): self = .unsigned(Self.basic(at: &iterator, 0))
        case Self.code("x"): self = .integer64(Self.basic(at: &iterator, 0))
        case Self.code("t"): self = .unsigned64(Self.basic(at: &iterator, 0))
        case Self.code("d"): self = .double(Self.basic(at: &iterator, 0))
        case Self.code("h"):
            // libdbus returns a duplicate that belongs to the caller.
            let raw: Int32 = Self.basic(at: &iterator, -1)
            guard raw >= 0 else { return nil }
            self = .descriptor(BusDescriptor(owning: raw))
        case Self.code("v"):
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            guard let value = BusValue(at: &inner) else { return nil }
            self = .variant(value)
        case Self.code("r"): self = .structure(Self.values(in: &iterator))
        case Self.code("e"):
            let pair = Self.values(in: &iterator)
            guard pair.count == 2 else { return nil }
            self = .entry(key: pair[0], value: pair[1])
        case Self.code("a"): self.init(arrayAt: &iterator)
        default: return nil
        }
    }

    private init(arrayAt iterator: inout DBusMessageIter) {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        var element = ""
        if let signature = dbus_message_iter_get_signature(&inner) {
            element = String(cString: signature)
            dbus_free(signature)
        }
        let values = Self.values(in: &iterator)
        switch element {
        case "s": self = .strings(values.compactMap(\.string))
        case "{sv}":
            var properties: [String: BusValue] = [:]
            for case .entry(.string(let key), .variant(let value)) in values { properties[key] = value }
            self = .properties(properties)
        default: self = .array(of: element, values)
        }
    }

    /// The values inside the container at `iterator`.
    private static func values(in iterator: inout DBusMessageIter) -> [BusValue] {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        var values: [BusValue] = []
        while let value = BusValue(at: &inner) {
            values.append(value)
            if dbus_message_iter_next(&inner) == 0 { break }
        }
        return values
    }

    private static func text(at iterator: inout DBusMessageIter) -> String {
        let pointer: UnsafePointer<CChar>? = basic(at: &iterator, nil)
        return pointer.map { String(cString: $0) } ?? ""
    }

    /// Reads a value of the C type of the iterator's type code, to which `initial` belongs.
    private static func basic<Value: BitwiseCopyable>(at iterator: inout DBusMessageIter, _ initial: Value) -> Value {
        var value = initial
        withUnsafeMutablePointer(to: &value) { dbus_message_iter_get_basic(&iterator, $0) }
        return value
    }
}

/// A file descriptor in a message. It is closed with the last reference, unless it was taken.
package final class BusDescriptor: Equatable, Sendable {
    private let raw: Mutex<Int32>

    /// - Parameter raw: the descriptor, which this object closes.
    package init(owning raw: Int32) {
        self.raw = Mutex(raw)
    }

    deinit {
        let raw = take()
        if raw >= 0 { close(raw) }
    }

    /// Returns the descriptor, which the caller closes from now on. Returns -1 if it was taken before.
    package func take() -> Int32 {
        raw.withLock { raw in
            defer { raw = -1 }
            return raw
        }
    }

    /// Calls `body` with the descriptor, which stays open.
    func withRaw(_ body: (Int32) -> Void) {
        raw.withLock { body($0) }
    }

    package static func == (one: BusDescriptor, other: BusDescriptor) -> Bool { one === other }
}
