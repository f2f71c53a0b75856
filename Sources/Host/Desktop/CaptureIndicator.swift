import Bus

/// Reports to desktop indicators that the screen is captured, with the property `Captured` of `org.broadcast.Broadcast`
/// on the session bus.
///
/// One session owns the name, and others wait in its queue. When the owner releases it or dies, the bus passes it to
/// the next session. If the name has no owner, nothing is captured.
struct CaptureIndicator {
    static let name = "org.broadcast.Broadcast"
    private static let path = "/org/broadcast/Broadcast"
    private static let properties = "org.freedesktop.DBus.Properties"

    private let bus: BusConnection
    private var isCaptured = true

    /// Requests the name.
    init(bus: BusConnection) {
        self.bus = bus
        _ = bus.call(.bus, BusObject.bus.service, "RequestName", [.string(Self.name), .unsigned(0)])
    }

    /// Sets `Captured` to false and releases the name, which the next session in the queue receives.
    mutating func end() {
        isCaptured = false
        tellChange()
        _ = bus.call(.bus, BusObject.bus.service, "ReleaseName", [.string(Self.name)])
    }

    /// Processes a message and answers calls.
    func handle(_ message: BusMessage) {
        if message.isSignal, message.member == "NameAcquired", message.arguments.first?.string == Self.name {
            tellChange()
        }
        if message.wantsReply { bus.send(answer(to: message)) }
    }

    private func answer(to call: BusMessage) -> BusMessage? {
        let arguments = call.arguments.compactMap(\.string)
        switch (call.interface, call.member) {
        case ("org.freedesktop.DBus.Peer", "Ping"): return call.reply([])
        case ("org.freedesktop.DBus.Introspectable", "Introspect"): return call.reply([.string(Self.introspection)])
        case (Self.properties, "Get") where call.path == Self.path && arguments == [Self.name, "Captured"]:
            return call.reply([.variant(.boolean(isCaptured))])
        case (Self.properties, "GetAll") where call.path == Self.path && arguments == [Self.name]:
            return call.reply([.properties(["Captured": .boolean(isCaptured)])])
        case (Self.properties, "Set"):
            return call.errorReply("org.freedesktop.DBus.Error.PropertyReadOnly", "Nothing can be set here.")
        default:
            return call.errorReply(
                "org.freedesktop.DBus.Error.UnknownMethod", "The object has no such method or property.")
        }
    }

    private func tellChange() {
        bus.send(
            .signal(
                path: Self.path, interface: Self.properties, member: "PropertiesChanged",
                [.string(Self.name), .properties(["Captured": .boolean(isCaptured)]), .strings([])]))
    }

    private static let introspection = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node name="\(path)">
          <interface name="\(name)"><property name="Captured" type="b" access="read"/></interface>
          <interface name="\(properties)">
            <method name="Get"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
            <method name="GetAll"><arg type="s" direction="in"/><arg type="a{sv}" direction="out"/></method>
            <signal name="PropertiesChanged"><arg type="s"/><arg type="a{sv}"/><arg type="as"/></signal>
          </interface>
        </node>
        """
}
