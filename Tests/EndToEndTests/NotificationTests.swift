import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What is said on the desktop, to someone who sees no terminal.
    @Suite(.serialized)
    struct NotificationTests {
        @Test(arguments: ["notify-send", "gdbus", "busctl"])
        func `A start from a menu that is not signed in says so on the desktop, with whatever program is there`(program: String) async throws {
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
                    "menu", ["env", "PATH=\(folder)", broadcast.binary, "start", "--to", "mobcrush"], environment: broadcast.environment)
                #expect(try await peer.waitForExit() == .exited(77))
                try await desktop.daemon.wait(for: "the notification") { desktop.daemon.standardOutput.contains("summary: ") }
                let shown = desktop.daemon.standardOutput
                #expect(shown.contains("Broadcast") && shown.contains("Not signed in to mobcrush. Run: broadcast setup mobcrush"), "\(shown)")
            }
        }
    }
}
