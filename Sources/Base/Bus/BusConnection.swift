import CDBus
import Concurrency
import Glibc

/// A private connection to a message bus: that of the desktop session, or that of the system. One thread owns it and
/// takes messages from it one at a time, without callbacks.
package final class BusConnection {
    private let connection: OpaquePointer
    /// The maximum time for an answer of a service that runs.
    package static let answerTimeout = Duration.milliseconds(800)

    /// The maximum time for the answer of the bus to a new connection. libdbus waits for ever for a bus that accepts
    /// the connection and does not sign it in.
    private static let openingLimit = Duration.seconds(5)

    /// Connects to the bus at `address`. This blocks for at most five seconds. Returns nil if no bus answers.
    package init?(address: String) {
        dbus_threads_init_default()
        let opened = TimedOpening.run(name: "open bus", within: Self.openingLimit) {
            Self.open(address)
        } discard: { connection in
            if let connection { Self.close(connection) }
        }
        guard let connection = opened ?? nil else { return nil }
        self.connection = connection
    }

    private static func open(_ address: String) -> OpaquePointer? {
        guard let connection = dbus_connection_open_private(address, nil) else { return nil }
        // The end of the desktop session must not end the broadcast.
        dbus_connection_set_exit_on_disconnect(connection, 0)
        guard dbus_bus_register(connection, nil) != 0 else {
            close(connection)
            return nil
        }
        return connection
    }

    private static func close(_ connection: OpaquePointer) {
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
    }

    deinit {
        Self.close(connection)
    }

    /// The name of this connection on the bus (`:1.42`).
    package var uniqueName: String { dbus_bus_get_unique_name(connection).map { String(cString: $0) } ?? "" }

    /// False once the bus has closed the connection.
    package var isConnected: Bool { dbus_connection_get_is_connected(connection) != 0 }

    /// Calls a method and waits for its answer. Returns nil for an error, or if there is no answer in time.
    package func call(
        _ target: BusObject, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        startsService: Bool = false
    ) -> BusMessage? {
        try? request(target, interface, member, arguments, startsService: startsService)
    }

    /// Calls a method and waits for its answer. Messages that arrive meanwhile are kept for `nextMessage`.
    ///
    /// - Parameter timeout: the maximum time for the answer.
    package func request(
        _ target: BusObject, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        startsService: Bool = false,
        within timeout: Duration = answerTimeout
    ) throws(BusError) -> BusMessage {
        guard let message = BusMessage.call(target, interface, member, arguments, startsService: startsService) else {
            throw .noAnswer
        }
        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard
            let reply = BusMessage(
                dbus_connection_send_with_reply_and_block(connection, message.handle, timeout.pollTime, &error))
        else {
            guard isConnected else { throw .disconnected }
            let name = error.name.map { String(cString: $0) } ?? ""
            if name == "org.freedesktop.DBus.Error.NoReply" { throw .noAnswer }
            throw .refused(name: name, text: error.message.map { String(cString: $0) } ?? "")
        }
        guard !reply.isError else { throw .refused(name: reply.error.name, text: reply.error.text) }
        return reply
    }

    /// Returns true if the name has an owner on the bus.
    package func hasOwner(_ name: String) -> Bool {
        call(.bus, BusObject.bus.service, "NameHasOwner", [.string(name)])?.arguments.first?.boolean == true
    }

    package func send(_ message: BusMessage?) {
        guard let message else { return }
        dbus_connection_send(connection, message.handle, nil)
        dbus_connection_flush(connection)
    }

    /// Subscribes to the signals that match `rule` (D-Bus Specification, Match Rules).
    package func subscribe(_ rule: String) {
        dbus_bus_add_match(connection, rule, nil)
        dbus_connection_flush(connection)
    }

    /// Waits for the next message. Returns nil when `descriptor` is readable. If the bus closed the connection, this
    /// waits only for `descriptor`.
    package func nextMessage(unlessReadable descriptor: Int32) -> BusMessage? {
        while true {
            if let message = BusMessage(dbus_connection_pop_message(connection)) { return message }
            guard wait(for: descriptor, milliseconds: -1) == .busReadable else { return nil }
        }
    }

    /// Waits for the next message, at most for `limit`. Returns nil after that, when `descriptor` is readable, and if
    /// the bus closed the connection.
    package func nextMessage(within limit: Duration, unlessReadable descriptor: Int32) -> BusMessage? {
        let end = ContinuousClock.now + limit
        while true {
            if let message = BusMessage(dbus_connection_pop_message(connection)) { return message }
            guard isConnected else { return nil }
            let rest = max(.zero, end - .now)
            guard wait(for: descriptor, milliseconds: rest.pollTime) == .busReadable else { return nil }
        }
    }

    private enum Wakeup {
        case descriptorReadable
        case busReadable
        case timeOut
    }

    /// Waits until `descriptor` or the connection is readable, and reads what the bus sent.
    private func wait(for descriptor: Int32, milliseconds: Int32) -> Wakeup {
        while true {
            var own: Int32 = -1
            if !isConnected || dbus_connection_get_unix_fd(connection, &own) == 0 { own = -1 }
            var pollers = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: own, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&pollers, 2, milliseconds)
            if count < 0 && errno == EINTR { continue }
            if count < 0 || pollers[0].revents != 0 { return .descriptorReadable }
            if count == 0 { return .timeOut }
            dbus_connection_read_write(connection, 0)
            return .busReadable
        }
    }
}

extension Duration {
    /// Milliseconds, rounded up, for poll(2).
    fileprivate var pollTime: Int32 { Int32((min(self, .seconds(100_000)) / .milliseconds(1)).rounded(.up)) }
}

/// Why a call on the bus has no result.
package enum BusError: Error, Equatable, Sendable {
    /// No answer arrived in time.
    case noAnswer
    /// The bus closed the connection.
    case disconnected
    /// The service, or the bus if there is no such service, answered with an error. `name` is for programs
    /// (`org.freedesktop.DBus.Error.ServiceUnknown`), `text` for people.
    case refused(name: String, text: String)
}
