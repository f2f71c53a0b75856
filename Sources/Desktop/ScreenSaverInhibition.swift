/// Asks the desktop that no idle screen saver comes (Idle Inhibition Service, org.freedesktop.ScreenSaver), as players do while a film runs.
enum ScreenSaverInhibition {
    private static let service = BusObject(service: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver")

    /// Holds until `bus` is left, also by a crash. Where nobody has such a service there is nothing to be kept away.
    static func ask(_ bus: SessionBus) {
        guard bus.hasOwner(service.service) else { return }
        _ = bus.call(service, service.service, "Inhibit", [.string("broadcast"), .string("The screen is being broadcast")])
    }
}
