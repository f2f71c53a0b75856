import Bus
import Capture

/// What the desktop portal and PipeWire offer, for `broadcast doctor`. Nothing asks the user.
package struct PortalAbilities: Sendable, Equatable {
    /// The version of org.freedesktop.portal.ScreenCast.
    package var version: UInt32
    package var sharesMonitors: Bool
    package var sharesWindows: Bool
    /// The version of org.freedesktop.portal.GlobalShortcuts; nil if no backend has it.
    package var shortcuts: UInt32?
    /// The version of org.freedesktop.portal.Camera; nil without it.
    package var camera: UInt32?

    /// Asks the portal, which the bus may have to start first. This blocks for at most 25 s for a portal that does not
    /// answer.
    ///
    /// Throws what a start would throw.
    ///
    /// - Parameter busAddress: of the session bus; nil without one.
    package init(busAddress: String?) throws(PortalProblem) {
        guard PipeWireStream.isAvailable else { throw .noPipeWire }
        guard let busAddress, let bus = BusConnection(address: busAddress) else { throw .noSessionBus }
        let properties = PortalProperties(bus: bus)
        version = try properties.number("version", of: PortalCalls.screenCast)
        let types = try properties.number("AvailableSourceTypes", of: PortalCalls.screenCast)
        guard types != 0 else { throw .noBackend }
        sharesMonitors = types & PortalCalls.sourceType(.monitor) != 0
        sharesWindows = types & PortalCalls.sourceType(.window) != 0
        shortcuts = try? properties.number("version", of: "org.freedesktop.portal.GlobalShortcuts")
        camera = try? properties.number("version", of: "org.freedesktop.portal.Camera")
    }
}
