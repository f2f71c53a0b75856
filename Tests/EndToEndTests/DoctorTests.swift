import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast doctor` on a machine where everything works, and on machines that the tests break.
    struct DoctorTests {
        /// A line of the answer in JSON.
        private struct Check: Decodable {
            let check: String
            let level: String
            let text: String
        }

        private struct Answer: Decodable {
            let checks: [Check]
        }

        private nonisolated(nonsending) func examine(_ broadcast: BroadcastCommand, _ arguments: [String] = [])
            async throws -> [Check]
        {
            let result = try await broadcast.run(["doctor", "--json"] + arguments, deadline: .seconds(60))
            let checks = try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8)).checks
            let isWrong = checks.contains { $0.level == "wrong" }
            #expect(result.status == .exited(isWrong ? 1 : 0) && result.errors.isEmpty == !isWrong, "\(result)")
            return checks
        }

        /// Expects that exactly one check is not ok, and that its text has these words.
        private func expectOnly(
            _ check: String, _ level: String, in checks: [Check], saying words: [String],
            beside expected: Set<String> = [], location: SourceLocation = #_sourceLocation
        ) {
            // How fast the encoder is depends on the machine of the test.
            let faults = checks.filter { $0.level != "ok" && $0.check != "encoder" && !expected.contains($0.check) }
            #expect(faults.map(\.check) == [check], "\(faults)", sourceLocation: location)
            guard let fault = faults.first else { return }
            #expect(fault.level == level, "\(fault)", sourceLocation: location)
            #expect(words.allSatisfy(fault.text.contains), "\(fault)", sourceLocation: location)
        }

        /// What a machine without a session bus says besides.
        private static let withoutBus: Set<String> = ["notifications"]

        // MARK: A good machine

        @Test func `On a desktop where everything works, nothing is a warning or wrong`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 360)
                let pulse = try await PulseServer.start(in: peers)
                let daemon = try await NotificationDaemon.start(in: peers, on: screen)
                let server = try await NginxRTMP.start(in: peers)
                var broadcast = try BroadcastCommand(in: peers, display: screen.display, pulse: pulse)
                broadcast.environment.merge(daemon.environment) { $1 }
                let checks = try await examine(broadcast, [server.url(key: "key")])
                // The desktop of the test has no keyring, and its machine can be slow.
                let others = ["keyring", "encoder"]
                #expect(checks.filter { $0.level != "ok" && !others.contains($0.check) }.isEmpty, "\(checks)")
                #expect(
                    Set(checks.map(\.check)).isSuperset(of: [
                        "display", "shared-memory", "windows", "sound", "microphone", "keyring", "notifications",
                        "certificates", "clock", "folders", "configuration", "extensions", "disk", "encoder",
                        "destination", "server",
                    ]), "\(checks)")
                #expect(checks.first { $0.check == "display" }?.text.contains("640x360") == true)
                #expect(try await !server.isPublishing(key: "key"))
                #expect(!"\(checks)".contains("/key"), "\(checks)")
                let text = try await broadcast.run(["doctor"], deadline: .seconds(60))
                #expect(text.status == .exited(0) && text.output.hasPrefix("ok      display: X11 display"), "\(text)")
            }
        }

        // MARK: Pictures

        @Test func `Without a display, it says how to name one`() async throws {
            try await withPeers { peers in
                let pulse = try await PulseServer.start(in: peers)
                let checks = try await examine(BroadcastCommand(in: peers, pulse: pulse))
                expectOnly(
                    "display", "wrong", in: checks, saying: ["No display", "--display"], beside: Self.withoutBus)
            }
        }

        @Test func `An X server without shared memory is a warning`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(
                    in: peers, width: 640, height: 360, arguments: ["-extension", "MIT-SHM"])
                let pulse = try await PulseServer.start(in: peers)
                let checks = try await examine(BroadcastCommand(in: peers, display: screen.display, pulse: pulse))
                expectOnly("shared-memory", "warning", in: checks, saying: ["MIT-SHM"], beside: Self.withoutBus)
            }
        }

        @Test(arguments: [
            (nil, "Install the package xdg-desktop-portal"), (["none=yes"], "xdg-desktop-portal-gnome, -kde"),
            (["types=0"], "xdg-desktop-portal-gnome, -kde"),
        ])
        func `A Wayland desktop without a portal, or with one that shares nothing`(portal: [String]?, words: String)
            async throws
        {
            try await withWaylandMachine(portal: portal) { _, broadcast in
                expectOnly(
                    "portal", "wrong", in: try await examine(broadcast), saying: [words], beside: Self.withoutServices)
            }
        }

        @Test func `The backend of the portal is named, and two that compete are a warning`() async throws {
            try await withPeers { peers in
                let desktop = try await SharedDesktop.start(in: peers)
                let pulse = try await PulseServer.start(in: peers)
                var broadcast = try desktop.broadcast()
                broadcast.environment["PULSE_SERVER"] = pulse.environment["PULSE_SERVER"]
                let data = try peers.makeFolder("data")
                broadcast.environment["XDG_DATA_DIRS"] = data
                broadcast.environment["XDG_CURRENT_DESKTOP"] = "Hyprland"
                let portals = data + "/xdg-desktop-portal/portals"
                try FileManager.default.createDirectory(atPath: portals, withIntermediateDirectories: true)
                for name in ["wlr", "hyprland"] {
                    let text = """
                        [portal]
                        DBusName=org.freedesktop.impl.portal.desktop.\(name)
                        Interfaces=org.freedesktop.impl.portal.Screenshot;org.freedesktop.impl.portal.ScreenCast
                        UseIn=sway;Hyprland
                        """
                    try text.write(toFile: portals + "/\(name).portal", atomically: true, encoding: .utf8)
                }
                expectOnly(
                    "portal-backend", "warning", in: try await examine(broadcast),
                    saying: ["hyprland, but wlr", "portals.conf"], beside: ["keyring", "notifications"])
                let preferred = "[preferred]\ndefault=hyprland\n"
                let file = data + "/xdg-desktop-portal/hyprland-portals.conf"
                try preferred.write(toFile: file, atomically: true, encoding: .utf8)
                let checks = try await examine(broadcast)
                let backend = checks.first { $0.check == "portal-backend" }
                #expect(backend?.level == "ok" && backend?.text == "hyprland, as \(file) says", "\(checks)")
            }
        }

        @Test func `A portal that systemd does not start is wrong, with what starts it`() async throws {
            try await withWaylandMachine(portal: nil) { desktop, broadcast in
                let systemd = try desktop.peers.start(
                    "systemd", ["/usr/bin/python3", "-u", SharedDesktop.program("systemd.py"), "inactive"],
                    environment: desktop.environment)
                _ = try await systemd.waitForOutputLine(containing: "ready")
                let folder = try #require(desktop.environment["XDG_RUNTIME_DIR"])
                let service = "[D-BUS Service]\nName=org.freedesktop.portal.Desktop\nExec=/bin/false\n"
                try service.write(toFile: folder + "/services/portal.service", atomically: true, encoding: .utf8)
                expectOnly(
                    "portal", "wrong", in: try await examine(broadcast),
                    saying: ["graphical-session.target", "desktop-session.target"], beside: Self.withoutServices)
            }
        }

        @Test func `PipeWire that does not run is wrong`() async throws {
            try await withWaylandMachine { desktop, broadcast in
                let good = try await examine(broadcast).first { $0.check == "pipewire" }
                #expect(good?.level == "ok" && good?.text == "runs, with wireplumber", "\(String(describing: good))")
                try await desktop.pipeWire.killNow()
                expectOnly(
                    "pipewire", "wrong", in: try await examine(broadcast), saying: ["PipeWire does not run"],
                    beside: Self.withoutServices)
            }
        }

        @Test func `What the desktop remembers as denied is a warning, with the command that forgets it`() async throws
        {
            try await withWaylandMachine { desktop, broadcast in
                let store = try desktop.peers.start(
                    "store", ["/usr/libexec/xdg-permission-store"], environment: desktop.environment)
                let name = "org.freedesktop.impl.portal.PermissionStore"
                let path = "/org/freedesktop/impl/portal/PermissionStore"
                try await desktop.peers.run(
                    "wait", ["gdbus", "wait", "--session", "--timeout", "30", name], environment: desktop.environment)
                func call(_ method: String, _ arguments: [String]) async throws {
                    try await desktop.peers.run(
                        "gdbus",
                        ["gdbus", "call", "--session", "--dest", name, "--object-path", path, "--method"]
                            + ["\(name).\(method)"] + arguments,
                        environment: desktop.environment)
                }
                // Of another program.
                try await call("SetPermission", ["devices", "true", "camera", "org.other.Program", "['no']"])
                try await call("SetPermission", ["screenshot", "true", "screenshot", "''", "['yes']"])
                let checks = try await examine(broadcast)
                let good = checks.first { $0.check == "permissions" }
                #expect(good?.level == "ok", "\(checks)")
                try await call("SetPermission", ["screenshot", "true", "screenshot", "''", "['no']"])
                expectOnly(
                    "permissions", "warning", in: try await examine(broadcast),
                    saying: ["screenshot (screenshot)", "DeletePermission sss screenshot screenshot ''"],
                    beside: Self.withoutServices)
                try await desktop.peers.run(
                    "busctl",
                    ["busctl", "--user", "call", name, path, name, "DeletePermission"]
                        + ["sss", "screenshot", "screenshot", ""],
                    environment: desktop.environment)
                #expect(try await examine(broadcast).first { $0.check == "permissions" }?.level == "ok")
                try await store.killNow()
            }
        }

        /// A Wayland desktop where everything works but the keyring and notifications.
        private nonisolated(nonsending) func withWaylandMachine(
            portal: [String]? = [], _ body: (SharedDesktop, BroadcastCommand) async throws -> Void
        ) async throws {
            try await withPeers { peers in
                let desktop = try await SharedDesktop.start(portal: portal, in: peers)
                let pulse = try await PulseServer.start(in: peers)
                var broadcast = try desktop.broadcast()
                broadcast.environment["PULSE_SERVER"] = pulse.environment["PULSE_SERVER"]
                // What is installed on this machine does not count.
                broadcast.environment["XDG_DATA_DIRS"] = broadcast.home
                broadcast.environment["PIPEWIRE_RUNTIME_DIR"] = desktop.environment["XDG_RUNTIME_DIR"]
                // The display of the session, which is not connected to.
                let folder = try #require(broadcast.environment["XDG_RUNTIME_DIR"])
                try Data().write(to: URL(fileURLWithPath: folder + "/wayland-0"))
                try await body(desktop, broadcast)
            }
        }

        private static let withoutServices: Set<String> = ["keyring", "notifications"]

        // MARK: Sound and files

        @Test func `A sound server that hangs is as good as none`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 360)
                let pulse = try await PulseServer.start(in: peers)
                let broadcast = try BroadcastCommand(in: peers, display: screen.display, pulse: pulse)
                pulse.peer.signal(SIGSTOP)
                defer { pulse.peer.signal(SIGCONT) }
                expectOnly(
                    "sound", "wrong", in: try await examine(broadcast), saying: ["no sound", "pipewire"],
                    beside: Self.withoutBus)
            }
        }

        @Test func `Without a sound server, a broadcast would be silent`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 360)
                let checks = try await examine(BroadcastCommand(in: peers, display: screen.display))
                expectOnly("sound", "wrong", in: checks, saying: ["no sound", "pipewire"], beside: Self.withoutBus)
            }
        }

        @Test func `A runtime folder that cannot be written to is named`() async throws {
            try await withBrokenMachine { broadcast, _ in
                let folder = broadcast.home + "/run"
                chmod(folder, 0o500)
                defer { chmod(folder, 0o700) }
                let checks = try await examine(broadcast)
                expectOnly("folders", "wrong", in: checks, saying: [folder], beside: Self.withoutBus)
            }
        }

        @Test func `A full disk is named, with the folder`() async throws {
            try await withBrokenMachine { broadcast, peers in
                let folder = try peers.makeFolder("full")
                let probe = try peers.start("unshare", ["unshare", "-Urm", "true"])
                // Some systems forbid the namespaces of users, which the test needs to mount a small disk.
                guard try await probe.waitForExit() == .exited(0) else { return }
                let script = "mount -t tmpfs -o size=1m none \(folder) && cd \(folder) && exec \"$0\" doctor --json"
                let peer = try peers.start(
                    "doctor", ["unshare", "-Urm", "sh", "-c", script, broadcast.binary],
                    environment: broadcast.environment)
                #expect(try await peer.waitForExit(deadline: .seconds(60)) == .exited(1))
                let checks = try JSONDecoder().decode(Answer.self, from: Data(peer.standardOutput.utf8)).checks
                expectOnly(
                    "disk", "wrong", in: checks, saying: [folder, "No space left"],
                    beside: Self.withoutBus.union(["extensions"]))
            }
        }

        @Test func `A clock before the time of the build is wrong`() async throws {
            try await withBrokenMachine { broadcast, peers in
                let path = try peers.makeFolder("program") + "/broadcast"
                try FileManager.default.copyItem(atPath: broadcast.binary, toPath: path)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date() + 3 * 86_400], ofItemAtPath: path)
                let peer = try peers.start("doctor", [path, "doctor", "--json"], environment: broadcast.environment)
                #expect(try await peer.waitForExit(deadline: .seconds(60)) == .exited(1))
                let checks = try JSONDecoder().decode(Answer.self, from: Data(peer.standardOutput.utf8)).checks
                expectOnly(
                    "clock", "wrong", in: checks, saying: ["clock", "timedatectl"],
                    beside: Self.withoutBus.union(["extensions"]))
            }
        }

        // MARK: Configuration and destinations

        @Test func `An invalid configuration and a missing extension are named with their line`() async throws {
            try await withBrokenMachine { broadcast, _ in
                try broadcast.writeConfiguration("[video]\nfps = \"fast\"\n")
                expectOnly(
                    "configuration", "wrong", in: try await examine(broadcast), saying: ["config.toml:2", "fps"],
                    beside: Self.withoutBus)
                try broadcast.writeConfiguration("[destinations.web]\nextension = \"nosuch\"\n")
                expectOnly(
                    "configuration", "wrong", in: try await examine(broadcast), saying: ["config.toml:2", "nosuch"],
                    beside: Self.withoutBus)
            }
        }

        @Test func `A destination without a key, and one whose server is not there, are named`() async throws {
            try await withBrokenMachine { broadcast, _ in
                let port = try freePort()
                try broadcast.writeConfiguration(
                    """
                    [destinations.mine]
                    extension = "rtmp"
                    url = "rtmp://127.0.0.1:\(port)/live"

                    [destinations.other]
                    extension = "rtmp"
                    url = "rtmp://127.0.0.1:\(port)/live"
                    key-command = "echo s3cret"
                    """)
                let checks = try await examine(broadcast, ["mine"])
                expectOnly(
                    "destination", "wrong", in: checks, saying: ["broadcast setup mine"], beside: Self.withoutBus)
                let refused = try await examine(broadcast, ["other"])
                expectOnly(
                    "server", "wrong", in: refused, saying: ["127.0.0.1", "\(port)", "check the address"],
                    beside: Self.withoutBus)
                #expect(!"\(refused)".contains("s3cret"))
            }
        }

        @Test func `A line is measured under a name of its own, and what it carries is written down`() async throws {
            try await withBrokenMachine { broadcast, peers in
                let server = try await NginxRTMP.start(in: peers)
                let port = try await SlowLine.open(to: server.port, rate: 5000, in: peers)
                try broadcast.writeConfiguration(
                    """
                    # My server.
                    [destinations.mine]
                    extension = "rtmp"
                    url = "rtmp://127.0.0.1:\(port)/live"
                    key-command = "echo s3cret"
                    """)
                let unasked = try await broadcast.run(["doctor", "--line", "mine"])
                #expect(unasked.status == .exited(64) && unasked.errors.contains("--yes"))
                let doctor = try broadcast.start(["doctor", "--line", "--yes", "--apply", "mine"])
                try await doctor.wait(for: "the test's stream") {
                    try await server.statistics().contains("broadcast-line-test-")
                }
                #expect(try await !server.isPublishing(key: "s3cret"))
                #expect(try await doctor.waitForExit(deadline: .seconds(60)) == .exited(0))
                // The line carries 5000 kbit/s, with what RTMP and TCP add.
                let output = doctor.standardOutput
                let rate = try #require(output.firstMatch(of: /took (\d+) kbit\/s/).flatMap { Int($0.1) }, "\(output)")
                #expect((4000...5600).contains(rate), "\(output)")
                let bitrate = (rate * 7 / 10 - 160) / 100 * 100
                // The screen of the test is smaller than what the line carries.
                #expect(output.contains("--bitrate \(bitrate) leaves room"), "\(output)")
                let text = try String(
                    contentsOfFile: broadcast.home + "/config/broadcast/config.toml", encoding: .utf8)
                #expect(text.hasPrefix("# My server.") && text.contains("bitrate = \(bitrate)"), "\(text)")
                #expect(!text.contains("size ="), "\(text)")
                // Nothing is left on the server.
                try await doctor.wait(for: "the end of the stream") {
                    try await !server.statistics().contains("broadcast-line-test-")
                }
            }
        }

        @Test func `A line that carries almost nothing is too slow, and the test ends`() async throws {
            try await withBrokenMachine { broadcast, peers in
                let server = try await NginxRTMP.start(in: peers)
                let port = try await SlowLine.open(to: server.port, rate: 100, in: peers)
                let address = "rtmp://127.0.0.1:\(port)/live"
                let checks = try await examine(broadcast, ["--line", "--yes", address])
                expectOnly("line", "wrong", in: checks, saying: ["too slow"], beside: Self.withoutBus)
                #expect(!"\(checks)".contains("stream name of its own"))
            }
        }

        @Test func `A line that is measured needs a destination, and a file has none`() async throws {
            try await withBrokenMachine { broadcast, _ in
                for arguments in [
                    ["--line"], ["--apply", "a.mp4"], ["--yes"], ["--line", "--apply", "a.mp4", "b.mp4"],
                ] {
                    #expect(try await broadcast.run(["doctor"] + arguments).status == .exited(64))
                }
                let checks = try await examine(broadcast, ["--line", "--yes", "/tmp/a.mp4"])
                #expect(!checks.contains { $0.check == "line" })
                let unwritten = try await broadcast.run(["doctor", "--line", "--yes", "--apply", "/tmp/a.mp4"])
                #expect(unwritten.status == .exited(1) && unwritten.errors.contains("nothing was written"))
            }
        }

        @Test(arguments: [("rtmp", "rtmps", "live"), ("whip", "https", "whip"), ("hls", "https", "live/")])
        func `An expired certificate is named, and a good one with its days`(
            name: String, scheme: String, path: String
        ) async throws {
            try await withBrokenMachine { broadcast, peers in
                try await ShippedExtensions.lay(in: peers)
                let certificates = try await Certificates.make(in: peers)
                let server = try await NginxRTMP.start(in: peers)
                let old = try await certificates.server(
                    names: "DNS:localhost", validity: ("20200101000000Z", "20200201000000Z"))
                let expired = try await Stunnel.start(in: peers, certificate: old, to: server.port)
                let good = try await Stunnel.start(
                    in: peers, certificate: certificates.server(names: "DNS:localhost"), to: server.port)
                for (port, isGood) in [(expired.port, false), (good.port, true)] {
                    try broadcast.writeConfiguration(
                        """
                        [destinations.mine]
                        extension = "\(name)"
                        url = "\(scheme)://localhost:\(port)/\(path)"
                        \(name == "rtmp" ? "key-command = \"echo key\"" : "")
                        ca-file = "\(certificates.authority)"
                        """)
                    let checks = try await examine(broadcast, ["mine"])
                    if isGood {
                        #expect(
                            checks.last?.check == "server"
                                && checks.last?.text.contains("certificate valid for") == true)
                    } else {
                        expectOnly(
                            "server", "wrong", in: checks, saying: ["localhost", "has expired"],
                            beside: Self.withoutBus)
                    }
                }
            }
        }

        /// A machine with a screen and sound, and nothing else.
        private nonisolated(nonsending) func withBrokenMachine(
            _ body: (BroadcastCommand, Peers) async throws -> Void
        ) async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 360)
                let pulse = try await PulseServer.start(in: peers)
                try await body(BroadcastCommand(in: peers, display: screen.display, pulse: pulse), peers)
            }
        }
    }
}
