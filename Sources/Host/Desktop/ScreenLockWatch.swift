import Bus

/// Monitors the screen savers and lockers of desktops, which send the signal `ActiveChanged` on the session bus when
/// they start and end.
struct ScreenLockWatch {
    private static let interfaces = ["freedesktop", "gnome", "cinnamon", "mate", "xfce"].map { "org.\($0).ScreenSaver" }

    private let bus: BusConnection
    /// The unique names of the active ones.
    private var active: Set<String> = []

    var isLocked: Bool { !active.isEmpty }

    init(bus: BusConnection) {
        self.bus = bus
        // Subscribe before reading the state, so that no change is missed.
        for interface in Self.interfaces {
            bus.subscribe("type='signal',interface='\(interface)',member='ActiveChanged'")
        }
        for interface in Self.interfaces {
            let object = BusObject(
                service: interface, path: "/" + interface.split(separator: ".").joined(separator: "/"))
            guard let reply = bus.call(object, interface, "GetActive"), reply.arguments.first?.boolean == true else {
                continue
            }
            follow(reply.sender)
        }
    }

    /// Processes a message. Returns true if `isLocked` changed.
    mutating func note(_ message: BusMessage) -> Bool {
        guard message.isSignal else { return false }
        let before = isLocked
        if message.member == "ActiveChanged", Self.interfaces.contains(message.interface) {
            if message.arguments.first?.boolean == true {
                follow(message.sender)
            } else {
                active.remove(message.sender)
            }
        }
        // A program that left the bus no longer locks the screen.
        if message.member == "NameOwnerChanged", message.sender == BusObject.bus.service {
            let names = message.arguments.compactMap(\.string)
            if names.count == 3, names[2].isEmpty { active.remove(names[0]) }
        }
        return isLocked != before
    }

    private mutating func follow(_ sender: String) {
        guard active.insert(sender).inserted else { return }
        bus.subscribe("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(sender)'")
        // The program can have left before the subscription.
        if !bus.hasOwner(sender) { active.remove(sender) }
    }
}
