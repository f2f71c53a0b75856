import Foundation

/// A session bus with services on it that few test machines have: KDE's inhibition of notifications, and GNOME's screen
/// saver.
package struct FakeDesktop: Sendable {
    /// Prints what is asked of it: `inhibit NAME`, `uninhibit NUMBER`, `keep awake for NAME`. A line on its input,
    /// `lock` or `unlock`, locks the screen.
    package let service: Peer
    /// What a program needs to find it.
    package let environment: [String: String]

    /// Starts both, and waits until the services are on the bus.
    ///
    /// - Parameters:
    ///   - server: the name of the notification service.
    ///   - inhibits: false if the notification service does not support the inhibition of notifications.
    nonisolated(nonsending) package static func start(
        in peers: Peers, server: String = "fake", inhibits: Bool = true
    ) async throws -> FakeDesktop {
        let folder = try peers.makeFolder("bus")
        let bus = try peers.start(
            "dbus-daemon",
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/socket"],
            folder: folder)
        try await bus.wait(for: "its socket") { listens(at: folder + "/socket") }
        return try await start(on: "unix:path=\(folder)/socket", in: peers, server: server, inhibits: inhibits)
    }

    /// Starts the services on the bus at an address, and waits until they are there.
    nonisolated(nonsending) package static func start(
        on address: String, in peers: Peers, server: String = "fake", inhibits: Bool = true
    ) async throws -> FakeDesktop {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": address]
        // Debian's own Python: only that one has python3-gi.
        let service = try peers.start(
            "fake-desktop", ["/usr/bin/python3", "-u", "-c", script, server, inhibits ? "inhibits" : "no"],
            environment: environment, input: .pipe)
        _ = try await service.waitForOutputLine(containing: "ready")
        return FakeDesktop(service: service, environment: environment)
    }

    /// Locks the screen, or unlocks it.
    nonisolated(nonsending) package func setLocked(_ locked: Bool) async throws {
        try await service.write(Array((locked ? "lock\n" : "unlock\n").utf8))
    }

    private static let script = """
        import sys
        from gi.repository import Gio, GLib
        XML = '''<node>
        <interface name="org.freedesktop.Notifications">
          <method name="GetServerInformation"><arg type="s" direction="out"/><arg type="s" direction="out"/>
            <arg type="s" direction="out"/><arg type="s" direction="out"/></method>
          <method name="Inhibit"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
            <arg type="u" direction="out"/></method>
          <method name="UnInhibit"><arg type="u" direction="in"/></method>
        </interface>
        <interface name="org.freedesktop.ScreenSaver">
          <method name="Inhibit"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="u" direction="out"/></method>
        </interface>
        <interface name="org.gnome.ScreenSaver">
          <method name="GetActive"><arg type="b" direction="out"/></method>
          <signal name="ActiveChanged"><arg type="b"/></signal>
        </interface></node>'''
        locked = False
        owned = 0
        def call(bus, sender, path, interface, method, parameters, invocation):
            if method == "GetServerInformation":
                invocation.return_value(GLib.Variant("(ssss)", (sys.argv[1], "test", "1", "1.2")))
            elif interface == "org.freedesktop.ScreenSaver":
                print("keep awake for", parameters[0])
                invocation.return_value(GLib.Variant("(u)", (8,)))
            elif method == "Inhibit" and sys.argv[2] != "inhibits":
                invocation.return_dbus_error("org.freedesktop.DBus.Error.UnknownMethod", "This service does not inhibit.")
            elif method == "Inhibit":
                print("inhibit", parameters[0])
                invocation.return_value(GLib.Variant("(u)", (7,)))
            elif method == "UnInhibit":
                print("uninhibit", parameters[0])
                invocation.return_value(None)
            else:
                invocation.return_value(GLib.Variant("(b)", (locked,)))
        def said(channel, condition):
            global locked
            line = sys.stdin.readline()
            if not line:
                loop.quit()
                return False
            locked = line == "lock\\n"
            bus.emit_signal(None, "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver", "ActiveChanged", GLib.Variant("(b)", (locked,)))
            return True
        def acquired(*_):
            global owned
            owned += 1
            if owned == 3: print("ready")
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        for interface in Gio.DBusNodeInfo.new_for_xml(XML).interfaces:
            bus.register_object("/" + interface.name.replace(".", "/"), interface, call, None, None)
            Gio.bus_own_name_on_connection(bus, interface.name, 0, acquired, None)
        GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, said)
        loop = GLib.MainLoop()
        loop.run()
        """
}
