import Bus

/// The do-not-disturb setting of a notification service. It remains set after the program that changed it exits.
struct QuietSwitch {
    /// The name in the `QuietRecord`.
    let name: String
    /// Returns true if notifications are suppressed, or nil if this service is not available.
    let isQuiet: () -> Bool?
    let setQuiet: (Bool) -> Void

    /// The supported services, in the order in which they are tried.
    static func known(on bus: BusConnection, server: String, run: @escaping ProgramRunner) -> [QuietSwitch] {
        [dunst(bus), swaync(bus)] + (server == "gnome-shell" ? [gnome(run)] : [])
    }

    /// dunst(5): the property `paused`.
    private static func dunst(_ bus: BusConnection) -> QuietSwitch {
        let property: [BusValue] = [.string("org.dunstproject.cmd0"), .string("paused")]
        let interface = "org.freedesktop.DBus.Properties"
        return QuietSwitch(
            name: "dunst", isQuiet: { bus.call(.notifications, interface, "Get", property)?.arguments.first?.boolean },
            setQuiet: { _ = bus.call(.notifications, interface, "Set", property + [.variant(.boolean($0))]) })
    }

    /// SwayNotificationCenter, with the calls that swaync-client(1) uses.
    private static func swaync(_ bus: BusConnection) -> QuietSwitch {
        let center = BusObject(service: "org.erikreider.swaync.cc", path: "/org/erikreider/swaync/cc")
        return QuietSwitch(
            name: "swaync", isQuiet: { bus.call(center, center.service, "GetDnd")?.arguments.first?.boolean },
            setQuiet: { _ = bus.call(center, center.service, "SetDnd", [.boolean($0)]) })
    }

    /// The setting of GNOME, if its shell is the notification service.
    private static func gnome(_ run: @escaping ProgramRunner) -> QuietSwitch {
        let setting = ["org.gnome.desktop.notifications", "show-banners"]
        return QuietSwitch(
            name: "gnome",
            isQuiet: {
                switch run(["gsettings", "get"] + setting)?.split(separator: "\n").first {
                case "true": false
                case "false": true
                default: nil
                }
            }, setQuiet: { _ = run(["gsettings", "set"] + setting + [$0 ? "false" : "true"]) })
    }
}

/// Runs a program from PATH and returns its output. Returns nil if the program failed or took too long.
package typealias ProgramRunner = @Sendable ([String]) -> String?
