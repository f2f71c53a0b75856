/// A notification service's do-not-disturb: a state that outlives whoever changes it.
struct QuietSwitch {
    /// What the record calls it.
    let name: String
    /// Whether notifications are held back now; nil where this service is not there.
    let isQuiet: () -> Bool?
    let setQuiet: (Bool) -> Void

    /// Those that are known, in the order in which they are tried.
    static func known(on bus: SessionBus, server: String, run: @escaping ProgramRunner) -> [QuietSwitch] {
        [dunst(bus), swaync(bus)] + (server == "gnome-shell" ? [gnome(run)] : [])
    }

    /// dunst(5): the property `paused`.
    private static func dunst(_ bus: SessionBus) -> QuietSwitch {
        let property: [BusValue] = [.string("org.dunstproject.cmd0"), .string("paused")]
        let interface = "org.freedesktop.DBus.Properties"
        return QuietSwitch(
            name: "dunst", isQuiet: { bus.call(.notifications, interface, "Get", property)?.arguments.first?.boolean },
            setQuiet: { _ = bus.call(.notifications, interface, "Set", property + [.variant(.boolean($0))]) })
    }

    /// SwayNotificationCenter, as swaync-client(1) asks it.
    private static func swaync(_ bus: SessionBus) -> QuietSwitch {
        let center = BusObject(service: "org.erikreider.swaync.cc", path: "/org/erikreider/swaync/cc")
        return QuietSwitch(
            name: "swaync", isQuiet: { bus.call(center, center.service, "GetDnd")?.arguments.first?.boolean },
            setQuiet: { _ = bus.call(center, center.service, "SetDnd", [.boolean($0)]) })
    }

    /// GNOME's setting, where its shell is the one that shows notifications.
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

/// Runs a program that is looked for in PATH, and gives what it printed; nil where it failed, or took too long.
package typealias ProgramRunner = @Sendable ([String]) -> String?
