import Bus

/// A permission that the desktop remembers as denied to this program, so that it is refused without a dialog
/// (xdg-desktop-portal, org.freedesktop.impl.portal.PermissionStore).
package struct PortalDenial: Sendable, Equatable {
    package var table: String
    /// The thing in the table: `camera`.
    package var id: String
    /// The name under which the desktop knows the program; empty for one that it does not know.
    package var application: String

    package init(table: String, id: String, application: String) {
        (self.table, self.id, self.application) = (table, id, application)
    }

    /// Of programs that are in no sandbox, and of KDE's.
    private static let tables = ["screencast", "screenshot", "devices", "remote-desktop", "kde-authorized"]
    private static let store = "org.freedesktop.impl.portal.PermissionStore"
    /// A token for each remembered choice of each program is in the store.
    private static let mostEntries = 256

    /// Reads the store. Empty without one.
    ///
    /// - Parameter busAddress: of the session bus.
    package static func all(busAddress: String) -> [PortalDenial] {
        guard let bus = BusConnection(address: busAddress) else { return [] }
        let store = BusObject(service: store, path: "/org/freedesktop/impl/portal/PermissionStore")
        func ask(_ method: String, _ arguments: [BusValue]) -> BusValue? {
            bus.call(store, Self.store, method, arguments, startsService: true)?.arguments.first
        }
        return tables.flatMap { table -> [PortalDenial] in
            guard case .strings(let ids) = ask("List", [.string(table)]) else { return [] }
            return ids.prefix(mostEntries).flatMap { id -> [PortalDenial] in
                (ask("Lookup", [.string(table), .string(id)])?.elements ?? []).compactMap { entry in
                    guard case .entry(.string(let application), .strings(let permissions)) = entry,
                        ["", PortalCalls.application].contains(application), permissions.contains("no")
                    else { return nil }
                    return PortalDenial(table: table, id: id, application: application)
                }
            }
        }
    }
}
