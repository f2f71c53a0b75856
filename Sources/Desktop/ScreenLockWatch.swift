/// Follows the screen savers and lockers of desktops, which tell on the session bus when they begin and end: `ActiveChanged`.
struct ScreenLockWatch {
    private static let interfaces = ["freedesktop", "gnome", "cinnamon", "mate", "xfce"].map { "org.\($0).ScreenSaver" }

    private let bus: SessionBus
    /// The unique names of those that are active.
    private var active: Set<String> = []

    var isLocked: Bool { !active.isEmpty }

    init(bus: SessionBus) {
        self.bus = bus
        // First the signals, then how it is: no change is missed.
        for interface in Self.interfaces { bus.subscribe("type='signal',interface='\(interface)',member='ActiveChanged'") }
        for interface in Self.interfaces {
            let object = BusObject(service: interface, path: "/" + interface.split(separator: ".").joined(separator: "/"))
            guard let reply = bus.call(object, interface, "GetActive"), reply.arguments.first?.boolean == true else { continue }
            follow(reply.sender)
        }
    }

    /// Takes note of a message, whichever it is. True where it changed whether the screen is locked.
    mutating func note(_ message: BusMessage) -> Bool {
        guard message.isSignal else { return false }
        let before = isLocked
        if message.member == "ActiveChanged", Self.interfaces.contains(message.interface) {
            if message.arguments.first?.boolean == true { follow(message.sender) } else { active.remove(message.sender) }
        }
        // Whoever leaves the bus locks nothing any more.
        if message.member == "NameOwnerChanged", message.sender == BusObject.bus.service {
            let names = message.arguments.compactMap(\.string)
            if names.count == 3, names[2].isEmpty { active.remove(names[0]) }
        }
        return isLocked != before
    }

    private mutating func follow(_ sender: String) {
        guard active.insert(sender).inserted else { return }
        bus.subscribe("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(sender)'")
        // It may have left before that was heard of.
        if !bus.hasOwner(sender) { active.remove(sender) }
    }
}
