import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What systemd's units and entries of the desktop's menu need.
    struct ServiceTests {
        @Test func `systemd hears when the first picture is out, that the broadcast works, and that it stops`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let socket = try studio.peers.makeFolder("notify") + "/socket"
                let program = """
                    import socket, sys
                    receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                    receiver.bind(sys.argv[1])
                    print("bound", flush=True)
                    while True:
                        print(receiver.recv(4096).decode().replace("\\n", " "), flush=True)
                    """
                let manager = try studio.peers.start("manager", ["/usr/bin/python3", "-c", program, socket])
                _ = try await manager.waitForOutputLine(containing: "bound")
                var broadcast = studio.broadcast
                broadcast.environment["NOTIFY_SOCKET"] = socket
                broadcast.environment["WATCHDOG_USEC"] = "2000000"
                let path = studio.folder + "/out.mp4"
                let live = try broadcast.start(["start", "--to", path])
                _ = try await manager.waitForOutputLine(containing: "READY=1")
                // Each state is shown at once; the signs of the watchdog show how long it has lasted.
                _ = try await manager.waitForOutputLine(containing: "STATUS=live")
                let sign = try await manager.waitForOutputLine(containing: "WATCHDOG=1")
                #expect(sign.contains("STATUS=live"), "\(sign)")
                #expect(try await broadcast.run(["pause"]).status == .exited(0))
                _ = try await manager.waitForOutputLine(containing: "STATUS=paused")
                #expect(try await broadcast.run(["stop"]).status == .exited(0))
                #expect(try await live.waitForExit() == .exited(0))
                _ = try await manager.waitForOutputLine(containing: "STOPPING=1")
            }
        }

        @Test(arguments: ["broadcast@.service", "broadcast-replay.service"])
        func `systemd accepts the units`(unit: String) async throws {
            try await withPeers { peers in
                let folder = try peers.makeFolder("units")
                let source = try String(
                    contentsOfFile: ShippedExtensions.package + "/packaging/systemd/" + unit, encoding: .utf8)
                let name = unit.replacing("@.", with: "@studio.")
                try source.replacing("/usr/bin/broadcast", with: BuiltPrograms.path(of: "broadcast"))
                    .write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
                let check = try peers.start(
                    "systemd-analyze", ["systemd-analyze", "--user", "--man=no", "verify", folder + "/" + name],
                    environment: ["XDG_RUNTIME_DIR": folder, "HOME": folder])
                #expect(try await check.waitForExit() == .exited(0), "\(check.standardError)")
                // Keys of systemd 254 that an older one ignores.
                let lines = check.standardError.split(separator: "\n").filter {
                    $0.contains(name) && !$0.contains("'RestartSteps'") && !$0.contains("'RestartMaxDelaySec'")
                }
                #expect(lines.isEmpty, "\(check.standardError)")
            }
        }

        @Test func `A start that precedes the display waits for it, says so, and takes its name from systemd`()
            async throws
        {
            try await withPeers { peers in
                let desktop = try await SharedDesktop.start(portal: nil, in: peers)
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                var broadcast = try BroadcastCommand(in: peers)
                broadcast.environment["DBUS_SESSION_BUS_ADDRESS"] = desktop.busAddress
                let systemd = try peers.start(
                    "systemd", ["/usr/bin/python3", "-u", SharedDesktop.program("systemd.py"), "active"],
                    environment: desktop.environment, input: .pipe)
                _ = try await systemd.waitForOutputLine(containing: "ready")
                let path = try peers.makeFolder("recordings") + "/out.mp4"
                let start = try broadcast.start(["start", "--wait-for-display", "--duration", "1s", "--to", path])
                _ = try await start.waitForErrorLine(containing: "Waiting for the display")
                // As a desktop does at its start.
                try await systemd.write(Array("DISPLAY=\(screen.display)\n".utf8))
                #expect(try await start.waitForExit() == .exited(0), "\(start.standardError)")
                let probe = try await FFProbe.probe(path, in: peers)
                #expect(probe.video?.width == 320)
                // One that is named is waited for, too.
                let other = try broadcast.start([
                    "start", "--wait-for-display", "--display", ":9999", "--to", path,
                ])
                _ = try await other.waitForErrorLine(containing: "Waiting for the display")
                other.signal(SIGTERM)
                #expect(try await other.waitForExit() == .signalled(SIGTERM))
            }
        }

        @Test func `A key that pauses and resumes shows what it did as a notification`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let daemon = try await NotificationDaemon.start(in: peers, on: screen)
                var broadcast = try BroadcastCommand(in: peers, display: screen.display)
                broadcast.environment.merge(daemon.environment) { $1 }
                let path = try peers.makeFolder("recordings") + "/out.mp4"
                try broadcast.writeConfiguration("[privacy]\ndo-not-disturb = false\n")
                let live = try await broadcast.startLive(["--to", path])
                for word in ["paused", "live"] {
                    let result = try await broadcast.run(["pause", "--toggle", "--notify"])
                    #expect(result.status == .exited(0) && result.output == word + "\n", "\(result)")
                    try await daemon.daemon.wait(for: "the notification") {
                        daemon.daemon.standardOutput.contains("body: '\(word)'")
                    }
                }
                _ = try await broadcast.stop(live)
                let none = try await broadcast.run(["stop", "--notify"])
                #expect(none.status == .exited(1))
                try await daemon.daemon.wait(for: "the error") {
                    daemon.daemon.standardOutput.contains("No session is running")
                }
            }
        }
    }
}
