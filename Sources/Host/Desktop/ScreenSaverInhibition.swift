import Bus

/// Inhibits the idle screen saver (Idle Inhibition Service, org.freedesktop.ScreenSaver), as video players do.
enum ScreenSaverInhibition {
    private static let service = BusObject(service: "org.freedesktop.ScreenSaver", path: "/org/freedesktop/ScreenSaver")

    /// Inhibits the screen saver until `bus` is closed, also after a crash. Does nothing if no such service runs.
    static func ask(_ bus: BusConnection) {
        guard bus.hasOwner(service.service) else { return }
        _ = bus.call(
            service, service.service, "Inhibit", [.string("broadcast"), .string("The screen is being broadcast")])
    }
}
