import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What is said on the desktop, to someone who sees no terminal.
    struct NotificationTests {
        @Test(arguments: ["notify-send", "gdbus", "busctl"])
        func `A start from a menu without a key shows a desktop notification, with notify-send, gdbus or busctl`(
            program: String
        ) async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let desktop = try await NotificationDaemon.start(in: peers, on: screen)
                var broadcast = try BroadcastCommand(in: peers, display: screen.display)
                broadcast.environment.merge(desktop.environment) { $1 }
                // Nothing but this one is found.
                let folder = try peers.makeFolder("bin")
                let path = try await peers.run("which", ["which", program]).trimmingCharacters(in: .newlines)
                try FileManager.default.createSymbolicLink(atPath: folder + "/" + program, withDestinationPath: path)
                let peer = try peers.start(
                    "menu", ["env", "PATH=\(folder)", broadcast.binary, "start", "--to", "mobcrush"],
                    environment: broadcast.environment)
                #expect(try await peer.waitForExit() == .exited(77))
                try await desktop.daemon.wait(for: "the notification") {
                    desktop.daemon.standardOutput.contains("summary: ")
                }
                let shown = desktop.daemon.standardOutput
                #expect(
                    shown.contains("Broadcast")
                        && shown.contains("Not signed in to mobcrush. Run: broadcast setup mobcrush"), "\(shown)")
            }
        }

        @Test
        func `Without a terminal, a failure and an end by --duration are notified on the desktop, and a stop is not`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let desktop = try await NotificationDaemon.start(in: studio.peers, on: studio.screen)
                var broadcast = studio.broadcast
                broadcast.environment.merge(desktop.environment) { $1 }
                let server = try await NginxRTMP.start(in: studio.peers)
                try broadcast.writeConfiguration(
                    """
                    [destinations.once]
                    extension = "rtmp"
                    url = "\(server.url(key: "key"))"
                    retries = 0

                    """)
                // It fails while it is detached.
                #expect(try await broadcast.run(["start", "--detach", "--to", "once"]).status == .exited(0))
                try await server.peer.killNow()
                try await desktop.daemon.wait(for: "the failure") {
                    desktop.daemon.standardOutput.contains("once: The ")
                }
                try await waitUntil("its end") { try await broadcast.status() == nil }

                #expect(
                    try await broadcast.run(["start", "--detach", "--to", studio.path("asked.mp4")]).status
                        == .exited(0))
                #expect(try await broadcast.run(["stop"]).status == .exited(0))

                // Its duration is over. The one that was stopped would have been told of before.
                #expect(
                    try await broadcast.run(["start", "--detach", "--duration", "1s", "--to", studio.path("over.mp4")])
                        .status == .exited(0))
                try await desktop.daemon.wait(for: "the end") {
                    desktop.daemon.standardOutput.contains("The broadcast has ended. over.mp4: 00:0")
                }
                #expect(!desktop.daemon.standardOutput.contains("asked.mp4"))
            }
        }
    }
}
