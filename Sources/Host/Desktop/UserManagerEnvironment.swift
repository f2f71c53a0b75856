import Bus

/// The variables of systemd's user manager: a desktop session gives it those that programs of the session need
/// (systemd's D-Bus interface, org.freedesktop.systemd1.Manager, Environment).
package enum UserManagerEnvironment {
    /// Reads them. Empty without the manager. Blocks for at most some seconds.
    ///
    /// - Parameter busAddress: of the session bus.
    package static func variables(busAddress: String) -> [String: String] {
        guard let bus = BusConnection(address: busAddress) else { return [:] }
        let manager = BusObject(service: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1")
        let reply = bus.call(
            manager, "org.freedesktop.DBus.Properties", "Get",
            [.string("org.freedesktop.systemd1.Manager"), .string("Environment")])
        guard case .variant(.strings(let lines)) = reply?.arguments.first else { return [:] }
        var variables: [String: String] = [:]
        for line in lines {
            guard let end = line.firstIndex(of: "=") else { continue }
            variables[String(line[..<end])] = String(line[line.index(after: end)...])
        }
        return variables
    }
}
