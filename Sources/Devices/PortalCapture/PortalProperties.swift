import Bus
import Capture

/// The properties of the desktop portal, which say what it can do. Reading them shows no dialog.
struct PortalProperties {
    private static let properties = "org.freedesktop.DBus.Properties"

    let bus: BusConnection
    /// For an answer of the portal, which the bus may have to start first.
    var answerLimit = Duration.seconds(25)

    /// Reads a number. Returns 0 for a property of another type.
    ///
    /// Throws `noBackend` if the portal runs and does not implement the interface.
    func number(_ name: String, of interface: String) throws(PortalProblem) -> UInt32 {
        do throws(BusError) {
            let reply = try bus.request(
                PortalCalls.portal, Self.properties, "Get", [.string(interface), .string(name)],
                startsService: true, within: answerLimit)
            return reply.arguments.first?.unsigned ?? 0
        } catch .refused(let error, _)
            where error.hasSuffix(".InvalidArgs") || error.hasSuffix(".UnknownInterface")
            || error.hasSuffix(".UnknownProperty") || error.hasSuffix(".UnknownMethod")
        {
            // The portal runs, and no backend implements screen casts.
            throw .noBackend
        } catch .refused(let error, let text) {
            if error.isEmpty || error.hasSuffix(".ServiceUnknown") || error.hasSuffix(".NameHasNoOwner") {
                throw .noPortal
            }
            throw isGraphicalSessionInactive ? .noGraphicalSession(text) : .portalFails(text)
        } catch {
            throw error.problem
        }
    }

    /// True if systemd's target for graphical sessions is not active. xdg-desktop-portal requires it from version 1.22
    /// on, and compositors that are started by hand do not activate it.
    private var isGraphicalSessionInactive: Bool {
        let systemd = "org.freedesktop.systemd1"
        let manager = BusObject(service: systemd, path: "/org/freedesktop/systemd1")
        guard bus.hasOwner(systemd) else { return false }
        // A unit that is not loaded is not active.
        guard
            let unit = bus.call(manager, systemd + ".Manager", "GetUnit", [.string("graphical-session.target")])?
                .arguments.first?.string
        else {
            return true
        }
        let state = bus.call(
            BusObject(service: systemd, path: unit), Self.properties, "Get",
            [.string(systemd + ".Unit"), .string("ActiveState")])
        return state?.arguments.first?.string != "active"
    }
}
