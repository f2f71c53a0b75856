import CDBus
import Glibc

/// A private connection to the desktop's session bus. One thread owns it and takes messages from it one at a time,
/// without callbacks.
final class SessionBus {
    private let connection: OpaquePointer
    /// The maximum time in milliseconds for an answer.
    private static let patience: Int32 = 800

    /// Connects to the bus at `address`. This blocks until the bus answers. Returns nil if no bus answers.
    init?(address: String) {
        dbus_threads_init_default()
        guard let connection = dbus_connection_open_private(address, nil) else { return nil }
        // The end of the desktop session must not end the broadcast.
        dbus_connection_set_exit_on_disconnect(connection, 0)
        guard dbus_bus_register(connection, nil) != 0 else {
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
            return nil
        }
        self.connection = connection
    }

    deinit {
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
    }

    /// Calls a method and waits for its answer. Returns nil for an error, or if there is no answer in time.
    func call(
        _ target: BusObject, _ interface: String, _ member: String, _ arguments: [BusValue] = [], startsService: Bool = false
    ) -> BusMessage? {
        guard let message = BusMessage.call(target, interface, member, arguments, startsService: startsService) else { return nil }
        let reply = BusMessage(dbus_connection_send_with_reply_and_block(connection, message.handle, Self.patience, nil))
        return reply.flatMap { $0.isError ? nil : $0 }
    }

    /// Returns true if the name has an owner on the bus.
    func hasOwner(_ name: String) -> Bool {
        call(.bus, BusObject.bus.service, "NameHasOwner", [.string(name)])?.arguments.first?.boolean == true
    }

    func send(_ message: BusMessage?) {
        guard let message else { return }
        dbus_connection_send(connection, message.handle, nil)
        dbus_connection_flush(connection)
    }

    /// Subscribes to the signals that match `rule` (D-Bus Specification, Match Rules).
    func subscribe(_ rule: String) {
        dbus_bus_add_match(connection, rule, nil)
        dbus_connection_flush(connection)
    }

    /// Waits for the next message. Returns nil when `descriptor` is readable. If the bus closed the connection, this
    /// waits only for `descriptor`.
    func nextMessage(unlessReadable descriptor: Int32) -> BusMessage? {
        while true {
            if let message = BusMessage(dbus_connection_pop_message(connection)) { return message }
            var own: Int32 = -1
            if dbus_connection_get_is_connected(connection) == 0 || dbus_connection_get_unix_fd(connection, &own) == 0 { own = -1 }
            var pollers = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: own, events: Int16(POLLIN), revents: 0)]
            if poll(&pollers, 2, -1) < 0 && errno != EINTR { return nil }
            if pollers[0].revents != 0 { return nil }
            if pollers[1].revents != 0 { dbus_connection_read_write(connection, 0) }
        }
    }
}
