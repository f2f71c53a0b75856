import CDBus

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
