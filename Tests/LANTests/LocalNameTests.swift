import LANExtension
import TestSupport
import Testing

/// The question to Avahi. The service on the bus has Avahi's interface; avahi-daemon itself runs only as root.
struct LocalNameTests {
    private static let service = """
        import sys
        from gi.repository import Gio, GLib
        XML = '''<node><interface name="org.freedesktop.Avahi.Server">
          <method name="GetState"><arg type="i" direction="out"/></method>
          <method name="GetHostNameFqdn"><arg type="s" direction="out"/></method>
        </interface></node>'''
        state, name = int(sys.argv[2]), sys.argv[3]
        def call(connection, sender, path, interface, method, parameters, invocation):
            answer = GLib.Variant('(i)', (state,)) if method == 'GetState' else GLib.Variant('(s)', (name,))
            invocation.return_value(answer)
        flags = Gio.DBusConnectionFlags
        bus = Gio.DBusConnection.new_for_address_sync(
            sys.argv[1], flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION, None, None)
        bus.register_object('/', Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], call)
        Gio.bus_own_name_on_connection(
            bus, 'org.freedesktop.Avahi', Gio.BusNameOwnerFlags.NONE, lambda *_: print('ready', flush=True), None)
        GLib.MainLoop().run()
        """

    @Test(
        arguments: [
            (state: 2, name: "Studio.local", answer: "studio.local"), (state: 1, name: "studio.local", answer: nil),
            (state: 2, name: "studio.local\r\nX: y", answer: nil), (state: 2, name: "", answer: nil),
        ] as [(state: Int, name: String, answer: String?)])
    func `The name is that of an Avahi that has found out that no other computer has it`(
        state: Int, name: String, answer: String?
    ) async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("bus")
            let address = "unix:path=\(folder)/socket"
            let bus = try peers.start(
                "dbus-daemon", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)"],
                folder: folder)
            try await bus.wait(for: "its socket") { listens(at: folder + "/socket") }
            #expect(LocalName.announced(onBus: address) == nil)
            // Debian's own Python: only that one has python3-gi.
            let service = try peers.start(
                "avahi", ["/usr/bin/python3", "-u", "-c", Self.service, address, "\(state)", name])
            _ = try await service.waitForOutputLine(containing: "ready")
            #expect(LocalName.announced(onBus: address) == answer)
        }
    }

    @Test func `Without a bus, there is no name`() {
        #expect(LocalName.announced(onBus: "unix:path=/nonexistent/bus") == nil)
    }
}
