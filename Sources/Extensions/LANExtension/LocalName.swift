import Bus

/// The name of this computer in the local network, by mDNS (RFC 6762).
package enum LocalName {
    /// dbus-daemon(1): the system's bus.
    package static let systemBus = "unix:path=/run/dbus/system_bus_socket"
    private static let avahi = BusObject(service: "org.freedesktop.Avahi", path: "/")
    /// avahi-common/defs.h: `AVAHI_SERVER_RUNNING`. Before that, another computer can turn out to have the name.
    private static let running: Int32 = 2

    /// Asks Avahi for the name that it announces, such as `studio.local`. Blocks for some milliseconds, or for up to 7
    /// seconds if the bus hangs.
    ///
    /// - Parameter address: of the bus.
    /// - Returns: nil if Avahi does not run.
    package static func announced(onBus address: String = systemBus) -> String? {
        guard let bus = BusConnection(address: address),
            case .integer(running)? = ask(bus, "GetState"), case .string(let name)? = ask(bus, "GetHostNameFqdn"),
            LANSettings.isName(name)
        else { return nil }
        return name.lowercased()
    }

    private static func ask(_ bus: BusConnection, _ question: String) -> BusValue? {
        bus.call(avahi, "org.freedesktop.Avahi.Server", question)?.arguments.first
    }
}
