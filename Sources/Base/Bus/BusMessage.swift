import CDBus

/// A D-Bus message (D-Bus Specification, Message Protocol). Use it on the thread of its connection.
package final class BusMessage {
    let handle: OpaquePointer

    /// Takes ownership of a reference.
    init?(_ handle: OpaquePointer?) {
        guard let handle else { return nil }
        self.handle = handle
    }

    deinit {
        dbus_message_unref(handle)
    }

    /// Creates a method call. If `startsService`, the bus starts the service if possible. Returns nil if the path,
    /// which can come from a service, is not valid: libdbus would end the process.
    package static func call(
        _ target: BusObject, _ interface: String, _ member: String, _ arguments: [BusValue], startsService: Bool
    ) -> BusMessage? {
        let paths = [target.path] + arguments.compactMap { if case .objectPath(let path) = $0 { path } else { nil } }
        guard paths.allSatisfy({ dbus_validate_path($0, nil) != 0 }) else { return nil }
        let message = BusMessage(dbus_message_new_method_call(target.service, target.path, interface, member))
        if let message { dbus_message_set_auto_start(message.handle, startsService ? 1 : 0) }
        return message?.with(arguments)
    }

    package static func signal(path: String, interface: String, member: String, _ arguments: [BusValue]) -> BusMessage?
    {
        BusMessage(dbus_message_new_signal(path, interface, member))?.with(arguments)
    }

    /// Creates the answer to this call.
    package func reply(_ arguments: [BusValue]) -> BusMessage? {
        BusMessage(dbus_message_new_method_return(handle))?.with(arguments)
    }

    package func errorReply(_ name: String, _ text: String) -> BusMessage? {
        BusMessage(dbus_message_new_error(handle, name, text))
    }

    private func with(_ arguments: [BusValue]) -> BusMessage {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(handle, &iterator)
        for argument in arguments { argument.append(to: &iterator) }
        return self
    }

    /// The arguments up to the first one with an unsupported type.
    package var arguments: [BusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(handle, &iterator) != 0 else { return [] }
        var values: [BusValue] = []
        while let value = BusValue(at: &iterator) {
            values.append(value)
            if dbus_message_iter_next(&iterator) == 0 { break }
        }
        return values
    }

    /// DBUS_MESSAGE_TYPE_METHOD_CALL, DBUS_MESSAGE_TYPE_SIGNAL and DBUS_MESSAGE_TYPE_ERROR (D-Bus Specification, Header
    /// Fields).
    package var isCall: Bool { dbus_message_get_type(handle) == 1 }
    package var isSignal: Bool { dbus_message_get_type(handle) == 4 }
    package var isError: Bool { dbus_message_get_type(handle) == 3 }
    package var wantsReply: Bool { isCall && dbus_message_get_no_reply(handle) == 0 }
    package var sender: String { Self.text(dbus_message_get_sender(handle)) }
    package var path: String { Self.text(dbus_message_get_path(handle)) }
    package var interface: String { Self.text(dbus_message_get_interface(handle)) }
    package var member: String { Self.text(dbus_message_get_member(handle)) }

    /// The name and the text of an error reply.
    var error: (name: String, text: String) {
        (Self.text(dbus_message_get_error_name(handle)), arguments.first?.string ?? "")
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}

/// An object on the bus that can be called.
package struct BusObject: Sendable {
    package var service: String
    package var path: String

    package init(service: String, path: String) {
        self.service = service
        self.path = path
    }

    package static let bus = BusObject(service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus")
}
