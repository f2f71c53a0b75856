import CDBus

/// A value in a D-Bus message, of one of the supported types (D-Bus Specification, Type System).
enum BusValue: Equatable {
    /// `s`
    case string(String)
    /// `b`
    case boolean(Bool)
    /// `u`
    case unsigned(UInt32)
    /// `v`
    indirect case variant(BusValue)
    /// `a{sv}`
    case properties([String: BusValue])
    /// `as`
    case strings([String])

    /// The type code in signatures.
    private var signature: String {
        switch self {
        case .string: "s"
        case .boolean: "b"
        case .unsigned: "u"
        case .variant: "v"
        case .properties: "a{sv}"
        case .strings: "as"
        }
    }

    /// The value without enclosing variants.
    var content: BusValue { if case .variant(let value) = self { value.content } else { self } }
    var boolean: Bool? { if case .boolean(let value) = content { value } else { nil } }
    var string: String? { if case .string(let value) = content { value } else { nil } }

    private static func code(_ character: Character) -> Int32 { Int32(character.asciiValue ?? 0) }

    func append(to iterator: inout DBusMessageIter) {
        switch self {
        case .string(let text):
            text.withCString { pointer in
                var pointer: UnsafePointer<CChar>? = pointer
                dbus_message_iter_append_basic(&iterator, Self.code("s"), &pointer)
            }
        case .boolean(let value):
            var value: dbus_bool_t = value ? 1 : 0
            dbus_message_iter_append_basic(&iterator, Self.code("b"), &value)
        case .unsigned(var value):
            dbus_message_iter_append_basic(&iterator, Self.code("u"), &value)
        case .variant(let value):
            Self.append("v", value.signature, to: &iterator) { value.append(to: &$0) }
        case .properties(let properties):
            Self.append("a", "{sv}", to: &iterator) { array in
                for (key, value) in properties {
                    Self.append("e", nil, to: &array) { entry in
                        BusValue.string(key).append(to: &entry)
                        BusValue.variant(value).append(to: &entry)
                    }
                }
            }
        case .strings(let strings):
            Self.append("a", "s", to: &iterator) { array in for text in strings { BusValue.string(text).append(to: &array) } }
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

    /// Reads the value at `iterator`. Returns nil for an unsupported type.
    init?(at iterator: inout DBusMessageIter) {
        switch dbus_message_iter_get_arg_type(&iterator) {
        case Self.code("s"):
            var pointer: UnsafePointer<CChar>?
            dbus_message_iter_get_basic(&iterator, &pointer)
            guard let pointer else { return nil }
            self = .string(String(cString: pointer))
        case Self.code("b"):
            var value: dbus_bool_t = 0
            dbus_message_iter_get_basic(&iterator, &value)
            self = .boolean(value != 0)
        case Self.code("u"):
            var value: UInt32 = 0
            dbus_message_iter_get_basic(&iterator, &value)
            self = .unsigned(value)
        case Self.code("v"):
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            guard let value = BusValue(at: &inner) else { return nil }
            self = .variant(value)
        default: return nil
        }
    }
}
